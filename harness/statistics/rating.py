"""TrueSkill over the ranks of matches, as a pure function of the results in schedule order.

A free-for-all of single players needs only a chain of comparisons between neighbours in the ranking. This is that
chain: the messages, their order and the arithmetic of the `trueskill` package 0.4.5, without its graph of objects,
so the numbers are the same and come about ten times sooner. The environment is the package's default: mean 25,
deviation 25/3, beta 25/6, tau 25/300, and one match in ten between equals expected to be drawn.

Tied bots stand in the order of the list of names, because the chain compares neighbours only and would otherwise
let the seats decide. A match in which one bot holds two seats is not rated: its rating would have to move two ways.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, isfinite, sqrt
from math import pi as PI

from dalang.harness.blocks import BlockResult, MatchResult

with warnings.catch_warnings():
    # A docstring of the package has a backslash that Python 3.12 and newer warn about when they first compile it.
    warnings.simplefilter("ignore")
    from trueskill.backends import erfc, ppf

MU = 25.0
SIGMA = MU / 3
BETA = SIGMA / 2
TAU = SIGMA / 100
DRAW_PROBABILITY = 0.10

MOST_PASSES = 10
NOWHERE, DOWN, UP = range(3)
SETTLED = 0.0001  # a pass that moves nothing by more than this is the last

MATCH_NOISE = BETA**2
DRIFT = TAU**2
ROOT_2 = sqrt(2)
PEAK = 1 / sqrt(2 * PI)
DRAW_MARGIN = ppf((DRAW_PROBABILITY + 1) / 2.0) * ROOT_2 * BETA


@dataclass(frozen=True)
class Rating:
    """What is believed of a bot's skill: a normal distribution."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def exposure(self) -> float:
        """The skill it has almost surely; a newcomer starts at 0."""
        return self.mu - 3 * self.sigma


def ratings(results: Iterable[BlockResult], names: Sequence[str]) -> dict[str, Rating]:
    """Everybody's rating after all these blocks, counted in schedule order whatever order they come in."""
    fold = RatingFold(names)
    for result in sorted(results, key=lambda result: result.block.number):
        fold.add(result)
    return fold.ratings()


Ranking = tuple[tuple[str, ...], tuple[int, ...]]
"""Names and ranks, best first."""


class RatingFold:
    """The ratings so far; blocks are added in schedule order."""

    def __init__(self, names: Iterable[str]) -> None:
        self.skills = {name: skill_of(MU, SIGMA) for name in names}
        self.order = {name: number for number, name in enumerate(self.skills)}
        self.rankings: dict[tuple[tuple[str, ...], tuple[int, ...]], Ranking] = {}
        """By names and ranks from seat to seat the rankings that came so far: few, in millions of matches."""
        self.unrated = 0
        """Matches that moved nothing: a bot against itself, or an upset beyond what floats can tell."""

    def add(self, result: BlockResult) -> None:
        for match in result.matches:
            self.add_match(match)

    def add_match(self, match: MatchResult) -> None:
        places = match.names, match.ranks
        ranking = self.rankings.get(places)
        if ranking is None:
            ranking = self.rankings[places] = self.ranking(match)
        names, ranks = ranking
        if not names:
            self.unrated += 1
            return
        try:
            moved = rated([self.skills[name] for name in names], ranks)
        except (ArithmeticError, ValueError):
            self.unrated += 1  # the package refuses such a match; the others must not suffer for it
            return
        for name, skill in zip(names, moved, strict=True):
            self.skills[name] = skill

    def ranking(self, match: MatchResult) -> Ranking:
        """Names and ranks, best first; nobody if the match cannot be rated."""
        for name in match.names:
            if name not in self.order:
                self.order[name] = len(self.order)
                self.skills[name] = skill_of(MU, SIGMA)
        if len(set(match.names)) < len(match.names) or len(match.names) < 2:
            return (), ()
        ranking = sorted(zip(match.ranks, map(self.order.__getitem__, match.names), match.names, strict=True))
        return tuple([name for _, _, name in ranking]), tuple([rank for rank, _, _ in ranking])

    def copy(self) -> RatingFold:
        """The same so far; what is added to one does not change the other."""
        twin = RatingFold(self.order)
        twin.skills, twin.rankings, twin.unrated = dict(self.skills), dict(self.rankings), self.unrated
        return twin

    def can_rate(self) -> bool:
        """Whether every bot held one seat of its table."""
        return all(len(set(names)) == len(names) for names, _ in self.rankings)

    def ratings(self) -> dict[str, Rating]:
        return {name: Rating(tau / pi, sqrt(1 / pi)) for name, (pi, tau) in self.skills.items()}


# ---- One match. A normal distribution is its precision `pi` and its mean times precision `tau`.

Skill = tuple[float, float]


