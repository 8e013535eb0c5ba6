"""Chromium without a window, driven over WebDriver with nothing but the standard library."""

import base64
import json
import re
import subprocess
import urllib.error
import urllib.request

from server import SECONDS, wait_until

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Control": "\ue009", "Shift": "\ue008", "Escape": "\ue00c", "Down": "\ue015",
        "Up": "\ue013", "Space": " "}


class Browser:
    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True)
        for line in self.driver.stdout:
            found = re.search(r"on port (\d+)", line)
            if found and "started" in line:
                self.base = f"http://127.0.0.1:{found.group(1)}"
                break
        # Root has no sandbox, and a container little shared memory.
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run"]
        session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.base += f"/session/{session['sessionId']}"

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def close(self):
        try:
            self._call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(timeout=SECONDS)
            self.driver.stdout.close()

    def open(self, url):
        self._call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def wait_for(self, script):
        """Until a script gives something true."""
        wait_until(lambda: self.run(f"return {script}"))

    def press(self, *keys):
        """Keys that are held together: press("Control", "Enter")."""
        values = [KEYS.get(key, key) for key in keys]
        actions = [{"type": "keyDown", "value": value} for value in values]
        actions += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def type(self, text):
        for character in text:
            self.press(character)

    def focused(self):
        return self.run("return document.activeElement.id || document.activeElement.className || document.activeElement.tagName")

    def tab_to(self, name, most=30):
        """Goes there by the Tab key alone."""
        for _ in range(most):
            if self.focused() == name:
                return
            self.press("Tab")
        raise AssertionError(f"{name} is not reached by Tab; the focus is on {self.focused()}")

    def label(self, selector):
        """What a screen reader calls it."""
        element = self._call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]
        return self._call("GET", f"/element/{element}/computedlabel")

    def device(self, width, height, scheme="light"):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                     mobile=width < 600)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def command(self, name, **parameters):
        return self._call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def screenshot(self, path):
        found = self.command("Page.captureScreenshot", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(found["data"]))

    def log(self):
        return self._call("POST", "/se/log", {"type": "browser"})
