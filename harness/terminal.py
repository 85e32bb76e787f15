"""The way to the user's terminal: whatever is printed goes through `echo`, so that nobody can forget what it heeds."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import IO, NoReturn

import click

from dalang.harness.escaping import for_terminal


class NobodyReads(Exception):
    """Who read what we print has gone away, as `head` does."""


def echo(text: str = "", nl: bool = True, err: bool = False) -> None:
    """Print this; what comes from a bot can only be read in it, it does nothing."""
    try:
        click.echo(for_terminal(text), nl=nl, err=err)
    except OSError as error:
        if err:  # remarks may go unread, on a full disk as well, and the work goes on
            silence(sys.stderr)
            return
        if not isinstance(error, BrokenPipeError):
            raise
        silence(sys.stdout)
        raise NobodyReads from None


def terminal_columns() -> int | None:
    """How wide what is printed may be; None where it goes to a file or to a program."""
    return get_terminal_size().columns if sys.stdout.isatty() else None


@contextmanager
def alternate_screen() -> Iterator[None]:
    """A screen of its own, as an editor has: what was shown before is there again afterwards, also after SIGTERM."""
    before = signal.signal(signal.SIGTERM, leave)
    try:
        write_control("\x1b[?1049h\x1b[?25l")
        yield
    finally:
        write_control("\x1b[?25h\x1b[?1049l")
        signal.signal(signal.SIGTERM, before)


def leave(number: int, _: object) -> NoReturn:
    """A signal ends us as it would by itself, but what is to be done on the way out is done."""
    raise SystemExit(128 + number)


def paint(text: str) -> None:
    """Over what the screen shows, line by line: one that is cleared first flickers."""
    lines = "".join(f"{line}\x1b[K\n" for line in for_terminal(text).splitlines())
    write_control(f"\x1b[H{lines}\x1b[J")


def write_control(text: str) -> None:
    """What is meant to do something to the terminal; whatever else it holds has been made harmless."""
    sys.stdout.write(text)
    sys.stdout.flush()


def silence(stream: IO[str]) -> None:
    """What is printed there goes nowhere from now on, and what waits to be written too."""
    with open_nowhere() as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def open_standard_streams() -> None:
    """Where one of them is closed, it leads nowhere: else the next file to be opened would take its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, open_nowhere("r" if number == 0 else "w"))


def open_nowhere(mode: str = "w") -> IO[str]:
    return Path(os.devnull).open(mode, encoding="utf-8")
