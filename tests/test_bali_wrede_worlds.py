"""What a seat may imagine: every world that all it was told allows, each as likely as the others, no more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dalang.engine.chance import TABLE, Bag, QuickChance, ScriptedChance
from dalang.engine.game import NOBODY
from dalang.engine.games.bali_wrede.sight import clues
from dalang.engine.games.bali_wrede.worlds import Worlds, worlds
from dalang.engine.record import seen
from tests.examples import tried
from tests.wrede import WREDE, load, play, position

# ---- All worlds by brute force: play the game again with every hidden choice there could have been


def brute_force(state: Any, opening: dict[str, Any], seat: int) -> list[str]:
    """The states that this seat cannot tell from this one, which was played from this opening."""
    told = seen(state.events, seat)
    full = [event.full for event in state.events]
    drawn = [card for event in full for card in event.get("drawn", ())]
    moves = [event for event in full if event["event"] == "move"]
    found = []
    for other in openings(opening):
        found += [world.dump() for world in replays(load(other, ScriptedChance(drawn)), moves, told, seat)]
    return sorted(map(json.dumps, found))


def openings(opening: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The setup cards in every order (§10.1)."""
    if not opening["laid"]:
        yield opening
        return
    for kinds in permutations(range(4)):
        yield opening | {"laid": [[NOBODY, True, kind] for kind in kinds]}


def replays(state: Any, moves: list[Any], told: list[Any], seat: int) -> Iterator[Any]:
    """Play these moves, and where the seat did not see one, any that would have looked like it."""
    for number, event in enumerate(moves):
        move = tuple(event["move"])
        if event["seat"] != seat and (event["decision"] == "offer_down" or move[0] == "keep"):
            for choice in state.moves():
                twin = state.clone()
                if choice[0] == move[0] and sounds_right(twin, choice, told, seat):
                    yield from replays(twin, moves[number + 1 :], told, seat)
            return
        if move not in state.moves() or not sounds_right(state, move, told, seat):
            return
    yield state


def sounds_right(state: Any, move: Any, told: list[Any], seat: int) -> bool:
    """Make the move; is this what the seat was told of it and of all that followed?"""
    before = len(state.events)
    state.apply(move)
    return seen(state.events[before:], seat) == told[before : len(state.events)]


# ---- All worlds that can be imagined


