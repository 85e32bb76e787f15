"""Results with their luck taken out: the same mean, told from a fraction of the deals.

What luck did in a deal has the mean 0 (see `dalang.engine.luck`), so any multiple of it may be subtracted from what was
achieved there, as long as nobody chooses the multiple by looking at that deal. So the weight is estimated for each deal
from all others: a guess that says nothing gets a weight near 0 and does no harm, and where it does not help, it is not
used at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from operator import mul
from typing import NamedTuple

from dalang.engine.value import Value
from dalang.harness.blocks import BlockResult
from dalang.harness.statistics.anytime import reach_anytime
from dalang.harness.statistics.intervals import (
    Estimate,
    estimate,
    mean_and_error,
    tidy,
    with_room,
    within,
)
from dalang.harness.statistics.sample import Sample, Series, mean_of
from dalang.harness.statistics.summary import PLACES, gain_with_doubt, per_unit

DEALS_BELIEVED = 8
"""As many deals as the weight counts that was believed before any was seen."""
GREATEST_WEIGHT = 1.5
GREATEST_MANNER = 3.0
"""Times as daring, or as careful, as those that a value has learnt from."""
TINY = 1e-12
RARE = 0.005
"""Of a value at either end of what is possible, for deals whose luck is told wrong."""
SKEWED = 0.1
"""Of a value as far beyond those that were seen as they lie apart, for what is left is often skewed."""
WORTH_WHILE = 0.95
"""If more than this share of the variance stays, luck stays, too."""
FEW_MAY_ERR = 2.0
"""But fewer deals than are believed decide that only if the variance grows to more than this."""


Variates = tuple[float, ...]
"""What luck did to a figure: as the seats stand; then, bot by bot, how much more or less if that one is daring."""
Weights = tuple[float, ...]


class SeatLuck(NamedTuple):
    """What luck did in a match."""

    by_seat: Sequence[float]
    by_manner: Sequence[Sequence[float]] = ()
    """By seat that may have another manner, what that changes for all seats."""
    bounded: Sequence[float] = ()
    """By seat, no farther than MOST_LUCK from 0."""

    def variates(self, seat: int, *bots: Sequence[int]) -> Variates:
        """What it did for a seat, and how that changes if all seats of a bot have another manner, bot by bot."""
        if not self.by_manner:
            return (self.by_seat[seat], *[0.0] * len(bots))
        return (self.by_seat[seat], *[fsum(self.by_manner[each][seat] for each in seats) for seats in bots])


class Sums(NamedTuple):
    """Of the products of 1, what was achieved, and the luck in it, deal by deal."""

    products: tuple[tuple[float, ...], ...] = ()

    def and_also(self, result: float, luck: Variates, times: int = 1) -> Sums:
        """With another deal, or without one where `times` is -1."""
        terms = (1.0, result, *luck)
        before = self.products or [[0.0] * len(terms)] * len(terms)
        rows = zip(before, terms, strict=True)
        return Sums(
            tuple(
                tuple([old + times * term * other for old, other in zip(row, terms, strict=True)])
                for row, term in rows
            )
        )

    def weights(self, believed: float, width: int) -> Weights:
        """What to take of the luck in another deal; 0 if that would not help.

        As much of the luck as the seats stand is believed beforehand, and of manners nothing.
        """
        prior = (believed, *[0.0] * (width - 1))
        number = self.products[0][0] if self.products else 0.0
        if number < 2 or self.products[2][2] <= TINY:
            return prior
        (_, total, *means), (_, squares, *products), *rows = self.products
        middle = total / number
        mixed = [each - middle * mean for each, mean in zip(products, means, strict=True)]
        luck = [row[2:] for row in rows]
        weights = fitted(luck, mixed, prior, DEALS_BELIEVED / number)
        taken = fsum(one * fsum(map(mul, row, weights)) for one, row in zip(weights, luck, strict=True))
        before = max(0.0, squares - middle * total)
        left = before - 2 * fsum(map(mul, weights, mixed)) + taken
        manners = sum(row[at] > TINY for at, row in enumerate(luck)) - 1
        dear = 1 + 2 * manners / number  # what is fitted seems to explain more than it does
        helps = left * dear <= WORTH_WHILE * before
        may_help = number < DEALS_BELIEVED and before > TINY and left <= FEW_MAY_ERR * before
        return weights if helps or may_help else (0.0,) * width


def fitted(
    luck: Sequence[Sequence[float]], mixed: Sequence[float], prior: Weights, believed: float
) -> Weights:
    """The weights that leave the least, drawn to the prior as if so many times as many deals had said that."""
    held = [believed * row[at] + TINY for at, row in enumerate(luck)]
    first, *manners = solved(
        [[*row[:at], row[at] + held[at], *row[at + 1 :]] for at, row in enumerate(luck)],
        [each + strong * one for each, strong, one in zip(mixed, held, prior, strict=True)],
    )
    return (
        min(GREATEST_WEIGHT, max(0.0, first)),
        *[min(GREATEST_MANNER, max(-GREATEST_MANNER, each)) for each in manners],
    )


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of these linear equations; the matrix is positive definite."""
    rows = [[*row, last] for row, last in zip(matrix, right, strict=True)]
    for at, pivot in enumerate(rows):
        pivot = rows[at] = [each / pivot[at] for each in pivot]
        for other, row in enumerate(rows):
            if other != at and row[at]:
                rows[other] = [mine - row[at] * each for mine, each in zip(row, pivot, strict=True)]
    return [row[-1] for row in rows]


