"""Views as numbers: what each means, and that a seat sees the table from its own chair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dalang import learn
from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Plain, State
from dalang.testing import Table
from tests.beach import BEACH
from tests.tables import TABLES

Turn = Callable[[Any, int], Any]
"""What stands in a view, as it would if everybody sat one seat further on, at a table of so many."""


def seat(value: Any, seats: int) -> Any:
    return value if value in (None, NOBODY) else (value + 1) % seats


def by_seat(values: Any, seats: int) -> Any:
    return [*values[-1:], *values[:-1]]


def listed(values: Any, seats: int) -> Any:
    return sorted(seat(value, seats) for value in values)


def each(values: Any, seats: int) -> Any:
    return [seat(value, seats) for value in values]


def first_of_each(rows: Any, seats: int) -> Any:
    return sorted([seat(row[0], seats), *row[1:]] for row in rows)


def inner(**turns: Turn) -> Turn:
    return lambda value, seats: turned(value, seats, turns)


TURNS: dict[str, dict[str, Turn]] = {
    "kali": {"owner": seat, "acting": seat, "wealth": by_seat},
    "bali_wrede": {
        "turn": seat,
        **dict.fromkeys(["tables", "hands", "stone", "points", "total", "open", "down", "picks"], by_seat),
        "laid": first_of_each,
    },
    "bali_rosenberg": {
        "active": seat,
        "fled": listed,
        "play": inner(spared=seat, leader=seat),
        "chips": inner(priest=each, prince=each),
        "seals": each,
        **dict.fromkeys(["taken", "hands", "stacks", "dealt"], by_seat),
        "sure": first_of_each,
    },
}
"""What of a view goes by seats, but for what is not told in numbers."""


def turned(view: Plain, seats: int, turns: dict[str, Turn]) -> Plain:
    return {key: turns[key](value, seats) if key in turns else value for key, value in view.items()}


def positions(table: Table) -> Iterator[State]:
    """Of a game of random moves."""
    rng = Random("positions")
    state = table.game.start(table.seats, SeededChance("positions"), **table.options)
    while state.seat != NOBODY:
        yield state
        state.apply(rng.choice(state.moves()))
    yield state


@pytest.mark.parametrize("table", [table for table in TABLES if table.game.name in TURNS], ids=str)
def test_a_table_that_is_turned_looks_the_same_from_the_chair_that_has_moved_with_it(table: Table) -> None:
    game, seats = table.game, table.seats
    turns = {"you": seat, "asked": seat, **TURNS[game.name]}
    for state in positions(table):
        for me in range(seats):
            view = state.view(me)
            assert table.encoding.encode(turned(view, seats, turns)) == table.encoding.encode(view)


@pytest.mark.parametrize("seats", [3, 4])
def test_a_move_that_names_a_seat_counts_it_from_who_makes_it(seats: int) -> None:
    actions = find_game("bali_rosenberg").actions(seats)
    for me in range(seats):
        left, right = ((me + step) % seats for step in (1, seats - 1))
        numbers = [actions.index(("play", "warrior", spared), me) for spared in (left, right)]
        assert [actions[number] for number in numbers] == [
            ("play", "warrior", 1),
            ("play", "warrior", seats - 1),
        ]


@pytest.mark.parametrize("table", [*TABLES, Table(BEACH, 2)], ids=str)
def test_every_number_has_a_name_and_a_meaning(table: Table) -> None:
    encoding = table.encoding
    assert len(set(encoding.names)) == len(encoding.names) == encoding.size
    assert all(feature.about for feature in encoding.features)
    told = learn.describe(table.game, table.seats, **table.options)
    assert f"{encoding.size} numbers" in told
    assert all(f"`{feature.key}`" in told for feature in encoding.features if feature.key)


def test_of_a_game_that_declares_nothing_all_of_the_view_is_told() -> None:
    told = learn.describe(BEACH)
    assert "| all of it     | `hash 0`" in told
    assert "Not told" not in told


def test_the_page_shows_what_the_numbers_mean() -> None:
    page = (Path(__file__).parent.parent / "docs" / "learning.md").read_text(encoding="utf-8")
    assert learn.describe("kali") in page
    for table in TABLES:
        if not table.options and table.game.name in bundled_games():
            size, actions = table.encoding.size, len(table.actions)
            assert f"| `{table.game.name}` | {table.seats} | {actions} | {size} |" in page