def skill_of(mu: float, sigma: float) -> Skill:
    pi = sigma**-2
    return pi, pi * mu


def rated(skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
    """The skills after a match, best rank first; raises ArithmeticError or ValueError where floats do not suffice."""
    if len(skills) == 2:
        return rated_pair(skills[0], skills[1], ranks[0] == ranks[1])
    priors = [drifted(skill) for skill in skills]
    expected = [shown_by(prior) for prior in priors]
    levels = [list(each) for each in expected]
    links = [[0.0] * 10 for _ in ranks[1:]]
    ties = [rank == following for rank, following in pairwise(ranks)]
    settle(levels, links, ties)
    tell_left(levels[0], levels[1], links[0])
    tell_right(levels[-2], levels[-1], links[-1])
    return [learnt(*each) for each in zip(priors, expected, levels, strict=True)]


def rated_pair(winner: Skill, loser: Skill, tie: bool) -> list[Skill]:
    """The same for a chain of one link, along which no news has to run."""
    prior, other_prior = drifted(winner), drifted(loser)
    (pi, tau), (other_pi, other_tau) = expected = shown_by(prior), shown_by(other_prior)
    sum_pi = 1.0 / (1 / pi + 1 / other_pi)
    sum_tau = sum_pi * (tau / pi - other_tau / other_pi)
    now_pi, now_tau = settled_link(sum_pi, sum_tau, tie)
    gap, blur = part(now_pi - sum_pi, now_tau - sum_tau)
    told_pi = 1.0 / (blur + 1 / other_pi)
    told_tau = told_pi * (gap + other_tau / other_pi)
    level = pi + told_pi, tau + told_tau
    mean, spread = part(level[0] - told_pi, level[1] - told_tau)
    told_pi = 1.0 / (spread + blur)
    other_level = other_pi + told_pi, other_tau + told_pi * (mean - gap)
    return [learnt(prior, expected[0], level), learnt(other_prior, expected[1], other_level)]


def settled_link(sum_pi: float, sum_tau: float, tie: bool) -> Skill:
    """What the only link of a chain says in the end of a difference that was expected to be this."""
    pi, tau, cut_pi, cut_tau = sum_pi, sum_tau, 0.0, 0.0
    for _ in range(MOST_PASSES):
        now_pi, now_tau = cut(pi - cut_pi, tau - cut_tau, tie)
        if sqrt(abs(pi - now_pi)) <= SETTLED and abs(tau - now_tau) <= SETTLED:
            break
        cut_pi, cut_tau = now_pi + cut_pi - pi, now_tau + cut_tau - tau
        pi, tau = now_pi - sum_pi + sum_pi, now_tau - sum_tau + sum_tau
    return now_pi, now_tau


def drifted(skill: Skill) -> Skill:
    """Before a match skill may have changed a little."""
    pi, tau = skill
    mu, pi = tau / pi, sqrt(sqrt(1 / pi) ** 2 + DRIFT) ** -2
    return pi, pi * mu


def shown_by(prior: Skill) -> Skill:
    """What performance to expect: the skill, blurred."""
    pi, tau = prior
    a = 1.0 / (1.0 + MATCH_NOISE * pi)
    pi, tau = a * pi, a * tau
    # A team of one. The detour through the mean changes the last bit, and the package takes it.
    mean, pi = tau / pi, 1.0 / (1 / pi)
    return pi, pi * mean


def settle(levels: list[list[float]], links: list[list[float]], ties: list[bool]) -> None:
    """Let the news run down the ranking and up again until it says nothing new."""
    last = len(links) - 1
    downwards = [(levels[at], levels[at + 1], links[at], ties[at], DOWN) for at in range(last)]
    upwards = [(levels[at], levels[at + 1], links[at], ties[at], UP) for at in range(last, 0, -1)]
    steps = downwards + upwards or [(levels[0], levels[1], links[0], ties[0], NOWHERE)]
    for _ in range(MOST_PASSES):
        if max([weigh(*step) for step in steps]) <= SETTLED:
            return


def weigh(left: list[float], right: list[float], link: list[float], tie: bool, towards: int) -> float:
    """What a result says of two neighbours' difference, told down or up the ranking; returns how much of it is news.

    One long sequence, because this is where all the time goes.
    """
    left_pi, left_tau, right_pi, right_tau, pi, tau, sum_pi, sum_tau, cut_pi, cut_tau = link
    a, b = left[0] - left_pi, right[0] - right_pi
    left_mean, right_mean = (left[1] - left_tau) / a, (right[1] - right_tau) / b
    left_spread, right_spread = 1 / a, 1 / b
    new_pi = 1.0 / (left_spread + right_spread)
    new_tau = new_pi * (left_mean - right_mean)
    pi, tau = pi - sum_pi + new_pi, tau - sum_tau + new_tau
    now_pi, now_tau = cut(pi - cut_pi, tau - cut_tau, tie)
    gap_pi = now_pi - new_pi
    gap, blur = ((now_tau - new_tau) / gap_pi, 1 / gap_pi) if gap_pi else (0.0, inf)
    if towards == DOWN:
        pi_told = 1.0 / (left_spread + blur)
        tau_told = pi_told * (left_mean - gap)
        right[0], right[1] = right[0] - right_pi + pi_told, right[1] - right_tau + tau_told
        right_pi, right_tau = pi_told, tau_told
    elif towards == UP:
        pi_told = 1.0 / (blur + right_spread)
        tau_told = pi_told * (gap + right_mean)
        left[0], left[1] = left[0] - left_pi + pi_told, left[1] - left_tau + tau_told
        left_pi, left_tau = pi_told, tau_told
    link[:] = (
        left_pi, left_tau, right_pi, right_tau, now_pi, now_tau, new_pi, new_tau,
        now_pi + cut_pi - pi, now_tau + cut_tau - tau,
    )  # fmt: skip
    jump, shift = sqrt(abs(pi - now_pi)), abs(tau - now_tau)
    return jump if jump > shift else shift


def cut(pi: float, tau: float, tie: bool) -> Skill:
    """A difference of which it is known how it came out."""
    root = sqrt(pi)
    if tie:
        v, w = drawn(tau / root, DRAW_MARGIN * root)
    else:
        x = tau / root - DRAW_MARGIN * root
        chance = 0.5 * erfc(-x / ROOT_2)
        v = PEAK * exp(-(x**2 / 2)) / chance if chance else -x
        w = v * (v + x)
        if not 0 < w < 1:
            raise FloatingPointError("an upset too great for floats")
    rest = 1.0 - w
    return pi / rest, (tau + root * v) / rest


def drawn(difference: float, margin: float) -> tuple[float, float]:
    """How a draw moves mean and precision of a difference."""
    distance = abs(difference)
    a, b = margin - distance, -margin - distance
    chance = 0.5 * erfc(-a / ROOT_2) - 0.5 * erfc(-b / ROOT_2)
    if not chance:
        raise FloatingPointError("a draw too strange for floats")
    at_a, at_b = PEAK * exp(-(a**2 / 2)), PEAK * exp(-(b**2 / 2))
    v = (at_b - at_a) / chance
    w = (v**2) + (a * at_a - b * at_b) / chance
    return (-v if difference < 0 else v), w


def tell_right(left: list[float], right: list[float], link: list[float]) -> None:
    """The lower neighbour performed like the upper one, less the difference."""
    mean, spread = part(left[0] - link[0], left[1] - link[1])
    gap, blur = part(link[4] - link[6], link[5] - link[7])
    pi = 1.0 / (spread + blur)
    tau = pi * (mean - gap)
    right[0] = right[0] - link[2] + pi
    right[1] = right[1] - link[3] + tau
    link[2:4] = pi, tau


def tell_left(left: list[float], right: list[float], link: list[float]) -> None:
    """The upper neighbour performed like the lower one, plus the difference."""
    mean, spread = part(right[0] - link[2], right[1] - link[3])
    gap, blur = part(link[4] - link[6], link[5] - link[7])
    pi = 1.0 / (blur + spread)
    tau = pi * (gap + mean)
    left[0] = left[0] - link[0] + pi
    left[1] = left[1] - link[1] + tau
    link[0:2] = pi, tau


def part(pi: float, tau: float) -> tuple[float, float]:
    """Mean and variance; of one of whom nothing is known the mean is 0 and the variance infinite."""
    return (tau / pi, 1 / pi) if pi else (0.0, inf)


def learnt(prior: Skill, expected: Skill, level: Sequence[float]) -> Skill:
    """The skill after the match: what was believed, and what the others' messages add."""
    mean, variance = part(level[0] - expected[0], level[1] - expected[1])
    told_pi = 1.0 / variance
    told_tau = told_pi * mean
    # The package adds the message to the performance and takes the performance away again; so do the last bits.
    prior_pi, prior_tau = prior
    a = 1.0 / (1.0 + MATCH_NOISE * prior_pi)
    own_pi, own_tau = a * prior_pi, a * prior_tau
    told_pi, told_tau = own_pi + told_pi - own_pi, own_tau + told_tau - own_tau
    a = 1.0 / (1.0 + MATCH_NOISE * told_pi)
    pi, tau = prior_pi + a * told_pi, prior_tau + a * told_tau
    mu, sigma = tau / pi, sqrt(1 / pi)
    if not (isfinite(mu) and isfinite(sigma)):
        raise FloatingPointError("beyond the range of floats")
    return skill_of(mu, sigma)
