"""What happened in the blocks of a tournament, added up one by one, small enough for millions of them.

Of most blocks nothing is new but the scores: the same bots have come in at the same places before. So what follows
from names and places is worked out once for each such pattern, and of a block only its values are kept.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import fsum

from dalang.harness.blocks import BlockResult, MatchResult, place_value

HUGE = 10**15
"""Scores beyond this count as this, because their squares must stay within the range of floats."""

PARTS = 55_440
"""Whatever places a table of up to 12 gives, and however they are averaged over its rotations: this makes it whole."""

Places = tuple[tuple[tuple[str, ...], tuple[int, ...]], ...]
"""Match by match who sat where, and the ranks."""


class Series:
    """Values of blocks and the deals they belong to, in schedule order."""

    __slots__ = ("is_rising", "units", "values")

    def __init__(self) -> None:
        self.units, self.values = array("q"), array("d")
        self.is_rising = True
        """Whether every deal has a higher number than the one before, as they have where one table plays each."""

    def __len__(self) -> int:
        return len(self.units)

    def add(self, unit: int, value: float) -> None:
        if self.units and unit <= self.units[-1]:
            self.is_rising = False
        self.units.append(unit)
        self.values.append(value)

    def copy(self) -> Series:
        twin = Series()
        twin.units, twin.values, twin.is_rising = self.units[:], self.values[:], self.is_rising
        return twin

    def is_one_per_unit(self) -> bool:
        return self.deals() == len(self)

    def deals(self) -> int:
        """How many different ones."""
        return len(self) if self.is_rising else len(set(self.units))

    def by_unit(self) -> dict[int, list[float]]:
        found: dict[int, list[float]] = {}
        for unit, value in zip(self.units, self.values, strict=True):
            found.setdefault(unit, []).append(value)
        return found


@dataclass(frozen=True)
class Pattern:
    """What the places of a block say."""

    number: int
    """Of those that came before it."""
    company: tuple[str, ...]
    """Who was there, sorted by name."""
    values: dict[str, tuple[float, ...]]
    """By bot its place values, match by match."""
    places: list[tuple[str, float, list[tuple[int, int]]]]
    """Each bot, the mean of its values, and in which matches it sat in which seats."""
    seats: dict[tuple[int, int], float]
    """By size of the table and seat, what that seat achieved."""
    pairs: dict[tuple[str, str], float]
    """By two bots, what the one achieved against the other."""
    wins: dict[str, list[float]]
    """By bot its shares of the first places."""


class Sample:
    """What happened, in schedule order and by unit."""

    def __init__(self, results: Iterable[BlockResult], names: Sequence[str]) -> None:
        self.names: dict[str, int] = {}
        """In the order in which they were named or came."""
        self.blocks = self.matches = 0
        self.deals, self.numbers = array("q"), array("q")
        """Block by block its deal, and the number of its pattern."""
        self.lowest, self.highest = HUGE, -HUGE
        self.places: dict[str, Series] = {}
        self.scores: dict[str, Series] = {}
        self.pairs: defaultdict[tuple[str, str], Series] = defaultdict(Series)
        self.seats: defaultdict[tuple[int, int], Series] = defaultdict(Series)
        self.faults: dict[str, Counter[str]] = {}
        self.patterns: dict[Places, Pattern] = {}
        self.times: list[int] = []
        """How often each pattern came."""
        self.enlist(names)
        for result in sorted(results, key=lambda result: result.block.number):
            self.add(result)

    def copy(self) -> Sample:
        """The same so far; what is added to one does not change the other."""
        twin = Sample([], list(self.names))
        twin.blocks, twin.matches = self.blocks, self.matches
        twin.deals, twin.numbers = self.deals[:], self.numbers[:]
        twin.lowest, twin.highest = self.lowest, self.highest
        for mine, others in ((self.places, twin.places), (self.scores, twin.scores)):
            others.update({name: series.copy() for name, series in mine.items()})
        twin.pairs.update({pair: series.copy() for pair, series in self.pairs.items()})
        twin.seats.update({seat: series.copy() for seat, series in self.seats.items()})
        twin.faults = {name: Counter(faults) for name, faults in self.faults.items()}
        twin.patterns, twin.times = dict(self.patterns), list(self.times)
        return twin

    @property
    def span(self) -> tuple[float, float]:
        """All scores seen lie in here, so it stands for what is possible."""
        return (float(self.lowest), float(self.highest)) if self.lowest <= self.highest else (0.0, 0.0)

    def units(self) -> int:
        """How many deals were played."""
        return len(set(self.deals))

    # ---- One block

    def add(self, result: BlockResult) -> None:
        places = tuple([(match.names, match.ranks) for match in result.matches])
        pattern = self.patterns.get(places) or self.new_pattern(places)
        self.blocks += 1
        self.matches += len(places)
        self.times[pattern.number] += 1
        unit = result.block.deal
        self.deals.append(unit)
        self.numbers.append(pattern.number)
        scores = [self.count_match(match) for match in result.matches]
        for name, value, chairs in pattern.places:
            self.places[name].add(unit, value)
            self.scores[name].add(unit, mean_of([scores[at][seat] for at, seat in chairs]))
        for seat_key, value in pattern.seats.items():
            self.seats[seat_key].add(unit, value)
        for pair, value in pattern.pairs.items():
            self.pairs[pair].add(unit, value)

    def count_match(self, match: MatchResult) -> tuple[int, ...]:
        """Its faults and the span of its scores; returns these as they count."""
        scores, lowest, highest = all_tamed(match.scores)
        if lowest < self.lowest or highest > self.highest:
            self.lowest, self.highest = min(self.lowest, lowest), max(self.highest, highest)
        if any(match.faults):
            self.count_faults(match)
        return scores

    def count_faults(self, match: MatchResult) -> None:
        for name, fault in zip(match.names, match.faults, strict=True):
            if fault:
                self.faults[name][fault] += 1

    # ---- One pattern

    def new_pattern(self, places: Places) -> Pattern:
        """One that comes for the first time."""
        self.enlist(name for names, _ in places for name in names)
        self.times.append(0)
        pattern = self.patterns[places] = pattern_of(places, self.names, len(self.patterns))
        return pattern

    def enlist(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.names:
                self.names[name] = len(self.names)
                self.places[name], self.scores[name] = Series(), Series()
                self.faults[name] = Counter()

    def tasks(self) -> dict[tuple[str, ...], Counter[tuple[float, ...]]]:
        """By bot and company: its place values in a block, match by match, and how often they were those."""
        found: dict[tuple[str, ...], Counter[tuple[float, ...]]] = defaultdict(Counter)
        for pattern in self.patterns.values():
            for name, values in pattern.values.items():
                found[name, *pattern.company][values] += self.times[pattern.number]
        return found

    def wins(self) -> dict[str, Counter[float]]:
        """By bot its shares of first places, and how often they were those."""
        found: dict[str, Counter[float]] = {name: Counter() for name in self.names}
        for pattern in self.patterns.values():
            for name, shares in pattern.wins.items():
                for share in shares:
                    found[name][share] += self.times[pattern.number]
        return found


def pattern_of(places: Places, order: dict[str, int], number: int) -> Pattern:
    values, chairs = defaultdict(list), defaultdict(list)
    seats, met, wins = defaultdict(list), defaultdict(list), defaultdict(list)
    for at, (names, ranks) in enumerate(places):
        best = min(ranks, default=0)
        for seat, name in enumerate(names):
            value = place_in(ranks, seat)
            values[name].append(value)
            chairs[name].append((at, seat))
            seats[len(names), seat].append(value)
            wins[name].append((ranks[seat] == best) / ranks.count(best))
        for one, other, result in meetings(names, ranks):
            if one != other:
                ahead = order[one] < order[other]
                met[(one, other) if ahead else (other, one)].append(result if ahead else 1 - result)
    return Pattern(
        number,
        tuple(sorted(values)),
        {name: tuple(each) for name, each in values.items()},
        [(name, exact_mean(each), chairs[name]) for name, each in values.items()],
        {seat: exact_mean(each) for seat, each in seats.items()},
        {pair: exact_mean(each) for pair, each in met.items()},
        dict(wins),
    )


def meetings(names: Sequence[str], ranks: Sequence[int]) -> Iterator[tuple[str, str, float]]:
    """Everybody against everybody at one table: 1 for before the other, 0.5 for level."""
    for (one, mine), (other, theirs) in combinations(zip(names, ranks, strict=True), 2):
        yield one, other, (1 + (mine < theirs) - (mine > theirs)) / 2


def place_in(ranks: tuple[int, ...], seat: int) -> float:
    """The place value; who plays alone is neither good nor bad."""
    return place_value(ranks, seat) if len(ranks) > 1 else 0.5


@lru_cache(2**14)  # the same few scores come again and again
def all_tamed(scores: tuple[int, ...]) -> tuple[tuple[int, ...], int, int]:
    """The scores as they count, the lowest and the highest."""
    tame = tuple(map(tamed, scores))
    return tame, min(tame, default=0), max(tame, default=0)


def tamed(score: int) -> int:
    return max(-HUGE, min(HUGE, score))


def mean_of(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def exact_mean(values: Sequence[float]) -> float:
    """The mean of whole parts, reckoned with whole numbers: equal means are equal to the last bit."""
    parts = fsum(values) * PARTS
    whole = round(parts)
    return whole / (PARTS * len(values)) if abs(parts - whole) < 1e-6 else mean_of(values)
