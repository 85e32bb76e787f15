"""League: rounds without end between those who are there, with placement rounds for newcomers.

The wave of an entry is the round from which on it is there. As long as somebody has played fewer than PLACEMENT blocks,
only tables with such a newcomer are played; so newcomers are placed soon, whoever else is there. Every third round is
for all all the same, so that whoever sends new versions all the time does not keep the others from playing. Who meets
whom is decided as in a ladder.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from dalang.harness.blocks import Block
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.ladder import DOUBT_WITH_LOTS, Rated, chooser, forms, matched, resting
from dalang.harness.tournament.schedule.plan import Plan, blocks, lot
from dalang.harness.tournament.terms import Terms

PLACEMENT = 12
"""Blocks that a newcomer has to play before it is placed."""
FOR_ALL = 3
"""Of so many rounds one is for all, whoever waits to be placed."""


class League(Format):
    """Rounds without end; bots may join and leave between any two of them.

    A newcomer, and so every new version, plays 12 blocks first to be placed. As long as there is one, only tables with
    a newcomer are played; every third round is for all all the same, and so is every round if nobody or everybody is
    new. In a round for all everybody plays one block; if the seats do not suffice, those rest who have played most.

    In every second round bots meet others of about the same rating, and nobody who was met lately or often, as long as
    others are left. In the other rounds lot decides, and bots meet whom they have met least, as in a ladder.

    Places go by TrueSkill. Who faults too often in a row is withdrawn and plays no more until it is sent in anew.

    It is held by `dalang league`, and is no format of `dalang run`: there is no number of `blocks`.
    """

    name = "league"
    summary = "a season: bots come and go between rounds without end"
    adapts = True
    ends = False

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[list[Block]]:
        """As long as enough bots are there to fill a table."""
        rated, number = Rated(plan, so_far.results), 0
        for turn in count():
            rated.read(number)
            there = [
                entry.name for entry in plan.entries if entry.wave <= turn and entry.name not in so_far.out
            ]
            rated.present = len(there)
            new = {name for name in there if rated.played[name] < PLACEMENT}
            if len(new) in (0, len(there)) or turn % FOR_ALL == FOR_ALL - 1:
                there = resting(plan, there, rated, turn)
                new = set(there)
            form = forms(plan, there, rated.fold.ratings(), turn)
            form = dict(sorted(form.items(), key=lambda item: lot(plan, "first", turn, item[0])))
            tables = matched(form, new, plan.seats, chooser(plan, rated, turn))
            block_list = blocks(plan, tables, number, turn, turn)
            if not block_list:
                return
            number += len(block_list)
            yield block_list

    def doubt(self, terms: Terms) -> float:
        return DOUBT_WITH_LOTS

    def check_field(self, plan: Plan) -> None:
        """Who is missing may still come."""
