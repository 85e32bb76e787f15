"""Ladder: in every round all bots play one block against bots of about their own strength.

Who plays is decided by the number of blocks played, never by uncertainty: a bot that always faults gets no more
blocks than anybody else. Whom it meets is decided by its form of the round, drawn from its rating as wide as
that is uncertain; so the unknown meet everybody and the known meet their equals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt

from dalang.harness.blocks import Block, BlockResult
from dalang.harness.statistics.rating import Rating, RatingFold
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.plan import Lineup, Plan, Points, blocks, lot


class Rated(Points):
    """The points, and what is believed of everybody's skill."""

    def __init__(self, plan: Plan, results: Sequence[BlockResult]) -> None:
        super().__init__(results)
        self.fold = RatingFold(plan.names)

    def add(self, result: BlockResult) -> None:
        super().add(result)
        self.fold.add(result)


class Ladder(Format):
    name = "ladder"
    adapts = True

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[list[Block]]:
        """All rounds of the first wave, then as many again for each later one, with somebody new at every table."""
        rated, number = Rated(plan, so_far.results), 0
        for wave, (old, new) in enumerate(plan.waves()):
            for deal in range(plan.blocks):
                rated.read(number)
                turn = wave * plan.blocks + deal
                bots = resting(plan, [name for name in old + new if name not in so_far.out], rated, turn)
                tables = matched(forms(plan, bots, rated.fold.ratings(), turn), new, plan.seats)
                block_list = blocks(plan, tables, number, turn, deal)
                number += len(block_list)
                if block_list:
                    yield block_list

    def total(self, plan: Plan) -> int | None:
        return (
            plan.blocks * (len(plan.entries) // plan.seats) if plan.beginners() == len(plan.entries) else None
        )


def resting(plan: Plan, bots: list[str], points: Points, turn: int) -> list[str]:
    """The bots without those who are left over when all tables are full: who has played most rests."""
    order = sorted(bots, key=lambda name: (points.played[name], lot(plan, "rest", turn, name)))
    return order[: len(order) // plan.seats * plan.seats]


def forms(plan: Plan, bots: list[str], ratings: Mapping[str, Rating], turn: int) -> dict[str, float]:
    """By name, best first: a strength drawn around the rating, with the deviation of the rating."""
    drawn = {
        name: ratings[name].mu + ratings[name].sigma * sqrt(12) * (lot(plan, "form", turn, name) - 0.5)
        for name in bots
    }
    return dict(sorted(drawn.items(), key=lambda item: -item[1]))


def matched(form: dict[str, float], new: Collection[str], size: int) -> list[Lineup]:
    """From the top: each newcomer without a table is joined by those nearest in form."""
    free = list(form)
    tables: list[Lineup] = []
    while len(free) >= size and any(name in new for name in free):
        leader = next(name for name in free if name in new)
        nearest = sorted(free, key=lambda name: (name != leader, abs(form[name] - form[leader])))
        tables.append(nearest[:size])
        free = [name for name in free if name not in tables[-1]]
    return tables
