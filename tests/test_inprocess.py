"""Matches and tournaments between functions: the same as between processes, move for move."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

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
    match = dalang.play_match("kali", [last, last, lambda request: 0, "random", "random"])
    assert match.players == ("last", "last-2", "lambda", "random", "random-2")


def test_a_game_that_is_not_installed_can_be_played() -> None:
    assert sorted(dalang.play_match(BEACH, [last, "random"]).places) in ([1, 1], [1, 2])


def test_what_a_function_raises_comes_through() -> None:
    def trips(request: Request) -> LegalMove:
        raise ZeroDivisionError("of mine")

    with pytest.raises(ZeroDivisionError, match="of mine"):
        dalang.play_match("kali", [trips, "random"])


@pytest.mark.parametrize("answer", [2, -1, ["fly"], ("draw", "twice")])
def test_an_illegal_answer_is_told_at_once(answer: Any) -> None:
    with pytest.raises(IllegalMove, match="is not one of the moves at 'go_on'"):
        dalang.play_match("kali", [lambda request: answer, "random"], seed="s")


def test_a_program_is_no_function(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text("", encoding="utf-8")
    with pytest.raises(dalang.SetupError, match="only functions and bundled bots play in this process"):
        dalang.play_match("kali", [str(script), "random"])
