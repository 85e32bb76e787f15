"""The way to the user's terminal: whatever is printed goes through `echo`, so that nobody can forget what it heeds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

import click

from dalang.harness.escaping import for_terminal


class NobodyReads(Exception):
    """Who read what we print has gone away, as `head` does."""


def echo(text: str = "", nl: bool = True, err: bool = False) -> None:
    """Print this; what comes from a bot can only be read in it, it does nothing."""
    try:
        click.echo(for_terminal(text), nl=nl, err=err)
    except BrokenPipeError:
        silence(sys.stderr if err else sys.stdout)
        if not err:  # remarks may go unread, and the work goes on
            raise NobodyReads from None


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
