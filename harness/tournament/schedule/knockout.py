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
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, count, cycle
from math import floor
from typing import Any

from dalang.engine.game import SetupError
from dalang.harness.blocks import Block, BlockResult
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.plan import Lineup, Plan, Points, block_points, blocks, lot, shuffled

Form = tuple[float, int, int]
"""Points, matches won, sum of scores: more is better."""
AVERAGE = 0.5
"""The points of a block in which nobody is better."""


class TieBlocks(Sequence[Block]):
    """The blocks of a round, written when they are asked for: all tables on its first deal, then all on the second."""

    def __init__(self, plan: Plan, tables: Sequence[Lineup], number: int, turn: int) -> None:
        self.plan = plan
        self.tables = tables
        self.number = number
        """Of the first of them."""
        self.turn = turn

    def __len__(self) -> int:
        return len(self.tables) * self.plan.blocks

    def __iter__(self) -> Iterator[Block]:
        return chain.from_iterable(map(self.on_deal, range(self.plan.blocks)))

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[each] for each in range(len(self))[at]]
        deal, table = divmod(range(len(self))[at], len(self.tables))
        return self.on_deal(deal)[table]

    def on_deal(self, deal: int) -> list[Block]:
        number, first_deal = self.number + deal * len(self.tables), self.turn * self.plan.blocks
        return blocks(self.plan, self.tables, number, self.turn, first_deal + deal)


@dataclass
class KnockoutRound:
    """One round: who met whom, and when it is over who goes on."""

    turn: int
    names: list[str]
    """Who is still in, best first."""
    returned: list[str]
    """Of these the losers who came back to fill a table."""
    tables: list[Lineup]
    idle: list[str]
    """Who has a bye."""
    blocks: Sequence[Block]
    order: list[str] = field(default_factory=list)
    """The field by its form in this round; empty until it is over."""
    going_on: list[str] = field(default_factory=list)

    def is_final(self) -> bool:
        return len(self.tables) == 1 and not self.idle


def knockout_rounds(plan: Plan, so_far: SoFar) -> Iterator[KnockoutRound]:
    """Round by round, each told before it is played; what came of it is added when the next is asked for."""
    points, number = Points(so_far.results), 0
    names, losers = shuffled(plan, plan.names, "draw"), list[str]()
    byes: Counter[str] = Counter()
    for turn in count():
        staying = [name for name in names if name not in so_far.out]
        names = filled_up(plan, names, losers, so_far.out)
        tables, idle = seated(plan, names, byes)
        if not tables:
            return
        returned = names[len(staying) :]
        this = KnockoutRound(turn, names, returned, tables, idle, TieBlocks(plan, tables, number, turn))
        yield this

        number += len(this.blocks)
        byes.update(idle)
        order = merit(plan, points.read(number), names, turn)
        sending = [1] if this.is_final() else going_on(plan, tables, order, turn)
        places = placed(tables, sending, order, so_far.out) | dict.fromkeys(idle, 0)
        names = sorted(places, key=lambda name: (places[name], order.index(name)))
        losers = [name for name in [*order, *losers] if name not in places]
        this.order, this.going_on = order, names
        if this.is_final():
            return


class Knockout(Format):
    """The best of every table go on until one table is left.

    The first round is drawn by lot. From then on the field is ordered by how it did in the round before and dealt to
    the tables like a serpent, so that the best meet late. At every table `blocks` blocks are played. Where the numbers
    do not fit, smaller tables are used if the game allows them; what byes are left go to the best of those who had
    fewest. If the field is too small for any table, the best losers come back.

    Of every table `advance` go on, or the better half if nothing is said; of a smaller table the same share.

    A table is decided by points (each block the mean share of the others that were beaten, a tie counting half), then
    by matches won, then by the sum of scores, then by lot. A block that could not be played counts as average.

    Places go by how far one came, then by points and tie-breaks of the last round played. Who was withdrawn comes last.

    Nobody can join once it has begun, and `blocks` cannot be changed.
    """

    name = "knockout"
    summary = "the best of every table go on; short and dramatic, and luck decides much"
    adapts = True
    grows = False
    lengthens = False

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[Sequence[Block]]:
        return (each.blocks for each in knockout_rounds(plan, so_far))

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


def merit(plan: Plan, results: Iterable[BlockResult], names: Iterable[str], turn: int) -> list[str]:
    """These bots by their form in the round, best first; a block that was not played counts as average."""
    found = forms(plan, results, shuffled(plan, names, "tie", turn))
    return sorted(found, key=found.__getitem__, reverse=True)  # stable: what is equal stays in order of lot


def forms(plan: Plan, results: Iterable[BlockResult], names: Iterable[str]) -> dict[str, Form]:
    """The form of each in these blocks of a round, in the same order."""
    found: dict[str, Form] = dict.fromkeys(names, (plan.blocks * AVERAGE, 0, 0))
    for result in results:
        for name in found.keys() & set(result.block.lineup):
            found[name] = improved(found[name], name, result)
    return found


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
