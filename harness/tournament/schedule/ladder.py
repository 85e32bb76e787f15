"""Ladder: in every round all bots play one block against bots of about their own strength.

Who plays is decided by the number of blocks played, never by uncertainty: a bot that always faults gets no more
blocks than anybody else. Whom it meets is decided by its form of the round, drawn from its rating as wide as
that is uncertain; so the unknown meet everybody and the known meet their equals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt

from dalang.harness.blocks import Block, BlockResult
from dalang.harness.tournament.schedule.plan import Plan, Ratings, Table, Tally, block_points, blocks, lot


class Standing(Tally):
    """The tally, and a simple rating for those who bring none of their own."""

    def __init__(self, results: Sequence[BlockResult]) -> None:
        super().__init__(results)
        self.strength: defaultdict[str, float] = defaultdict(float)

    def add(self, result: BlockResult) -> None:
        """Strength is the mean, block by block, of how strong the others were and how much better one did."""
        super().add(result)
        before = {name: self.strength[name] for name in result.block.lineup}
        for name, points in block_points(result).items():
            others = (sum(before.values()) - before[name]) / (len(before) - 1)
            self.strength[name] += (others + points - 0.5 - before[name]) / self.played[name]

    def ratings(self) -> dict[str, tuple[float, float]]:
        return {name: (self.strength[name], 0.5 / sqrt(played)) for name, played in self.played.items()}


def ladder(
    plan: Plan, results: Sequence[BlockResult], withdrawn: Collection[str], ratings: Ratings | None
) -> Iterator[list[Block]]:
    """All rounds of the first wave, then as many again for each later one, with somebody new at every table."""
    tally, number = Standing(results), 0
    for wave, (old, new) in enumerate(plan.waves()):
        for deal in range(plan.blocks):
            tally.read(number)
            turn = wave * plan.blocks + deal
            known = ratings(results[: tally.seen]) if ratings else tally.ratings()
            bots = resting(plan, [name for name in old + new if name not in withdrawn], tally, turn)
            tables = matched(forms(plan, bots, known, turn), new, plan.seats)
            block_list = blocks(plan, tables, number, turn, deal)
            number += len(block_list)
            if block_list:
                yield block_list


def resting(plan: Plan, bots: list[str], tally: Tally, turn: int) -> list[str]:
    """The bots without those who are left over when all tables are full: who has played most rests."""
    order = sorted(bots, key=lambda name: (tally.played[name], lot(plan, "rest", turn, name)))
    return order[: len(order) // plan.seats * plan.seats]


def forms(
    plan: Plan, bots: list[str], ratings: Mapping[str, tuple[float, float]], turn: int
) -> dict[str, float]:
    """By name, best first: a strength drawn around the rating, with the deviation of the rating."""
    centres = [ratings[name][0] for name in bots if name in ratings] or [0.0]
    stranger = (sum(centres) / len(centres), max(centres) - min(centres) or 1.0)  # could be anything
    drawn = {}
    for name in bots:
        strength, uncertainty = ratings.get(name, stranger)
        drawn[name] = strength + uncertainty * sqrt(12) * (lot(plan, "form", turn, name) - 0.5)
    return dict(sorted(drawn.items(), key=lambda item: -item[1]))


def matched(form: dict[str, float], new: Collection[str], size: int) -> list[Table]:
    """From the top: each newcomer without a table is joined by those nearest in form."""
    free = list(form)
    tables: list[Table] = []
    while len(free) >= size and any(name in new for name in free):
        leader = next(name for name in free if name in new)
        nearest = sorted(free, key=lambda name: (name != leader, abs(form[name] - form[leader])))
        tables.append(nearest[:size])
        free = [name for name in free if name not in tables[-1]]
    return tables
