"""A program in a terminal of its own: what it shows up to a prompt, what is typed, how it ends."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST_WAIT = 300.0
"""Seconds after which a program that shows nothing has failed."""
AT_A_TERMINAL = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)
os.login_tty(0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Makes the terminal the controlling one and heeds its keys, also where the tests run in the background or under nohup,
which ignore them, then becomes the program."""
ESCAPE = "\x1b"
CTRL_C, CTRL_D = "\x03", "\x04"


class Terminal:
    def __init__(self, descriptor: int, process: subprocess.Popen[bytes]) -> None:
        self.descriptor = descriptor
        self.process = process
        self.decoder = getincrementaldecoder("utf-8")()
        self.shown = ""
        """Everything so far, with plain line ends."""

    def until(self, prompt: str) -> str:
        """What is shown before this stands at the end of it."""
        begin = len(self.shown)
        while not self.shown.endswith(prompt) or len(self.shown) == begin:
            assert self.more(), f"it ended without {prompt!r}:\n{self.shown}"
        return self.shown[begin:]

    def rest(self) -> str:
        """What is shown up to the end."""
        begin = len(self.shown)
        while self.more():
            pass
        return self.shown[begin:]

    def more(self) -> bool:
        assert select.select([self.descriptor], [], [], LONGEST_WAIT)[0], f"silence after:\n{self.shown}"
        data = read(self.descriptor)
        self.shown = (self.shown + self.decoder.decode(data)).replace("\r\n", "\n")
        return bool(data)

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def enter(self, line: str = "") -> None:
        self.type(line + "\n")

    def ended(self) -> int:
        """The exit code, after everything was shown."""
        self.rest()
        return self.process.wait(timeout=LONGEST_WAIT)


@contextmanager
def terminal(
    *arguments: str,
    cwd: Path | None = None,
    by: Callable[[list[str]], list[str]] = list,
    **environment: str,
) -> Iterator[Terminal]:
    """dalang in a terminal of 80 columns, so high that no text waits for a key; `by` makes the command another's."""
    ours, theirs = pty.openpty()
    around = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    setting = {
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "TERM": "xterm",
        "COLUMNS": "80",
        "LINES": "1000",
    }
    setting["LC_TTY"] = os.ttyname(theirs)  # bots inherit it
    try:
        with subprocess.Popen(
            by([sys.executable, "-c", AT_A_TERMINAL, "-m", "dalang", *arguments]),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env={**around, **setting, **environment},
        ) as process:
            os.close(theirs)
            try:
                yield Terminal(ours, process)
            finally:
                process.kill()
    finally:
        os.close(ours)


def read(descriptor: int) -> bytes:
    """A pseudo-terminal whose other end is closed is an error on Linux, not an end of file."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def flat(text: str) -> str:
    """Without colour, and on one line, so that it does not matter where lines were broken."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())
