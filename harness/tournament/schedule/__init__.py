"""Who meets whom: the formats of a tournament, each with its rounds as a lazy generator.

A schedule is a pure function of the plan, the seed and the results so far in schedule order. So it starts at once
however long it is, and a resumed run continues exactly as if it had never been interrupted.
"""

from __future__ import annotations

from dalang.engine.game import unknown
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.knockout import Knockout
from dalang.harness.tournament.schedule.ladder import Ladder
from dalang.harness.tournament.schedule.league import League
from dalang.harness.tournament.schedule.paired import Paired
from dalang.harness.tournament.schedule.plan import Entry, Plan
from dalang.harness.tournament.schedule.robin import Gauntlet, RoundRobin
from dalang.harness.tournament.schedule.swiss import Swiss

__all__ = ["COMPARE", "FORMATS", "LEAGUE", "Entry", "Format", "Plan", "SoFar", "find_format"]

FORMATS: dict[str, Format] = {
    format.name: format for format in (RoundRobin(), Gauntlet(), Swiss(), Knockout(), Ladder())
}
"""The formats of tournaments by name."""
COMPARE = Paired()
"""The format of `dalang compare`: no tournament, but played like one."""

LEAGUE = League()
"""The format of `dalang league`, which is held by folders that come and go."""


def find_format(name: str) -> Format:
    for held_otherwise in (COMPARE, LEAGUE):
        if name == held_otherwise.name:
            return held_otherwise
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]
