"""What the complete blocks of a tournament say, and how sure that is: a pure function of the results.

A bot's value in a block is the mean over the block's matches, so luck has cancelled before anything is compared.
Blocks of the same deal still share its luck, and a round of a round robin has the same line-ups every time. So the
independent units behind all error bars are the deals, each with the blocks that were played with it, however few.

While a tournament is live, all figures hold at every look, and their intervals are wider for it (see `anytime.py`).

No figure is ever infinite or missing: what cannot be told has a neutral value and an interval as wide as possible.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, repeat
from math import fsum
from typing import Any

from dalang.harness.blocks import BlockResult
from dalang.harness.statistics.anytime import chance_of_anytime, estimate_anytime, reach_anytime
from dalang.harness.statistics.groups import strongest_cycle, tied_groups
from dalang.harness.statistics.intervals import (
    ERROR,
    Estimate,
    OpenEstimate,
    chance_of,
    estimate,
    fsum_of,
    holm,
    student_reach,
    tidy,
    unseen_share,
    variance_factors,
    with_room,
)
from dalang.harness.statistics.outlook import Outlook, outlook
from dalang.harness.statistics.sample import Sample, Series, exact_mean, mean_of
from dalang.harness.statistics.strength import Strengths, strengths

MOST_GAIN = 100.0
SCEPTICISM = 4
"""Deals that are thought to have gained nothing, before any is seen."""
PLACES = (0.0, 1.0)
DEALS_FOR_SCORES = 20
"""With fewer a score has no interval: rare great ones, of which nobody knows yet, may lie beyond any."""


@dataclass(frozen=True)
class BotLine:
    """One bot's row of the standings."""

    name: str
    blocks: int
    deals: int
    """Independent ones."""
    matches: int
    strength: Estimate
    """The share of the others it would beat if it met all of them equally often; see `strength.py`."""
    place: Estimate
    """The share of the others it beats, a tie counting half: 0.5 is average."""
    score: OpenEstimate
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
    gain: Estimate
    """How many times as many independent matches the blocks were worth; see `duplicate_gain`."""
    cycle: tuple[Pairing, ...]
    """The strongest of those in which each bot beats the next, and the last the first, none of it by accident."""
    outlook: Outlook | None
    """What could be told at best, and how many deals it would take to tell more; None if deals are not few."""
    live: bool
    """Whether the intervals, groups and chances hold at every look, not at this one alone."""

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def summary(
    results: Iterable[BlockResult], names: Sequence[str], seed: str, live: bool = False
) -> Statistics:
    return figures_of(Sample(results, names), seed, live)


def figures_of(sample: Sample, seed: str, live: bool = False, doubt: float = 1.0) -> Statistics:
    """All figures; the seed decides only which resamples the bootstrap draws.

    So many times as great as the fit says are the errors of strengths, where luck decides who meets whom.
    """
    pairings, found = crosstable(sample, live), strengths(sample, doubt)
    return Statistics(
        blocks=sample.blocks,
        matches=sample.matches,
        units=sample.units(),
        bots=bot_lines(sample, found, seed, live),
        crosstable=pairings,
        seats=seat_lines(sample, seed, live),
        gain=duplicate_gain(sample),
        cycle=cycle_of(pairings),
        outlook=outlook(found, live),
        live=live,
    )


def letters(groups: Iterable[int]) -> str:
    """Groups as they are shown beside a name: a, ab, b; numbers after z."""
    return "".join(chr(96 + group) if group <= 26 else f"({group})" for group in groups)


def worth(gain: Estimate) -> str:
    """How much, and between what."""
    mean, low, high = (
        f"{each:.1f}" if each < MOST_GAIN else f"{MOST_GAIN:.0f}" for each in asdict(gain).values()
    )
    return f"{mean} times as many independent matches (95 % from {low} to {high})"


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
        return [exact_mean(values) for values in blocks.values()]
    number = sum(sizes)
    mean = fsum(value for values in blocks.values() for value in values) / number
    size = number / len(sizes)
    return [tidy(mean + (fsum(values) - mean * len(values)) / size, 12) for values in blocks.values()]


# ---- The tables


def bot_lines(sample: Sample, found: Strengths, seed: str, live: bool) -> tuple[BotLine, ...]:
    wins = sample.wins()
    groups = tied_groups(list(sample.names), found, live)
    return tuple(
        BotLine(
            name=name,
            blocks=len(sample.places[name]),
            deals=sample.places[name].deals(),
            matches=wins[name].total(),
            strength=strength_of(sample, found, name, live),
            place=interval_of(sample.places[name], PLACES, seed, live),
            score=score_of(sample.scores[name], sample.span, live),
            wins=tidy(fsum_of(wins[name].items()) / max(1, wins[name].total())),
            faults=dict(sorted(sample.faults[name].items())),
            groups=groups[name],
        )
        for name in sample.names
    )


