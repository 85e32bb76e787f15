"""What the complete blocks of a tournament say, and how sure that is: a pure function of the results.

A bot's value in a block is the mean over the block's matches, so luck has cancelled before anything is compared.
Blocks of the same deal still share its luck, and a round of a round robin has the same line-ups every time. So the
independent units behind all error bars are the deals, each with the blocks that were played with it, however few.

No figure is ever infinite or missing: what cannot be told has a neutral value and an interval as wide as possible.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, combinations, repeat
from math import fsum
from typing import Any

from dalang.harness.blocks import BlockResult
from dalang.harness.statistics.intervals import ERROR, Estimate, chance_of, estimate, fsum_of, holm, tidy
from dalang.harness.statistics.sample import Sample, Series, mean_of

MOST_GAIN = 100.0
PLACES = (0.0, 1.0)


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
    return figures_of(Sample(results, names), seed)


def figures_of(sample: Sample, seed: str) -> Statistics:
    """All figures; the seed decides only which resamples the bootstrap draws."""
    return Statistics(
        blocks=sample.blocks,
        matches=sample.matches,
        units=sample.units(),
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
    counts = Counter(times)  # if they are counted already, they stay so
    if not counts:
        return 0.0, 0.0, 0.0
    ordered = sorted(counts)
    up_to = list(accumulate(counts[time] for time in ordered))
    p50, p99 = (ordered[bisect_left(up_to, (up_to[-1] * percent + 99) // 100)] for percent in (50, 99))
    return p50, p99, ordered[-1]


# ---- One value per unit


def per_unit(series: Series) -> Sequence[float]:
    """One value per unit, such that their mean is the mean of all blocks, however many a unit has.

    Units of one size stand with their means. Otherwise the mean of all blocks is a ratio of two sums that both vary;
    what a unit contributes to it is its deviation from that ratio (the usual linearisation).
    """
    if series.is_one_per_unit():
        return series.values
    blocks = series.by_unit()
    sizes = [len(values) for values in blocks.values()]
    if len(set(sizes)) <= 1:
        return [mean_of(values) for values in blocks.values()]
    number = sum(sizes)
    mean = fsum(value for values in blocks.values() for value in values) / number
    size = number / len(sizes)
    return [tidy(mean + (fsum(values) - mean * len(values)) / size, 14) for values in blocks.values()]


# ---- The tables


def bot_lines(sample: Sample, seed: str) -> tuple[BotLine, ...]:
    groups, wins = tied_groups(sample), sample.wins()
    return tuple(
        BotLine(
            name=name,
            blocks=len(sample.places[name]),
            matches=wins[name].total(),
            place=estimate(per_unit(sample.places[name]), PLACES, seed),
            score=estimate(per_unit(sample.scores[name]), sample.span, seed),
            wins=tidy(fsum_of(wins[name].items()) / max(1, wins[name].total())),
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
    met = {pair: per_unit(series) for pair, series in sample.pairs.items()}
    corrected = holm([chance_of(less(values, repeat(0.5))) for values in met.values()])
    cells = {}
    for ((one, other), values), chance in zip(met.items(), corrected, strict=True):
        blocks, result = len(sample.pairs[one, other]), mean_of(values)
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
    for blocks in sample.tasks().values():
        number = blocks.total()
        if number < 2:
            continue
        means = [(mean_of(values), times) for values, times in blocks.items()]
        middle = fsum_of(means) / number
        variance = fsum_of(((mean - middle) ** 2, times) for mean, times in means) / (number - 1)
        matches = sum(len(values) * times for values, times in blocks.items())
        squares = (((value - middle) ** 2, times) for values, times in blocks.items() for value in values)
        square = fsum_of(squares) / matches
        # Deviations from a mean that was itself estimated are too small by the variance of that mean.
        alone += (number - 1) * (square + variance / number) / (matches / number)
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
    tests = {pair: found for pair, found in tests.items() if found.total() > 1}
    corrected = holm([chance_of(found) for found in tests.values()])
    apart = {frozenset(pair) for pair, chance in zip(tests, corrected, strict=True) if chance < ERROR}
    groups = cliques(ranked, apart)
    return {
        name: tuple(number for number, group in enumerate(groups, 1) if name in group)
        for name in sample.names
    }


def standing(sample: Sample, name: str) -> float:
    return tidy(mean_of(per_unit(sample.places[name])))


def differences(sample: Sample, one: str, other: str) -> Counter[float]:
    """How much better one was than the other in the units in which they had the same company, and how often."""
    mine, theirs = sample.places[one], sample.places[other]
    if mine.units == theirs.units and sample.met[one] == sample.met[other] and mine.is_one_per_unit():
        return less(mine.values, theirs.values)
    values, others = mine.by_unit(), theirs.by_unit()
    company, other_company = companies(sample, one), companies(sample, other)
    alike = [
        unit
        for unit in values
        if unit in others and same_company(company[unit], other_company[unit], {one, other})
    ]
    return less([mean_of(values[unit]) for unit in alike], [mean_of(others[unit]) for unit in alike])


def less(values: Iterable[float], others: Iterable[float]) -> Counter[float]:
    """The differences of two rows of values, without the last bits, and how often each came."""
    found: Counter[float] = Counter()
    for (one, other), times in Counter(zip(values, others, strict=False)).items():
        found[round(one - other, 12)] += times
    return found


def companies(sample: Sample, name: str) -> dict[int, Counter[str]]:
    """By unit whom this bot met, itself included, and how often."""
    patterns = list(sample.patterns.values())
    found: dict[int, Counter[str]] = defaultdict(Counter)
    for unit, number in zip(sample.places[name].units, sample.met[name], strict=True):
        found[unit].update(patterns[number].company)
    return found


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
