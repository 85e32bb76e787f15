"""Skills by the whole history: TrueSkill that does not know which match came first.

Bots do not change during a tournament, so skill does not drift here, and the messages of all matches are sent again and
again until nobody learns anything new (expectation propagation). What comes out is what is believed after all matches
together, in whatever order they were played. The model is that of `rating.py`: one match alone moves newcomers
as it moves them there.

Matches that came out alike say the same: a million of them are kept as one with a number. Where everybody stands
together is known from the prior alone, and messages would tell it slowly; so after every sweep it is set, for each part
of the field whose bots have met: the mean of all is that of newcomers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, exp, fsum, sqrt

from dalang.harness.blocks import BlockResult, MatchResult
from dalang.harness.statistics.connected import parts
from dalang.harness.statistics.rating import (
    DRAW_MARGIN,
    MATCH_NOISE,
    MU,
    PEAK,
    ROOT_2,
    SIGMA,
    Rating,
)

PRIOR = SIGMA**-2
"""How precisely a newcomer's skill is known."""
SETTLED_SWEEP = 1e-7
"""Sweeps end when this one and all that could follow would move no skill by more than this; shown are four digits."""
MOST_SWEEPS = 20_000
"""A field that hangs together by a thread takes thousands, but then there is little in it."""
FAR = 30.0
"""Standard deviations beyond which only the tail of the normal distribution is left to look at."""
TOO_LITTLE = 1e-14
"""What a result says is not worth a message if it says less than this."""

Finish = tuple[tuple[int, ...], tuple[bool, ...]]
"""Bots by number, best first, and whether each tied with the next."""


@dataclass(slots=True)
class Told:
    """What matches that came out alike tell, each of them."""

    to_bots: list[tuple[float, float]]
    """By place, of the skill."""
    to_upper: list[tuple[float, float]]
    """By place, of the performance, by those below: where the next sweep begins."""


class SkillFit:
    """The results so far, and how everybody's skill is seen in their light."""

    def __init__(self, names: Iterable[str]) -> None:
        self.order = {name: number for number, name in enumerate(names)}
        self.times: dict[Finish, int] = {}
        self.finishes: dict[tuple[tuple[str, ...], tuple[int, ...]], Finish | None] = {}
        """By names and ranks from seat to seat what came so far: few, in millions of matches."""
        self.told: dict[Finish, Told] = {}
        """The messages of the last fixed point: the next one is near. Copies share them."""

    def add(self, result: BlockResult) -> None:
        for match in result.matches:
            self.add_match(match)

    def add_match(self, match: MatchResult) -> None:
        places = match.names, match.ranks
        if places not in self.finishes:
            self.finishes[places] = self.finish(match)
        finish = self.finishes[places]
        if finish:
            self.times[finish] = self.times.get(finish, 0) + 1

    def finish(self, match: MatchResult) -> Finish | None:
        """None if it cannot be rated: one bot holds two seats, or there is nobody to compare with."""
        for name in match.names:
            self.order.setdefault(name, len(self.order))
        if len(set(match.names)) < len(match.names) or len(match.names) < 2:
            return None
        listed = sorted(zip(match.ranks, map(self.order.__getitem__, match.names), strict=True))
        ties = tuple([upper == lower for (upper, _), (lower, _) in pairwise(listed)])
        return tuple([bot for _, bot in listed]), ties

    def copy(self) -> SkillFit:
        """The same so far; what is added to one does not change the other."""
        twin = SkillFit(self.order)
        twin.times, twin.finishes, twin.told = dict(self.times), dict(self.finishes), self.told
        return twin

    def can_rate(self) -> bool:
        """Whether every bot held one seat of its table."""
        return all(len(set(names)) == len(names) for names, _ in self.finishes)

    def ratings(self) -> dict[str, Rating]:
        """The fixed point; from where the last one was, if somebody has asked before."""
        finishes = sorted(self.times)  # so that the order of matches cannot matter, not even in the last bits
        for finish in finishes:
            if finish not in self.told:
                nothing = [(0.0, 0.0)] * len(finish[0])
                self.told[finish] = Told(nothing, list(nothing))
        field = Field(len(self.order), parts(len(self.order), [bots for bots, _ in finishes]))
        matches = [(*finish, self.times[finish], self.told[finish]) for finish in finishes]
        for bots, _, times, told in matches:
            for bot, (pi, tau) in zip(bots, told.to_bots, strict=True):
                field.pis[bot] += times * pi
                field.taus[bot] += times * tau
        field.level()
        last = 0.0
        for _ in range(MOST_SWEEPS):
            before = field.skills()
            for match in matches:
                tell(*match, field.pis, field.taus)
            field.level()
            move = moved(before, field.skills())
            if max(move, still_to_come(move, last)) <= SETTLED_SWEEP:
                break
            last = move
        return dict(zip(self.order, field.ratings(), strict=True))


