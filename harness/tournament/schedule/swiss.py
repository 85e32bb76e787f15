"""Swiss: in every round the tables are filled from the top of the standings.

Standings go by points: the block points of every round, and the average 0.5 for a round without a block, so that
sitting out neither helps nor hurts. Ties are broken by the mean points of the opponents met (Buchholz, as
a mean because a bot that sat out has met fewer), then by lot. When the seats do not suffice, the lowest of those
who sat out least often sit out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from dalang.harness.blocks import Block, BlockResult
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.plan import Lineup, Plan, Points, blocks, lot

BYE_POINTS = 0.5
MOST_TABLES_TRIED = 20_000
"""How many tables are tried when fresh ones have become rare."""


class History(Points):
    """The points, and who has met whom."""

    def __init__(self, results: Sequence[BlockResult]) -> None:
        super().__init__(results)
        self.met: Counter[tuple[str, str]] = Counter()
        self.tables: set[frozenset[str]] = set()

    def add(self, result: BlockResult) -> None:
        super().add(result)
        lineup = result.block.lineup
        self.tables.add(frozenset(lineup))
        self.met.update((name, other) for name in lineup for other in lineup if name != other)

    def fresh(self, table: Lineup) -> bool:
        return frozenset(table) not in self.tables

    def meetings(self, name: str, table: Lineup) -> int:
        return sum(self.met[name, other] for other in table)


class Swiss(Format):
    """In every round bots meet others that have as many points, and nobody the same table twice.

    There are `blocks` rounds, and everybody plays one block in each. A block is worth the mean share of the others that
    were beaten in its matches, a tie counting half: 1 for winning all, 0 for losing all. Who sits out gets the
    average, 0.5, because the seats did not suffice: the lowest of those who have sat out least often.

    Tables are filled from the top of the table: the best is joined by the next best whom it has met least. A table that
    has been played before comes again only if that cannot be avoided.

    Places go by points, then by Buchholz, which is the mean of the points of all opponents met, each as often as
    met, then by lot. Who was withdrawn comes last.

    Nobody can join once it has begun. More `blocks` may be agreed on later.
    """

    name = "swiss"
    summary = "a few rounds between equals; many bots in little time"
    adapts = True
    grows = False

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[list[Block]]:
        history, number = History(so_far.results), 0
        for turn in range(plan.blocks):
            history.read(number)
            order = [name for name in ranking(plan, history, turn) if name not in so_far.out]
            tables = pairing(playing(order, plan.seats, history), plan.seats, history)
            block_list = blocks(plan, tables, number, turn, turn)
            number += len(block_list)
            if block_list:
                yield block_list

    def total(self, plan: Plan) -> int:
        return plan.blocks * (len(plan.entries) // plan.seats)

    def placing(self, plan: Plan, results: Sequence[BlockResult], withdrawn: Collection[str]) -> list[str]:
        """The standings after these results; who was withdrawn comes last."""
        history, turns = history_of(results)
        return sorted(ranking(plan, history, turns), key=lambda name: name in withdrawn)


def history_of(results: Sequence[BlockResult]) -> tuple[History, int]:
    """What these results add up to, and how many rounds they are."""
    history = History(results)
    history.read(results[-1].block.number + 1 if results else 0)
    return history, 1 + max((result.block.round for result in results), default=-1)


def ranking(plan: Plan, history: History, turns: int) -> list[str]:
    points = points_after(plan, history, turns)

    def key(name: str) -> tuple[float, float, float]:
        return -points[name], -opposition(name, points, history), lot(plan, "swiss", turns, name)

    return sorted(plan.names, key=key)


def points_after(plan: Plan, history: History, turns: int) -> dict[str, float]:
    return {
        name: round(history.points[name] + BYE_POINTS * (turns - history.played[name]), 9)
        for name in plan.names
    }


def opposition(name: str, points: dict[str, float], history: History) -> float:
    """The mean points of the opponents, each as often as met; who met nobody is as good as his opponents."""
    times = {other: history.met[name, other] for other in points}
    total = sum(points[other] * count for other, count in times.items())
    return round(total / sum(times.values()), 9) if any(times.values()) else points[name]


def playing(order: list[str], size: int, history: History) -> list[str]:
    """The order without those who sit out."""
    lowest_first = [*reversed(order)]
    by_claim = sorted(lowest_first, key=lambda name: -history.played[name])
    return [name for name in order if name not in by_claim[: len(order) % size]]


def pairing(order: list[str], size: int, history: History) -> list[Lineup]:
    """Tables from the top; none that has been played before, while that can be avoided."""
    free, tables = list(order), []
    while free:
        tables.append(top_table(free, size, history))
    for stale in [table for table in tables if not history.fresh(table)]:
        freshen(stale, tables, history)
    if all(map(history.fresh, tables)):
        return list(tables)
    return search(order, size, history, [MOST_TABLES_TRIED]) or list(tables)


def top_table(free: list[str], size: int, history: History) -> list[str]:
    """Take out the best, joined one by one by the next best of those who have met the table least."""
    table = [free.pop(0)]
    while len(table) < size:
        last = len(table) == size - 1
        name = min(
            free,
            key=lambda name: (last and not history.fresh([*table, name]), history.meetings(name, table)),
        )
        free.remove(name)
        table.append(name)
    return table


def freshen(stale: list[str], tables: list[list[str]], history: History) -> None:
    """Exchange one bot with a table as near as possible, so that neither was played before.

    This always succeeds while twice the number of rounds played is less than the number of bots at the other
    tables: for one bot to be moved, a table played spoils at most one exchange here and one there.
    """
    place = tables.index(stale)
    for other in sorted(tables, key=lambda table: abs(tables.index(table) - place)):
        for here in reversed(range(len(stale))):
            for there in range(len(other)):
                swapped = [*stale[:here], other[there], *stale[here + 1 :]]
                partner = [*other[:there], stale[here], *other[there + 1 :]]
                if other is not stale and history.fresh(swapped) and history.fresh(partner):
                    stale[:], other[:] = swapped, partner
                    return


def search(free: list[str], size: int, history: History, tries: list[int]) -> list[Lineup] | None:
    """Any set of tables never played before, those with the most meetings seated first; None if none is found."""
    if not free:
        return []
    leader = max(free, key=lambda name: sum(history.met[name, other] > 0 for other in free))
    others = [name for name in free if name != leader]
    others.sort(key=lambda name: history.met[leader, name])
    for company in combinations(others, size - 1):
        table = [leader, *company]
        tries[0] -= 1
        if tries[0] < 0:
            return None
        if history.fresh(table):
            rest = search([name for name in free if name not in table], size, history, tries)
            if rest is not None:
                return [table, *rest]
    return None
