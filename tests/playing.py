"""Games for tests: random ones, and matches between bots without their processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.chance import QuickChance, SeededChance
from dalang.engine.game import NOBODY, State
from dalang.engine.record import Record, enact, seen
from dalang.harness.match.limits import Limits
from dalang.kit import Request
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


# ---- Bots without processes

Choose = Callable[[Request], Any]


def chooser(name: str) -> Choose:
    choose: Choose = import_module(f"dalang.bots.{name}_bot").choose
    return choose


def played(
    game: str, choosers: list[Choose], seed: str, notes: list[str] | None = None, **options: Any
) -> Record:
    """A match without processes: each seat gets the requests that the kit would make."""
    find = find_game(game)
    said = {
        "game": game,
        "seats": len(choosers),
        "options": find.checked_options(options),
        "limits": Limits().announced(),
    }
    requests = [Request({**said, "seat": seat, "seed": f"{seed} {seat}"}) for seat in range(len(choosers))]

    told = [0] * len(choosers)

    def choose(state: Any) -> Any:
        seat, moves = state.seat, state.moves()
        request = requests[seat]
        events = seen(state.events[told[seat] :], seat)
        told[seat] = len(state.events)
        asked = {"decision": state.decision, "events": events, "view": state.view(seat)}
        request.take({**asked, "moves": [list(move) for move in moves]})
        chosen = choosers[seat](request)
        if notes is not None and len(moves) > 1:
            notes.append(request.note)
        return moves[chosen] if isinstance(chosen, int) else tuple(chosen)

    return enact(find, len(choosers), seed, choose, **options)