class Field:
    """What is believed of everybody: precision, and mean times precision, from a level of each part's own."""

    def __init__(self, bots: int, parts: Sequence[Sequence[int]]) -> None:
        self.parts = parts
        self.pis, self.taus = [PRIOR] * bots, [0.0] * bots
        self.levels = [0.0] * bots
        """Where a newcomer would stand."""

    def level(self) -> None:
        """Move the newcomers' level of each part to where its mean will be with them there."""
        for part in self.parts:
            told = [(self.taus[bot] - PRIOR * self.levels[bot]) / self.pis[bot] for bot in part]
            pull = PRIOR * fsum(1 / self.pis[bot] for bot in part) / len(part)
            level = fsum(told) / len(part) / (1 - pull) if pull < 1 else 0.0
            for bot in part:
                self.taus[bot] += PRIOR * (level - self.levels[bot])
                self.levels[bot] = level

    def skills(self) -> list[float]:
        return [tau / pi - level for pi, tau, level in zip(self.pis, self.taus, self.levels, strict=True)]

    def ratings(self) -> list[Rating]:
        deviations = [sqrt(1 / pi) for pi in self.pis]
        return [Rating(MU + skill, sigma) for skill, sigma in zip(self.skills(), deviations, strict=True)]


def moved(before: Sequence[float], after: Sequence[float]) -> float:
    return max((abs(one - other) for one, other in zip(before, after, strict=True)), default=0.0)


def still_to_come(move: float, last: float) -> float:
    """What all further moves add up to, if each is smaller than the one before by the same share."""
    return move * move / (last - move) if move < last else 0.0


# ---- One match


def tell(
    bots: tuple[int, ...], ties: tuple[bool, ...], times: int, told: Told, pis: list[float], taus: list[float]
) -> None:
    """Run down and up the ranking once, and tell everybody what follows.

    One long sequence, because this is where all the time goes. A normal distribution is its precision `pi` and its
    mean times precision `tau`; what everybody is expected to perform is the skill without this match, blurred.
    """
    expected, last, upper = [], len(bots) - 1, told.to_upper
    for bot, (pi, tau) in zip(bots, told.to_bots, strict=True):
        pi, tau = pis[bot] - pi, taus[bot] - tau
        blur = 1.0 + MATCH_NOISE * pi
        expected.append((pi / blur, tau / blur))
    lower = [(0.0, 0.0)] * (last + 1)
    for at in range(last):
        (pi, tau), (more_pi, more_tau) = expected[at], lower[at]
        (below_pi, below_tau), (back_pi, back_tau) = expected[at + 1], upper[at + 1]
        variance = 1 / (pi + more_pi)
        mean = (tau + more_tau) * variance
        other = 1 / (below_pi + back_pi)
        gap, spread = link(mean - (below_tau + back_tau) * other, variance + other, ties[at])
        pi = 1 / (variance + spread)
        lower[at + 1] = pi, pi * (mean - gap)
    for at in range(last - 1, -1, -1):
        (pi, tau), (more_pi, more_tau) = expected[at], lower[at]
        (below_pi, below_tau), (back_pi, back_tau) = expected[at + 1], upper[at + 1]
        variance = 1 / (below_pi + back_pi)
        mean = (below_tau + back_tau) * variance
        other = 1 / (pi + more_pi)
        gap, spread = link((tau + more_tau) * other - mean, variance + other, ties[at])
        pi = 1 / (variance + spread)
        upper[at] = pi, pi * (mean + gap)
    # Alike matches that are told all at once would make each other's news too great.
    share = 1.0
    if times > 1:
        share += max([times * pi / pis[bot] for bot, (pi, _) in zip(bots, told.to_bots, strict=True)])
    for at, bot in enumerate(bots):
        (pi, tau), (more_pi, more_tau), (old_pi, old_tau) = lower[at], upper[at], told.to_bots[at]
        pi, tau = pi + more_pi, tau + more_tau
        blur = 1.0 + MATCH_NOISE * pi
        pi, tau = (pi / blur - old_pi) / share, (tau / blur - old_tau) / share
        told.to_bots[at] = old_pi + pi, old_tau + tau
        pis[bot] += times * pi
        taus[bot] += times * tau


def link(mean: float, variance: float, tie: bool) -> tuple[float, float]:
    """What a result says of a difference that was expected to be this: a mean and a variance."""
    root = sqrt(variance)
    if tie:
        v, w = tie_moves(mean / root, DRAW_MARGIN / root)
    else:
        v, w = win_moves((mean - DRAW_MARGIN) / root)
    if w < TOO_LITTLE:
        return 0.0, 1e300
    return mean + root * v / w, variance * max(1 / w - 1, TOO_LITTLE)


def win_moves(x: float) -> tuple[float, float]:
    """How a win moves the mean of a difference, and how much it narrows it."""
    if x < -FAR:
        rest = -1 / (x - 2 / (x - 3 / x))  # of the continued fraction of the tail
        return rest - x, (rest - x) * rest
    v = PEAK * exp(-(x**2) / 2) / (0.5 * erfc(-x / ROOT_2))
    return v, v * (v + x)


def tie_moves(difference: float, margin: float) -> tuple[float, float]:
    """How a draw moves mean and precision of a difference."""
    distance = abs(difference)
    a, b = margin - distance, -margin - distance
    if a < -FAR:
        v, w = win_moves(a)
        return (v if difference < 0 else -v), w
    chance = 0.5 * (erfc(-a / ROOT_2) - erfc(-b / ROOT_2))
    at_a, at_b = PEAK * exp(-(a**2) / 2), PEAK * exp(-(b**2) / 2)
    v = (at_b - at_a) / chance
    w = v**2 + (a * at_a - b * at_b) / chance
    return (-v if difference < 0 else v), w
