"""Who meets whom: the formats of a tournament as lazy generators of rounds.

A schedule is a pure function of the plan, the seed and the results so far in schedule order. So it starts at once
however long it is, and a resumed run continues exactly as if it had never been interrupted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from dalang.engine.game import unknown
from dalang.harness.blocks import Block, BlockResult
from dalang.harness.tournament.schedule import knockout, ladder, paired, robin, swiss
from dalang.harness.tournament.schedule.plan import COMPARE, Entry, Format, Plan, Ratings

__all__ = ["ADAPTIVE", "COMPARE", "FORMATS", "Entry", "Plan", "Ratings", "check_plan", "placing", "rounds"]

FORMATS: dict[str, Format] = {
    "round-robin": robin.round_robin,
    "gauntlet": robin.gauntlet,
    "swiss": swiss.swiss,
    "knockout": knockout.knockout,
    "ladder": ladder.ladder,
}
ADAPTIVE = frozenset({"swiss", "knockout", "ladder"})
"""The formats whose next round depends on the results of the rounds before."""


def rounds(
    plan: Plan,
    results: Sequence[BlockResult],
    withdrawn: Collection[str] = (),
    ratings: Ratings | None = None,
) -> Iterator[Iterable[Block]]:
    """Round by round the blocks to be played, their numbers counting from 0 over the whole tournament.

    `results` and `withdrawn` are live: an adaptive format reads them when its next round is asked for, so ask only
    when all blocks before it are finished or skipped. Results of later blocks are not looked at; bots are
    withdrawn from the round that is asked for next. The other formats read neither.
    """
    check_plan(plan)
    format = paired.paired if plan.format == COMPARE else FORMATS[plan.format]
    return format(plan, results, withdrawn, ratings)


def check_plan(plan: Plan) -> None:
    if plan.format not in FORMATS and plan.format != COMPARE:
        raise unknown("format", plan.format, FORMATS)
    plan.check()


def placing(plan: Plan, results: Sequence[BlockResult], withdrawn: Collection[str] = ()) -> list[str] | None:
    """All bots, best first, where the format itself decides that; None where ratings do."""
    deciding = {"swiss": swiss.placing, "knockout": knockout.placing}
    return deciding[plan.format](plan, results, withdrawn) if plan.format in deciding else None
