"""The window on running matches: who looks in sees a match as far as it has come, or nothing, never a mixture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from mmap import mmap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.harness.blocks import MatchKey
from dalang.harness.match.referee import Match
from dalang.harness.tournament import window
from dalang.harness.tournament.window import HEADING, Glimpse, Pane, new_window, panes_in
from tests.refereed import play

NAMES = ("ann", "bob")


@contextmanager
def places(number: int) -> Iterator[tuple[list[Pane], list[Pane]]]:
    """The same places for those who play and for those who look on."""
    with new_window(number) as file:
        yield panes_in(file.fileno()), panes_in(file.fileno())


def seen(place: Pane) -> Glimpse:
    glimpse = place.look()
    assert glimpse
    return glimpse


def test_every_place_shows_its_own_match() -> None:
    with places(3) as (playing, watching):
        assert [place.look() for place in watching] == [None] * 3
        for number, place in enumerate(playing):
            place.seat(MatchKey(number, 1), 7, NAMES)
            assert watching[number].look() is None  # until the game begins
            place.start()
            for choice in range(number):
                place.choose(choice)
        for number, place in enumerate(watching):
            found = seen(place)
            assert (found.key, found.deal, found.names) == (MatchKey(number, 1), 7, NAMES)
            assert list(found.choices) == list(range(number))
        playing[1].clear()
        assert [place.look() is None for place in watching] == [False, True, False]


def test_a_match_that_is_played_again_begins_anew() -> None:
    with places(1) as ([playing], [watching]):
        playing.seat(MatchKey(0, 0), 0, NAMES)
        playing.start()
        playing.choose(5)
        before = seen(watching)
        playing.start()
        assert list(seen(watching).choices) == []
        assert seen(watching).edition > before.edition


def test_the_successor_of_a_worker_that_died_goes_on_at_its_place() -> None:
    with new_window(1) as file:
        [first], [watching] = panes_in(file.fileno()), panes_in(file.fileno())
        first.seat(MatchKey(0, 0), 0, NAMES)
        first.start()
        first.edition += 1  # it died while it changed its place
        first.write(0, 0)
        assert watching.look() is None
        [second] = panes_in(file.fileno())
        second.seat(MatchKey(1, 0), 1, NAMES)
        second.start()
        assert seen(watching).key == MatchKey(1, 0)


class Disturbing:
    """Reads headings; whenever it has read one, a worker goes on."""

    size, pack_into = HEADING.size, HEADING.pack_into

    def __init__(self, going_on: Iterator[None], pace: int) -> None:
        self.going_on, self.pace = going_on, pace

    def unpack_from(self, memory: mmap, begin: int) -> tuple[int, ...]:
        found = HEADING.unpack_from(memory, begin)
        for _ in range(self.pace):
            next(self.going_on, None)
        return found


@given(st.lists(st.integers(0, 99), max_size=20), st.integers(0, 60), st.integers(0, 30))
def test_whenever_one_looks_there_is_a_match_or_nothing(choices: list[int], moment: int, pace: int) -> None:
    """Between any two things that he reads a worker may go on, also to another match."""
    with places(1) as ([playing], [watching]), pytest.MonkeyPatch.context() as patch:

        def story() -> Iterator[None]:
            for match in range(4):
                playing.seat(MatchKey(match, 0), match, (f"{match}", *NAMES * (match + 1)))
                yield playing.start()
                for choice in choices:
                    yield playing.choose(100 * match + choice)

        going_on = story()
        for _ in range(moment):
            next(going_on, None)
        patch.setattr(window, "HEADING", Disturbing(going_on, pace))
        found = watching.look()
    if found:
        match = found.key.block
        assert (found.deal, found.names[0]) == (match, f"{match}")
        assert list(found.choices) == [100 * match + choice for choice in choices[: len(found.choices)]]


def test_what_has_no_room_is_not_shown_and_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window, "MOST_CHOICES", 3)
    with places(2) as ([playing, neighbour], [watching, beside]):
        neighbour.seat(MatchKey(9, 0), 9, NAMES)
        neighbour.start()
        playing.seat(MatchKey(0, 0), 0, ("n" * window.HEADING_ROOM, "bob"))
        playing.start()
        assert watching.look() is None
        playing.seat(MatchKey(0, 0), 0, NAMES)
        playing.start()
        for choice in range(5):
            playing.choose(choice)
        assert list(seen(watching).choices) == [0, 1, 2]
        assert seen(beside).key == MatchKey(9, 0)


def test_the_referee_notes_every_move_of_a_match() -> None:
    with places(1) as ([playing], [watching]):
        playing.seat(MatchKey(0, 0), 0, NAMES)
        played = play(Match(find_game("kali"), "noted", NAMES), playing)
        state = find_game("kali").start(2, SeededChance("noted"))
        for choice in seen(watching).choices:
            state.play(state.moves()[choice])
    assert state.outcome() == played.record.outcome
