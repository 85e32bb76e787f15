"""A sequential test of an effect: after each block, accept HIGH, accept LOW, or go on.

The effect is the mean difference of a block in units of its standard deviation, which nobody knows beforehand. So the
test is the generalised SPRT for normal differences: the likelihood under each of the two effects is taken with the
deviation that suits that effect best, and their ratio is held against Wald's bounds. The bounds are the outer ones,
log(1/alpha) and -log(1/beta), which hold whatever the last block overshoots by, and nobody looks before
`FIRST_LOOK` blocks, because the deviation of a handful of ties is no deviation. tests/test_sprt.py measures the error
rates that come of it, with outcomes as coarse as those of games.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt

from dalang.engine.game import SetupError
from dalang.harness.statistics.intervals import tidy

FIRST_LOOK = 20
"""Blocks before the first decision."""
GREATEST = 5.0
"""No effect beyond this needs a test."""


@dataclass
class Moments:
    """All that the test needs of the differences so far."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, difference: float) -> None:
        self.number += 1
        self.total += difference
        self.squares += difference * difference


@dataclass(frozen=True)
class Sprt:
    """The two effects to decide between, and how often either decision may be wrong."""

    low: float
    high: float
    alpha: float = 0.05
    """Of accepting HIGH if LOW is true."""
    beta: float = 0.05
    """Of accepting LOW if HIGH is true."""

    def __post_init__(self) -> None:
        if not -GREATEST <= self.low < self.high <= GREATEST:
            raise SetupError(
                f"--sprt is LOW,HIGH with LOW below HIGH, both from {-GREATEST:g} to {GREATEST:g}, as in 0,0.2; "
                f"not {self.low:g},{self.high:g}"
            )
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < error < 0.5:
                raise SetupError(f"--{name} must be between 0 and 0.5, not {error:g}")

    @cached_property
    def lower(self) -> float:
        return tidy(log(self.beta))

    @cached_property
    def upper(self) -> float:
        return tidy(-log(self.alpha))

    def ratio(self, seen: Moments) -> float:
        """The logarithm of how much likelier HIGH has made these differences than LOW."""
        return tidy(likelihood(seen, self.high) - likelihood(seen, self.low))

    def accepted(self, seen: Moments) -> float | None:
        """The effect that is decided for, if one is."""
        if seen.number < FIRST_LOOK:
            return None
        ratio = self.ratio(seen)
        return self.high if ratio >= self.upper else self.low if ratio <= self.lower else None

    def expected_blocks(self) -> tuple[float, float, float]:
        """How many blocks it takes on average if LOW is true, halfway and if HIGH is true: Wald's approximation."""
        square = (self.high - self.low) ** 2
        low = -2 * (self.alpha * self.upper + (1 - self.alpha) * self.lower) / square
        high = 2 * ((1 - self.beta) * self.upper + self.beta * self.lower) / square
        halfway = -self.lower * self.upper / square
        return max(FIRST_LOOK, low), max(FIRST_LOOK, halfway), max(FIRST_LOOK, high)


def likelihood(seen: Moments, effect: float) -> float:
    """The log-likelihood of normal differences with this effect and the deviation that suits it best.

    If all differences are 0, every small deviation suits every effect; what is left in the limit is that an effect
    of 0 explains them best.
    """
    number, total = seen.number, seen.total
    if not seen.squares:
        return -number * effect * effect / 2
    root = sqrt(effect * effect * total * total + 4 * number * seen.squares)
    deviation = (root - effect * total) / (2 * number)
    return -number * (log(deviation) + effect * effect / 2) + effect * total / (2 * deviation)
