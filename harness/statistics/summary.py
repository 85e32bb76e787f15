"""What the complete blocks of a tournament say, and how sure that is: a pure function of the results.

A bot's value in a block is the mean over the block's matches, so luck has cancelled before anything is compared.
Blocks of the same deal still share its luck, and a round of a round robin has the same line-ups every time. So the
independent units behind all error bars are the deals, each with the blocks that were played with it, however few.

No figure is ever infinite or missing: what cannot be told has a neutral value and an interval as wide as possible.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import fsum
from typing import Any

from dalang.harness.blocks import BlockResult, MatchResult, place_value
from dalang.harness.statistics.intervals import ERROR, Estimate, chance_of, estimate, holm, tidy

MOST_GAIN = 100.0
HUGE = 10**15
"""Scores beyond this count as this, because their squares must stay within the range of floats."""

PLACES = (0.0, 1.0)
ByUnit = dict[int, list[float]]
"""Values of blocks, by the deal they belong to, in schedule order."""


@dataclass(frozen=True)
class BotLine:
    """One bot's row of the standings."""

    name: str
    blocks: int
    matches: int
    place: Estimate
    """The share of the others it beats, a tie counting half: 0.5 is average."""
    score: Estimate
    wins: float
    """The share of matches it won; of a first place shared by m it has 1/m."""
    faults: dict[str, int]
    groups: tuple[int, ...]
    """Bots that have a group in common cannot be told apart; bots that have none in common can."""


@dataclass(frozen=True)
class Pairing:
    """A cell of the crosstable: what `row` achieved against `column` where both sat at one table."""

    row: str
    column: str
    blocks: int
    result: float
    """1 for always before it, 0.5 for level, 0 for always behind it."""
    chance: float
    """Of a result at least this far from level if they were equal, corrected for the number of pairs (Holm)."""
    significant: bool


@dataclass(frozen=True)
class SeatLine:
    """What a seat is worth at tables of this size."""

    players: int
    seat: int
    place: Estimate


@dataclass(frozen=True)
class Statistics:
    """The figures of a tournament; the bots are in the order of the names, not of merit."""

    blocks: int
    matches: int
    units: int
    """Independent units behind the error bars: the deals."""
    bots: tuple[BotLine, ...]
    crosstable: tuple[Pairing, ...]
    seats: tuple[SeatLine, ...]
    gain: float
    """How many times as many independent matches the blocks were worth; see `duplicate_gain`."""

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def summary(results: Iterable[BlockResult], names: Sequence[str], seed: str) -> Statistics:
    """All figures; the seed decides only which resamples the bootstrap draws."""
    sample = Sample(results, names)
    return Statistics(
        blocks=len(sample.results),
        matches=sum(len(result.matches) for result in sample.results),
        units=len({result.block.deal for result in sample.results}),
        bots=bot_lines(sample, seed),
        crosstable=crosstable(sample),
        seats=seat_lines(sample, seed),
        gain=duplicate_gain(sample),
    )


def letters(groups: Iterable[int]) -> str:
    """Groups as they are shown beside a name: a, ab, b; numbers after z."""
    return "".join(chr(96 + group) if group <= 26 else f"({group})" for group in groups)


def worth(gain: float) -> str:
    return f"{gain:.1f}" if gain < MOST_GAIN else f"{MOST_GAIN:.0f} or more"