def interval_of(series: Series, span: tuple[float, float], seed: str, live: bool) -> Estimate:
    values = per_unit(series)
    return estimate_anytime(values, span) if live else estimate(values, span, seed)


def score_of(series: Series, span: tuple[float, float], live: bool) -> OpenEstimate:
    """Scores have long tails: the bootstrap of a few deals would not know of them, and of very few nothing does.

    What holds at every look needs to know how far they can go.
    """
    values = per_unit(series)
    if live or len(values) < DEALS_FOR_SCORES:
        return OpenEstimate(tidy(mean_of(values)) if values else 0.0)
    return OpenEstimate(**vars(with_room(values, span)))


def strength_of(sample: Sample, found: Strengths, name: str, live: bool) -> Estimate:
    """With Student's interval; equal results leave as much room as `estimate` leaves them."""
    bot = sample.names[name]
    share, units = tidy(found.share[bot]), found.units[bot]
    if units < 2:
        return Estimate(share, *PLACES)
    reach = reach_anytime(units) if live else student_reach(units - 1)
    down = up = reach * found.error(bot)
    if len({round(value, 9) for value in per_unit(sample.places[name])}) == 1:
        unseen = unseen_share(units)
        down, up = max(down, unseen * share), max(up, unseen * (1 - share))
    return Estimate(share, tidy(max(0.0, share - down)), tidy(min(1.0, share + up)))


def seat_lines(sample: Sample, seed: str, live: bool) -> tuple[SeatLine, ...]:
    return tuple(
        SeatLine(players, seat, interval_of(values, PLACES, seed, live))
        for (players, seat), values in sorted(sample.seats.items())
    )


def crosstable(sample: Sample, live: bool) -> tuple[Pairing, ...]:
    """Every pair that met, both ways round."""
    met = {pair: per_unit(series) for pair, series in sample.pairs.items()}
    corrected = holm(
        [
            chance_of_anytime(values) if live else chance_of(less(values, repeat(0.5)))
            for values in met.values()
        ]
    )
    cells = {}
    for ((one, other), values), chance in zip(met.items(), corrected, strict=True):
        blocks, result = len(sample.pairs[one, other]), mean_of(values)
        cells[one, other] = Pairing(one, other, blocks, tidy(result), chance, chance < ERROR)
        cells[other, one] = Pairing(other, one, blocks, tidy(1 - result), chance, chance < ERROR)
    return tuple(
        cells[row, column] for row in sample.names for column in sample.names if (row, column) in cells
    )


def cycle_of(pairings: Sequence[Pairing]) -> tuple[Pairing, ...]:
    """The pairings along the strongest cycle of those that are no accident."""
    won = {(pair.row, pair.column): pair for pair in pairings if pair.significant and pair.result > 0.5}
    names = strongest_cycle({edge: pair.result for edge, pair in won.items()})
    return tuple(won[edge] for edge in zip(names, [*names[1:], *names[:1]], strict=True))


def less(values: Iterable[float], others: Iterable[float]) -> Counter[float]:
    """The differences of two rows of values, without the last bits, and how often each came."""
    found: Counter[float] = Counter()
    for (one, other), times in Counter(zip(values, others, strict=False)).items():
        found[round(one - other, 12)] += times
    return found


def duplicate_gain(sample: Sample) -> Estimate:
    """How many independent matches a match of a block was worth: above 1 if the duplicate deals paid.

    Had the k matches of a block nothing in common, the mean of a block would vary by a k-th of what single matches
    vary. The gain is that k-th over the variance that block means really have, both taken among the blocks of
    the same bot in the same line-up and pooled; told as 100 where it is more. Few deals know little of a variance, so
    some more are counted in which duplicate deals gained nothing, and the interval is that of a variance with as many
    degrees of freedom as there are deals but one. If no line-up played twice or nothing varied at all, nothing is
    known.
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
    freedom = sample.units() - 1
    if alone <= 1e-12 or freedom < 1:
        return Estimate(1.0, 0.0, MOST_GAIN)
    share = together / alone
    low, high = (gain_of(share * factor) for factor in reversed(variance_factors(freedom)))
    mean = gain_with_doubt(share, freedom)
    return Estimate(mean, min(low, mean), max(high, mean))


def gain_with_doubt(share: float, freedom: int) -> float:
    """The gain, with some more deals counted in which there was none."""
    return gain_of((freedom * share + SCEPTICISM) / (freedom + SCEPTICISM))


def gain_of(share: float) -> float:
    """The gain, if block means vary by this share of what they would if matches had nothing in common."""
    return tidy(min(MOST_GAIN, 1 / max(share, 1e-12)))
