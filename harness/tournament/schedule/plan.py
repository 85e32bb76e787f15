"""What every format works from: the plan, the finished blocks added up, and lots."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dalang.engine.chance import SeededChance
from dalang.engine.game import SetupError
from dalang.harness.blocks import Block, BlockResult, place_value

COMPARE = "compare"
"""The format of `dalang compare`: no tournament, but played like one. Copies fill the table."""
Table = Sequence[str]
Ratings = Callable[[Sequence[BlockResult]], Mapping[str, tuple[float, float]]]
"""From finished blocks to (strength, uncertainty) by name; bots without a block may be missing."""
Format = Callable[["Plan", Sequence[BlockResult], Collection[str], Ratings | None], Iterator[list[Block]]]


@dataclass(frozen=True)
class Entry:
    name: str
    wave: int = 0
    """0 for those who were there from the beginning, 1 for those added first, and so on."""


@dataclass(frozen=True)
class Plan:
    """A whole tournament before it is played."""

    format: str
    entries: tuple[Entry, ...]
    """In order of entry."""
    seats: int
    """Bots per table."""
    blocks: int
    """How many rounds, each with a deal of its own; in a knockout how many blocks a table plays."""
    seed: str
    advance: int | None = None
    """Knockout: how many of a table go on; if not given, its best half."""
    sizes: tuple[int, ...] = ()
    """The table sizes that the game allows; if not given, only `seats`."""

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

    def table_sizes(self) -> list[int]:
        """The sizes of table that may be used, largest first."""
        return sorted({self.seats, *(size for size in self.sizes if 2 <= size < self.seats)}, reverse=True)

    def going_on(self, size: int) -> int:
        """How many of a knockout table of this size go on: somebody always does, and never everybody."""
        wanted = size // 2 if self.advance is None else self.advance
        return max(1, min(wanted, size - 1))

    def check(self) -> None:
        """Refuse a plan that cannot be played, with one line that says what to do."""
        first = len(next(self.waves(), ([], []))[1])
        if self.seats < 2:
            raise SetupError("a table needs at least 2 seats")
        if first < (2 if self.format == COMPARE else self.seats):
            raise SetupError(f"{first} bots cannot fill a table of {self.seats}: add bots or use fewer seats")
        if len(set(self.names)) < len(self.entries):
            raise SetupError("two bots have the same name: rename one of them with NAME=")
        if self.blocks < 1:
            raise SetupError(f"the number of blocks must be at least 1, not {self.blocks}")
        if self.format in ("swiss", "knockout") and first < len(self.entries):
            raise SetupError(f"nobody can join a {self.format} that has begun: start a new tournament")
        if self.advance is not None and self.format != "knockout":
            raise SetupError(f"advance is for knockouts, not for a {self.format}")
        if self.advance is not None and not 0 < self.advance < self.seats:
            raise SetupError(
                f"of a table of {self.seats} from 1 to {self.seats - 1} bots can go on, not {self.advance}"
            )


def lot(plan: Plan, *words: object) -> float:
    """A number from 0 up to 1 that depends on the seed and these words only, on every platform."""
    return SeededChance(plan.seed).below(2**53, "schedule/" + "/".join(map(str, words))) / 2**53


def shuffled(plan: Plan, names: Iterable[str], *words: object) -> list[str]:
    return sorted(names, key=lambda name: lot(plan, *words, name))


def blocks(plan: Plan, tables: Iterable[Table], number: int, turn: int, deal: int) -> list[Block]:
    """One block for each table. Who sits left of whom is drawn anew for every deal."""
    order = {name: lot(plan, "seat", turn, deal, name) for name in plan.names}
    lineups = (tuple(sorted(table, key=order.__getitem__)) for table in tables)
    return [Block(number + count, turn, lineup, deal) for count, lineup in enumerate(lineups)]


def block_points(result: BlockResult) -> dict[str, float]:
    """By name: the mean place value over the matches of a block."""
    points = dict.fromkeys(result.block.lineup, 0.0)
    for match in result.matches:
        for seat, name in enumerate(match.names):
            points[name] += place_value(match.ranks, seat) / len(result.matches)
    return points


class Tally:
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
