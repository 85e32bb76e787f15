"""Bets against a claim about an effect: who doubts it grows rich if it is false, and hardly ever if it is true.

The claim is that the mean of independent values is at most so many of their standard deviations. Who begins with 1 and
only plays games that cannot be won on average while the claim holds, ever has 1/alpha in at most a share alpha of all
runs, whenever one looks (Ville's inequality), and whatever the values are like: skewed, tied or normal. Stakes may
depend on everything that came before. Good ones are rich sooner; bad ones lose, but make no verdict wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import log, sqrt

CAUTION = 0.9
"""The greatest share of its wealth that a bet may lose at once."""
STEP = 1.25
"""From one deviation that is tried to the next; closer ones made no difference in simulations."""
FINEST = 200
"""Smaller deviations than this part of the bound are not thought of: so many blocks would tie that nobody finds out."""
REACH = 30
"""How far beyond the values seen deviations are tried; a value of 30 deviations comes once in 900 times at most."""
SHAPELY, SPREAD_KNOWN = 20, 50
"""Values after which half is believed of what they say about their skew, and about how much they vary."""


@dataclass
class Moments:
    """All that a bet needs to know of the values so far."""

    number: int = 0
    total: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0
    fourths: float = 0.0

    def add(self, value: float) -> None:
        square = value * value
        self.number += 1
        self.total += value
        self.squares += square
        self.cubes += square * value
        self.fourths += square * square

    def shape(self) -> tuple[float, float, float]:
        """Deviation, skewness and kurtosis; few values are thought to be normal."""
        number = self.number
        if not self.squares:
            return 0.0, 0.0, 3.0
        mean, square = self.total / number, self.squares / number
        variance = square - mean * mean + square / number
        third = self.cubes / number - 3 * mean * square + 2 * mean**3
        fourth = self.fourths / number - 4 * mean * self.cubes / number + 6 * mean**2 * square - 3 * mean**4
        believed = number / (number + SHAPELY)
        kurtosis = 3 + believed * max(0.0, fourth / variance**2 - 3)
        return sqrt(variance), believed * third / variance**1.5, kurtosis


class Doubt(ABC):
    """Bets against the claim that the effect is at most `most`, by somebody who thinks that it is `thought`."""

    def __init__(self, most: float, thought: float) -> None:
        self.most, self.thought = most, thought

    @abstractmethod
    def add(self, value: float) -> None:
        """Play for the next value."""

    @abstractmethod
    def evidence(self) -> float:
        """The logarithm of the wealth."""


def doubt_of(most: float, thought: float, bound: float | None) -> Doubt:
    """No value is beyond the bound on either side; None if there is none."""
    if most < 0:
        return DoubtOfADeficit(most, thought, bound)
    assert bound, "rare values without bound can hide behind an effect of 0"
    return DoubtOfAProfit(most, thought, bound)


class DoubtOfAProfit(Doubt):
    """Bets against an effect of at most 0 or something above it.

    A deviation s is at most (v / t + t) / 2 for any t, where v is the mean square around any centre. So if the claim
    holds, value - most * (square / t + t) / 2 has no mean above 0: that is what is bet on, with t and the centre as
    they were estimated before.
    """

    def __init__(self, most: float, thought: float, bound: float) -> None:
        super().__init__(most, thought)
        self.bound = bound
        self.seen = Moments(1, squares=bound * bound / 4)  # something, before anything is seen
        self.wealth = 0.0

    def add(self, value: float) -> None:
        centre = self.seen.total / self.seen.number
        deviation = sqrt(self.seen.squares / self.seen.number - centre * centre)

        def won(value: float) -> float:
            return value - self.most * ((value - centre) ** 2 / deviation + deviation) / 2

        worst = min(won(-self.bound), won(self.bound))
        hoped = self.thought - self.most
        stake = min(hoped / (1 + hoped * hoped) / deviation, CAUTION / -worst)
        self.wealth += log(1 + stake * won(value))
        self.seen.add(value)

    def evidence(self) -> float:
        return self.wealth


Stakes = tuple[float, float]
"""What is bet on the mean, and what on the spread: a and b."""


@dataclass
class Purse:
    """What is bet if the mean is exactly `most` times this deviation, so that the true one is no greater."""

    deviation: float
    wealth: float = 0.0
    on_mean: float = 0.0
    on_spread: float = 0.0


class DoubtOfADeficit(Doubt):
    """Bets against an effect below 0.

    For every deviation that is possible there is a purse, because the claim holds if it holds for one of them: what
    counts is the poorest. In units of its deviation, and from its mean on, a value u has no mean above 0 and no mean
    square above 1. So 1 + a u + b (u² - 1) is a game that cannot be won on average, for any b of 0 or more; and if
    a² <= 4 b (1 - b), nothing is ever owed, however far away a value lies.
    """

    def __init__(self, most: float, thought: float, bound: float | None) -> None:
        super().__init__(most, thought)
        self.bound = bound
        self.seen = Moments()
        self.purses: list[Purse] = []
        self.next_look = 0
        """Stakes are thought over after so many values."""
        deviation = bound or 0.0
        while bound and deviation * FINEST >= bound:
            self.purses.append(Purse(deviation))
            deviation /= STEP

    def add(self, value: float) -> None:
        self.make_room(abs(value))
        if self.seen.number >= self.next_look:
            self.think()
        for purse in self.purses:
            u = value / purse.deviation - self.most
            purse.wealth += log(1 + purse.on_mean * u + purse.on_spread * (u * u - 1))
        self.seen.add(value)

    def evidence(self) -> float:
        return min((purse.wealth for purse in self.purses), default=0.0)

    def make_room(self, size: float) -> None:
        """Without a bound the first value that is not 0 gives the scale, and a great one widens it.

        Up to then one purse stands for all deviations: of a value of 0 they think alike. Later the one with the
        greatest deviation stands for all that are greater still.
        """
        if self.bound:
            return
        if not self.purses:
            self.purses = [Purse(1.0)]
        if size and not self.seen.squares:
            first = self.purses[0]
            self.purses = [Purse(size / REACH, first.wealth, first.on_mean, first.on_spread)]
        while size and self.purses[-1].deviation < REACH * size:
            last = self.purses[-1]
            self.purses.append(Purse(last.deviation * STEP, last.wealth, last.on_mean, last.on_spread))

    def think(self) -> None:
        number = self.seen.number
        shape = self.seen.shape()
        for purse in self.purses:
            purse.on_mean, purse.on_spread = self.stakes(purse.deviation, *shape)
        self.next_look = number + 1 + number // 8

    def stakes(self, unit: float, deviation: float, skewness: float, kurtosis: float) -> Stakes:
        """What makes wealth grow fastest if values are as they were, with the effect that is thought to be.

        Growth is taken up to the second power of the stakes. How much values vary is learnt slowly, so that stake is
        smaller as long as little is known.
        """
        spread = deviation / unit
        mean = self.thought * spread - self.most
        square = mean * mean + spread * spread
        cube = mean**3 + 3 * mean * spread**2 + skewness * spread**3
        fourth = mean**4 + 6 * (mean * spread) ** 2 + 4 * mean * skewness * spread**3 + kurtosis * spread**4
        prospects = Prospects(mean, square, cube - mean, fourth - 2 * square + 1)
        best = prospects.best(self.seen.number / (self.seen.number + SPREAD_KNOWN))
        safe = owing_nothing(best, prospects)
        if not self.bound:
            return safe
        within = payable(best, -self.most, self.bound / unit)
        return max(safe, within, key=prospects.growth)


@dataclass(frozen=True)
class Prospects:
    """What is expected of the two things that are bet on, u and u² - 1."""

    mean: float
    square: float
    """Of u."""
    mixed: float
    """The mean of their product."""
    width: float
    """The mean square of the other."""

    def best(self, known: float) -> Stakes:
        """Where growth is greatest, but on the spread only as far as it is known."""
        determinant = self.square * self.width - self.mixed**2
        on_spread = 0.0
        if determinant > 1e-9 * self.square * self.width:
            on_spread = known * max(
                0.0, ((self.square - 1) * self.square - self.mean * self.mixed) / determinant
            )
        return max(0.0, (self.mean - self.mixed * on_spread) / self.square), on_spread

    def growth(self, stakes: Stakes) -> float:
        a, b = stakes
        noise = a * a * self.square + 2 * a * b * self.mixed + b * b * self.width
        return a * self.mean + b * (self.square - 1) - noise / 2


def payable(stakes: Stakes, middle: float, far: float) -> Stakes:
    """The stakes, or as much of them as can be paid at the worst value that is not farther from the middle."""
    a, b = stakes
    turning = [-a / (2 * b)] if b and abs(-a / (2 * b) - middle) < far else []
    worst = min(a * u + b * (u * u - 1) for u in (middle - far, middle + far, *turning))
    share = min(1.0, CAUTION / -worst) if worst < 0 else 1.0
    return share * a, share * b


def owing_nothing(stakes: Stakes, prospects: Prospects) -> Stakes:
    """The stakes, or if values are thinkable at which they could not be paid, the best of those that always can.

    Those are, with b = a² / 4, the ones at which mean * a - (1 + square) * b is greatest.
    """
    a, b = stakes[0], min(stakes[1], 0.5)
    if a * a <= 0.98 * 4 * b * (1 - b):
        return a, b
    safe = min(CAUTION, 2 * prospects.mean / (1 + prospects.square))
    least = 1.02 * safe * safe / (2 * (1 + sqrt(1 - safe * safe)))  # to subtract would lose all digits
    return (safe, least) if b < least else (0.99 * sqrt(4 * b * (1 - b)), b)
