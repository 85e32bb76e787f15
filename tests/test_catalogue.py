"""The catalogue, and games that other packages add to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from dalang.bots.policies import policy_of
from dalang.engine import catalogue, plugins
from dalang.engine.game import Game, SetupError
from dalang.engine.games import kali
from dalang.harness.people.sitting import company
from dalang.harness.people.tables import face_of

FERRY = replace(kali.GAME, name="ferry")


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    points: list[EntryPoint] = []
    monkeypatch.setattr(plugins, "entry_points", lambda group: points if group == "dalang.games" else [])
    catalogue.games.cache_clear()
    yield points
    catalogue.games.cache_clear()


def point(value: str) -> EntryPoint:
    return EntryPoint("any", value, "dalang.games")


def test_another_package_can_add_a_game(plug_in: list[EntryPoint]) -> None:
    plug_in.append(point("tests.test_catalogue:FERRY"))
    assert catalogue.find_game("ferry") is FERRY
    assert list(catalogue.games())[-1] == "ferry"


def test_where_the_rules_of_an_added_game_are_is_known_once_somebody_asks(plug_in: list[EntryPoint]) -> None:
    plug_in.append(point("tests.beach:BEACH"))
    assert catalogue.find_game("kali") and catalogue.added_modules() == []
    assert catalogue.find_game("beach") and catalogue.added_modules() == ["tests.beach"]


@pytest.mark.parametrize("place", ["tests.nowhere:FACE", "tests.beach:FACE", "", "tests.beach"])
def test_a_part_that_is_not_where_the_game_says_is_one_line(place: str) -> None:
    with pytest.raises(SetupError, match="kali has no part '"):
        kali.GAME.part(place)


def test_a_part_of_another_sort_is_refused() -> None:
    with pytest.raises(SetupError, match=r"'tests.beach:SHELLS' is no dalang\.faces\.Face"):
        face_of(replace(kali.GAME, face="tests.beach:SHELLS"))
    with pytest.raises(SetupError, match=r"'tests.beach:SHELLS' is no dalang\.bots\.search\.Policy"):
        policy_of(replace(kali.GAME, policy="tests.beach:SHELLS"))


def test_a_game_that_brings_only_its_rules_has_all_the_rest() -> None:
    bare = Game("bare", "Bare", (2,), 1, kali.GAME.state, kali.GAME.rulebook)
    assert bare.sentence({"event": "move", "seat": 1, "move": ["take", 2]}) == "Seat 1 chooses take 2."
    assert bare.sentence({"event": "fall", "drawn": [6]}) == "fall: drawn [6]."
    assert bare.sentence({"event": "end"}) == "end."
    assert company(bare) == ("random",)
    assert (bare.scored_by, bare.players()) == ("score", "2")
    assert face_of(bare).question("go_on") == "Decide: go_on"
    assert policy_of(bare).weights == {}


def test_a_bundled_game_cannot_be_replaced(plug_in: list[EntryPoint]) -> None:
    plug_in.append(point("dalang.engine.games.kali:GAME"))
    assert catalogue.games()["kali"] is kali.GAME


@pytest.mark.parametrize(
    ("value", "words"),
    [("no.such.module:GAME", "cannot be loaded"), ("tests.roomy:ROOMY", "is no dalang.engine.game")],
)
def test_a_broken_plug_in_is_named_and_left_out(plug_in: list[EntryPoint], value: str, words: str) -> None:
    plug_in.append(point(value))
    with pytest.warns(UserWarning, match=words):
        found = catalogue.games()
    assert tuple(found) == catalogue.bundled_games()


def test_an_unknown_game_is_refused_with_a_guess() -> None:
    with pytest.raises(SetupError, match="there is no game 'kalli'; did you mean 'kali'"):
        catalogue.find_game("kalli")
