"""The terminal of a person: what is shown, a page at a time, and what is typed."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from shutil import get_terminal_size

import click
import trio

from dalang.harness.people.tables.paint import size
from dalang.harness.terminal import echo

QUIT = "q"
MORE = "-- Enter for more --"
PATIENCE = 0.5
"""Seconds that people wait without a word."""
NO_LIMIT = sys.maxsize
"""Rows of a screen at which nobody sits: a file, or another program."""


class Left(Exception):
    """The person has left the table."""


class Lines:
    """What a person types; waiting for it stops nobody else, and Ctrl-C is heard."""

    def __init__(self, descriptor: int = 0) -> None:
        self.descriptor = descriptor
        self.waiting = b""

    async def ask(self, prompt: str) -> str:
        """The next line; `q` when there will be no more."""
        echo(prompt, nl=False)
        while b"\n" not in self.waiting:
            chunk = await self.read()
            if not chunk:
                echo()
                return QUIT
            self.waiting += chunk
        line, _, self.waiting = self.waiting.partition(b"\n")
        return line.decode(errors="replace").strip()

    async def read(self) -> bytes:
        try:
            await trio.lowlevel.wait_readable(self.descriptor)
        except PermissionError:
            await trio.lowlevel.checkpoint()  # a file is always readable, and cannot be waited for
        return os.read(self.descriptor, 65536)


class Screen:
    """Nothing scrolls away before it was seen, if somebody sits there."""

    def __init__(self, lines: Lines | None = None) -> None:
        self.lines = lines or Lines()
        self.is_attended = sys.stdin.isatty() and sys.stdout.isatty()
        self.used = 0
        """Rows that were filled since the person last typed something."""
        self.has_told_to_wait = False

    # ---- Room

    def rows(self) -> int:
        return get_terminal_size().lines if self.is_attended else NO_LIMIT

    def columns(self) -> int:
        return get_terminal_size().columns

    def height(self, line: str) -> int:
        return max(1, -(-size(line) // self.columns()))

    def fits(self, lines: Iterable[str]) -> bool:
        """Whether all of it can be shown now; the last row is for what is typed."""
        return self.used + sum(map(self.height, lines)) < self.rows()

    # ---- Showing

    def put(self, line: str = "") -> None:
        echo(line)
        self.used += self.height(line)

    async def show(self, lines: Iterable[str]) -> None:
        for line in lines:
            if not self.fits([line]):
                await self.pause()
            self.put(line)

    async def pause(self) -> None:
        """Wait until what is shown has been read."""
        if self.is_attended and self.used and await self.ask(MORE) == QUIT:
            raise Left

    async def ask(self, prompt: str) -> str:
        word = await self.lines.ask(prompt)
        self.used = 0
        self.has_told_to_wait = False
        return word

    async def leaf_through(self, text: Sequence[str]) -> None:
        """A text of many pages."""
        at, page = 0, max(1, self.rows() - 1)
        while at < len(text):
            echo("\n".join(text[at : at + page]))
            word = QUIT
            if self.is_attended:
                word = await self.ask("Enter for the next page, b back, /WORD to find it, q to the game: ")
            if word == QUIT:
                return
            at = turned(text, at, page, word)

    # ---- Waiting

    @asynccontextmanager
    async def patience(self) -> AsyncIterator[None]:
        """Whoever waits for long is told that somebody thinks: once, until asked again."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.tell_to_wait)
            yield
            nursery.cancel_scope.cancel()

    async def tell_to_wait(self) -> None:
        await trio.sleep(PATIENCE)
        if self.is_attended and not self.has_told_to_wait:
            self.has_told_to_wait = True
            self.put(click.style("thinking…", dim=True))


def turned(text: Sequence[str], at: int, page: int, word: str) -> int:
    """The line at which the next page begins; the same page if a word is found nowhere below its first line."""
    if word.startswith("/"):
        wanted = word[1:].casefold()
        later = range(at + 1, len(text))
        return next((line for line in later if wanted in click.unstyle(text[line]).casefold()), at)
    return {"": at + page, "b": max(0, at - page)}.get(word, at)
