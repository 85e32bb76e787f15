"""A finished match as the file keeps it and as it travels there: what goes into the tables, and the whole story packed.

Whoever plays a match packs it, so that the one who writes the file has little to do.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple

import msgpack

from dalang.engine.game import Plain, quoted
from dalang.engine.record import DAMAGE, RecordError
from dalang.harness.blocks import Block, MatchResult
from dalang.harness.match.limits import MB
from dalang.harness.match.played import Played
from dalang.protocol.codec import pack

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESSOR = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: True})
UNREADABLE = (zstd.ZstdError, *DAMAGE)
"""What can come of unpacking a story that somebody has damaged."""

MOST_RECORD_BYTES = 16 * MB
"""Of a story that is unpacked: the longest match of a bundled game has an eighth of one MB, notes not counted. What is
packed can be made to look small; Python needs some sixty times as much for what is unpacked."""
MOST_KNOWN = 2**14
"""Matches that are remembered while many are read."""
SEAT_SORTS = (int, str, int, int, str)
"""What the columns of a seat hold that results are made of: rotation, bot, place, score, fault."""


class StoredMatch(NamedTuple):
    """Lists are by seat."""

    block: Block
    rotation: int
    result: MatchResult
    ending: str
    voided: int
    decisions: Sequence[int]
    seconds: Sequence[float]
    times: Sequence[bytes]
    """The microseconds of each answer, as 32-bit floats."""
    story: bytes
    machine: int | None = None
    """Where it was played, by its number in the file; None for the machine that has the file."""

    @classmethod
    def of(cls, block: Block, rotation: int, played: Played) -> StoredMatch:
        times = played.microseconds
        return cls(
            block,
            rotation,
            played.result(),
            played.record.outcome.ending,
            played.voided,
            [len(each) for each in times],
            [sum(each) / 1e6 for each in times],
            [array("f", each).tobytes() for each in times],
            packed(played.data()),
        )

    def data(self) -> tuple[Any, ...]:
        """What travels; who asked for the match knows its block and rotation."""
        result = self.result
        return (result.names, result.ranks, result.scores, result.faults, *self[3:-1])

    @classmethod
    def of_data(
        cls, block: Block, rotation: int, data: Sequence[Any], machine: int | None = None
    ) -> StoredMatch:
        result = MatchResult(*map(tuple, data[:4]))
        return cls(block, rotation, result, *data[4:])._replace(machine=machine)


def packed(data: Plain) -> bytes:
    return COMPRESSOR.compress(pack(data), COMPRESSOR.FLUSH_FRAME)


def unpacked(story: bytes) -> Plain:
    decompressor = zstd.ZstdDecompressor()
    content = decompressor.decompress(story, max_length=MOST_RECORD_BYTES)
    if not decompressor.eof or decompressor.unused_data:
        raise RecordError(f"it is cut off, or longer than {MOST_RECORD_BYTES // MB} MB")
    data: Plain = msgpack.unpackb(content, strict_map_key=False)
    return data


def played_in(story: bytes) -> Played:
    """The match that was packed; one of UNREADABLE if it is damaged."""
    return Played.of_data(unpacked(story))


def microseconds_in(times: bytes) -> array[float]:
    """The answers of a seat, from what a table holds of them; one of UNREADABLE if it is damaged."""
    return array("f", times)


def seconds_of(answers: Counter[float]) -> Counter[float]:
    """How many answers took how long, by the microseconds of each."""
    if not all(0 <= microseconds < inf for microseconds in answers):
        raise RecordError("a thinking time is no number of microseconds")
    return Counter({microseconds / 1e6: number for microseconds, number in answers.items()})


# ---- Rows of tables


def match_row(match: StoredMatch) -> tuple[Any, ...]:
    block = match.block
    return block.number, match.rotation, block.round, block.deal, match.ending, match.voided, match.story


def seat_rows(match: StoredMatch) -> list[tuple[Any, ...]]:
    result, block, rotation = match.result, match.block.number, match.rotation
    columns = (
        result.names,
        result.ranks,
        result.scores,
        result.faults,
        match.decisions,
        match.seconds,
        match.times,
    )
    return [(block, rotation, seat, *row) for seat, row in enumerate(zip(*columns, strict=True))]


def result_of(seats: Iterable[Any]) -> MatchResult:
    """What the rows of a match say, seat by seat."""
    rows = [(row["bot"], row["place"], row["score"], row["fault"]) for row in seats]
    return MatchResult(*zip(*rows, strict=True))


def lineup_of(names: tuple[str, ...], rotation: int) -> tuple[str, ...]:
    """The line-up whose rotation these names are; see `Block.seatings`."""
    split = (len(names) - rotation) % len(names)
    return names[split:] + names[:split]


def is_ranking(places: Sequence[int]) -> bool:
    """Whether everybody is as far down as there are others ahead; ties share a place."""
    return all(place == 1 + sum(other < place for other in places) for place in places)


class Seated(NamedTuple):
    """A match, and the line-up whose rotation it is."""

    lineup: tuple[str, ...]
    match: MatchResult


class SeatReader:
    """Makes results of the rows of seats: block, rotation, bot, place, score, fault.

    Most matches have come out before just like this, and need neither be made nor be checked anew.
    """

    def __init__(self, bots: Iterable[str]) -> None:
        self.bots = frozenset(bots)
        self.known: dict[Any, Seated] = {}

    def block(self, number: Any, rows: Iterable[Any]) -> tuple[tuple[str, ...], tuple[MatchResult, ...]]:
        """The line-up of a block and its finished matches by rotation; RecordError if that cannot have been."""
        if type(number) is not int:
            raise RecordError("which is no number")
        lineup: tuple[str, ...] = ()
        matches = []
        for rotation, seats in groupby(rows, itemgetter(1)):
            told = tuple([seat[1:] for seat in seats])
            seated = self.known.get(told) or self.seated(told)
            lineup = lineup or seated.lineup
            if seated.lineup != lineup:
                raise RecordError(f"rotation {rotation} has others at the table than it can have")
            matches.append(seated.match)
        return lineup, tuple(matches)

    def seated(self, told: Sequence[Any]) -> Seated:
        for seat in told:
            if not all(map(isinstance, seat, SEAT_SORTS)):
                raise RecordError(f"has a seat with {quoted(seat)}")
        (rotation, *_), names, *columns = zip(*told, strict=True)
        if not self.bots.issuperset(names):
            raise RecordError(f"rotation {rotation} has others at the table than it can have")
        if not is_ranking(columns[0]):
            raise RecordError(f"rotation {rotation} has places that cannot be: {quoted(columns[0])}")
        if len(self.known) >= MOST_KNOWN:
            self.known.clear()
        seated = Seated(lineup_of(names, rotation), MatchResult(names, *columns))
        self.known[told] = seated
        return seated
