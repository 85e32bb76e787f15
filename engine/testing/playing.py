"""Games of random moves, each of them repeatable by the number that it was made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from random import Random

from dalang.engine.chance import Chance, QuickChance, SeededChance
from dalang.engine.encoding import Encoding
from dalang.engine.game import NOBODY, Game, Move, Plain, State, plain
from dalang.engine.learning import Actions
from dalang.engine.record import Record, Turn, enact

MOST_DECISIONS = 100_000
"""The number of decisions after which a game is taken for endless."""

MOST_MOVES_TOLD = 12
"""The last moves of a play, as many as people read."""


class Stuck(AssertionError):
    """A game that does not come to its end."""


@dataclass(frozen=True)
class Table:
    """A game with a number of seats and the options that differ from their defaults.

    >>> import dalang
    >>> print(Table(dalang.game("kali"), 3, {"fine_rounding": "up"}))
    kali-3p-fine_rounding-up
    """

    game: Game
    seats: int
    options: Plain = field(default_factory=dict)
    invariant: Callable[[State], None] | None = None
    """What you know and the engine cannot: raises where something was lost or made, such as a card."""

    @cached_property
    def actions(self) -> Actions:
        return self.game.actions(self.seats, self.options)

    @cached_property
    def encoding(self) -> Encoding:
        return self.game.encoding(self.seats, self.options)

    def hold(self, state: State) -> None:
        """What the game says that it conserves, and the invariant, if there is one."""
        for holds in filter(None, (self.game.promises.conserved, self.invariant)):
            holds(state)

    def __str__(self) -> str:
        words = [f"{name}-{value}" for name, value in self.options.items() if not isinstance(value, list)]
        lists = [name for name, value in self.options.items() if isinstance(value, list)]
        return "-".join([self.game.name, f"{self.seats}p", *words, *lists])


def start(table: Table, seed: str) -> State:
    """A new game, before its first decision.

    >>> import dalang
    >>> start(Table(dalang.game("kali"), 2), "any text").decision
    'first_card'
    """
    return table.game.start(table.seats, SeededChance(seed), **table.options)


def walk(table: Table, seed: int) -> Iterator[State]:
    """The same state again and again, before each decision of a random game and at its end.

    >>> import dalang
    >>> for state in walk(Table(dalang.game("kali"), 2), seed=1):
    ...     assert sum(state.wealth) + state.loot + state.temple == 350
    """
    return Play(table, seed).go_on()


@dataclass
class Play:
    """A game as far as it was played: the deal of a seed, and the moves that were made.

    >>> import dalang
    >>> play = Play(Table(dalang.game("kali"), 2), seed=1, moves=[("draw",)])
    >>> play.again().field
    5
    >>> print(play)
    seat 0 first_card draw
    """

    table: Table
    seed: int
    moves: list[Move] = field(default_factory=list)

    def begin(self, chance: Chance | None = None) -> State:
        """The deal; with another chance, what becomes of it then."""
        luck = chance or SeededChance(self.deal)
        return self.table.game.start(self.table.seats, luck, **self.table.options)

    @property
    def deal(self) -> str:
        """The seed as games have it."""
        return f"walk {self.seed}"

    def again(self) -> State:
        """The state that it led to."""
        state = self.begin()
        for move in self.moves:
            state.play(move)
        return state

    def go_on(self) -> Iterator[State]:
        """From the deal on with random moves, which are noted: the state before each of them, and at the end."""
        state, rng = self.begin(), Random(self.seed)
        for _ in range(MOST_DECISIONS):
            yield state
            if state.seat == NOBODY:
                return
            self.moves.append(any_move(state, rng))
            state.play(self.moves[-1])
        raise endless(state)

    def __str__(self) -> str:
        return "; ".join(self.told()) or "no move"

    def told(self, most: int = MOST_MOVES_TOLD) -> list[str]:
        """The last of the moves, with who made them; where the game fails on the way, the moves alone."""
        left = len(self.moves) - most
        turns = [str(turn) for turn in self.turns()]
        alone = [" ".join(map(str, move)) for move in self.moves[len(turns) :]]
        return [*([f"... {left} moves"] if left > 0 else []), *(turns + alone)[max(0, left) :]]

    def turns(self) -> Iterator[Turn]:
        """The moves with seats and decisions, as far as the game gets."""
        with suppress(Exception):  # a game that is being written can fail in any way
            state = self.begin()
            for move in self.moves:
                yield Turn(state.seat, state.decision, move)
                state.play(move)


class OtherLuck(SeededChance):
    """The same luck for one seat, and other luck for everybody else and for the table."""

    __slots__ = ("lucky",)

    def __init__(self, seed: str, lucky: int, used: Mapping[tuple[str, int], int] | None = None) -> None:
        super().__init__(seed, used)
        self.lucky = lucky

    def eight(self, purpose: str, seat: int, number: int) -> tuple[int, ...]:
        return super().eight(purpose if seat == self.lucky else f"other {purpose}", seat, number)

    def clone(self) -> OtherLuck:
        return OtherLuck(self.seed, self.lucky, self.used)


def some(table: Table, seed: int, every: int = 7) -> Iterator[State]:
    """Some states of a `walk`: more at first, about one in `every` later, and the last one.

    >>> import dalang
    >>> *_, last = some(Table(dalang.game("kali"), 2), seed=1, every=20)
    >>> last.outcome().ending
    'kali_wakes'
    """
    chosen = lottery(seed, every)
    return (state for decision, state in enumerate(walk(table, seed)) if chosen(decision, state))


def lottery(seed: int, every: int | None) -> Callable[[int, State], bool]:
    """Chooses decisions to look at: the first ones often, so that short games are seen too, later one in `every`.

    The end is always chosen, and nothing else if `every` is None.
    """
    rng = Random(seed + 1)

    def chosen(decision: int, state: State) -> bool:
        if state.seat == NOBODY:
            return True
        return every is not None and not rng.randrange(min(every, 1 + decision // 2))

    return chosen


def play_out(state: State, seed: int) -> State:
    """Play this game to its end with random moves, and return it. From the start, they are those of a `walk`.

    >>> import dalang
    >>> play_out(start(Table(dalang.game("kali"), 2), "any text"), seed=1).moves()
    []
    """
    rng = Random(seed)
    for _ in range(MOST_DECISIONS):
        if state.seat == NOBODY:
            return state
        state.apply(any_move(state, rng))
    raise endless(state)


def any_move(state: State, rng: Random) -> Move:
    moves = state.moves()
    if not moves:
        raise Stuck(f"seat {state.seat} has to decide {state.decision!r}, but there are no moves")
    return rng.choice(moves)


def endless(state: State) -> Stuck:
    return Stuck(
        f"no end after {MOST_DECISIONS} decisions: seat {state.seat} has to decide {state.decision!r}"
    )


def random_record(table: Table, seed: int) -> Record:
    """The record of a game of random moves.

    >>> import dalang
    >>> from dalang.engine.record import discrepancies
    >>> kali = dalang.game("kali")
    >>> discrepancies(random_record(Table(kali, 2), seed=1), kali)
    []
    """
    rng = Random(seed)
    return enact(
        table.game, table.seats, f"record {seed}", lambda state: any_move(state, rng), **table.options
    )


def record_digest(table: Table, seed: int) -> str:
    """The digest of a random game. It is the same in every process, or your game does not repeat itself.

    Python orders sets of words anew in each process, unless the environment has `PYTHONHASHSEED`: so compare the
    digests from two processes that have different ones.

    >>> import dalang
    >>> table = Table(dalang.game("kali"), 2)
    >>> record_digest(table, seed=1) == record_digest(table, seed=1)
    True
    """
    return sha256(json.dumps(plain(random_record(table, seed).data())).encode()).hexdigest()


def imagined(state: State, seat: int, seed: int) -> State:
    """A world that this seat cannot tell from the real one.

    >>> import dalang
    >>> state = start(Table(dalang.game("bali_rosenberg"), 3), "any text")
    >>> world = imagined(state, seat=0, seed=1)
    >>> world.hands == state.hands, world.view(0) == state.view(0)
    (False, True)
    """
    return type(state).imagine(state.view(seat), QuickChance(seed))
