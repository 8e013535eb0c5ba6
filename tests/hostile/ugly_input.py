"""Text and options of the kind that nobody tests with."""
import os

from model_files import LANGUAGE_MODEL, SHORT_POSITIONS, SMALL, WORDS, make_model

TEXTS = {
    "nothing": b"",
    "one line end": b"\n",
    "blank lines": b"\n \n\t\n\xe3\x80\x80\n\n",
    "no line end": b"the cat",
    "carriage returns": b"the cat\r\nsat\r\n\r\non a\rmat\r\n",
    "byte-order mark": b"\xef\xbb\xbfthe cat\n\xef\xbb\xbf\n",
    "zero bytes": b"the\0cat\n\0\n\0\0\0\n",
    "no UTF-8": b"\xff\xfe\n\xc3\n\xed\xa0\x80\n\xf4\x90\x80\x80 a\n\x80\x80\n",
    "terminal escapes": b"\x1b[31mred\x1b[0m\n\x9b31m\n\x07\n",
    "line separators": "a\u2028b\u2029c\u0085d\n".encode(),
    "right to left": "\u202eabc\u202c \u05d0\u05d1\n".encode(),
    "many joiners": ("e" + "\u0301" * 5000 + "\n").encode(),
    "special tokens": b"</s> <pad> <unk> <s>\n</s>\n",
    "a long word": b"x" * 300_000 + b"\n",
    "many words": b"the cat " * 4_000 + b"\n",
    "unknown characters": b"\xff" * 300_000 + b"\n" + "\u2603".encode() * 50_000 + b"\n",
    "many lines": b"the cat\n" * 3_000,
    "JSON": b'{"source": "a"}\n[[[[\n{"source": 1e999}\n',
}
NUMBERS = ["", "0", "-1", "nan", "inf", "-inf", "1e400", "2147483648", "9223372036854775808", "-9223372036854775809", "x"]


def texts(harness, folder, every):
    models = {
        "translate": make_model(harness.memsizer, SMALL, WORDS),
        "summarize": make_model(harness.memsizer, SMALL, WORDS, "summarization"),
        "complete": make_model(harness.memsizer, SMALL + LANGUAGE_MODEL, WORDS, "language-model"),
        "complete short": make_model(
            harness.memsizer, SMALL + LANGUAGE_MODEL + SHORT_POSITIONS, WORDS, "language-model"
        ),
    }
    source, out = os.path.join(folder, "text"), os.path.join(folder, "out")
    for name, model in models.items():
        path = os.path.join(folder, name.replace(" ", "-"))
        model.write(path)
        command = [name.split()[0], "--model", path, "--max-length", "5"]
        for kind, text in TEXTS.items():
            harness.run_lines(f"{name}: {kind}", command, text)
            if every:
                harness.run_lines(f"{name}, streamed: {kind}", command + ["--stream"], text)
                harness.run_lines(f"{name} as JSON: {kind}", command + ["--json"], text)
    model = os.path.join(folder, "translate")
    for kind, text in TEXTS.items():
        with open(source, "wb") as file:
            file.write(text)
        written = harness.run(f"translate from and to a file: {kind}", ["translate", "--model", model, "--max-length",
                              "5", "--input", source, "--output", out])
        if written is not None and written.returncode == 0:
            piped = harness.run(f"translate: {kind}", ["translate", "--model", model, "--max-length", "5"], text)
            harness.check(piped is not None and piped.stdout == open(out, "rb").read(), kind, "files and pipes differ")
        harness.run(f"score: {kind}", ["score", "--references", source, "--allow-empty", "--metric", "bleu,chrf,rouge"], text)
        harness.run(f"evaluate: {kind}", ["evaluate", "--model", model, "--test", source, source, "--beam", "1"])
        harness.run(f"evaluate JSON lines: {kind}", ["evaluate", "--model", model, "--test", source, "--format", "jsonl"])
        harness.run(f"evaluate a language model: {kind}", ["evaluate", "--model", os.path.join(folder, "complete"),
                    "--test", source])
        harness.run(f"shortlist: {kind}", ["shortlist", "--model", model, "--source", source, "--target", source,
                    "--output", os.path.join(folder, "listed")])
        harness.run(f"distill: {kind}", ["distill", "--model", model, "--input", source, "--output",
                    os.path.join(folder, "distilled"), "--max-length", "5"])
        harness.run(f"info of text: {kind}", ["info", source], codes=(2,))
        if os.path.exists(os.path.join(folder, "distilled.partial")):
            os.remove(os.path.join(folder, "distilled.partial"))


def options(harness, folder, every):
    model = os.path.join(harness.data, "model_v2.safetensors")
    names = ["beam", "n-best", "length-penalty", "max-length", "min-length", "no-repeat-ngram", "temperature", "top-k",
             "top-p", "repetition-penalty", "seed", "max-source-tokens", "threads", "workers", "batch-tokens"]
    for name in names:
        for number in NUMBERS if every else NUMBERS[::2]:
            words = ["translate", "--model", model, f"--{name}={number}"]
            result = harness.run(f"translate --{name}={number}", words, b"a b\n")
            empty = number == "" and result is not None
            harness.check(not empty or result.returncode == 2, f"--{name}", "nothing was taken for a number")
    bench = ["slots", "heads", "lengths", "source-length", "shortlist", "batch", "beam", "threads", "repeats"]
    for name in bench:
        for number in ("", "-1", "nan", "9223372036854775808", "x"):
            harness.run(f"bench --{name}={number}", ["bench", "--preset", "base", f"--{name}={number}"], codes=(2,))


PARTS = [texts, options]
