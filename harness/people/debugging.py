"""For whoever writes a bot: what it prints as it prints it, and a debugger for it."""

from __future__ import annotations

import os
import sys
import termios
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from subprocess import Popen

import click
import trio

from dalang.engine.game import SetupError
from dalang.harness.escaping import printable
from dalang.harness.isolation.at_terminal import AtTerminal
from dalang.harness.isolation.levels import NONE
from dalang.harness.match.arena import Attended
from dalang.harness.people.screen import Lines

BOT_COLOURS = ("cyan", "magenta", "yellow", "blue", "green")
"""Of bots; red is for faults."""
LONGEST_PIECE = 4096
"""Bytes of a line that are waited for."""
TRACER_SECONDS = 0.1
"""Seconds between two looks whether a debugger is there."""


class LiveStderr:
    """What bots write to stderr, line by line as it comes, each bot with its name and in its colour."""

    def __init__(self, names: Sequence[str], show: Callable[[str], None]) -> None:
        self.show = show
        self.waiting: dict[str, bytes] = defaultdict(bytes)
        self.width = max(map(len, names), default=0)
        self.colours = {name: BOT_COLOURS[number % len(BOT_COLOURS)] for number, name in enumerate(names)}

    def hear(self, name: str, chunk: bytes) -> None:
        *lines, self.waiting[name] = (self.waiting[name] + chunk).split(b"\n")
        if len(self.waiting[name]) > LONGEST_PIECE:
            lines.append(self.waiting.pop(name))
        for line in lines:
            self.line(name, line)

    def line(self, name: str, line: bytes) -> None:
        text = f"{name:{self.width}} │ {printable(line.decode(errors='replace').rstrip())}"
        self.show(click.style(text, fg=self.colours.get(name)))

    def close(self) -> None:
        """What did not come to the end of its line."""
        for name, line in self.waiting.items():
            if line:
                self.line(name, line)


# ---- Debuggers


def debugged(name: str, tell: Callable[[str], None]) -> Attended:
    """The bot has the terminal; a debugger in it, such as Python's `breakpoint()`, can be used."""
    level = AtTerminal()
    if problem := level.problem():
        raise SetupError(f"--debug gives {name} the terminal, but {problem}; use --attach")
    tell(
        f"{name} has the terminal, and no clock runs for it. "
        "If its kit does not read DALANG_FDS, leave with Ctrl-C and use --attach."
    )
    return Attended(level, at_once)


async def at_once(process: Popen[bytes]) -> None:
    """Nobody is waited for."""


def attached(name: str, tell: Callable[[str], None]) -> Attended:
    """The bot waits for a debugger before its match begins, or for Enter."""
    return Attended(NONE, partial(debugger, name, tell))


async def debugger(name: str, tell: Callable[[str], None], process: Popen[bytes]) -> None:
    """Until one has attached itself, somebody presses Enter, or the bot is gone."""
    tell(
        f"{name} is process {process.pid}, and no clock runs for it. Attach a debugger, or press Enter to go on."
    )
    async with trio.open_nursery() as nursery:
        if os.isatty(0):
            nursery.start_soon(enter, nursery.cancel_scope)
        while process.poll() is None and not is_traced(process.pid):
            await trio.sleep(TRACER_SECONDS)
        nursery.cancel_scope.cancel()


async def enter(scope: trio.CancelScope) -> None:
    await Lines().ask("")
    scope.cancel()


def is_traced(pid: int) -> bool:
    """Whether a debugger is attached to this process, where the kernel tells (Linux)."""
    with suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
        return "\nTracerPid:\t0\n" not in status and "\nTracerPid:" in status
    return False


@contextmanager
def terminal_kept() -> Iterator[None]:
    """The terminal is afterwards as it was before, whatever a debugger that was killed has made of it."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(0)
    try:
        yield
    finally:
        with suppress(termios.error):  # it has gone away
            termios.tcsetattr(0, termios.TCSADRAIN, before)
