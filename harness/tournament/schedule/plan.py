"""What every format works from: the plan, the finished blocks added up, and lots."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dalang.engine.chance import SeededChance
from dalang.harness.blocks import Block, BlockResult, place_value
from dalang.harness.tournament.terms import Terms

Lineup = Sequence[str]
"""Who sits at one table."""


@dataclass(frozen=True)
class Entry:
    name: str
    wave: int = 0
    """0 for those who were there from the beginning, 1 for those added first, and so on."""


@dataclass(frozen=True)
class Plan:
    """A whole tournament before it is played."""

    terms: Terms
    entries: tuple[Entry, ...]
    """In order of entry."""
    sizes: tuple[int, ...] = ()
    """The table sizes that the game allows; if not given, only that of the terms."""

    @property
    def seats(self) -> int:
        return self.terms.seats

    @property
    def blocks(self) -> int:
        return self.terms.blocks

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.entries]

    def waves(self) -> Iterator[tuple[list[str], list[str]]]:
        """Wave by wave: who was there before, and who is new."""
        old: list[str] = []
        for wave in sorted({entry.wave for entry in self.entries}):
            new = [entry.name for entry in self.entries if entry.wave == wave]
            yield old, new
            old = old + new

    def beginners(self) -> int:
        """How many bots are there from the beginning."""
        return len(next(self.waves(), ([], []))[1])

    def table_sizes(self) -> list[int]:
        """The sizes of table that may be used, largest first."""
        return sorted({self.seats, *(size for size in self.sizes if 2 <= size < self.seats)}, reverse=True)


def lot(plan: Plan, *words: object) -> float:
    """A number from 0 up to 1 that depends on the seed and these words only, on every platform."""
    return SeededChance(plan.terms.seed).below(2**53, "schedule/" + "/".join(map(str, words))) / 2**53


def shuffled(plan: Plan, names: Iterable[str], *words: object) -> list[str]:
    return sorted(names, key=lambda name: lot(plan, *words, name))


class Unwritten(Sequence[Block]):
    """The blocks of a round, of which only the number is known until somebody asks for one."""

    def __init__(self, number: int, write: Callable[[], list[Block]]) -> None:
        self.number = number
        self.write = write

    @cached_property
    def written(self) -> list[Block]:
        return self.write()

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, at: Any) -> Any:
        return self.written[at]


def blocks(plan: Plan, tables: Iterable[Lineup], number: int, turn: int, deal: int) -> list[Block]:
    """One block for each table, on this deal of all or on a deal of its own, which has its number.

    Who sits left of whom is drawn anew every time.
    """
    order = {name: lot(plan, "seat", turn, deal, name) for name in plan.names}
    lineups = (tuple(sorted(table, key=order.__getitem__)) for table in tables)
    common = plan.terms.common_deals
    return [
        Block(at, turn, lineup, deal if common else at) for at, lineup in enumerate(lineups, start=number)
    ]


def block_points(result: BlockResult) -> dict[str, float]:
    """By name: the mean place value over the matches of a block."""
    points = dict.fromkeys(result.block.lineup, 0.0)
    for match in result.matches:
        for seat, name in enumerate(match.names):
            points[name] += place_value(match.ranks, seat) / len(result.matches)
    return points


class Points:
    """What the finished blocks before a certain number add up to.

    Results arrive in schedule order and each is looked at once, so a long tournament stays cheap. Later results
    that are already there, as when a run is resumed, are not looked at: they must not change an earlier round.
    """

    def __init__(self, results: Sequence[BlockResult]) -> None:
        self.results = results
        self.seen = 0
        self.points: defaultdict[str, float] = defaultdict(float)
        self.played: Counter[str] = Counter()

    def read(self, number: int) -> list[BlockResult]:
        """Add the results of the blocks before this number, and return those that are new."""
        start = self.seen
        while self.seen < len(self.results) and self.results[self.seen].block.number < number:
            self.add(self.results[self.seen])
            self.seen += 1
        return list(self.results[start : self.seen])

    def add(self, result: BlockResult) -> None:
        for name, points in block_points(result).items():
            self.points[name] += points
            self.played[name] += 1
