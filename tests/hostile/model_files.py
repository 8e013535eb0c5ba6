"""Model files as a stranger would make them: parsed, changed and written again.

A file of version 1 has no checksum, so that whatever it says is read.
"""
import json
import random
import struct
import subprocess

TYPE_BYTES = {"F32": 4, "BF16": 2, "I8": 1, "U8": 1, "I32": 4, "I64": 8, "F64": 8}


class ModelFile:
    """The metadata and the tensors (name: (type, shape, bytes)) of a safetensors file."""

    def __init__(self, metadata, tensors):
        self.metadata = metadata
        self.tensors = tensors

    @staticmethod
    def parse(data):
        size = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + size])
        metadata = header.pop("__metadata__", {})
        tensors = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            tensors[name] = (entry["dtype"], entry["shape"], data[8 + size + begin : 8 + size + end])
        return ModelFile(metadata, tensors)

    @staticmethod
    def read(path):
        with open(path, "rb") as file:
            return ModelFile.parse(file.read())

    def data(self):
        header = {"__metadata__": self.metadata}
        parts = []
        offset = 0
        for name, (dtype, shape, content) in self.tensors.items():
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + len(content)]}
            parts.append(content)
            offset += len(content)
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        return struct.pack("<Q", len(text)) + text + b"".join(parts)

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.data())

    def config(self):
        return json.loads(self.metadata["config"])

    def set_config(self, config):
        self.metadata["config"] = json.dumps(config)

    def without_checksum(self):
        """As version 1 wrote it, which nothing guards."""
        self.metadata.pop("checksum", None)
        self.metadata.pop("weights", None)
        self.metadata["version"] = "1"
        return self


def make_model(memsizer, settings, tokenizer, task="translation", seed=1):
    """A model of random weights with these settings ("model.dim=8") and tokenizer."""
    command = [memsizer, "info", "--preset", "base", "--tensors", "--json"]
    for setting in settings:
        command += ["--set", setting]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    draw = random.Random(seed)
    tensors = {}
    for tensor in told["tensors"]:
        count = 1
        for size in tensor["shape"]:
            count *= size
        numbers = [draw.uniform(-1.0, 1.0) for _ in range(count)]
        tensors[tensor["name"]] = ("F32", tensor["shape"], struct.pack(f"<{count}f", *numbers))
    tensors["tokenizer"] = ("U8", [len(tokenizer)], tokenizer)
    metadata = {
        "format": "memsizer-model",
        "version": "1",
        "task": task,
        "config": json.dumps(told["config"]),
        "generation": '{"beam":2}',
    }
    return ModelFile(metadata, tensors)


SMALL = [
    "model.dim=8",
    "model.vocab=12",
    "model.encoder.layers=1",
    "model.decoder.layers=1",
    "model.encoder.heads=2",
    "model.decoder.heads=2",
    "model.encoder.ffn=16",
    "model.decoder.ffn=16",
]
LANGUAGE_MODEL = ["model.architecture=language-model", "model.embedding.tie=decoder"]
SHORT_POSITIONS = ["model.embedding.positions=learned", "model.embedding.max_positions=8"]
WORDS = b"memsizer-words 1\nthe 8\ncat 7\nsat 6\non 5\na 4\nmat 3\nder 2\nKater 1\n"
