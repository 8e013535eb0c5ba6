"""What every trial shares: a program is run with hostile input, and some things must hold whatever it is."""
import os
import resource
import subprocess

# A trial that has not ended after this many seconds never will.
LONGEST = 300
# What only a bug of ours prints.
OURS = (b"internal error", b"terminate called", b"Sanitizer", b"runtime error:")


class Harness:
    def __init__(self, programs, data):
        self.memsizer = os.path.join(programs, "memsizer")
        self.data = data
        self.inputs = 0
        self.failures = 0

    def fail(self, what, problem, result=None):
        self.failures += 1
        print(f"FAILED {what}: {problem}")
        if result is not None:
            print("  " + result.stderr[-500:].decode(errors="replace").replace("\n", "\n  "))

    def check(self, holds, what, problem):
        if not holds:
            self.fail(what, problem)

    def run(self, what, words, text=b"", codes=(0, 2), limits=()):
        """Runs memsizer with these words; the exit code must be one of `codes`, and an error one line of ours."""
        self.inputs += 1

        def set_limits():
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))

        try:
            result = subprocess.run(
                [self.memsizer, *words],
                input=text,
                capture_output=True,
                timeout=LONGEST,
                preexec_fn=set_limits if limits else None,
            )
        except subprocess.TimeoutExpired:
            self.fail(what, "it does not end")
            return None
        if result.returncode < 0:
            self.fail(what, f"died of signal {-result.returncode}", result)
        elif result.returncode not in codes:
            self.fail(what, f"exit code {result.returncode}, expected {codes}", result)
        elif any(mark in result.stderr for mark in OURS):
            self.fail(what, "a bug shows", result)
        elif result.returncode == 2 and not result.stderr.rstrip(b"\n").split(b"\n")[-1].startswith(b"memsizer: "):
            self.fail(what, "exit code 2 without a line that says why", result)
        elif any(byte < 0x20 and byte != 0x0A for byte in result.stderr):
            self.fail(what, "control characters in an error", result)
        return result

    def run_lines(self, what, words, text, limits=()):
        """The same where a line must come out for each that goes in."""
        result = self.run(what, words, text, limits=limits)
        if result is None or result.returncode != 0:
            return result
        expected = text.count(b"\n") + (1 if text and not text.endswith(b"\n") else 0)
        found = result.stdout.count(b"\n")
        if found != expected:
            self.fail(what, f"{expected} lines in, {found} out", result)
        return result
