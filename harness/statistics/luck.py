"""Results with their luck taken out: the same mean, told from a fraction of the deals.

What luck did in a deal has the mean 0 (see `dalang.engine.luck`), so any multiple of it may be subtracted from what was
achieved there, as long as nobody chooses the multiple by looking at that deal. So the weight is estimated for each deal
from all others: a guess that says nothing gets a weight near 0 and does no harm, and where it does not help, it is not
used at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import fsum
from typing import NamedTuple

from dalang.engine.value import Value
from dalang.harness.blocks import BlockResult
from dalang.harness.statistics.anytime import reach_anytime
from dalang.harness.statistics.intervals import (
    Estimate,
    estimate,
    mean_and_error,
    tidy,
)
from dalang.harness.statistics.sample import Sample, Series, mean_of
from dalang.harness.statistics.summary import PLACES, per_unit

DEALS_BELIEVED = 8
"""As many deals as the weight counts that was believed before any was seen."""
GREATEST_WEIGHT = 1.5
WORTH_WHILE = 0.95
"""If more than this share of the variance stays, luck stays, too."""


class Sums(NamedTuple):
    """Of what was achieved and of the luck in it, deal by deal."""

    number: float = 0
    results: float = 0.0
    luck: float = 0.0
    squares: float = 0.0
    mixed: float = 0.0
    luck_squares: float = 0.0

    def and_also(self, result: float, luck: float, times: int = 1) -> Sums:
        """With another deal, or without one where `times` is -1."""
        terms = (1, result, luck, result * result, result * luck, luck * luck)
        return Sums(*[mine + times * term for mine, term in zip(self, terms, strict=True)])

    def weight(self, believed: float) -> float:
        """What to take of the luck in another deal; 0 if that would not help."""
        if self.number < 2 or self.luck_squares <= 1e-12:
            return believed
        middle = self.results / self.number
        mixed = self.mixed - middle * self.luck
        squares = max(0.0, self.squares - middle * self.results)
        seen = mixed / self.luck_squares
        weight = (DEALS_BELIEVED * believed + self.number * seen) / (DEALS_BELIEVED + self.number)
        weight = min(GREATEST_WEIGHT, max(0.0, weight))
        left = squares - 2 * weight * mixed + weight * weight * self.luck_squares
        is_known = self.number >= DEALS_BELIEVED
        return 0.0 if is_known and left > WORTH_WHILE * squares else weight


@dataclass(frozen=True)
class Corrected:
    """Values from which luck was taken, deal by deal."""

    values: tuple[float, ...]
    weight: float
    """The mean of the weights; 0 if it was of no use."""

    def estimate(self, span: tuple[float, float], seed: str, live: bool = False) -> Estimate:
        """Their mean and its interval, or one that holds at every look; what lies beyond the span is its end."""
        number = len(self.values)
        if not live or len(set(self.values)) < 2:
            return inside(span, estimate(self.values, span, seed))
        mean, error = mean_and_error(self.values)
        reach = reach_anytime(number) * error
        return inside(span, Estimate(tidy(mean), tidy(mean - reach), tidy(mean + reach)))


def inside(span: tuple[float, float], found: Estimate) -> Estimate:
    lowest, highest = span
    return Estimate(*[min(highest, max(lowest, each)) for each in astuple(found)])


def corrected(results: Sequence[float], luck: Sequence[float], believed: float) -> Corrected:
    """Every deal without its luck, as much of it as all other deals say."""
    sums = sums_of(results, luck)
    weights = [sums.and_also(*deal, times=-1).weight(believed) for deal in zip(results, luck, strict=True)]
    values = [
        tidy(result - weight * lucky, 12)
        for result, weight, lucky in zip(results, weights, luck, strict=True)
    ]
    return Corrected(tuple(values), tidy(mean_of(weights)) if weights else believed)


def sums_of(results: Sequence[float], luck: Sequence[float]) -> Sums:
    sums = Sums()
    for deal in zip(results, luck, strict=True):
        sums = sums.and_also(*deal)
    return sums


def variance(values: Sequence[float]) -> float:
    """0 if there are not enough to tell."""
    return len(values) * mean_and_error(values)[1] ** 2 if len(values) > 1 else 0.0


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
    """How many times as many deals would have been as good without it; 1 if it was switched off."""
    bots: dict[str, LuckLine]

    def is_off(self) -> bool:
        """Whether the luck that could be told explains nothing of the results."""
        return not any(line.weight for line in self.bots.values())


class LuckSample:
    """What luck did for each bot, block by block, beside a `Sample` of the same blocks."""

    def __init__(self) -> None:
        self.luck: defaultdict[str, Series] = defaultdict(Series)

    def add(self, result: BlockResult, luck: Sequence[Sequence[float]]) -> None:
        """A block, and what luck did in its matches, seat by seat."""
        by_bot = defaultdict(list)
        for match, by_seat in zip(result.matches, luck, strict=True):
            for name, lucky in zip(match.names, by_seat, strict=True):
                by_bot[name].append(lucky)
        for name, each in by_bot.items():
            self.luck[name].add(result.block.deal, mean_of(each))

    def figures(self, sample: Sample, value: Value, seed: str, live: bool) -> LuckFigures:
        deals = {
            name: (per_unit(sample.places[name]), totals_per_unit(series))
            for name, series in self.luck.items()
        }
        found = {name: corrected(*each, value.weight) for name, each in deals.items()}
        before = fsum(variance(results) for results, _ in deals.values())
        after = fsum(variance(each.values) for each in found.values())
        return LuckFigures(
            value.version,
            tidy(before / after) if after > 1e-12 else 1.0,
            {
                name: LuckLine(
                    each.estimate(PLACES, seed, live), tidy(mean_of(self.luck[name].values)), each.weight
                )
                for name, each in found.items()
            },
        )


def totals_per_unit(series: Series) -> list[float]:
    """One value per unit, such that their mean is the mean of all blocks: its true mean is known to be 0."""
    blocks = series.by_unit()
    size = len(series) / len(blocks)
    return [fsum(values) / size for values in blocks.values()]
