"""A server of small models for tests, and plain HTTP to talk to it. The environment says where the programs are:
MEMSIZER_BIN and MEMSIZER_WRITE_MODELS."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading

PROGRAM = os.path.join(os.environ["MEMSIZER_BIN"], "memsizer")
# A sanitizer takes memory of its own, which says nothing of the program's.
SANITIZED = bool(os.environ.get("MEMSIZER_SANITIZE"))
SECONDS = 120  # that anything may take on a busy machine, under a sanitizer too


class Models:
    """Model files in a folder of their own."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="memsizer-serve-"))
        subprocess.run([os.environ["MEMSIZER_WRITE_MODELS"], str(self.folder)], check=True)

    def all(self):
        return [f"en-de={self.folder}/translator.safetensors", f"titles={self.folder}/summarizer.safetensors",
                f"lm={self.folder}/lm.safetensors", f"softmax={self.folder}/softmax.safetensors"]

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Server:
    """`memsizer serve` on a free port. What it says at its start is in `introduction`."""

    def __init__(self, models, *options, before=()):
        words = [*before, PROGRAM, "serve", "--threads", "1"]
        if "--port" not in options:
            words += ["--port", "0"]
        for model in models:
            words += ["--model", model]
        self.process = subprocess.Popen([*words, *options], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.introduction = []
        self.port = None
        for line in self.process.stderr:
            self.introduction.append(line.rstrip())
            found = re.search(r"listening on http://.*:(\d+)$", line.rstrip())
            if found:
                self.port = int(found.group(1))
                break
        if self.port is None:
            raise RuntimeError(f"the server did not start: {self.introduction}")
        self.errors = []
        self.output = []
        self.readers = [threading.Thread(target=self._keep, args=pair, daemon=True)
                        for pair in ((self.process.stderr, self.errors), (self.process.stdout, self.output))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _keep(stream, lines):
        for line in stream:
            lines.append(line.rstrip())

    def stop(self, how=signal.SIGTERM):
        """Its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(timeout=SECONDS)
        for reader in self.readers:
            reader.join(timeout=SECONDS)
        return code

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        code = self.stop()
        if kind is None and code not in (0, -signal.SIGKILL):
            raise AssertionError(f"the server ended with {code}: {self.errors}")

    def request(self, method, path, body=None, headers=(), raw=False):
        """(status, answer, headers); the answer is parsed if it is JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with contextlib.closing(connection):
            all_headers = dict(headers)
            if body is not None and not isinstance(body, (str, bytes)):
                body = json.dumps(body)
                all_headers.setdefault("Content-Type", "application/json")
            connection.request(method, path, body, all_headers)
            response = connection.getresponse()
            data = response.read()
            is_json = (response.getheader("Content-Type") or "").startswith("application/json")
            answer = json.loads(data) if is_json and not raw and data else data
            return response.status, answer, {name.lower(): value for name, value in response.getheaders()}

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body, **options):
        return self.request("POST", path, body, **options)

    def events(self, path, body, headers=()):
        """The events of a stream, parsed but for the last."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **dict(headers)})
            response = connection.getresponse()
            if response.status != 200:
                raise AssertionError((response.status, response.read()))
            for line in response:
                line = line.strip()
                if line.startswith(b"data: "):
                    yield line[6:].decode() if line == b"data: [DONE]" else json.loads(line[6:])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)

    def metric(self, name):
        """The value of the first metric whose line begins with this."""
        for line in self.get("/metrics")[1].decode().splitlines():
            if line.startswith(name):
                return float(line.split()[-1])
        return 0.0

    def resident_bytes(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
        return 0

    def alive(self):
        return self.process.poll() is None and self.get("/health")[0] == 200


def wait_until(condition, seconds=SECONDS):
    """Asks until it is true; a condition of another process cannot be waited for otherwise."""
    pause = threading.Event()
    for _ in range(int(seconds * 50)):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError("the condition did not come true")
