"""Compare: the first entry against the second, with the same deal, in the same chairs, in the same company.

A round is one block of a comparison: one deal, played once or twice round the table, so that both sit in every
chair equally often. With opponents, and at odd tables, there are two line-ups that differ in one chair: candidate or
baseline, in the same company. Without opponents the company has as many copies of either; at an even table that
leaves one chair over, which goes to the rival, so half the table is the candidate's and half the baseline's, and
half a turn makes each match its mirror image.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from dalang.engine.game import SetupError
from dalang.harness.blocks import Block
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.plan import Plan, lot


class Paired(Format):
    name = "compare"
    summary = "two bots in the same chairs of the same deals"
    grows = False
    order = "mean"

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[list[Block]]:
        number = 0
        for turn in range(plan.blocks):
            listed = [Block(number + at, turn, lineup, turn) for at, lineup in enumerate(lineups(plan, turn))]
            number += len(listed)
            yield listed

    def total(self, plan: Plan) -> int:
        return plan.blocks * len(lineups(plan, 0))

    def check_field(self, plan: Plan) -> None:
        """Copies fill the table."""
        if plan.beginners() < 2:
            raise SetupError("a comparison needs a candidate and a baseline")


def lineups(plan: Plan, turn: int) -> list[tuple[str, ...]]:
    """Who sits round the table in this block, in one line-up or in two that differ in the first chair."""
    candidate, baseline, *opponents = plan.names
    if not opponents and plan.seats % 2 == 0:
        half = plan.seats // 2
        return [(candidate,) * half + (baseline,) * half]
    others = company(plan, turn, opponents or [candidate, baseline])
    return [(candidate, *others), (baseline, *others)]


def company(plan: Plan, turn: int, names: Sequence[str]) -> tuple[str, ...]:
    """The others, all in turn over the chairs and blocks; who sits left of whom is drawn anew for every block."""
    chairs = plan.seats - 1
    chosen = list(islice(cycle(names), turn * chairs % len(names), turn * chairs % len(names) + chairs))
    order = sorted(range(chairs), key=lambda chair: lot(plan, "company", turn, chair))
    return tuple(chosen[chair] for chair in order)