def percentiles(times: Iterable[float]) -> tuple[float, float, float]:
    """The median, the 99th percentile (by nearest rank) and the longest; all 0 if there are none."""
    ordered = sorted(times)
    if not ordered:
        return 0.0, 0.0, 0.0
    p50, p99 = (ordered[(len(ordered) * percent + 99) // 100 - 1] for percent in (50, 99))
    return p50, p99, ordered[-1]


# ---- Counting


class Sample:
    """What happened, in schedule order and by unit."""

    def __init__(self, results: Iterable[BlockResult], names: Sequence[str]) -> None:
        self.results = sorted(results, key=lambda result: result.block.number)
        matches = [match for result in self.results for match in result.matches]
        scores = [tamed(score) for match in matches for score in match.scores]
        self.span = (float(min(scores, default=0)), float(max(scores, default=0)))
        """All scores seen lie in here, so it stands for what is possible."""
        self.names = list(dict.fromkeys([*names, *(name for match in matches for name in match.names)]))
        self.places: dict[str, ByUnit] = {name: defaultdict(list) for name in self.names}
        self.scores: dict[str, ByUnit] = {name: defaultdict(list) for name in self.names}
        self.company: dict[str, dict[int, Counter[str]]] = {name: {} for name in self.names}
        self.pairs: dict[tuple[str, str], ByUnit] = {pair: {} for pair in combinations(self.names, 2)}
        self.seats: dict[tuple[int, int], ByUnit] = defaultdict(lambda: defaultdict(list))
        self.same_task: dict[tuple[str, ...], list[list[float]]] = defaultdict(list)
        self.wins: dict[str, list[float]] = {name: [] for name in self.names}
        self.faults: dict[str, Counter[str]] = {name: Counter() for name in self.names}
        for result in self.results:
            self.count_block(result)
        for match in matches:
            self.count_match(match)

    def count_block(self, result: BlockResult) -> None:
        places, scores = defaultdict(list), defaultdict(list)
        seats, pairs = defaultdict(list), defaultdict(list)
        for match in result.matches:
            for seat, name in enumerate(match.names):
                value = place_in(match, seat)
                places[name].append(value)
                scores[name].append(tamed(match.scores[seat]))
                seats[len(match.names), seat].append(value)
            for one, other in combinations(zip(match.names, match.ranks, strict=True), 2):
                pairs[one[0], other[0]].append((1 + (one[1] < other[1]) - (one[1] > other[1])) / 2)
        unit = result.block.deal
        lineup = tuple(sorted(places))
        for name, values in places.items():
            self.places[name][unit].append(mean_of(values))
            self.scores[name][unit].append(mean_of(scores[name]))
            self.company[name].setdefault(unit, Counter()).update(lineup)
            self.same_task[name, *lineup].append(values)
        for seat_key, values in seats.items():
            self.seats[seat_key][unit].append(mean_of(values))
        for one_name, other_name in combinations([name for name in self.names if name in places], 2):
            met = pairs[one_name, other_name] + [1 - value for value in pairs[other_name, one_name]]
            if met:
                self.pairs[one_name, other_name].setdefault(unit, []).append(mean_of(met))

    def count_match(self, match: MatchResult) -> None:
        best = min(match.ranks, default=0)
        for name, rank, fault in zip(match.names, match.ranks, match.faults, strict=True):
            self.wins[name].append((rank == best) / match.ranks.count(best))
            if fault:
                self.faults[name][fault] += 1


def place_in(match: MatchResult, seat: int) -> float:
    """The place value; who plays alone is neither good nor bad."""
    return place_value(match.ranks, seat) if len(match.ranks) > 1 else 0.5


def tamed(score: int) -> int:
    return max(-HUGE, min(HUGE, score))


def mean_of(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def per_unit(blocks: ByUnit) -> list[float]:
    """One value per unit, such that their mean is the mean of all blocks, however many a unit has.

    Units of one size stand with their means. Otherwise the mean of all blocks is a ratio of two sums that both vary;
    what a unit contributes to it is its deviation from that ratio (the usual linearisation).
    """
    sizes = [len(values) for values in blocks.values()]
    if len(set(sizes)) <= 1:
        return [mean_of(values) for values in blocks.values()]
    number = sum(sizes)
    mean = fsum(value for values in blocks.values() for value in values) / number
    size = number / len(sizes)
    return [tidy(mean + (fsum(values) - mean * len(values)) / size, 14) for values in blocks.values()]


# ---- The tables


def bot_lines(sample: Sample, seed: str) -> tuple[BotLine, ...]:
    groups = tied_groups(sample)
    return tuple(
        BotLine(
            name=name,
            blocks=sum(map(len, sample.places[name].values())),
            matches=len(sample.wins[name]),
            place=estimate(per_unit(sample.places[name]), PLACES, seed),
            score=estimate(per_unit(sample.scores[name]), sample.span, seed),
            wins=tidy(mean_of(sample.wins[name] or [0.0])),
            faults=dict(sorted(sample.faults[name].items())),
            groups=groups[name],
        )
        for name in sample.names
    )


def seat_lines(sample: Sample, seed: str) -> tuple[SeatLine, ...]:
    return tuple(
        SeatLine(players, seat, estimate(per_unit(values), PLACES, seed))
        for (players, seat), values in sorted(sample.seats.items())
    )


def crosstable(sample: Sample) -> tuple[Pairing, ...]:
    """Every pair that met, both ways round."""
    met = {pair: per_unit(blocks) for pair, blocks in sample.pairs.items() if blocks}
    corrected = holm([chance_of([round(value - 0.5, 12) for value in values]) for values in met.values()])
    cells = {}
    for ((one, other), values), chance in zip(met.items(), corrected, strict=True):
        blocks, result = sum(map(len, sample.pairs[one, other].values())), mean_of(values)
        cells[one, other] = Pairing(one, other, blocks, tidy(result), chance, chance < ERROR)
        cells[other, one] = Pairing(other, one, blocks, tidy(1 - result), chance, chance < ERROR)
    return tuple(
        cells[row, column] for row in sample.names for column in sample.names if (row, column) in cells
    )


def duplicate_gain(sample: Sample) -> float:
    """How many independent matches a match of a block was worth: above 1 if the duplicate deals paid.

    Had the k matches of a block nothing in common, the mean of a block would vary by a k-th of what single matches
    vary. The gain is that k-th over the variance that block means really have, both taken among the blocks of
    the same bot in the same line-up and pooled. It is 1 if no line-up played twice or nothing varied at all, and
    told as 100 where it is more, or where luck cancelled to the last.
    """
    alone = together = 0.0
    for blocks in sample.same_task.values():
        number = len(blocks)
        if number < 2:
            continue
        means = [mean_of(values) for values in blocks]
        middle = mean_of(means)
        variance = fsum((mean - middle) ** 2 for mean in means) / (number - 1)
        square = mean_of([(value - middle) ** 2 for values in blocks for value in values])
        matches = mean_of([len(values) for values in blocks])
        # Deviations from a mean that was itself estimated are too small by the variance of that mean.
        alone += (number - 1) * (square + variance / number) / matches
        together += (number - 1) * variance
    if alone <= 1e-12:
        return 1.0
    return tidy(min(MOST_GAIN, alone / max(together, 1e-12)))


# ---- Who can be told apart


def tied_groups(sample: Sample) -> dict[str, tuple[int, ...]]:
    """The groups of each bot, numbered from the best: two bots share one exactly if they cannot be told apart.

    Two bots are compared by the differences of their place values in all units in which they met the same others
    equally often, be it at one table or not. Chances are corrected for the number of pairs (Holm), so in at most
    5 of 100 tournaments are any equal bots told apart.
    """
    ranked = sorted(
        (name for name in sample.names if sample.places[name]), key=lambda name: -standing(sample, name)
    )
    tests = {pair: differences(sample, *pair) for pair in combinations(ranked, 2)}
    tests = {pair: found for pair, found in tests.items() if len(found) > 1}
    corrected = holm([chance_of(found) for found in tests.values()])
    apart = {frozenset(pair) for pair, chance in zip(tests, corrected, strict=True) if chance < ERROR}
    groups = cliques(ranked, apart)
    return {
        name: tuple(number for number, group in enumerate(groups, 1) if name in group)
        for name in sample.names
    }


def standing(sample: Sample, name: str) -> float:
    return tidy(mean_of(per_unit(sample.places[name])))


def differences(sample: Sample, one: str, other: str) -> list[float]:
    """How much better one was than the other, in every unit in which they had the same company."""
    mine, theirs = sample.places[one], sample.places[other]
    return [
        round(mean_of(values) - mean_of(theirs[unit]), 12)
        for unit, values in mine.items()
        if unit in theirs
        and same_company(sample.company[one][unit], sample.company[other][unit], {one, other})
    ]


def same_company(mine: Counter[str], theirs: Counter[str], we: set[str]) -> bool:
    """Whether two bots met the same others equally often."""
    if mine == theirs:
        return True
    others = (mine.keys() | theirs.keys()) - we
    return all(mine[name] == theirs[name] for name in others)


def cliques(ranked: Sequence[str], apart: set[frozenset[str]]) -> list[list[str]]:
    """As few groups as a greedy look finds, such that every pair that is not apart has a group in common."""
    groups: list[list[str]] = []
    for at, leader in enumerate(ranked):
        for partner in ranked[at:]:
            pair = {leader, partner}
            if frozenset(pair) in apart or any(pair <= set(group) for group in groups):
                continue
            group = [leader] if partner == leader else [leader, partner]
            for name in ranked:
                if name not in group and all(frozenset((name, member)) not in apart for member in group):
                    group.append(name)
            groups.append(group)
    return groups
