"""A small terminal at which a person plays: page by page, the rulebook at hand, decisions that are taken back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.record import Record, discrepancies
from dalang.harness.people.screen import MORE, QUIT
from tests.terminal import Terminal, flat, terminal
from tests.test_play import PROMPT, play_on, read_json

pytestmark = pytest.mark.slow

SMALL = {"LINES": "24"}


def screens(at: Terminal, turns: int) -> Iterator[str]:
    """What stands on the screen whenever something is to be typed, after so many decisions."""
    begin = 0
    while turns:
        assert at.more()
        if at.shown.endswith((PROMPT, MORE)):
            yield at.shown[begin:]
            turns -= at.shown.endswith(PROMPT)
            typed = "1" if at.shown.endswith(PROMPT) else ""
            begin = len(at.shown) + len(typed) + 1  # it is echoed in the last row of this screen
            at.enter(typed)


@pytest.mark.parametrize("game", bundled_games())
def test_nothing_scrolls_away_from_a_small_terminal_before_it_was_seen(game: str, tmp_path: Path) -> None:
    with terminal("play", game, "--seed", "1", cwd=tmp_path, **SMALL) as at:
        seen = list(screens(at, turns=12))
    assert [text for text in seen if text.count("\n") >= 24] == []
    assert any(text.endswith(MORE) for text in seen)
    assert plain_lines(seen[0])[-2].startswith("Goal: "), "the introduction has a page of its own"
    assert all(len(line) <= 80 for text in seen for line in plain_lines(text))


def plain_lines(text: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()


def test_the_whole_rulebook_can_be_leafed_through(tmp_path: Path) -> None:
    with terminal("play", "kali", "first", "--seed", "7", cwd=tmp_path, **SMALL) as at:
        while not at.shown.endswith(PROMPT):
            at.more()
            if at.shown.endswith(MORE):
                at.enter()
        at.enter("??")
        first = at.until("q to the game: ")
        assert "Two to six thieves" in first
        assert first.count("\n") == 24
        at.enter()
        assert "Two to six thieves" not in at.until("q to the game: ")
        at.enter("b")
        assert "Two to six thieves" in at.until("q to the game: ")
        at.enter("/takeover price")
        assert "not doubled" in flat(at.until("q to the game: "))
        at.enter(QUIT)
        assert "Dare another card, or stop?" in at.until(PROMPT)


def test_who_is_bored_by_the_beginning_can_leave(tmp_path: Path) -> None:
    with terminal("play", "kali", "first", "--seed", "7", cwd=tmp_path, **SMALL) as at:
        at.until(MORE)
        at.enter("q")
        assert at.ended() == 0
    assert "nothing is kept" in at.shown


def test_a_bot_and_a_hint_that_take_long_are_said_to_think(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import time\n"
        "from dalang.kit import run\n"
        "def choose(request):\n"
        "    time.sleep(0.8)\n"
        "    return request.moves[-1]\n"
        "run(choose, name='slow')\n",
        encoding="utf-8",
    )
    with terminal("play", "kali", str(slow), "--seed", "7", "--hint", f"sage={slow}", cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("hint")
        assert "thinking…" in at.until(PROMPT)
        at.enter("2")
        assert at.until(PROMPT).count("thinking…") == 1


# ---- Taking back


def test_who_takes_back_decides_anew_and_it_is_practice(tmp_path: Path) -> None:
    with terminal("play", "kali", "first", "--seed", "7", "--save", "game.json", cwd=tmp_path) as at:
        first = flat(at.until(PROMPT))
        at.enter("u")
        assert "There is nothing to take back." in at.until(PROMPT)
        at.enter("2")
        at.until(PROMPT)
        at.enter("u")
        again = flat(at.until(PROMPT))
        assert "Taken back" in again
        assert again.endswith(first[first.index("Dare another card") :])
        at.enter("1")
        play_on(at)
    data = read_json(tmp_path / "game.json")
    assert data["names"] == ["you (practice)", "first"]
    assert "you (practice)" in at.shown
    mine = [move for seat, decision, move in data["record"]["turns"] if (seat, decision) == (0, "go_on")]
    assert mine[0] == ["draw"]
    assert discrepancies(Record.of_data(data["record"]), find_game("kali")) == []


def test_what_was_taken_back_is_kept_as_practice_by_who_leaves(tmp_path: Path) -> None:
    with terminal("play", "kali", "first", "--seed", "7", cwd=tmp_path) as at:
        for word in ("2", "2", "u", "q"):
            at.until(PROMPT)
            at.enter(word)
        assert at.ended() == 0
    assert read_json(tmp_path / "kali-1.json")["taken_back"] == 1
    with terminal("play", "kali-1.json", "--save", "game.json", cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("u")
        assert "Taken back" in at.until(PROMPT)
        at.enter("1")
        play_on(at)
    assert read_json(tmp_path / "game.json")["names"] == ["you (practice)", "first"]


def test_bots_say_again_what_they_said_before_a_decision_that_is_taken_back(tmp_path: Path) -> None:
    with terminal("play", "kali", "random", "b=random", "--seed", "3", cwd=tmp_path) as at:
        for _ in range(3):
            at.until(PROMPT)
            at.enter("2")
        at.until(PROMPT)
        at.enter("q")
        assert at.ended() == 0
    before = read_json(tmp_path / "kali-1.json")["answers"]
    with terminal("play", "kali-1.json", cwd=tmp_path) as at:
        at.until(PROMPT)
        at.enter("u")
        at.until(PROMPT)
        at.enter("q")
        assert at.ended() == 0
    after = read_json(tmp_path / "kali-1.json")["answers"]
    assert all(old[: len(new)] == new for old, new in zip(before, after, strict=True))
    assert len(after[0]) == len(before[0]) - 1
