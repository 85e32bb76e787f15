"""The table of a Swiss as plain data: points, Buchholz, and whom everybody met in which round.

A pure function of the plan and of the blocks that count, so a table in text and a page show the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from dalang.harness.blocks import BlockResult
from dalang.harness.tournament.schedule import Plan, find_format
from dalang.harness.tournament.schedule.plan import block_points
from dalang.harness.tournament.schedule.swiss import BYE_POINTS, history_of, opposition, points_after


@dataclass(frozen=True)
class Encounter:
    """One round of one bot."""

    round: int
    """Counted from 1."""
    others: tuple[str, ...]
    """Who else sat at the table; nobody where it sat out."""
    points: float


@dataclass(frozen=True)
class SwissLine:
    name: str
    points: float
    buchholz: float
    """The mean points of the opponents, each as often as met."""
    meetings: tuple[Encounter, ...]


def swiss_table(
    plan: Plan, results: Sequence[BlockResult], withdrawn: Collection[str] = ()
) -> list[SwissLine]:
    """Everybody in the order of places: by points, then by Buchholz, then by lot; who was withdrawn comes last."""
    history, turns = history_of(results)
    points = points_after(plan, history, turns)
    order = find_format("swiss").placing(plan, results, withdrawn) or []
    return [
        SwissLine(name, points[name], opposition(name, points, history), meetings(name, results, turns))
        for name in order
    ]


def meetings(name: str, results: Sequence[BlockResult], turns: int) -> tuple[Encounter, ...]:
    """Round by round; one without a block is worth the average."""
    found = {turn: Encounter(turn + 1, (), BYE_POINTS) for turn in range(turns)}
    for result in results:
        lineup, turn = result.block.lineup, result.block.round
        if name in lineup:
            others = tuple(other for other in lineup if other != name)
            found[turn] = Encounter(turn + 1, others, round(block_points(result)[name], 9))
    return tuple(found.values())


# ---- In words


def meetings_text(line: SwissLine, shown: Callable[[str], str]) -> str:
    """Whom it met, round by round, and what that brought."""
    return ", ".join(
        f"{'+'.join(map(shown, each.others)) or 'bye'} {each.points:.2g}" for each in line.meetings
    )
