"""Matches and tournaments between functions: the same as between processes, move for move."""

from __future__ import annotations

import gc
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalang
from dalang.engine.game import IllegalMove
from dalang.harness.cli.main import answered
from dalang.kit import LegalMove, Request
from tests.beach import BEACH
from tests.roomy import room_for

LINEUPS = [
    ("kali", ["first", "random", "cautious"], 2, 2),
    ("bali_wrede", ["random", "planner", "seer:3"], 3, 1),
    ("bali_rosenberg", ["random", "guardian", "first"], 3, 1),
]


def last(request: Request) -> LegalMove:
    return request.moves[-1]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "bots", "seats", "blocks"), LINEUPS, ids=[game for game, *_ in LINEUPS])
def test_functions_play_as_their_processes_do_move_for_move(
    game: str, bots: list[str], seats: int, blocks: int, tmp_path: Path
) -> None:
    file = tmp_path / "processes.db"
    words = [
        "--seats",
        str(seats),
        "--blocks",
        str(blocks),
        "--seed",
        "both",
        "--db",
        str(file),
        "--jobs",
        "1",
    ]
    assert answered(["run", game, *bots, *words, "--no-clock", *room_for("run")]) == 0
    outside = dalang.open(file)
    inside = dalang.tournament(game, bots, seats=seats, blocks=blocks, seed="both")
    assert list(inside.matches()) == list(outside.matches())
    for match in inside.matches():
        one, other = (each.record(match.block, match.rotation) for each in (inside, outside))
        assert one["record"] == other["record"]
        assert one["notes"] == other["notes"]
    assert inside.standings() == outside.standings()
    assert inside.crosstable() == outside.crosstable()


def test_a_tournament_of_functions_is_a_file_like_any_other(tmp_path: Path) -> None:
    file, told = tmp_path / "functions.db", list[int]()
    played = dalang.tournament(
        "kali", {"late": last, "luck": "random"}, blocks=3, seed="s", file=file, progress=told.append
    )
    assert told == [1, 2, 3]
    assert [line.name for line in dalang.open(file).standings()] == [line.name for line in played.standings()]
    for command in (["standings"], ["verify"], ["replay"]):
        assert answered([*command, str(file), *(["0.0"] if command == ["replay"] else [])]) == 0
    with pytest.raises(dalang.SetupError, match="is there already; choose another file"):
        dalang.tournament("kali", [last, "random"], file=file)


def test_what_is_not_kept_goes_when_nobody_holds_it() -> None:
    played = dalang.tournament("kali", [last, "random"], blocks=1)
    folder = played.path.parent
    assert folder.is_dir()
    del played
    gc.collect()
    assert not folder.exists()


def test_a_seed_gives_one_match_and_none_gives_any() -> None:
    one, same = (dalang.play_match("kali", [last, "random"], seed="s") for _ in range(2))
    assert one.record["record"] == same.record["record"]
    others = {dalang.play_match("kali", ["random", "random"]).moves for _ in range(3)}
    assert len(others) > 1


def test_players_have_names_of_their_own() -> None:
    match = dalang.play_match("kali", [last, last, lambda request: 0, "random", "random", "calm=cautious"])
    assert match.players == ("last", "last-2", "lambda", "random", "random-2", "calm")


@pytest.mark.parametrize("name", ["", "red \x1b[31m", "x" * 101])
def test_names_are_those_that_any_bot_may_have(name: str) -> None:
    with pytest.raises(dalang.SetupError, match="a bot cannot be called"):
        dalang.tournament("kali", {name: last, "luck": "random"}, blocks=1)


@pytest.mark.parametrize(
    ("players", "words"),
    [("random", "players are a list, or a dict"), ([3, last], "a player is a function, or the name")],
)
def test_what_cannot_play_is_told_in_one_line(players: Any, words: str) -> None:
    for play in (dalang.play_match, dalang.tournament):
        with pytest.raises(dalang.SetupError, match=words):
            play("kali", players)


def test_seeds_may_be_numbers_and_a_game_may_be_itself() -> None:
    by_number, by_text = (dalang.play_match("kali", [last, "random"], seed=seed) for seed in (7, "7"))
    assert by_number.record["record"] == by_text.record["record"]
    played = dalang.tournament(dalang.game("kali"), [last, "random"], blocks=1, seed=7)
    assert played.terms["seed"] == "7"


def test_a_game_that_is_not_installed_can_be_played() -> None:
    assert sorted(dalang.play_match(BEACH, [last, "random"]).places) in ([1, 1], [1, 2])


@pytest.mark.parametrize("raised", [ZeroDivisionError("of mine"), StopIteration()], ids=repr)
def test_what_a_function_raises_comes_through_and_says_where(raised: Exception) -> None:
    def trips(request: Request) -> LegalMove:
        raise raised

    with pytest.raises(type(raised)) as error:
        dalang.play_match("kali", [trips, "random"], seed="s")
    assert error.value is raised
    assert raised.__notes__[0] == "trips at question 1, deciding 'go_on', in the match with seed 's'"


def test_nothing_is_left_of_a_tournament_in_which_a_function_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(IllegalMove):
        dalang.tournament("kali", [lambda request: ["fly"], "random"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("answer", [2, -1, ["fly"], ("draw", "twice"), None, 0.0, True, "draw"])
def test_an_illegal_answer_is_told_at_once(answer: Any) -> None:
    with pytest.raises(IllegalMove, match="is not one of the moves at 'go_on'"):
        dalang.play_match("kali", [lambda request: answer, "random"], seed="s")


def test_a_note_is_text() -> None:
    def estimates(request: Request) -> int:
        request.note = 0.7  # type: ignore[assignment]
        return 0

    with pytest.raises(TypeError, match=r"request\.note must be text, not 0\.7"):
        dalang.play_match("kali", [estimates, "random"])


def test_numbers_of_numpy_are_numbers() -> None:
    plain, numpy = (
        dalang.play_match("kali", {"one": lambda request, n=n: n(0), "two": "random"}, seed="s")
        for n in (int, np.int64)
    )
    assert plain.moves == numpy.moves


def test_a_function_may_change_what_it_is_given_and_changes_nothing_else() -> None:
    def spoils(request: Request) -> LegalMove:
        for event in request.events:
            event.clear()
        request.options["fields"][:] = [1] * 18
        request.view.clear()
        return request.moves[-1]

    clean, spoilt = (
        dalang.play_match("kali", {"one": one, "two": "random"}, seed="s") for one in (last, spoils)
    )
    assert clean.record["record"] == spoilt.record["record"]


def test_a_program_is_no_function(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("", encoding="utf-8")
    with pytest.raises(dalang.SetupError, match="only functions and bundled bots play in this process"):
        dalang.play_match("kali", [str(script), "random"])
