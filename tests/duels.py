"""Comparisons without games: forms drawn from known distributions, so the true effect of a block is known exactly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, product
from math import prod, sqrt
from random import Random

from dalang.engine.game import ranked
from dalang.harness.blocks import Block, BlockResult, MatchResult, place_value
from dalang.harness.compare.sprt import Sprt, Trial
from dalang.harness.tournament.schedule import COMPARE, Entry, Plan
from dalang.harness.tournament.schedule.paired import lineups
from tests.simulated import planned

CANDIDATE, BASELINE = "candidate", "baseline"
MOST_BLOCKS = 3000
Forms = tuple[float, ...]
"""How likely each form is, worst first; equal forms tie."""
Distribution = Mapping[float, float]
"""How likely each value is."""


def plan_for(seats: int, opponents: int = 0, blocks: int = 1, seed: str = "duel") -> Plan:
    names = [CANDIDATE, BASELINE, *(f"o{number}" for number in range(opponents))]
    return planned(COMPARE.name, tuple(map(Entry, names)), seats, blocks, seed)


def skilled(usual: Forms, skill: float) -> Forms:
    """A bot that is in best form instead of worst so much more often, or the other way round."""
    forms = list(usual)
    worse, better = (0, -1) if skill > 0 else (-1, 0)
    moved = abs(skill) * forms[worse]
    forms[worse] -= moved
    forms[better] += moved
    return tuple(forms)


@cache
def block_difference(seats: int, opponents: int, usual: Forms, skill: float) -> Distribution:
    """The exact distribution of a block's difference, all matches having luck of their own."""
    table = lineups(plan_for(seats, opponents), 0)
    sat = {name: seats * sum(lineup.count(name) for lineup in table) for name in (CANDIDATE, BASELINE)}
    total: Distribution = {0.0: 1.0}
    for lineup in table:
        share = match_share(lineup, sat, usual, skill)
        for _ in range(seats):
            total = added(total, share)
    return total


def match_share(lineup: Sequence[str], sat: Mapping[str, int], usual: Forms, skill: float) -> Distribution:
    """What one match contributes to the difference of its block; a rotation changes nothing, for seats are equal."""
    mine = skilled(usual, skill)
    share: defaultdict[float, float] = defaultdict(float)
    for forms in product(range(len(usual)), repeat=len(lineup)):
        chance = prod(
            (mine if name == CANDIDATE else usual)[form] for name, form in zip(lineup, forms, strict=True)
        )
        ranks = ranked(forms)
        values = {CANDIDATE: 0.0, BASELINE: 0.0}
        for seat, name in enumerate(lineup):
            if name in values:
                values[name] += place_value(ranks, seat) / sat[name]
        share[round(values[CANDIDATE] - values[BASELINE], 9)] += chance
    return share


def added(one: Distribution, other: Distribution) -> Distribution:
    total: defaultdict[float, float] = defaultdict(float)
    for value, chance in one.items():
        for more, also in other.items():
            total[round(value + more, 9)] += chance * also
    return total


def effect_of(distribution: Distribution) -> float:
    mean = sum(value * chance for value, chance in distribution.items())
    variance = sum((value - mean) ** 2 * chance for value, chance in distribution.items())
    return mean / sqrt(variance) if variance > 1e-12 else 0.0


def with_effect(seats: int, opponents: int, usual: Forms, effect: float) -> Distribution:
    """The differences of a candidate whose effect is exactly this, found by halving."""
    low, high = -1.0, 1.0
    while high - low > 1e-9:
        skill = (low + high) / 2
        found = effect_of(block_difference(seats, opponents, usual, skill))
        low, high = (skill, high) if found < effect else (low, skill)
    return block_difference(seats, opponents, usual, (low + high) / 2)


Draw = Callable[[Random], float]
"""The difference of the next block."""


def drawn(distribution: Distribution) -> Draw:
    values, weights = list(distribution), list(accumulate(distribution.values()))
    return lambda rng: rng.choices(values, cum_weights=weights)[0]


def lopsided(win: float, loss: float, ties: float, effect: float) -> Distribution:
    """Blocks that are won or lost by these differences, with this share of ties and exactly this effect."""
    low, high = 0.0, 1.0
    while high - low > 1e-12:
        wins = (1 - ties) * (low + high) / 2
        found = {0.0: ties, win: wins, -loss: 1 - ties - wins}
        low, high = ((low + high) / 2, high) if effect_of(found) < effect else (low, (low + high) / 2)
    assert abs(effect_of(found) - effect) < 1e-6, "so many ties do not allow such an effect"
    return found


def decided(
    sprt: Sprt, draw: Draw, runs: int, seed: str, bound: float | None = 1.0
) -> tuple[float, float, float]:
    """The shares of runs that accept HIGH and LOW, and the mean number of blocks they take."""
    rng = Random(seed)
    high = low = blocks = 0
    for _ in range(runs):
        trial, accepted = Trial(sprt, bound), None
        while accepted is None and trial.number < MOST_BLOCKS:
            trial.add(draw(rng))
            accepted = trial.accepted()
        high += accepted == sprt.high
        low += accepted == sprt.low
        blocks += trial.number
    return high / runs, low / runs, blocks / runs


def dealt(block: Block, skill: float, noise: float = 1.0, seed: str = "") -> BlockResult:
    """A result in which chairs share the luck of the deal, forms are rounded so that many tie, and skill is added."""
    deal = Random(f"{seed}/{block.deal}")
    chairs = [deal.gauss(0, 1) for _ in block.lineup]
    matches = []
    for names in block.seatings():
        luck = Random(f"{seed}/{block.number}/{block.deal}/{names}")
        forms = [
            round(chair + skill * (name == CANDIDATE) + noise * luck.gauss(0, 1))
            for chair, name in zip(chairs, names, strict=True)
        ]
        matches.append(MatchResult(names, ranked(forms), tuple(forms), ("",) * len(names)))
    return BlockResult(block, tuple(matches))
