"""Golden games: every decision, view, list of moves and event of one seeded game, for people to read.

A change in them is a change in what bots see. `pytest tests/test_playthroughs.py --update-playthroughs`
writes them anew, and the difference is reviewed like code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from dalang.engine.game import NOBODY, Plain
from tests.playing import start
from tests.tables import PLAYTHROUGHS, Table

FOLDER = Path(__file__).parent / "playthroughs"


@pytest.mark.parametrize("table", PLAYTHROUGHS, ids=str)
def test_the_golden_game_is_played_as_ever(table: Table, pytestconfig: pytest.Config) -> None:
    path = FOLDER / f"{table}.txt"
    text = "\n".join(playthrough(table)) + "\n"
    if pytestconfig.getoption("--update-playthroughs"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_every_golden_game_belongs_to_a_table() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {str(table) for table in PLAYTHROUGHS}


def playthrough(table: Table) -> Iterator[str]:
    state, rng = start(table, f"golden {table}"), Random(str(table))
    assert state.events is not None
    yield f"# {table.game.title}, {table.seats} seats, options {json.dumps(table.options)}"
    yield "# A view is shown by what has changed since the same seat's last one."
    told, number = 0, 0
    shown: dict[int, Plain] = {}
    while state.seat != NOBODY:
        yield from (f"    {event.full}" for event in state.events[told:])
        told = len(state.events)
        view, moves = state.view(state.seat), state.moves()
        move = rng.choice(moves)
        yield f"\n{number}. seat {state.seat}: {state.decision}"
        yield from (f"    {line}" for line in changes(shown.get(state.seat, {}), view))
        yield "    moves: " + " | ".join(" ".join(map(str, each)) for each in moves)
        yield "    plays: " + " ".join(map(str, move))
        shown[state.seat] = view
        state.play(move)
        number += 1
    yield from (f"    {event.full}" for event in state.events[told:])
    yield f"\n{state.outcome()}"
    yield from (f"seat {seat} at the end: {json.dumps(state.view(seat))}" for seat in range(table.seats))


def changes(old: Plain, new: Plain) -> Iterator[str]:
    for name, value in new.items():
        if name not in old or old[name] != value:
            yield f"{name} = {json.dumps(value)}"
