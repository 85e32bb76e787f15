"""What luck did in a match: at every draw, the difference between what came and what was to be expected.

A draw has a known distribution: the bag it is made from, or a number below a limit. Somebody who guesses how each seat
stands can say after the draw how much better or worse that is than on average over all that might have come. Summed up
over a match it has the mean 0 whatever the guess is, because no draw is better than its own average. So subtracted from
the result it biases nothing, and takes luck out as far as the guess is a good one (a control variate after AIVAT:
Burch, Schmid, Moravčík, Morrill and Bowling 2018).

A guess may know all that had happened up to and including the draw, hidden cards too, but nothing that came later:
where a move makes several draws, the later ones are replaced by other luck, the same for the card that came and for all
that might have come. It is asked of a copy, and may play on there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from operator import add, mul, sub
from typing import NamedTuple

from dalang.engine.chance import TABLE, Bag, QuickChance, ScriptedChance
from dalang.engine.game import NOBODY, Game, Move, SetupError, State
from dalang.engine.record import Record, RecordError, replay
from dalang.engine.value import Value, share_beaten, with_some_out

STAND_IN = "stand-in"
"""The purpose of a choice that is made for a seat which is out."""
MOST_DRAWS = 1000
"""For one move: only so many have other luck of their own."""
MOST_LUCK = 1.0
"""For one seat in one match: all others beaten by luck alone."""
THE_DEAL = -1
"""The number of no turn: what was drawn before there was one."""


class Drawing(NamedTuple):
    """What chance was asked for, and what it gave."""

    purpose: str
    seat: int
    ways: Sequence[int]
    """How many of the equally likely possibilities lead to each kind of card, or to each number."""
    kind: int
    """What came."""
    name: str | int


class Stroke(NamedTuple):
    """The luck of one draw."""

    turn: int
    """The decision that led to it, counted from 0, or THE_DEAL."""
    purpose: str
    seat: int
    name: str | int
    """What came."""
    luck: tuple[float, ...]
    """By seat: how much greater a share of the others it will beat."""


@dataclass(frozen=True)
class Luck:
    """What luck did in a match."""

    version: int
    """Of the value that it was reckoned with."""
    strokes: tuple[Stroke, ...]
    by_seat: tuple[float, ...]
    """The sum: the share of the others that a seat has beaten by luck."""
    by_manner: tuple[tuple[float, ...], ...]
    """By seat, what luck did to all seats more or less if that one has another manner (see `Value.manners`)."""
    bounded: tuple[float, ...]
    """By seat, for whoever needs a bound: the sum of all draws before the first that might have led beyond MOST_LUCK.

    Whether a draw counts depends on what might come of it, not on what came, so the mean is 0 all the same.
    """


def luck_in(
    record: Record, game: Game, out_from: Mapping[int, int] | None = None, value: Value | None = None
) -> Luck:
    """The luck of a match, reckoned with the game's own value; one of DAMAGE if it cannot be re-enacted.

    `out_from` tells from which decision on a stand-in plays for a seat, in the order in which they left.
    """
    if record.rules_version != game.rules_version:
        raise RecordError(f"it was played by version {record.rules_version} of the rules")
    reckoning = Reckoning(record, game, value or game.value, out_from or {})
    seats, strokes, found = record.seats, [], []
    bounded, is_within = [0.0] * seats, True
    for drawing, values in reckoning.draws():
        means = means_of(drawing, values)
        luck = tuple(map(sub, values[drawing.kind], means))
        is_within = is_within and not any(leads_too_far(bounded, each, means) for each in values.values())
        if is_within:
            bounded = list(map(add, bounded, luck))
        found.append(luck)
        strokes.append(Stroke(reckoning.turn, drawing.purpose, drawing.seat, drawing.name, luck[:seats]))
    sums = [fsum(column) for column in zip(*found, strict=True)] or bounded
    by_manner = [tuple(sums[first : first + seats]) for first in range(seats, len(sums), seats)]
    return Luck(
        reckoning.value.version, tuple(strokes), tuple(sums[:seats]), tuple(by_manner), tuple(bounded)
    )


Judgement = Sequence[float]
"""By seat the share of the others that it will beat; then, manner by manner, what that would change of it."""


def means_of(drawing: Drawing, values: Mapping[int, Judgement]) -> list[float]:
    """What was to be expected before the draw."""
    number = sum(drawing.ways)
    ways = [drawing.ways[kind] for kind in values]
    return [sum(map(mul, ways, column)) / number for column in zip(*values.values(), strict=True)]


def leads_too_far(so_far: Sequence[float], judged: Judgement, means: Sequence[float]) -> bool:
    """Whether one seat would have had more luck than can be."""
    return any(
        abs(told + mine - mean) > MOST_LUCK for told, mine, mean in zip(so_far, judged, means, strict=False)
    )


class Reckoning:
    """A record while it is re-enacted, and what would have been if something else had been drawn."""

    def __init__(self, record: Record, game: Game, value: Value, out_from: Mapping[int, int]) -> None:
        self.record, self.game, self.value, self.out_from = record, game, value, out_from
        self.turn = THE_DEAL
        self.before: State | None = None
        """The game before the move; None before the deal."""
        self.moves: Sequence[Move] = ()
        """The one that was made, or all from which a stand-in drew."""

    def draws(self) -> Iterator[tuple[Drawing, dict[int, Judgement]]]:
        """Every draw that was none of necessity, and by all that might have come how the seats would stand."""
        chance = WatchedChance(self.record.drawn)
        state = self.game.start(self.record.seats, chance, **self.record.options)
        state.events = None
        yield from self.weighed(chance.noted(), state)
        for number, turn in enumerate(self.record.turns):
            self.turn, self.before, moves = number, state.clone(chance), state.moves()
            choice = replay(state, turn, number)
            drawings = chance.noted()
            self.moves = [turn.move]
            if turn.seat in self.out() and len(moves) > 1:
                self.moves = moves
                name = " ".join(map(str, turn.move))
                drawings.insert(0, Drawing(STAND_IN, turn.seat, [1] * len(moves), choice, name))
            yield from self.weighed(drawings, state)

    def out(self) -> list[int]:
        """The seats that are out at this decision."""
        return [seat for seat, turn in self.out_from.items() if turn <= self.turn]

    def weighed(
        self, drawings: Sequence[Drawing], after: State
    ) -> Iterator[tuple[Drawing, dict[int, Judgement]]]:
        """The draws of one move, each with those before it as they came."""
        came: list[int] = []
        for drawing in drawings:
            values = {}
            for kind in [kind for kind, ways in enumerate(drawing.ways) if ways]:
                is_true = kind == drawing.kind and len(came) == len(drawings) - 1  # nothing came after it
                kinds = [*came, kind]
                values[kind] = self.judged(
                    after.clone(self.other([], kinds)) if is_true else self.otherwise(kinds)
                )
            if len(values) > 1:
                yield drawing, values
            came.append(drawing.kind)

    def otherwise(self, kinds: list[int]) -> State:
        """What the next decision would be if these had been drawn for this move, and then something unheard of."""
        if self.before is None:
            state = self.game.start(self.record.seats, self.other(kinds, kinds), **self.record.options)
            state.events = None
            return state
        move = self.moves[kinds[0] if len(self.moves) > 1 else 0]
        state = self.before.clone(self.other(kinds[1:] if len(self.moves) > 1 else kinds, kinds))
        state.apply(move)
        return state

    def other(self, gives: list[int], kinds: list[int]) -> OtherChance:
        """Luck that is the same whichever of these came last, and has nothing to do with what came later."""
        return OtherChance(gives, MOST_DRAWS * (self.turn + 1) + len(kinds))

    def judged(self, state: State) -> Judgement:
        """Manners change nothing any more when it is over, and are not looked at where somebody is out."""
        out, manners = self.out(), state.seats**2 if self.value.manners else 0
        if state.seat == NOBODY:
            shares = self.ended(state, out)
        elif manners and not out:
            return self.guess(self.value.in_full, state, state.seats + manners)
        else:
            shares = with_some_out(self.guess(self.value.of, state, state.seats), out)
        return [*shares, *[0.0] * manners]

    def guess(
        self, told_by: Callable[[State], Iterable[float]], state: State, numbers: int
    ) -> Sequence[float]:
        """What a value says, which somebody else may have written."""
        try:
            told = list(map(float, told_by(state)))
        except Exception as error:
            raise SetupError(f"the value of {self.game.name} fails: {error!r}") from error
        if len(told) != numbers or not all(map(isfinite, told)):
            raise SetupError(f"the value of {self.game.name} must tell a finite number for every seat")
        return told

    def ended(self, state: State, out: Sequence[int]) -> Sequence[float]:
        ranks = list(state.outcome().ranks)
        for place, seat in enumerate(out):
            ranks[seat] = 2 * len(ranks) - place  # below all others, the earlier the lower
        return [share_beaten(ranks, seat) for seat in range(len(ranks))]


class WatchedChance(ScriptedChance):
    """Gives what the script says, and notes what might have come instead."""

    __slots__ = ("drawings",)

    def __init__(self, script: Iterable[str | int], position: int = 0) -> None:
        super().__init__(script, position)
        self.drawings: list[Drawing] = []

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        number = super().below(limit, purpose, seat)
        self.drawings.append(Drawing(purpose, seat, [1] * limit, number, number))
        return number

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        ways = bag.counts.copy()
        kind = super().draw(bag, purpose, seat)
        self.drawings.append(Drawing(purpose, seat, ways, kind, bag.names[kind]))
        return kind

    def noted(self) -> list[Drawing]:
        """What was drawn since this was last asked."""
        drawings, self.drawings = self.drawings, []
        return drawings


class OtherChance:
    """Gives these kinds and numbers, and then luck of its own, which the seed alone decides."""

    __slots__ = ("kinds", "later", "seed")

    def __init__(self, kinds: Iterable[int], seed: int, later: QuickChance | None = None) -> None:
        self.kinds, self.seed, self.later = list(reversed(list(kinds))), seed, later

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        return self.kinds.pop() if self.kinds else self.unheard_of().below(limit)

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        if not self.kinds:
            return self.unheard_of().draw(bag)
        kind = self.kinds.pop()
        bag.take(kind)
        return kind

    def unheard_of(self) -> QuickChance:
        """Made only when it is needed: most moves draw but once."""
        self.later = self.later or QuickChance(self.seed)
        return self.later

    def clone(self) -> OtherChance:
        return OtherChance(reversed(self.kinds), self.seed, self.later and self.later.clone())
