"""Ladder: in every round all bots play one block; every second one against bots of about their own strength.

Who plays is decided by the number of blocks played, never by uncertainty: a bot that always faults gets no more
blocks than anybody else. Whom it meets is decided by its form of the round, drawn from its rating as wide as
that is uncertain; so the unknown meet everybody and the known meet their equals. Nobody meets anybody again who was
met lately or often, as long as others are left.

If equals only met equals, early luck would part the field into bots that never meet again, and nobody could tell any
more whether that was luck. So in every other round the form is a lot, and bots meet whom they have met least in such
rounds. What is left of luck's hand in who meets whom makes the fit of strengths a little too sure of itself: of
identical bots some were told apart in up to 9 of 100 ladders, instead of 5. So its errors are taken for a tenth more
than it says; then it is 4 at most, and far more of graded bots are told apart than by the rounds by lot alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import sqrt

from dalang.harness.blocks import Block, BlockResult
from dalang.harness.statistics.rating import Rating, RatingFold
from dalang.harness.tournament.schedule.format import Format, SoFar
from dalang.harness.tournament.schedule.plan import Lineup, Plan, Points, blocks, lot
from dalang.harness.tournament.terms import Terms

MOST_OFTEN = 1.5
"""How many times as often as on average two bots may meet, if others are left."""

DOUBT_WITH_LOTS, DOUBT_WITHOUT_LOTS = 1.1, 2.0


class Rated(Points):
    """The points, what is believed of everybody's skill, and who has met whom."""

    def __init__(self, plan: Plan, results: Sequence[BlockResult]) -> None:
        super().__init__(results)
        self.fold = RatingFold(plan.names)
        self.met: Counter[frozenset[str]] = Counter()
        self.met_by_lot: Counter[frozenset[str]] = Counter()
        self.last_met: dict[frozenset[str], int] = {}
        """In which round."""
        self.present = 0
        """How many bots there are; who joins later changes nothing before that."""

    def add(self, result: BlockResult) -> None:
        super().add(result)
        self.fold.add(result)
        pairs = list(map(frozenset, combinations(result.block.lineup, 2)))
        self.met.update(pairs)
        self.last_met.update(dict.fromkeys(pairs, result.block.round))
        if is_by_lot(result.block.round):
            self.met_by_lot.update(pairs)

    def is_too_familiar(self, one: str, other: str, size: int, turn: int) -> bool:
        """Whether these two have met so often, or so lately, that others are to be preferred."""
        pair, others = frozenset((one, other)), max(1, self.present - 1)
        played = max(self.played[one], self.played[other]) + 1
        even = played * (size - 1) / others
        pause = others // (4 * (size - 1))  # in so many rounds one can meet a quarter of the others
        return self.met[pair] >= MOST_OFTEN * even + 1 or turn - self.last_met.get(pair, -pause - 1) <= pause


class Ladder(Format):
    """Matchmaking by rating, for as long as wanted: many bots, of whom equals meet more often.

    In each of the `blocks` rounds everybody plays one block; if the seats do not suffice, those rest who have played
    most. In every second round tables are made of bots of about the same strength, a strength being drawn for each
    around its rating, as wide as that is uncertain; nobody meets anybody again who was met lately or often, as long as
    others are left. In the other rounds lot decides, and bots meet whom they have met least: else early luck would part
    the field for good.

    Places go by TrueSkill.

    Bots may join later: they play as many rounds as the others did, with somebody new at every table. More `blocks` may
    be agreed on later, as long as nobody has joined.
    """

    name = "ladder"
    summary = "matchmaking by rating, for a large field and as long as wanted"
    adapts = True

    def rounds(self, plan: Plan, so_far: SoFar) -> Iterator[list[Block]]:
        """All rounds of the first wave, then as many again for each later one, with somebody new at every table."""
        rated, number = Rated(plan, so_far.results), 0
        for wave, (old, new) in enumerate(plan.waves()):
            rated.present = len(old) + len(new)
            for deal in range(plan.blocks):
                rated.read(number)
                turn = wave * plan.blocks + deal
                bots = resting(plan, [name for name in old + new if name not in so_far.out], rated, turn)
                form = forms(plan, bots, rated.fold.ratings(), turn)
                if plan.terms.schedule > 1:  # who is seated last has no choice: not always the same
                    form = dict(sorted(form.items(), key=lambda item: lot(plan, "first", turn, item[0])))
                tables = matched(form, new, plan.seats, chooser(plan, rated, turn))
                block_list = blocks(plan, tables, number, turn, deal)
                number += len(block_list)
                if block_list:
                    yield block_list

    def doubt(self, terms: Terms) -> float:
        """Without rounds by lot luck parts the field for good: the fit is far too sure then."""
        return DOUBT_WITH_LOTS if terms.schedule > 1 else DOUBT_WITHOUT_LOTS

    def total(self, plan: Plan) -> int | None:
        return (
            plan.blocks * (len(plan.entries) // plan.seats) if plan.beginners() == len(plan.entries) else None
        )


def resting(plan: Plan, bots: list[str], points: Points, turn: int) -> list[str]:
    """The bots without those who are left over when all tables are full: who has played most rests."""
    order = sorted(bots, key=lambda name: (points.played[name], lot(plan, "rest", turn, name)))
    return order[: len(order) // plan.seats * plan.seats]


def forms(plan: Plan, bots: list[str], ratings: Mapping[str, Rating], turn: int) -> dict[str, float]:
    """By name, best first: a strength drawn around the rating, with the deviation of the rating, or a lot."""
    lots = {name: lot(plan, "form", turn, name) for name in bots}
    if plan.terms.schedule == 1 or not is_by_lot(turn):
        for name in bots:
            lots[name] = ratings[name].mu + ratings[name].sigma * sqrt(12) * (lots[name] - 0.5)
    return dict(sorted(lots.items(), key=lambda item: -item[1]))


def is_by_lot(turn: int) -> bool:
    """Whether anybody may meet anybody in this round."""
    return turn % 2 == 0


Chooser = Callable[[Sequence[str], Lineup], str]
"""Who joins a table, of those who are left, the nearest in form first."""


def chooser(plan: Plan, rated: Rated, turn: int) -> Chooser:
    """How tables are filled in this round."""

    def nearest(free: Sequence[str], table: Lineup) -> str:
        return free[0]

    def least_met(free: Sequence[str], table: Lineup, met: Counter[frozenset[str]] = rated.met_by_lot) -> str:
        return min(free, key=lambda name: sum(met[frozenset((name, other))] for other in table))

    def unfamiliar(free: Sequence[str], table: Lineup) -> str:
        for name in free:
            if not any(rated.is_too_familiar(name, other, plan.seats, turn) for other in table):
                return name
        return least_met(free, table, rated.met)

    if plan.terms.schedule == 1:
        return nearest
    return least_met if is_by_lot(turn) else unfamiliar


def matched(form: dict[str, float], new: Collection[str], size: int, choose: Chooser) -> list[Lineup]:
    """In order: each newcomer without a table is joined by others, of whom the nearest in form are offered first."""
    free = list(form)
    tables: list[Lineup] = []
    while len(free) >= size and any(name in new for name in free):
        table = [next(name for name in free if name in new)]
        free.remove(table[0])
        nearest = sorted(free, key=lambda name: abs(form[name] - form[table[0]]))
        while len(table) < size:
            table.append(choose(nearest, table))
            nearest.remove(table[-1])
        tables.append(table)
        free = [name for name in free if name not in table]
    return tables
