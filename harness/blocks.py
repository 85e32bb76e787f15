"""The unit of a tournament: one deal, played by one line-up from every seat rotation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from dalang.engine.value import share_beaten


class MatchKey(NamedTuple):
    """Which match of a tournament."""

    block: int
    rotation: int

    def __str__(self) -> str:
        return f"block {self.block}, rotation {self.rotation}"

    def short(self) -> str:
        """As it is typed."""
        return f"{self.block}.{self.rotation}"


class Block(NamedTuple):
    """Plain data in; luck cancels inside it, and error bars are computed over it."""

    number: int
    """Its place in the schedule, from 0; results count in this order."""
    round: int
    lineup: tuple[str, ...]
    deal: int
    """Blocks with the same deal are dealt the same luck, whoever plays them."""

    def seatings(self) -> list[tuple[str, ...]]:
        """Who sits where, match by match: everybody once in every seat."""
        return [self.lineup[turn:] + self.lineup[:turn] for turn in range(len(self.lineup))]

    def key(self, rotation: int) -> MatchKey:
        return MatchKey(self.number, rotation)

    def is_played_by(self, matches: Mapping[int, MatchResult]) -> bool:
        """Whether in these matches, by rotation, everybody sits where this block puts them."""
        seatings = dict(enumerate(self.seatings()))
        return all(match.names == seatings.get(rotation) for rotation, match in matches.items())


@dataclass(frozen=True)
class MatchResult:
    """What ratings and statistics need of a finished match; everything is by seat."""

    names: tuple[str, ...]
    ranks: tuple[int, ...]
    """Places as they count: who faulted is below all others."""
    scores: tuple[int, ...]
    faults: tuple[str, ...]
    """The kind of fault, or nothing."""


class BlockResult(NamedTuple):
    """A complete block."""

    block: Block
    matches: tuple[MatchResult, ...]
    """By rotation."""


@lru_cache(2**14)  # the same few places come again and again
def place_value(ranks: tuple[int, ...], seat: int) -> float:
    """The share of the others who were beaten, a tie counting half: 1 for the sole winner, 0 for the sole last."""
    return share_beaten(ranks, seat)
