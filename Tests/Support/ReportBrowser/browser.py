"""Drives Chromium over a pipe with the DevTools protocol, using only Python's standard library."""

import base64
import json
import os
import select
import subprocess
import tempfile
import time


class Browser:
    """A headless Chromium with one page. Records the page's log and its network requests."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="assay-browser-", ignore_cleanup_errors=True)
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def pipes():
            # The protocol uses descriptors 3 and 4.
            high = [os.dup(to_browser), os.dup(from_browser)]
            high = [number if number > 4 else os.dup(number) for number in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        arguments = [
            program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
            "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
            "--hide-scrollbars", f"--user-data-dir={self.profile.name}", "about:blank",
        ]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(
            arguments, preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._pending = b""
        self._number = 0
        self.events = []
        self.session = None
        self.open_tab()

    def open_tab(self):
        """Opens another page in the same profile, and returns its session. What follows is about this page."""
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"]:
            self.send(f"{domain}.enable")
        return self.session

    def show_tab(self, session):
        """Goes back to a page."""
        self.session = session
        self.send("Page.bringToFront")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(timeout=10)
        except Exception:
            self.process.kill()
            self.process.wait()
        os.close(self._write)
        os.close(self._read)
        self.profile.cleanup()

    def send(self, method, **parameters):
        """Calls a method and returns its result."""
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data):]
        while True:
            answer = self._receive(60)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def _receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._read], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise EOFError("the browser has ended")
            self._pending += chunk
        message, self._pending = self._pending.split(b"\0", 1)
        return json.loads(message)

    def wait_for(self, method, seconds=60):
        """Waits for an event, which may have occurred already."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._receive(seconds))

    def open(self, url):
        """Loads a page."""
        self.events.clear()
        self.send("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def run(self, expression):
        """The value of a JavaScript expression. Waits for a promise."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key, code, text=None):
        """Presses a key."""
        parameters = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        if text:
            parameters["text"] = text
        self.send("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def type(self, text):
        """Types text into the focused element."""
        self.send("Input.insertText", text=text)

    def view(self, width, scheme, height=900, media=""):
        """Sets the width of the window and the colour scheme."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.send(
            "Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, height=None):
        """Saves a screenshot of the whole page, or of its beginning."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], height or 12000), "scale": 1}
        data = self.send("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def problems(self):
        """The messages of the console, exceptions and violations of the content security policy."""
        found = []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Log.entryAdded":
                found.append(f"log: {parameters['entry']['text']}")
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(f"exception: {parameters['exceptionDetails']}")
            if event.get("method") == "Runtime.consoleAPICalled":
                found.append(f"console: {parameters['args']}")
        return found

    def requests(self):
        """The requested URLs."""
        return [
            event["params"]["request"]["url"] for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
