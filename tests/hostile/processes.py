"""Signals, limits, and two programs at once."""
import os
import random
import resource
import signal
import subprocess
import time
import uuid

LINES = b"the cat sat on a mat\n" * 4_000
MARK = "MEMSIZER_HOSTILE"


def start(harness, words, mark):
    return subprocess.Popen([harness.memsizer, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, env={**os.environ, MARK: mark})


def alive(mark):
    """Processes that were started with this mark, and still run."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = open(f"/proc/{process}/environ", "rb").read()
            state = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment and state != "Z":
            found.append(int(process))
    return found


def all_ended(mark):
    """Whether they end, however long the system takes for it."""
    for _ in range(1000):
        if not alive(mark):
            return True
        time.sleep(0.01)
    return False


def signals(harness, folder, every):
    """A signal ends the program, removes its unfinished file and keeps what was there before."""
    model = os.path.join(harness.data, "model_v2.safetensors")
    source, out = os.path.join(folder, "source"), os.path.join(folder, "out")
    with open(source, "wb") as file:
        file.write(LINES)
    commands = {
        "translate": ["translate", "--model", model, "--input", source, "--output", out, "--threads", "1"],
        "evaluate": ["evaluate", "--model", model, "--test", source, source, "--output", out, "--threads", "1"],
        "bench": ["bench", "--preset", "base", "--lengths", "8,16,32", "--threads", "1", "--report", out],
    }
    draw = random.Random(1)
    for round_ in range(40 if every else 3):
        for name, words in commands.items():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
                what = f"{name}, {number.name}, round {round_}"
                harness.inputs += 1
                with open(out, "wb") as file:
                    file.write(b"earlier")
                mark = uuid.uuid4().hex
                process = start(harness, words, mark)
                # At any moment of its life, from its first instruction on.
                time.sleep(draw.uniform(0.0, 0.6))
                process.send_signal(number)
                errors = process.communicate()[1]
                harness.check(process.returncode in (0, -number), what, f"ended with {process.returncode}: {errors!r}")
                harness.check(all_ended(mark), what, "a child lives on")
                left = set(os.listdir(folder)) - {"source", "out"}
                if number == signal.SIGKILL:
                    # Nobody can clean up after this one.
                    for name_left in left:
                        os.remove(os.path.join(folder, name_left))
                else:
                    harness.check(not left, what, f"{left} is left behind")
                if process.returncode != 0:
                    content = open(out, "rb").read()
                    whole = content.count(b"\n") >= LINES.count(b"\n") or content.endswith(b"</html>\n")
                    harness.check(content == b"earlier" or whole, what, "the earlier file is damaged")


def limits(harness, folder, every):
    model = os.path.join(harness.data, "model_v2.safetensors")
    words = ["translate", "--model", model, "--threads", "1"]
    least = 0
    for megabytes in range(8, 200, 1 if every else 9):
        limit = [(resource.RLIMIT_AS, megabytes << 20)]
        if not least:
            # Below this the system cannot even load the program.
            loads = subprocess.run([harness.memsizer, "--version"], capture_output=True,
                                   preexec_fn=lambda: resource.setrlimit(*limit[0][:1], (limit[0][1],) * 2))
            least = megabytes if loads.returncode == 0 else 0
            continue
        harness.run_lines(f"translate in {megabytes} MB", words, b"a b\n" * 50, limits=limit)
        harness.run_lines(f"a long line in {megabytes} MB", words, b"a" * (32 << 20), limits=limit)
        harness.run(f"bench in {megabytes} MB", ["bench", "--preset", "base", "--lengths", "4", "--threads", "1"],
                    limits=limit, codes=(2,))
    for threads, workers in ((1024, 1), (1, 1024), (64, 64)):
        harness.run(f"{threads} threads, {workers} workers",
                    ["translate", "--model", model, "--threads", str(threads), "--workers", str(workers)], b"a\n",
                    limits=[(resource.RLIMIT_AS, 2 << 30)], codes=(2,))
    out = os.path.join(folder, "out")
    for kilobytes in range(0, 14, 2):
        result = harness.run(f"quantize into {kilobytes} KB", ["quantize", "--model", model, "--to", "int8", "--out", out],
                             limits=[(resource.RLIMIT_FSIZE, kilobytes << 10)])
        written = os.path.exists(out)
        harness.check(result is None or written == (result.returncode == 0), f"{kilobytes} KB", "a part of a file")
        if written:
            os.remove(out)
    harness.check(not os.listdir(folder), "limits", f"{os.listdir(folder)} is left behind")


def pairs(harness, folder, every):
    """Two programs that write one file: one of them is refused, or both are right."""
    model = os.path.join(harness.data, "model_v2.safetensors")
    source, out = os.path.join(folder, "source"), os.path.join(folder, "out")
    with open(source, "wb") as file:
        file.write(LINES)
    for name in ("translate", "distill"):
        words = [name, "--model", model, "--input", source, "--output", out, "--threads", "1"]
        for round_ in range(10 if every else 1):
            harness.inputs += 1
            both = [start(harness, words, "") for _ in range(2)]
            errors = [process.communicate()[1] for process in both]
            codes = sorted(process.returncode for process in both)
            what = f"two {name}, round {round_}"
            harness.check(codes in ([0, 0], [0, 2]), what, f"exit codes {codes}: {errors}")
            harness.check(open(out, "rb").read().count(b"\n") == LINES.count(b"\n"), what, "lines are missing")
            harness.check(set(os.listdir(folder)) == {"source", "out"}, what, f"{os.listdir(folder)}")
            os.remove(out)


PARTS = [signals, limits, pairs]
