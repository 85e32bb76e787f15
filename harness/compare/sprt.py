"""A sequential test of an effect: after each block, accept HIGH, accept LOW, or go on.

The effect is the mean difference of a block in units of its standard deviation. Two doubters bet, one against the
claim that the effect is LOW or less, one against the claim that it is HIGH or more (see betting.py). As soon as one has
made 1/alpha or 1/beta of 1, the claim is refuted and the other effect accepted. That holds whenever one looks and
whatever differences are like, as long as they have a bound. Scores have none: a claim about an effect of 0 could then
rest on something that is too rare to be seen, and no test can refute it; an effect beyond 0 leaves less room for that.
tests/test_sprt.py and tests/bench/sequential.py measure the error rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, log

from dalang.engine.game import SetupError
from dalang.harness.compare.betting import Doubt, doubt_of
from dalang.harness.statistics.intervals import tidy

GREATEST = 5.0
"""No effect beyond this needs a test."""
CLOSEST = 1e-4
"""Two effects that are closer nobody can tell apart: it would take some billion blocks."""
PRICE = 1.3
"""Times as many blocks as a test needs that knows the shape of the differences beforehand."""
PRICE_WITHOUT_BOUND = 2.2
LEVEL, MOST_LEAN = 1e-6, 50.0
"""A test leans neither way where its lean is less than the one, and beyond the other there is no doubt."""


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
        if self.high - self.low < CLOSEST:
            raise SetupError(
                f"--sprt needs HIGH at least {CLOSEST:g} above LOW, not {self.low:g},{self.high:g}: nobody can play "
                "so many blocks"
            )
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < error < 0.5:
                raise SetupError(f"--{name} must be between 0 and 0.5, not {error:g}")

    def needs_bound(self) -> bool:
        """Whether a rare great difference could hide behind one of the effects."""
        return not self.low < 0 < self.high

    def check_without_bound(self) -> None:
        """Scores have none."""
        if self.needs_bound():
            raise SetupError(
                f"--by score --sprt needs LOW below 0 and HIGH above it, as in -0.1,0.1: scores have no bounds, and "
                f"a rare great one could hide behind {self.low:g} or {self.high:g}"
            )

    @cached_property
    def lower(self) -> float:
        """The logarithm of what refutes HIGH, below 0 as it counts against it."""
        return tidy(log(self.beta))

    @cached_property
    def upper(self) -> float:
        """The logarithm of what refutes LOW."""
        return tidy(-log(self.alpha))

    def expected_blocks(self, bounded: bool = True) -> tuple[float, float, float]:
        """How many blocks it takes on average if LOW is true, halfway and if HIGH is true."""
        low, halfway, high = (
            self.blocks_at(effect, bounded) for effect in (self.low, (self.low + self.high) / 2, self.high)
        )
        return low, halfway, high

    def blocks_at(self, effect: float, bounded: bool = True) -> float:
        """How many blocks it takes on average if this is the true effect.

        Wald's approximation, times what it costs that nothing is known of the differences.
        """
        step = self.high - self.low
        drift = step * (effect - (self.low + self.high) / 2)
        lean = max(-MOST_LEAN, min(MOST_LEAN, -2 * drift / step**2))  # 1 at LOW, -1 at HIGH
        if abs(lean) < LEVEL:
            blocks = -self.lower * self.upper / step**2
        else:
            up, down = exp(lean * self.upper), exp(lean * self.lower)
            refuted = (up - 1) / (up - down)  # how often HIGH is
            blocks = (refuted * self.lower + (1 - refuted) * self.upper) / drift
        return blocks * (PRICE if bounded else PRICE_WITHOUT_BOUND)


class Trial:
    """A sequential test while it runs; no difference is beyond the bound, if there is one."""

    def __init__(self, sprt: Sprt, bound: float | None) -> None:
        self.sprt = sprt
        self.of_low: Doubt = doubt_of(sprt.low, sprt.high, bound)
        self.of_high: Doubt = doubt_of(-sprt.high, -sprt.low, bound)
        self.number = 0

    def add(self, difference: float) -> None:
        self.number += 1
        self.of_low.add(difference)
        self.of_high.add(-difference)

    def against_low(self) -> float:
        """The logarithm of what was won by betting against LOW."""
        return tidy(self.of_low.evidence())

    def against_high(self) -> float:
        return tidy(self.of_high.evidence())

    def accepted(self) -> float | None:
        """The effect that is decided for, if one is: where both are refuted, neither is."""
        low = self.of_low.evidence() >= self.sprt.upper
        high = self.of_high.evidence() >= -self.sprt.lower
        if low == high:
            return None
        return self.sprt.high if low else self.sprt.low
