"""Knockout: the best of every table go on until one table is left.

The first round is drawn by lot; later the field is ordered by how it did in the round before, and the tables are
filled in serpents, so that the best meet late. A round has as few byes as the allowed table sizes make possible;
they go to the best of those who had the fewest. If the field is too small for any table, the best losers
come back to fill it. A table is decided by points, then matches won, then the sum of scores, then by lot.

Of every table the same share goes on, so that nobody is better off for sitting at a smaller one. Where that is no whole
number, the best of those who are next at tables of that size get the rest; if it is none even then, a lot decides about
one more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import count, cycle
from math import floor

from dalang.engine.game import SetupError
from dalang.harness.blocks import Block, BlockResult
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.plan import Lineup, Plan, Points, block_points, blocks, lot, shuffled

Form = tuple[float, int, int]
"""Points, matches won, sum of scores: more is better."""
AVERAGE = 0.5
"""The points of a block in which nobody is better."""


class Knockout(Format):
    name = "knockout"
    adapts = True
    grows = False
    lengthens = False

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[list[Block]]:
        points, number = Points(so_far.results), 0
        field, losers = shuffled(plan, plan.names, "draw"), list[str]()
        byes: Counter[str] = Counter()
        for turn in count():
            field = filled_up(plan, field, losers, so_far.out)
            tables, idle = seated(plan, field, byes)
            if not tables:
                return
            block_list = tie_blocks(plan, tables, number, turn)
            yield block_list

            if len(tables) == 1 and not idle:
                return  # that was the final
            number += len(block_list)
            byes.update(idle)
            order = merit(plan, points.read(number), field, turn)
            sending = going_on(plan, tables, order, turn)
            places = placed(tables, sending, order, so_far.out) | dict.fromkeys(idle, 0)
            field = sorted(places, key=lambda name: (places[name], order.index(name)))
            losers = [name for name in [*order, *losers] if name not in places]

    def placing(self, plan: Plan, results: Sequence[BlockResult], withdrawn: Collection[str]) -> list[str]:
        """The champion first: who came further, then the form in the last round played."""
        last: dict[str, int] = {}
        for result in results:
            last.update(dict.fromkeys(result.block.lineup, result.block.round))
        ranks: list[str] = []
        for turn in sorted(set(last.values()), reverse=True):
            of_turn = [result for result in results if result.block.round == turn]
            ranks += merit(plan, of_turn, (name for name in plan.names if last.get(name) == turn), turn)
        ranks += [name for name in plan.names if name not in last]
        return sorted(ranks, key=lambda name: name in withdrawn)

    def check_advance(self, plan: Plan) -> None:
        advance = plan.terms.advance
        if advance is not None and not 0 < advance < plan.seats:
            raise SetupError(
                f"of a table of {plan.seats} from 1 to {plan.seats - 1} bots can go on, not {advance}"
            )


def filled_up(plan: Plan, field: list[str], losers: list[str], withdrawn: Collection[str]) -> list[str]:
    """The field, with the best losers if it is too small for any table."""
    field, losers = ([name for name in names if name not in withdrawn] for names in (field, losers))
    missing = plan.table_sizes()[-1] - len(field) if len(field) > 1 else 0
    return field + losers[: max(0, missing)]


def seated(plan: Plan, field: list[str], byes: Counter[str]) -> tuple[list[Lineup], list[str]]:
    """The tables of a round, and who has a bye."""
    sizes = split(len(field), plan.table_sizes())
    idle = sorted(field, key=byes.__getitem__)[: len(field) - sum(sizes)]
    return serpents([name for name in field if name not in idle], sizes), idle


def split(bots: int, sizes: Iterable[int]) -> list[int]:
    """The tables for this number of bots: fewest byes, then fewest tables, then the most equal ones, largest first."""
    best: list[tuple[int, int, list[int]] | None] = [(0, 0, [])]
    for total in range(1, bots + 1):
        ways = [
            (way[0] + 1, way[1] + size**2, [*way[2], size])
            for size in sizes
            if size <= total and (way := best[total - size])
        ]
        best.append(min(ways, default=None))
    return sorted(next(way[2] for way in reversed(best) if way), reverse=True)


def serpents(field: list[str], sizes: list[int]) -> list[Lineup]:
    """Deal the field, best first, to the tables and back again until all are full."""
    tables: list[list[str]] = [[] for _ in sizes]
    there = list(range(len(sizes)))
    ways = cycle(there + there[::-1])
    for name in field:
        place = next(place for place in ways if len(tables[place]) < sizes[place])
        tables[place].append(name)
    return list(tables)


def tie_blocks(plan: Plan, tables: list[Lineup], number: int, turn: int) -> list[Block]:
    """All tables on the first deal of the round, then all on the second, and so on."""
    listed: list[Block] = []
    for deal in range(turn * plan.blocks, (turn + 1) * plan.blocks):
        listed += blocks(plan, tables, number + len(listed), turn, deal)
    return listed


def merit(plan: Plan, results: Iterable[BlockResult], names: Iterable[str], turn: int) -> list[str]:
    """These bots by their form in the round, best first; a block that was not played counts as average."""
    average = (plan.blocks * AVERAGE, 0, 0)
    forms: dict[str, Form] = dict.fromkeys(shuffled(plan, names, "tie", turn), average)
    for result in results:
        for name in forms.keys() & set(result.block.lineup):
            forms[name] = improved(forms[name], name, result)
    return sorted(forms, key=forms.__getitem__, reverse=True)  # stable: what is equal stays in order of lot


def improved(form: Form, name: str, result: BlockResult) -> Form:
    """The form of a bot after this block."""
    points, won, scored = form
    seats = [(match, match.names.index(name)) for match in result.matches]
    return (
        round(points - AVERAGE + block_points(result)[name], 9),
        won + sum(match.ranks[seat] == 1 for match, seat in seats),
        scored + sum(match.scores[seat] for match, seat in seats),
    )


def placed(
    tables: list[Lineup], sending: list[int], order: list[str], withdrawn: Collection[str]
) -> dict[str, int]:
    """The places at their tables of those who go on, from 0."""
    places: dict[str, int] = {}
    for table, number in zip(tables, sending, strict=True):
        staying = [name for name in order if name in table and name not in withdrawn]
        places.update((name, place) for place, name in enumerate(staying[:number]))
    return places


def going_on(plan: Plan, tables: list[Lineup], order: list[str], turn: int) -> list[int]:
    """How many of each table go on: somebody always does, and never everybody."""
    advance = plan.terms.advance
    if plan.terms.schedule == 1:
        return [between(len(table) // 2 if advance is None else advance, table) for table in tables]
    share = Fraction(1, 2) if advance is None else Fraction(advance, plan.seats)
    sending = [floor(share * len(table)) for table in tables]
    for size in sorted({len(table) for table in tables}):
        alike = [at for at, table in enumerate(tables) if len(table) == size]
        over = (share * size % 1) * len(alike)
        more = floor(over) + (lot(plan, "one more", turn, size) < over % 1)
        next_in_line = {at: [name for name in order if name in tables[at]][sending[at]] for at in alike}
        for at in sorted(alike, key=lambda at: order.index(next_in_line[at]))[:more]:
            sending[at] += 1
    return [between(number, table) for number, table in zip(sending, tables, strict=True)]


def between(number: int, table: Lineup) -> int:
    return max(1, min(number, len(table) - 1))