class Chosen:
    """A chance that always gives the same number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def below(self, limit: int, purpose: str, seat: int = TABLE) -> int:
        return self.number

    def draw(self, bag: Bag, purpose: str, seat: int = TABLE) -> int:
        raise AssertionError("nothing is drawn while imagining")

    def clone(self) -> Chosen:
        return self


def number_of_worlds(state: Any, seat: int) -> int:
    return Worlds(clues(state.view(seat))).number


def all_imagined(state: Any, seat: int) -> list[str]:
    view = state.view(seat)
    worlds = [WREDE.imagine(view, Chosen(number)) for number in range(number_of_worlds(state, seat))]
    return sorted(json.dumps(world.dump()) for world in worlds)


# ---- Games with many altars and looks


def rich_opening(seed: int, seats: int, oracle: bool) -> dict[str, Any]:
    """A start at which everybody can pay for altars and has some in hand."""
    dump = WREDE.start(seats, QuickChance(seed), oracle=oracle).dump()
    return dump | {
        "stone": [60] * seats,
        "hands": [[1, 0, 2, 0, 0, 0, 0] for _ in range(seats)],
        "rows": [[2, 0], [2], [0], [2]],
    }


def played(opening: dict[str, Any], seed: int, moves: int) -> Any:
    state, rng = load(opening, QuickChance(seed)), Random(seed)
    for _ in range(moves):
        if state.seat == NOBODY:
            break
        state.play(curious(state, rng))
    return state


def curious(state: Any, rng: Random) -> Any:
    """Random, but fond of altars and looks."""
    moves = state.moves()
    fond = [move for move in moves if move in (("look",), ("play", "altar"))]
    return rng.choice(fond or moves)


BARE = {"laid": [], "place": []}
"""Without the setup cards there are fewer worlds, so longer histories can be compared."""


@pytest.mark.parametrize(
    ("oracle", "changes"),
    [(False, {}), (True, {}), (True, BARE)],
    ids=["no oracle", "oracle", "oracle without setup cards"],
)
@tried(20)
@given(seed=st.integers(0, 2**32), seats=st.integers(2, 4), moves=st.integers(0, 60))
def test_the_imagined_worlds_are_those_that_brute_force_finds(
    oracle: bool, changes: dict[str, Any], seed: int, seats: int, moves: int
) -> None:
    opening = rich_opening(seed, seats, oracle) | changes
    state = played(opening, seed, moves)
    for seat in range(seats):
        assume(number_of_worlds(state, seat) <= 100)
        assert all_imagined(state, seat) == brute_force(state, opening, seat)


def test_the_end_leaves_only_worlds_with_the_place_and_the_cards_it_showed() -> None:
    compared = 0
    for seed in range(8):
        opening = rich_opening(seed, 2, oracle=True) | {"stack": short_stack()}
        state = played(opening, seed, 200)
        assert state.seat == NOBODY
        for seat in range(2):
            if number_of_worlds(state, seat) <= 60:
                assert all_imagined(state, seat) == brute_force(state, opening, seat)
                compared += len(state.looks) > 0
    assert compared > 3


def short_stack() -> dict[str, int]:
    """A stack of 10, so that a game is over soon, with many oracles."""
    return dict.fromkeys(WREDE.state.BAGS["stack"], 0) | {"stonecutter": 3, "altar": 2, "oracle": 5}


# ---- A short position, by hand


def after_an_altar() -> Any:
    """Seat 0 has laid a card face down; openly he held two rice cards, a banana card and nothing else."""
    ledgers = [[2, 0, 1, 0], [1, 1, 1, 1]]
    state = position(
        seats=2, decision="offer_down", held=ledgers, open=ledgers, lows=[[low] for low in ledgers]
    )
    return play(state, "offer rice, add pepper")


def test_a_face_down_card_is_any_kind_he_can_have_held() -> None:
    state = after_an_altar()
    kinds = {WREDE.imagine(state.view(1), QuickChance(seed)).laid[0][2] for seed in range(50)}
    assert kinds == {0, 2}
    assert number_of_worlds(state, 0) == 1


def test_what_he_gets_later_does_not_widen_it_and_what_he_lays_later_narrows_it() -> None:
    state = after_an_altar()
    state.receive(0, 1)
    assert number_of_worlds(state, 1) == 2
    state.seat, state.turn = 0, 1
    state.on_offer("offer", "banana")
    assert number_of_worlds(state, 1) == 1
    assert WREDE.imagine(state.view(1), QuickChance(1)).laid[0][2] == 0


def test_each_world_is_equally_likely() -> None:
    opening = rich_opening(5, 3, oracle=True)
    state = next(
        state
        for state in (played(opening, 5, moves) for moves in range(100))
        if number_of_worlds(state, 0) > 20
    )
    chance, view = QuickChance("odds"), state.view(0)
    drawn = Counter(
        json.dumps(WREDE.imagine(view, chance).dump()) for _ in range(100 * number_of_worlds(state, 0))
    )
    assert sorted(drawn) == all_imagined(state, 0)
    chi_square = sum((number - 100) ** 2 / 100 for number in drawn.values())
    assert chi_square < 2 * len(drawn)  # far beyond 0.1 %; the seed is fixed


def test_the_same_clues_are_counted_only_once() -> None:
    state = after_an_altar()
    assert worlds(clues(state.view(1))) is worlds(clues(state.view(1)))


def test_few_situations_are_counted_where_there_are_many_worlds() -> None:
    counted = [late_game(seed) for seed in range(40)]
    assert max(late.number for late in counted) > 2_000
    assert max(len(late.known) for late in counted) < 1_000


def late_game(seed: int) -> Worlds:
    """What seat 0 may think near the end of a game with many offerings and looks."""
    opening = WREDE.start(3, QuickChance(seed), oracle=True).dump() | {"stone": [25] * 3}
    return Worlds(clues(played(opening, seed, 110).view(0)))
