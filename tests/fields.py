"""Fields of bots with known strengths, whose tournaments are drawn instead of played: to see what standings are worth.

A deal has luck for each seat, which every rotation hands to somebody else; it suits some bots more than others; and
every match has its chances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from random import Random

from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.statistics.groups import tied_groups
from dalang.harness.statistics.sample import Sample
from dalang.harness.statistics.skills import SkillFit
from dalang.harness.statistics.strength import strengths
from dalang.harness.tournament.schedule import Plan, find_format
from tests.simulated import entries, planned, rounds

EQUAL: Mapping[str, float] = {}
"""Who is not named has the strength 0."""

Watcher = Callable[[list[BlockResult]], None]
"""Looks at the results so far, after every block."""


class Luck:
    """What the deals give, each the same to all who meet it."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.chances = Random(f"chances {seed}")

    def result(self, block: Block, skills: Mapping[str, float]) -> BlockResult:
        deal = Random(f"{self.seed}/{block.deal}")
        hands = [deal.gauss(0, 1) for _ in range(8)]
        suits = {name: Random(f"{self.seed}/{block.deal}/{name}").gauss(0, 0.3) for name in block.lineup}
        matches = []
        for names in block.seatings():
            form = [
                skills.get(name, 0.0) + suits[name] + hand + self.chances.gauss(0, 1)
                for name, hand in zip(names, hands, strict=False)
            ]
            ranks = tuple(1 + sum(other > mine for other in form) for mine in form)
            matches.append(MatchResult(names, ranks, (0,) * len(names), ("",) * len(names)))
        return BlockResult(block, tuple(matches))


def drawn(plan: Plan, skills: Mapping[str, float], watch: Watcher | None = None) -> list[BlockResult]:
    """The results of a tournament."""
    luck, results = Luck(plan.terms.seed), list[BlockResult]()
    for blocks in rounds(plan, results):
        for block in list(blocks):
            results.append(luck.result(block, skills))
            if watch:
                watch(results)
    return results


def field(format: str, bots: int, seats: int, blocks: int, seed: str, common_deals: bool = False) -> Plan:
    return planned(
        format,
        entries(bots),
        seats,
        blocks,
        seed,
        sizes=tuple(range(2, seats + 1)),
        common_deals=common_deals,
    )


def told_apart(plan: Plan, results: list[BlockResult], live: bool = False) -> set[tuple[str, str]]:
    """The pairs that share no group."""
    doubt = find_format(plan.terms.format).doubt(plan.terms)
    groups = tied_groups(plan.names, strengths(Sample(results, plan.names), doubt), live)
    return {
        (one, other)
        for one, other in combinations([name for name in plan.names if groups[name]], 2)
        if not set(groups[one]) & set(groups[other])
    }


def by_skill(plan: Plan, results: list[BlockResult]) -> dict[str, float]:
    fit = SkillFit(plan.names)
    for result in results:
        fit.add(result)
    return {name: round(rating.mu, 4) for name, rating in fit.ratings().items()}


def by_strength(plan: Plan, results: list[BlockResult]) -> dict[str, float]:
    return dict(zip(plan.names, strengths(Sample(results, plan.names)).share, strict=True))


def agreement(values: Mapping[str, float], truth: Mapping[str, float]) -> float:
    """Kendall's: 1 if every two bots stand as they should, -1 if none do."""
    pairs = [(values[a] - values[b]) * (truth[a] - truth[b]) for a, b in combinations(truth, 2)]
    return sum((product > 0) - (product < 0) for product in pairs) / len(pairs)
