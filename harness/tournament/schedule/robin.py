"""Round-robin and gauntlet: everybody meets everybody, or the first entry meets everybody.

Round r is played on deal r by all tables, or by a balanced selection of them when they are more than `MOST_TABLES`.
In a selection everybody sits at one table at most, so within a round two bots meet once or not at all; over the
rounds the meetings are kept even. Bots of a later wave are scheduled after everything before them: the
same rounds again, only with tables that hold somebody new.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import combinations
from math import comb

from dalang.harness.blocks import Block
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.plan import Lineup, Plan, Unwritten, blocks, lot, shuffled

MOST_TABLES = 300
"""More tables than this for one deal, and a round is a selection of them."""
IMPROVING_PASSES = 3
"""How often a round is gone over for better tables; more bring next to nothing."""


class RoundRobin(Format):
    """Everybody meets everybody.

    In each of the `blocks` rounds every table of `seats` bots plays one block: one deal, once from every seat. With
    more than 300 possible tables a round is a selection of them, in which everybody sits at one table at most and over
    the rounds two bots meet as often as any other two.

    Places go by TrueSkill (`--by mean` or `wins` for another order). Ties share a place.

    Bots may join later: they play as many rounds as the others, with somebody new at every table. More `blocks` may be
    agreed on later, as long as nobody has joined.
    """

    name = "round-robin"
    summary = "everybody meets everybody; the fairest if there is time"
    passes = True

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[Sequence[Block]]:
        return rounds_with(plan, [])

    def total(self, plan: Plan) -> int | None:
        if plan.beginners() < len(plan.entries):
            return None
        bots, tables = len(plan.entries), comb(len(plan.entries), plan.seats)
        return plan.blocks * (tables if tables <= MOST_TABLES else bots // plan.seats)


class Gauntlet(Format):
    """The first bot meets everybody; the others do not meet each other without it.

    In each of the `blocks` rounds the first bot sits at every table, and the others share the remaining seats in all
    ways there are, or in a balanced selection if these are more than 300.

    Places go by TrueSkill. It tells the first bot from the others, and those from each other only through it.

    Bots may join later, and more `blocks` may be agreed on, as in a round-robin.
    """

    name = "gauntlet"
    summary = "one bot against all others: is it better than they are?"
    passes = True

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[Sequence[Block]]:
        return rounds_with(plan, plan.names[:1])

    def total(self, plan: Plan) -> int | None:
        tables = comb(len(plan.entries) - 1, plan.seats - 1)
        return (
            plan.blocks * tables if plan.beginners() == len(plan.entries) and tables <= MOST_TABLES else None
        )

    def share_without(self, plan: Plan, out: Collection[str]) -> float:
        others, seats = len(plan.entries) - 1, plan.seats - 1
        return 0.0 if plan.names[0] in out else comb(others - len(out), seats) / comb(others, seats)


def rounds_with(plan: Plan, always: list[str]) -> Iterator[Sequence[Block]]:
    """The rounds in which these bots sit at every table and the others share the remaining seats."""
    number, few = 0, True
    for old, new in plan.waves():
        old, new = ([name for name in names if name not in always] for names in (old, new))
        size = plan.seats - len(always)
        # Once a wave was played by a selection, all tables of a later one would be out of proportion.
        few = few and comb(len(old + new), size) - comb(len(old), size) <= MOST_TABLES
        tables = all_tables(plan, old, new, size) if few else balanced(plan, old, new, size)
        for deal in range(plan.blocks):
            lineups = [[*always, *table] for table in next(tables)]
            yield Unwritten(len(lineups), partial(blocks, plan, lineups, number, deal, deal))
            number += len(lineups)


def all_tables(plan: Plan, old: list[str], new: list[str], size: int) -> Iterator[list[Lineup]]:
    """Each round: every table with somebody new, in an order by lot, so that nobody waits long."""
    tables = [
        (*newcomers, *others)
        for count in range(1, size + 1)
        for newcomers in combinations(new, count)
        for others in combinations(old, size - count)
    ]
    tables.sort(key=lambda table: lot(plan, "table", *table))
    while True:
        yield list(tables)


def balanced(plan: Plan, old: list[str], new: list[str], size: int) -> Iterator[list[Lineup]]:
    """Each round: everybody new at one table (when seats are short, in turns), meetings as even as can be."""
    bots = old + new
    met = [[0] * len(bots) for _ in bots]
    played = [0] * len(bots)
    index = {name: place for place, name in enumerate(bots)}
    turn = 0
    while True:
        order = [index[name] for name in shuffled(plan, bots, "selection", len(bots), turn)]
        tables = select(order, len(old), size, met, played)
        for table in tables:
            for bot in table:
                played[bot] += 1
                for other in table:
                    met[bot][other] += bot != other
        yield [[bots[bot] for bot in table] for table in tables]
        turn += 1


def select(
    order: list[int], first_new: int, size: int, met: list[list[int]], played: list[int]
) -> list[list[int]]:
    """The tables of one round; bots are numbers, the new ones from `first_new` on."""
    free = available(order, first_new, size, played)
    tables = []
    while len(free) >= size and any(bot >= first_new for bot in free):
        leader = next(bot for bot in free if bot >= first_new)
        tables.append(company(leader, free, size, met))
    # A table whose members have met no more often than the average is good enough.
    good = sum(map(sum, met)) // (len(order) * (len(order) - 1)) * size * (size - 1)
    for _ in range(IMPROVING_PASSES):
        if not improve(tables, first_new, met, good):
            break
    return tables


def available(order: list[int], first_new: int, size: int, played: list[int]) -> list[int]:
    """Who may sit down, fewest tables first; who is two tables ahead rests, unless the seats need filling.

    If only the fewest tables counted, the same halves of a small field would meet again and again.
    """
    order = sorted(order, key=played.__getitem__)
    seats = len(order) // size * size
    ahead = min(played[first_new:]) + 2
    return [bot for place, bot in enumerate(order) if place < seats or bot < first_new or played[bot] < ahead]


def company(leader: int, free: list[int], size: int, met: list[list[int]]) -> list[int]:
    """Take a table out of the free bots: the leader, then always the one who has met the table least."""
    table = [leader]
    free.remove(leader)
    meetings = list(met[leader])
    while len(table) < size:
        bot = min(free, key=meetings.__getitem__)
        free.remove(bot)
        table.append(bot)
        for other in free:
            meetings[other] += met[bot][other]
    return table


def improve(tables: list[list[int]], first_new: int, met: list[list[int]], good: int) -> bool:
    """Exchange bots between tables wherever that lowers the number of meetings repeated."""
    changed = False
    for table in tables:
        if sum(met[bot][other] for bot in table for other in table) > good:
            for partner in tables:
                if partner is not table:
                    changed |= exchange(table, partner, first_new, met)
    return changed


def exchange(table: list[int], partner: list[int], first_new: int, met: list[list[int]]) -> bool:
    changed = False
    for here, there in ((here, there) for here in range(len(table)) for there in range(len(partner))):
        mine, theirs = table[here], partner[there]
        if (mine < first_new) != (theirs < first_new):
            continue  # so that no table loses its only newcomer
        my, their = met[mine], met[theirs]
        now = sum([my[bot] for bot in table]) + sum([their[bot] for bot in partner])
        then = sum([their[bot] for bot in table]) + sum([my[bot] for bot in partner]) - 2 * my[theirs]
        if then < now:
            table[here], partner[there] = theirs, mine
            changed = True
    return changed
