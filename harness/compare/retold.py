"""A comparison as its file tells it, as far as it has come: what was seen, and how the evidence went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.blocks import BlockResult
from dalang.harness.compare.sprt import Trial
from dalang.harness.compare.verdict import FEWEST, Comparison, Rule
from dalang.harness.statistics.intervals import tidy
from dalang.harness.statistics.luck import SeatLuck
from dalang.harness.tournament.schedule import Plan

LuckIn = Callable[[BlockResult], Sequence[SeatLuck]]
"""What luck did in the matches of a block."""
DIGITS_OF_EVIDENCE = 3


class Retold:
    """The comparison of a plan, and its evidence after every block."""

    def __init__(self, plan: Plan) -> None:
        rule = replace(Rule.of_terms(plan.terms), blocks=plan.blocks)
        self.comparison = Comparison(plan, rule, value=find_game(plan.terms.game).value)
        self.path: list[tuple[float, float]] = []
        """What speaks against LOW and against HIGH, block by block, where a sequential test decides."""

    def add(self, result: BlockResult, luck_in: LuckIn) -> None:
        comparison = self.comparison
        counted = comparison.add(result, luck_in(result) if comparison.rule.luck else ())
        if counted and comparison.trial:
            self.path.append(evidence(comparison.trial))

    def data(self, most_points: int) -> Plain:
        comparison, blocks = self.comparison, len(self.comparison.blocks)
        rule = comparison.rule
        is_seen = blocks >= FEWEST
        return {
            "candidate": comparison.candidate,
            "baseline": comparison.baseline,
            "by": rule.by,
            "luck": rule.luck,
            "blocks": blocks,
            "most": rule.blocks,
            "margin": rule.margin,
            "is_over": comparison.is_over(),
            "verdict": comparison.verdict() if is_seen and comparison.is_over() else None,
            "difference": asdict(comparison.deciding()) if is_seen else None,
            "span": comparison.span(),
            "sprt": self.sprt(most_points) if rule.sprt else None,
        }

    def sprt(self, most_points: int) -> Plain:
        sprt = self.comparison.rule.sprt
        assert sprt
        at = [len(self.path) * point // most_points for point in range(1, most_points + 1)]
        points = sorted(set(at if len(self.path) > most_points else range(1, len(self.path) + 1)))
        path = [[0, 0.0, 0.0], *([block, *self.path[block - 1]] for block in points)]
        return {**asdict(sprt), "lower": sprt.lower, "upper": sprt.upper, "path": path}


def evidence(trial: Trial) -> tuple[float, float]:
    low, high = (
        round(tidy(each), DIGITS_OF_EVIDENCE) for each in (trial.against_low(), trial.against_high())
    )
    return low, high
