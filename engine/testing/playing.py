"""Games of random moves, each of them repeatable by the number that it was made from."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random

from dalang.engine.chance import QuickChance, SeededChance
from dalang.engine.game import NOBODY, Game, Move, Plain, State, plain
from dalang.engine.record import Record, enact

MOST_DECISIONS = 100_000
"""The number of decisions after which a game is taken for endless."""


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

    def hold(self, state: State) -> None:
        """The invariant, if there is one."""
        if self.invariant is not None:
            self.invariant(state)

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
    state, rng = start(table, f"walk {seed}"), Random(seed)
    for _ in range(MOST_DECISIONS):
        yield state
        if state.seat == NOBODY:
            return
        state.play(any_move(state, rng))
    raise endless(state)


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
