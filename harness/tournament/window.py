"""A window on the matches that are being played: shared memory in which workers note every move as it is made.

Nobody is woken by that, and whoever looks in disturbs nobody. A worker has a pane of it for each match that it plays
at once. There stands which match it is, and by number which of the legal moves were chosen so far: with the seed, that
is all of it. While a pane is changed its edition is odd; whoever finds another edition afterwards has read nonsense.
"""

from __future__ import annotations

import os
import struct
import tempfile
from array import array
from collections.abc import Sequence
from mmap import mmap
from typing import IO, NamedTuple

import msgpack

from dalang.harness.blocks import MatchKey

HEADING = struct.Struct("QII")
"""Edition, number of choices, size of the heading in bytes."""
HEADING_ROOM = 2**12
"""Bytes of a heading, with what it tells of the match; a match with longer names is not shown."""
MOST_CHOICES = 2**15
"""Moves of a match that are shown; the longest of a bundled game has some thousand."""
CHOICE = struct.Struct("I")
PANE_BYTES = HEADING_ROOM + MOST_CHOICES * CHOICE.size


class Glimpse(NamedTuple):
    """A match that is being played, as far as it has come."""

    edition: int
    """Another for every match in this pane."""
    key: MatchKey
    deal: int
    names: tuple[str, ...]
    choices: Sequence[int]


def new_window(panes: int) -> IO[bytes]:
    """A file for so many panes; it has no name, so nobody can find it who is not given it."""
    file = tempfile.TemporaryFile()
    os.truncate(file.fileno(), panes * PANE_BYTES)
    return file


def panes_in(descriptor: int) -> list[Pane]:
    """All panes of the window that is this file."""
    memory = mmap(descriptor, 0)
    return [Pane(memory, begin) for begin in range(0, len(memory), PANE_BYTES)]


class Pane:
    """Where one match after the other is noted."""

    def __init__(self, memory: mmap, begin: int) -> None:
        self.memory = memory
        self.begin = begin
        self.edition = HEADING.unpack_from(memory, begin)[0]
        self.about = b""
        self.number = 0

    # ---- For who plays

    def seat(self, key: MatchKey, deal: int, names: Sequence[str]) -> None:
        """This match is the next."""
        about: bytes = msgpack.packb((*key, deal, names))
        self.about = about if len(about) <= HEADING_ROOM - HEADING.size else b""

    def start(self) -> None:
        """It begins, or begins anew."""
        self.edition += 1 + self.edition % 2
        self.write(0, 0)
        begin = self.begin + HEADING.size
        self.memory[begin : begin + len(self.about)] = self.about
        self.number, self.edition = 0, self.edition + 1
        self.write(0, len(self.about))

    def choose(self, choice: int) -> None:
        """The next move, by its number in the list of legal ones."""
        if self.number < MOST_CHOICES:
            CHOICE.pack_into(self.memory, self.begin + HEADING_ROOM + self.number * CHOICE.size, choice)
            self.number += 1
            self.write(self.number, len(self.about))

    def clear(self) -> None:
        """Nothing is played here."""
        self.about = b""
        self.start()

    def write(self, number: int, size: int) -> None:
        HEADING.pack_into(self.memory, self.begin, self.edition, number, size)

    # ---- For who looks on

    def look(self) -> Glimpse | None:
        """What is played here; None if nothing is, or if it changes this very moment."""
        edition, number, size = HEADING.unpack_from(self.memory, self.begin)
        about, choices = self.begin + HEADING.size, self.begin + HEADING_ROOM
        told = self.memory[about : about + size]
        chosen = array(CHOICE.format, self.memory[choices : choices + number * CHOICE.size])
        if edition % 2 or not size or HEADING.unpack_from(self.memory, self.begin)[0] != edition:
            return None
        block, rotation, deal, names = msgpack.unpackb(told)
        return Glimpse(edition, MatchKey(block, rotation), deal, tuple(names), chosen)
