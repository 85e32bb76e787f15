"""A finished match as the file keeps it and as it travels there: what goes into the tables, and the whole story packed.

Whoever plays a match packs it, so that the one who writes the file has little to do.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgpack

from dalang.engine.game import Plain
from dalang.engine.record import DAMAGE
from dalang.harness.blocks import Block, MatchResult
from dalang.harness.match.played import Played

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COMPRESSOR = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: True})
UNREADABLE = (zstd.ZstdError, *DAMAGE)
"""What can come of unpacking a story that somebody has damaged."""


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
        return (result.names, result.ranks, result.scores, result.faults, *self[3:])

    @classmethod
    def of_data(cls, block: Block, rotation: int, data: Sequence[Any]) -> StoredMatch:
        return cls(block, rotation, MatchResult(*map(tuple, data[:4])), *data[4:])


def packed(data: Plain) -> bytes:
    return COMPRESSOR.compress(msgpack.packb(data), COMPRESSOR.FLUSH_FRAME)


def unpacked(story: bytes) -> Plain:
    data: Plain = msgpack.unpackb(zstd.decompress(story), strict_map_key=False)
    return data


def played_in(story: bytes) -> Played:
    """The match that was packed; one of UNREADABLE if it is damaged."""
    return Played.of_data(unpacked(story))


def microseconds_in(times: bytes) -> array[float]:
    """The answers of a seat, from what a table holds of them."""
    return array("f", times)
