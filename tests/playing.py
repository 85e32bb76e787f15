"""Random games for tests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from engine.chance import QuickChance, SeededChance
from engine.game import NOBODY, State
from engine.record import Record, enact
from tests.tables import Table


def start(table: Table, seed: str) -> State:
    return table.game.start(table.seats, SeededChance(seed), **table.options)


def walk(table: Table, seed: int) -> Iterator[State]:
    """The same state again and again, before each decision of a random game and at its end."""
    state = start(table, f"walk {seed}")
    rng = Random(seed)
    while state.seat != NOBODY:
        yield state
        state.play(rng.choice(state.moves()))
    yield state


def some(table: Table, seed: int, every: int = 7) -> Iterator[State]:
    """A few states of a random game, the last one included."""
    rng = Random(seed + 1)
    for state in walk(table, seed):
        if state.seat == NOBODY or not rng.randrange(every):
            yield state


def play_out(state: State, seed: int) -> State:
    rng = Random(seed)
    while state.seat != NOBODY:
        state.play(rng.choice(state.moves()))
    return state


def random_record(table: Table, seed: int) -> Record:
    rng = Random(seed)
    return enact(
        table.game, table.seats, f"record {seed}", lambda state: rng.choice(state.moves()), **table.options
    )


def imagined(state: State, seat: int, seed: int) -> State:
    """A world that this seat cannot tell from the real one."""
    return type(state).imagine(state.view(seat), QuickChance(seed))
