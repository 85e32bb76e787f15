"""Error bars for those who look again and again: right at all looks together, not at each alone.

Who looks at a 95 % interval after every block, and stops or speaks when it pleases, will see it miss the truth sooner
or later far more often than in 5 of 100 runs. What is computed here misses it at any look at all in 5 of 100 runs.

- The mean of values from a known range is bet on. Somebody who believes in another mean bets a share of his capital on
  every value, at odds that are fair if he is wrong; then he comes to 40 times his capital in 1 of 40 runs, however long
  he plays. The interval is what nobody has won that much against, on either side, who divides his capital among many
  shares (betting as of Waudby-Smith and Ramdas 2023, with fixed shares, so that the order of values does not matter).
- What was fitted to all values has Robbins' normal mixture, each deviation taken for as rare as Student's distribution
  says for so few values. It is narrowest near `TUNED_FOR` values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import erfc, exp, floor, fsum, inf, log, sqrt
from statistics import NormalDist

from dalang.harness.statistics.intervals import ERROR, Estimate, fsum_of, student_tail, tidy

BET_SHARES = [0.98 * 2 ** (-step / 2) for step in range(20)]
"""Of the capital, from bold to careful: a careful bet finds a small difference among many values."""
FINENESS = 1000
"""Where there are more different values, they count as the next of so many, to the disadvantage of the better."""
HALVINGS = 20
"""How often the end of an interval is looked for in half of where it can be."""
TUNED_FOR = 40
SMALLEST_TAIL = 1e-16
"""A sum of shares of 1 cannot tell smaller ones."""


def estimate_anytime(values: Iterable[float], span: tuple[float, float], error: float = ERROR) -> Estimate:
    """The mean of independent values from the range `span`; its interval holds at every look.

    What units of unequal size contribute may lie a little beyond it, and is then the range.
    """
    counts = Counter(values)
    if not counts or span[0] == span[1]:
        return Estimate(tidy(sum(span) / 2), *map(tidy, span))
    lowest, highest = min(span[0], *counts), max(span[1], *counts)
    mean = min(highest, max(lowest, fsum_of(counts.items()) / counts.total()))
    middle, width = (mean - lowest) / (highest - lowest), highest - lowest
    shares = {(value - lowest) / width: times for value, times in counts.items()}
    mirrored = {1 - value: times for value, times in shares.items()}
    low = lower_end(rounded_down(shares), middle, error)
    high = 1 - lower_end(rounded_down(mirrored), 1 - middle, error)
    low, high = min(mean, lowest + low * width), max(mean, lowest + high * width)
    return Estimate(tidy(mean), tidy(max(span[0], low)), tidy(min(span[1], high)))


def chance_of_anytime(values: Iterable[float]) -> float:
    """The p-value of values from 0 to 1 whose true mean is one half, whoever looks however often."""
    counts = drawn_in(Counter(values))
    up = capital(rounded_down(counts), 0.5)
    down = capital(rounded_down({1 - value: times for value, times in counts.items()}), 0.5)
    return tidy(min(1.0, 2 * exp(-max(up, down))))


def drawn_in(counts: dict[float, int]) -> dict[float, int]:
    """Values that lie beyond 0 or 1, as those of units of unequal size may, with all others drawn towards one half."""
    far = max((abs(value - 0.5) for value in counts), default=0.0)
    return (
        counts if far <= 0.5 else {0.5 + (value - 0.5) * 0.5 / far: times for value, times in counts.items()}
    )


def lower_end(counts: dict[float, int], mean: float, error: float) -> float:
    """The lowest true mean of values from 0 to 1 against which too little was won to rule it out."""
    low, high = 0.0, mean
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if capital(counts, middle) > log(2 / error) else (low, middle)
    return low


def capital(counts: dict[float, int], mean: float) -> float:
    """The logarithm of what is won by betting that these values, from 0 to 1, have a greater mean than this."""
    if mean <= 0:
        return inf if any(counts) else 0.0
    return pooled(
        [
            fsum(times * log(1 - share + share * value / mean) for value, times in counts.items())
            for share in BET_SHARES
        ]
    )


def pooled(won: Sequence[float]) -> float:
    """The logarithm of what all have won together who began with equal parts; what each did is a logarithm, too."""
    most = max(won)
    return most + log(fsum(exp(each - most) for each in won) / len(won))


class Wager:
    """The same bets on values that come one by one, against one mean, from both sides."""

    def __init__(self, mean: float, span: tuple[float, float]) -> None:
        self.lowest, self.width = span[0], span[1] - span[0]
        self.mean = (mean - self.lowest) / self.width
        self.on_more, self.on_less = ([0.0] * len(BET_SHARES) for _ in range(2))

    def add(self, value: float) -> None:
        value = (value - self.lowest) / self.width
        for at, share in enumerate(BET_SHARES):
            self.on_more[at] += log(1 - share + share * value / self.mean)
            self.on_less[at] += log(1 - share + share * (1 - value) / (1 - self.mean))

    def lies(self, error: float) -> int:
        """1 if the true mean is greater, -1 if it is less, wrongly at any look in this share of runs; else 0."""
        return (pooled(self.on_more) > log(2 / error)) - (pooled(self.on_less) > log(2 / error))


def rounded_down(counts: dict[float, int]) -> dict[float, int]:
    """The same values, or not more than so many different ones."""
    if len(counts) <= FINENESS:
        return counts
    found: Counter[float] = Counter()
    for value, times in counts.items():
        found[floor(value * FINENESS) / FINENESS] += times
    return found


# ---- Fitted values


def chance_anytime(tail: float, values: int) -> float:
    """What the chance of a deviation, with this tail at a single look, is worth to those who look all the time."""
    deviation = NormalDist().inv_cdf(max(tail, SMALLEST_TAIL) / 2)
    known = values * weight()
    evidence = deviation**2 * known / (1 + known) - log(1 + known)
    return min(1.0, exp(-evidence / 2))


@lru_cache(maxsize=1024)
def reach_anytime(values: int, error: float = ERROR) -> float:
    """How many standard errors the interval of a fit to so many values reaches on either side."""
    known = values * weight()
    normal = sqrt((1 + known) / known * (log(1 + known) - 2 * log(error)))
    tail = max(erfc(normal / sqrt(2)), SMALLEST_TAIL)
    low, high = 1.0, 1e6
    while high - low > 1e-9 * high:
        middle = sqrt(low * high)
        low, high = (middle, high) if student_tail(middle, values - 1) > tail else (low, middle)
    return low


@lru_cache(maxsize=1)
def weight() -> float:
    """Of a value beside the mixture's own; it is narrowest where these satisfy x = log(1 + x) - 2 log(0.05)."""
    known = 1.0
    for _ in range(100):
        known = log(1 + known) - 2 * log(ERROR)
    return tidy(known / TUNED_FOR)
