"""Error bars and tests over independent values: what block means can tell, and no more.

Everything is computed with exactly rounded sums and `Random.random()` only, and rounded to ten digits at the end,
so the same values give the same bytes on every machine and every Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from math import atan, cos, erfc, fsum, pi, sin, sqrt
from operator import itemgetter
from random import Random

ERROR = 0.05
SURE = 1.959963984540054
"""Standard errors of a 95 % interval on either side."""
RESAMPLES = 1000
UNSEEN = 0.75
"""Of a value at either end, for what is too rare to be seen."""
FEW, MANY = 20, 200
"""Between these numbers of values the bootstrap is both needed and enough."""


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class OpenEstimate:
    """The same of something whose range nobody knows; without an interval where none can be promised to hold."""

    mean: float
    low: float | None = None
    high: float | None = None


def estimate(values: Sequence[float], span: tuple[float, float], seed: str) -> Estimate:
    """The mean of independent values from the range `span`, and where the true mean lies in 95 of 100 cases.

    With 20 to 200 values the interval is the seeded bootstrap's, its percentiles moved outwards so that small samples
    are not told too narrow (Hesterberg's expanded percentiles). With fewer each end is the farther one of the
    bootstrap, which cannot look beyond what it saw, and of Student's interval, which does not know of skew; with
    more it is the normal limit of the bootstrap. One value alone tells nothing: the interval is the span. Equal
    values do not prove that others are impossible: something unseen in n values may still happen in a share of
    1 - 0.025^(1/n) of all cases, and the interval leaves room for that much of the span on either side.
    """
    counts = Counter(values)
    if len(counts) < 2:
        return estimate_of_equals(values, span)
    mean, error = mean_and_error(counts)
    reach = student_reach(len(values) - 1) * error
    ends = [mean - reach, mean + reach] if len(values) < FEW or len(values) > MANY else []
    ends += bootstrap(values, seed) if len(values) <= MANY else []
    return within(span, mean, min(ends), max(ends))


def estimate_of_equals(values: Sequence[float], span: tuple[float, float], error: float = ERROR) -> Estimate:
    """None, one, or as many as you like of the same."""
    lowest, highest = span
    if len(values) < 2:
        return within(span, values[0] if values else (lowest + highest) / 2, lowest, highest)
    mean, unseen = values[0], unseen_share(len(values), error)
    return within(span, mean, mean - unseen * (mean - lowest), mean + unseen * (highest - mean))


def unseen_share(number: int, error: float = ERROR) -> float:
    """How many of all values may differ, although this number of them did not."""
    return float(1 - (error / 2) ** (1 / number))


def with_room(
    values: Sequence[float], span: tuple[float, float], error: float = ERROR, unseen: float = UNSEEN
) -> Estimate:
    """The same for values that may be skewed, as differences of many ties and scores with a long tail are.

    Few values often have none of the rare great ones among them, and say nothing of what they lack. So each end is
    that of Student's interval with `unseen` of a value more, as far out on that side as is possible at all. With half
    a value some worlds were covered in 92 of 100 cases only, a whole one is wider than need be.
    """
    counts = Counter(values)
    if len(counts) < 2:
        return estimate_of_equals(values, span, error)
    mean, _ = mean_and_error(counts)
    squares = fsum_of(((value - mean) ** 2, times) for value, times in counts.items())
    reach, number = student_reach(counts.total() - 1, error), counts.total()
    low, high = (
        farther_end(number, mean, squares, end, side * reach, unseen)
        for end, side in zip(span, (-1, 1), strict=True)
    )
    return within(span, mean, low, high)


def farther_end(
    number: int, mean: float, squares: float, end: float, reach: float, unseen: float = UNSEEN
) -> float:
    """Where the interval of so many values ends that way if something unseen were at the end of the span.

    The squares are those of all values' distances from the mean; the reach is below 0 for the lower end.
    """
    among = number + unseen
    middle = (mean * number + unseen * end) / among
    squares += number * (mean - middle) ** 2 + unseen * (end - middle) ** 2
    error = sqrt(squares / (among - 1) / among)
    return middle + reach * error


def within(span: tuple[float, float], mean: float, low: float, high: float) -> Estimate:
    """An estimate that tells nothing impossible: values from which luck was taken may lie beyond the span."""
    lowest, highest = span
    return Estimate(*[tidy(min(highest, max(lowest, each))) for each in (mean, low, high)])


def mean_and_error(values: Iterable[float]) -> tuple[float, float]:
    """The mean of at least two values, counted or not, and its standard error."""
    counts = Counter(values)
    number = counts.total()
    mean = fsum_of(counts.items()) / number
    squares = fsum_of(((value - mean) ** 2, times) for value, times in counts.items())
    return mean, sqrt(squares / (number - 1) / number)


def fsum_of(counts: Iterable[tuple[float, int]]) -> float:
    """The exactly rounded sum of values that came so many times each: long rows have few different ones."""
    return fsum(chain.from_iterable(repeat(value, times) for value, times in counts))


def variance_factors(freedom: float) -> tuple[float, float]:
    """Between which multiples of the variance that was seen the true one lies in 95 of 100 cases.

    The quantiles of chi-square are Wilson and Hilferty's.
    """
    spread = 2 / (9 * freedom)
    low, high = ((1 - spread + sign * SURE * sqrt(spread)) ** 3 for sign in (1, -1))
    return 1 / low, 1 / max(high, 1e-3)


def tidy(value: float, digits: int = 10) -> float:
    """More digits than anybody reads, fewer than the last bits on which machines disagree."""
    return float(f"{value:.{digits}g}")


# ---- The bootstrap


def bootstrap(values: Sequence[float], seed: str) -> tuple[float, float]:
    """The expanded percentiles of the means of resampled values."""
    number = len(values)
    means = sorted([fsum(pick(values)) for pick in resamples(number, seed)])
    cut = max(
        0, int(expanded(number) * (RESAMPLES + 1)) - 1
    )  # the order statistic at that percentile, or just below
    return means[cut] / number, means[-1 - cut] / number


@lru_cache(maxsize=8)
def resamples(number: int, seed: str) -> list[Callable[[Sequence[float]], tuple[float, ...]]]:
    """The same draws for all who have as many values: a bot's name must not decide about its luck."""
    random = Random(f"{seed}/bootstrap/{number}").random
    return [itemgetter(*[int(random() * number) for _ in range(number)]) for _ in range(RESAMPLES)]


@lru_cache(maxsize=1024)
def expanded(number: int) -> float:
    """The percentile that makes a bootstrap of so few values as wide as Student's interval."""
    return erfc(sqrt(number / (number - 1)) * student_reach(number - 1) / sqrt(2)) / 2


# ---- Student's distribution


def student_tail(t: float, freedom: int) -> float:
    """The chance of a deviation at least this great on either side: the finite series for whole degrees of freedom."""
    if freedom > 1000:
        return erfc(abs(t) / sqrt(2))
    angle = atan(abs(t) / sqrt(freedom))
    odd = freedom % 2
    term = total = cos(angle) if odd else 1.0
    if freedom == 1:
        total = 0.0
    for step in range(2 + odd, freedom - 1, 2):
        term *= cos(angle) ** 2 * (step - 1) / step
        total += term
    inside = (angle + sin(angle) * total) * 2 / pi if odd else sin(angle) * total
    return min(1.0, max(0.0, 1 - inside))


@lru_cache(maxsize=1024)
def student_reach(freedom: int, error: float = ERROR) -> float:
    """How many standard errors an interval reaches on either side; of 95 % if nothing else is said."""
    low, high = 1.0, 20.0
    while student_tail(high, freedom) > error:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if student_tail(middle, freedom) > error else (low, middle)
    return low


# ---- Tests


def chance_of(differences: Iterable[float]) -> float:
    """The p-value of paired differences whose true mean is 0: Student's test, but never surer than their signs allow.

    If only luck decided who was ahead, n differences would all point one way in 2 of 2^n cases. No smaller value is
    given, so five blocks in a row prove nothing yet, and equal differences are no proof of certainty.
    """
    counts = Counter(differences)
    decided = sum(times for difference, times in counts.items() if difference)
    if counts.total() < 2 or not decided:
        return 1.0
    mean, error = mean_and_error(counts)
    student = student_tail(mean / error, counts.total() - 1) if error else 0.0
    return tidy(max(student, 2.0 ** (1 - min(decided, 1000))))


def holm(chances: Sequence[float]) -> list[float]:
    """P-values corrected for their number: below 0.05 are wrong ones in at most one of twenty whole families."""
    corrected = [1.0] * len(chances)
    floor = 0.0
    for place, at in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        floor = max(floor, min(1.0, chances[at] * (len(chances) - place)))
        corrected[at] = tidy(floor)
    return corrected
