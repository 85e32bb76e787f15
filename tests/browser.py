"""A real Chromium, driven through its debugging pipe: no driver, no port, no download."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from signal import SIGKILL
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any, BinaryIO

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync",
    "--font-render-hinting=none", "--remote-debugging-pipe",
)  # fmt: skip
JOIN_PIPES = """
import os, sys
os.dup2({commands}, 200), os.dup2({answers}, 201)
os.dup2(200, 3), os.dup2(201, 4)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Chromium reads commands from descriptor 3 and writes answers to 4."""
LONGEST = 60.0
"""Seconds that a browser may take for one answer."""


def chromium() -> str | None:
    """Where the browser is, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One tab: commands go out, answers and events come in."""

    def __init__(self, commands: BinaryIO, answers: BinaryIO, end: Callable[[], None]) -> None:
        self.commands = commands
        self.answers = answers
        self.end = end
        self.number = 0
        self.session = ""
        self.site = ""
        """The address from which pages may load something, if they are no files."""
        self.events: list[dict[str, Any]] = []

    def send(self, method: str, **parameters: Any) -> Any:
        """Ask for something and wait for the answer; without one in time the browser is ended."""
        guard = Timer(LONGEST, self.end)
        guard.start()
        try:
            return self.answer(method, parameters)
        finally:
            guard.cancel()

    def answer(self, method: str, parameters: dict[str, Any]) -> Any:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.commands.write(json.dumps(message).encode() + b"\0")
        self.commands.flush()
        while (answer := self.receive()).get("id") != self.number:
            self.events.append(answer)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def receive(self) -> dict[str, Any]:
        data = bytearray()
        while (byte := self.answers.read(1)) != b"\0":
            assert byte, "the browser is gone"
            data += byte
        answer: dict[str, Any] = json.loads(data)
        return answer

    def attach(self) -> None:
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    # ---- What a person does

    def open(self, file: Path, moment: str = "") -> None:
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=file.absolute().as_uri() + moment)
        self.until("document.readyState === 'complete' && document.querySelector('.counter')?.value")

    def read(self, file: Path) -> None:
        """A page of the documentation, as a file."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=file.absolute().as_uri())
        self.until("document.readyState === 'complete' && document.querySelector('h1')")

    def visit(self, site: str, path: str = "") -> None:
        """A page of a site, which may ask for more of it; it is there when it has standings."""
        self.site = site
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=site + path)
        self.until("document.querySelector('#standings tbody tr')")

    def leave(self, forgiving: str = "") -> None:
        """Before a site is gone; complaints with these words were to be expected."""
        self.send("Page.navigate", url="about:blank")
        self.until("location.href === 'about:blank'")
        self.events[:] = [each for each in self.events if not forgiving or forgiving not in json.dumps(each)]

    def size(self, width: int, height: int, scale: float = 1, phone: bool = False) -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=scale, mobile=phone,
        )  # fmt: skip

    def prefer(self, scheme: str) -> None:
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.send("Emulation.setEmulatedMedia", features=features)

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])

    def hide(self, is_hidden: bool) -> None:
        """Look at another tab, or at this one again; without a screen no tab is ever hidden, so the page is told."""
        hidden = json.dumps({"value": is_hidden, "configurable": True})
        self.run(f"Object.defineProperty(document, 'hidden', {hidden}) && null")
        self.run("document.dispatchEvent(new Event('visibilitychange')) && null")

    def click(self, selector: str) -> None:
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    # ---- What a person sees

    def run(self, script: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait, in the page, until this holds."""
        self.run(
            "new Promise((done, fail) => { const end = Date.now() + 20000; const look = () => "
            f"({condition}) ? done() : Date.now() > end ? fail(new Error('never')) : setTimeout(look, 10); look(); "
            "}).then(() => null)"
        )

    def text(self, selector: str) -> str:
        found: str = self.run(f"document.querySelector({json.dumps(selector)}).innerText")
        return found

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((found) => found.textContent)"
        )
        return found

    def picture(self, top: float, width: float, height: float) -> bytes:
        """A stripe of the page as PNG."""
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        return b64decode(self.send("Page.captureScreenshot", format="png", clip=clip)["data"])

    # ---- What nobody wants to see

    def complaints(self) -> list[str]:
        """Errors, warnings, and attempts to reach anything but a file or the site that was visited."""
        self.send("Runtime.evaluate", expression="0")
        return [found for event in self.events if (found := complaint(event, self.site))]


KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35}


def complaint(event: dict[str, Any], site: str) -> str:
    method, told = event.get("method", ""), event.get("params", {})
    if method == "Runtime.exceptionThrown" or method == "Log.entryAdded":
        return json.dumps(told)
    if method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
        return json.dumps(told["args"])
    if method == "Network.requestWillBeSent":
        url = told["request"]["url"]
        known = ("file:", "data:", "about:", "blob:", *([site] if site else []))
        return "" if url.startswith(known) else url
    return ""


@contextmanager
def browsing(program: str) -> Iterator[Page]:
    """A browser with one empty page; gone, with its folder, afterwards."""
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    with TemporaryDirectory(prefix="dalang-", ignore_cleanup_errors=True) as profile:
        join = JOIN_PIPES.format(commands=their_in, answers=their_out)
        with (
            subprocess.Popen(
                [sys.executable, "-c", join, program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
                pass_fds=(their_in, their_out),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            ) as process,
            os.fdopen(our_out, "wb") as commands,
            os.fdopen(our_in, "rb") as answers,
        ):
            os.close(their_in)
            os.close(their_out)
            end = partial(os.killpg, process.pid, SIGKILL)
            try:
                page = Page(commands, answers, end)
                page.attach()
                yield page
            finally:
                end()
