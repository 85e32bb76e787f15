"""The catalogue, and games that other packages add to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from dalang.engine import catalogue, plugins
from dalang.engine.game import SetupError
from dalang.engine.games import kali

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
