"""Model files that are cut off or damaged, and configurations that a file should not have."""
import json
import os
import shutil
import struct

from model_files import ModelFile

TEXT = b"a b\n"


def boundaries(data):
    """Where one part of the file ends and the next begins, and a byte to either side."""
    header = 8 + struct.unpack("<Q", data[:8])[0]
    entries = json.loads(data[8:header])
    places = {0, 1, 7, 8, 9, header // 2, header}
    for name, entry in entries.items():
        if name != "__metadata__":
            places.update(header + offset for offset in entry["data_offsets"])
    around = {place + step for place in places for step in (-1, 0, 1)}
    return sorted(place for place in around if 0 <= place < len(data))


def truncations(harness, folder, every):
    for name in ("model_v1", "model_v2", "model_v3", "model_int8", "model_adaptive"):
        data = open(os.path.join(harness.data, name + ".safetensors"), "rb").read()
        path = os.path.join(folder, "cut")
        for size in boundaries(data)[:: 1 if every else 7]:
            with open(path, "wb") as file:
                file.write(data[:size])
            harness.run(f"{name} of {size} bytes: translate", ["translate", "--model", path], TEXT, codes=(2,))
            if every:
                harness.run(f"{name} of {size} bytes: info", ["info", path], codes=(2,))
    checkpoint = os.path.join(harness.data, "run_v2", "checkpoints", "step-00000002")
    for size in boundaries(open(os.path.join(checkpoint, "model.safetensors"), "rb").read())[:: 1 if every else 19]:
        path = os.path.join(folder, "checkpoint")
        shutil.copytree(checkpoint, path, dirs_exist_ok=True)
        os.truncate(os.path.join(path, "model.safetensors"), size)
        out = os.path.join(folder, "out")
        harness.run(f"checkpoint of {size} bytes: export", ["export", path, "--out", out], codes=(2,))
        harness.check(not os.path.exists(out), f"checkpoint of {size} bytes", "a model was made of it")


def flips(harness, folder, every):
    path = os.path.join(folder, "flipped")
    for name, codes in (("model_v1", (0, 2)), ("model_v2", (2,)), ("model_v3", (2,))):
        data = open(os.path.join(harness.data, name + ".safetensors"), "rb").read()
        header = 8 + struct.unpack("<Q", data[:8])[0]
        # Every byte of the sizes, and of the header and the weights as many as there is time for.
        places = list(range(8)) + list(range(8, header, 5 if every else 61))
        places += list(range(header, len(data), 17 if every else 499))
        for place in places:
            flipped = bytearray(data)
            flipped[place] ^= 1 << (place % 8)
            with open(path, "wb") as file:
                file.write(flipped)
            harness.run(f"{name} with byte {place} flipped", ["translate", "--model", path], TEXT, codes=codes)


def numbers_in(tree, path=()):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from numbers_in(value, path + (key,))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield path + (key,), value


def with_value(tree, path, value):
    changed = json.loads(json.dumps(tree))
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def forged_configurations(harness, folder, every):
    """Files without a checksum, so that what they say is believed until it is checked."""
    model = ModelFile.read(os.path.join(harness.data, "model_v1.safetensors"))
    path = os.path.join(folder, "forged")
    odd = [0, -1, float("nan"), float("inf"), 2**31, 2**63, -(2**63), 1e308, "text", None, []]
    fields = [("config", *field) for field in numbers_in(model.config())]
    fields += [
        ("generation", (key,), 1)
        for key in ("beam", "n_best", "length_penalty", "max_length", "max_length_ratio", "min_length", "top_k", "top_p")
    ]
    for key, field, value in fields:
        for number in odd + [value - 1, value + 1] if every else odd[:6:2] + [value + 1]:
            forged = ModelFile(dict(model.metadata), model.tensors)
            forged.metadata[key] = json.dumps(with_value(json.loads(model.metadata[key]), field, number))
            forged.write(path)
            what = f"{key} {'.'.join(field)} of {number}"
            harness.run_lines(what, ["translate", "--model", path], TEXT)
            if every:
                harness.run(what + ": info", ["info", path])


def forged_tensors(harness, folder, every):
    model = ModelFile.read(os.path.join(harness.data, "model_v1.safetensors"))
    path = os.path.join(folder, "forged")
    for name, (dtype, shape, data) in list(model.tensors.items())[:: 1 if every else 5]:
        changed = [("U8", [len(data)], data), (dtype, [0], b""), (dtype, list(reversed(shape)) + [1], data)]
        if dtype == "F32":
            for number in (float("nan"), float("inf")):
                changed.append((dtype, shape, data[:-4] + struct.pack("<f", number)))
        for tensor in changed:
            if tensor == (dtype, shape, data):
                continue
            forged = ModelFile(dict(model.metadata), {**model.tensors, name: tensor})
            forged.write(path)
            # The tokenizer is bytes already.
            codes = (0, 2) if name == "tokenizer" else (2,)
            harness.run(f"{name} as {tensor[0]} {tensor[1]}", ["translate", "--model", path], TEXT, codes=codes)


PARTS = [truncations, flips, forged_configurations, forged_tensors]