@dataclass(frozen=True)
class Corrected:
    """Values from which luck was taken, deal by deal."""

    values: tuple[float, ...]
    weight: float
    """The mean of the weights, those of manners left aside; 0 if nothing was taken."""
    is_off: bool
    """Whether nothing was taken: it was of no use, or there was none to be told."""

    def estimate(self, span: tuple[float, float], seed: str, live: bool = False) -> Estimate:
        """Their mean and its interval, or one that holds at every look.

        What is left of results once luck is gone varies little, but for a deal now and then in which the luck that was
        told was wrong. Among few deals there may be none of these, so room is left for them.
        """
        number = len(self.values)
        if not live or len(set(self.values)) < 2:
            found = [estimate(self.values, span, seed)]
            if not self.is_off:
                found.append(with_room(self.values, span, unseen=RARE))
                found.append(with_room(self.values, beyond(self.values), unseen=SKEWED))
            return widest(span, found)
        mean, error = mean_and_error(self.values)
        reach = reach_anytime(number) * error
        return within(span, mean, mean - reach, mean + reach)


def beyond(values: Sequence[float]) -> tuple[float, float]:
    """What was seen, and as much again on either side."""
    low, high = min(values), max(values)
    return 2 * low - high, 2 * high - low


def widest(span: tuple[float, float], found: Sequence[Estimate]) -> Estimate:
    """Of several intervals of a mean the farthest ends."""
    return within(span, found[0].mean, min(each.low for each in found), max(each.high for each in found))


def corrected(results: Sequence[float], luck: Sequence[Variates], believed: float) -> Corrected:
    """Every deal without its luck, as much of it as all other deals say."""
    sums = sums_of(results, luck)
    weights = [
        sums.and_also(result, lucky, times=-1).weights(believed, len(lucky))
        for result, lucky in zip(results, luck, strict=True)
    ]
    taken = [fsum(map(mul, each, lucky)) for each, lucky in zip(weights, luck, strict=True)]
    values = [tidy(result - each, 12) for result, each in zip(results, taken, strict=True)]
    is_off = all(abs(each) <= TINY for each in taken)
    return Corrected(tuple(values), 0.0 if is_off else tidy(mean_of([each[0] for each in weights])), is_off)


def sums_of(results: Sequence[float], luck: Sequence[Variates]) -> Sums:
    sums = Sums()
    for deal in zip(results, luck, strict=True):
        sums = sums.and_also(*deal)
    return sums


def variance(values: Sequence[float]) -> float:
    """0 if there are not enough to tell."""
    return len(values) * mean_and_error(values)[1] ** 2 if len(values) > 1 else 0.0


def gain_in(before: float, after: float, deals: int) -> float:
    """How many times as many deals have as small a variance without luck; few tell little, so it is told with doubt."""
    return gain_with_doubt(after / before, deals - 1) if before > TINY and deals > 1 else 1.0


# ---- A tournament


@dataclass(frozen=True)
class LuckLine:
    """What luck did for one bot, and what it has achieved without."""

    beats: Estimate
    """The share of the others it beats, luck removed."""
    luck: float
    """What luck was worth to it, on average over its matches, in shares of the others."""
    weight: float
    """How much of that was taken out."""


@dataclass(frozen=True)
class LuckFigures:
    """What is left of a tournament without luck."""

    value_version: int
    """Of the guess how the seats stand, by which luck was told."""
    gain: float
    """How many times as many deals would have been as good without it; 1 if it was switched off (see `gain_in`)."""
    is_off: bool
    """Whether the luck that could be told explains nothing of the results."""
    bots: dict[str, LuckLine]


class LuckSample:
    """What luck did for each bot, block by block, beside a `Sample` of the same blocks."""

    def __init__(self) -> None:
        self.luck: defaultdict[str, list[Series]] = defaultdict(lambda: [Series(), Series(), Series()])
        """By the standing, by the bot's own manner, and by that of the others."""

    def add(self, result: BlockResult, luck: Sequence[SeatLuck]) -> None:
        """A block, and what luck did in its matches."""
        by_bot = defaultdict(list)
        for match, each in zip(result.matches, luck, strict=True):
            for seat, name in enumerate(match.names):
                mine = [other for other, sitting in enumerate(match.names) if sitting == name]
                others = [other for other, sitting in enumerate(match.names) if sitting != name]
                by_bot[name].append(each.variates(seat, mine, others))
        for name, found in by_bot.items():
            for series, column in zip(self.luck[name], zip(*found, strict=True), strict=True):
                series.add(result.block.deal, mean_of(column))

    def figures(self, sample: Sample, value: Value, seed: str, live: bool) -> LuckFigures:
        deals = {
            name: (
                per_unit(sample.places[name]),
                list(zip(*[totals_per_unit(each) for each in series], strict=True)),
            )
            for name, series in self.luck.items()
        }
        found = {name: corrected(*each, value.weight) for name, each in deals.items()}
        before = fsum(variance(results) for results, _ in deals.values())
        after = fsum(variance(each.values) for each in found.values())
        return LuckFigures(
            value.version,
            gain_in(before, after, max((len(results) for results, _ in deals.values()), default=0)),
            all(each.is_off for each in found.values()),
            {
                name: LuckLine(
                    each.estimate(PLACES, seed, live), tidy(mean_of(self.luck[name][0].values)), each.weight
                )
                for name, each in found.items()
            },
        )


def totals_per_unit(series: Series) -> list[float]:
    """One value per unit, such that their mean is the mean of all blocks: its true mean is known to be 0."""
    blocks = series.by_unit()
    size = len(series) / len(blocks)
    return [fsum(values) / size for values in blocks.values()]
