"""A headless Chromium that opens pages and tells what it saw, driven over its DevTools pipe."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.clis import is_required

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
PIPES = 'exec "$@" 3<&{read} 4>&{write}'
"""Chromium reads its orders from descriptor 3 and answers on 4."""
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-pipe",
)


def need_browser() -> str:
    """Give the browser, or skip the test with the reason; in CI the test fails."""
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is not None:
        return found
    reason = "there is no Chromium; run .ci/install-browser"
    if is_required("browser"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass(slots=True)
class Browser:
    """One tab.

    Args:
        orders: where orders are written.
        answers: where answers and events are read.
    """

    orders: int
    answers: int
    requests: list[str] = field(default_factory=list)
    """Every address that was asked for."""
    complaints: list[str] = field(default_factory=list)
    """What the console said, and what the browser reported of errors."""
    _session: str | None = None
    _number: int = 0
    _rest: bytes = b""

    def start(self) -> None:
        """Open the tab and listen to it."""
        target = self.order("Target.createTarget", url="about:blank")["targetId"]
        attached = self.order("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.order(f"{domain}.enable")

    def order(self, method: str, **params: object) -> Any:  # what Chromium answers, by method
        """Give an order and wait for its answer."""
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self.orders, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded."""
        self.requests.clear()
        self.complaints.clear()
        self.order("Page.navigate", url=path.absolute().as_uri())
        while self._read().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, script: str) -> Any:  # whatever the script gives
        """Run a script in the page and give its value."""
        answer = self.order("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def look(self, *, width: int = 1200, scheme: str = "light", media: str = "screen") -> None:
        """Be a screen of that width, or paper, in light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.order("Emulation.setEmulatedMedia", media=media, features=features)
        self.order(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.order(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                text=text if kind == "keyDown" else "",
            )

    def screenshot(self, path: Path) -> None:
        """Take a picture of the whole page."""
        answer = self.order("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(answer["data"]))

    def print_pdf(self, path: Path) -> None:
        """Print the page to a PDF."""
        path.write_bytes(base64.b64decode(self.order("Page.printToPDF")["data"]))

    def _read(self) -> dict[str, Any]:
        """Read one message, and note it if it is an event that matters."""
        while b"\0" not in self._rest:
            more = os.read(self.answers, 2**20)
            assert more, "Chromium closed its pipe"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        self._note(message.get("method"), message.get("params", {}))
        return message

    def _note(self, method: str | None, params: dict[str, Any]) -> None:
        match method:
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.consoleAPICalled":
                self.complaints.append(str(params["args"]))
            case "Runtime.exceptionThrown":
                self.complaints.append(str(params["exceptionDetails"]))
            case "Log.entryAdded":
                self.complaints.append(str(params["entry"]["text"]))
            case "Page.javascriptDialogOpening":
                self.complaints.append(f"dialog: {params['message']}")
            case _:
                pass


@contextmanager
def open_browser(program: str, profile: Path) -> Iterator[Browser]:
    """Start a browser of one's own, and end it."""
    its_read, our_write = os.pipe()
    our_read, its_write = os.pipe()
    shell = PIPES.format(read=its_read, write=its_write)
    process = subprocess.Popen(
        ["bash", "-c", shell, "bash", program, *QUIET, f"--user-data-dir={profile}"],
        pass_fds=(its_read, its_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(its_read)
    os.close(its_write)
    try:
        browser = Browser(orders=our_write, answers=our_read)
        browser.start()
        yield browser
        browser._session = None  # noqa: SLF001 (the order is the browser's, not the tab's)
        browser.order("Browser.close")
    finally:
        process.terminate()
        process.wait(timeout=30)
        os.close(our_write)
        os.close(our_read)
