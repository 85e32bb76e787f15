"""One seat against bots: what Gymnasium asks of it, functions and processes at the other seats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from dalang import SetupError, learn
from dalang.kit import LegalMove, Request
from tests.test_learn import NO_ACTIONS, legal


@pytest.mark.parametrize(
    ("game", "against"),
    [("kali", ["random"]), ("bali_wrede", ["random", "planner"]), ("bali_rosenberg", ["first", "guardian"])],
)
def test_one_seat_passes_the_check_of_gymnasium(game: str, against: list[str]) -> None:
    check_env(learn.single(game, against), skip_render_check=True)
    for mode in ("ansi", "html"):
        env = learn.single(game, against, render_mode=mode)
        env.reset(seed=1)
        assert "learner" in str(env.render())


def finished(env: Any, rng: np.random.Generator, seed: int | None = None) -> tuple[list[int], float]:
    """The actions of one match of random moves, and its reward."""
    seen, info = env.reset(seed=seed)
    actions, over, reward = [], False, 0.0
    while not over:
        assert (seen["action_mask"] == info["action_mask"]).all()
        assert (seen["action_mask"] == env.action_masks()).all()
        actions.append(legal(seen["action_mask"], rng))
        seen, reward, over, cut_off, info = env.step(actions[-1])
        assert not cut_off
        assert over or reward == 0
    return actions, reward


def test_one_seat_is_played_by_the_learner_and_the_others_by_bots() -> None:
    asked = []

    def other(request: Request) -> LegalMove:
        asked.append(request.seat)
        return request.moves[0]

    env, rng = learn.single("kali", [other], seat=1), np.random.default_rng(1)
    rewards = {finished(env, rng)[1] for _ in range(20)}
    assert rewards == {1, -1}
    assert set(asked) == {0}


def test_the_seat_is_another_in_every_match_if_none_is_chosen() -> None:
    env, rng = learn.single("kali", ["random", "random"]), np.random.default_rng(1)
    seats = set()
    for _ in range(20):
        finished(env, rng)
        seats.add(env.seat)
    assert seats == {0, 1, 2}


def test_a_seed_gives_one_match() -> None:
    one, other = (
        finished(learn.single("kali", ["random"]), np.random.default_rng(1), seed=3) for _ in range(2)
    )
    assert one == other


@pytest.mark.parametrize("action", NO_ACTIONS)
def test_an_illegal_action_is_a_fault_and_the_last_place(action: Any) -> None:
    env = learn.single("kali", ["random"], seat=0)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(action)
    assert (reward, over, info["illegal"]) == (-1, True, True)
    assert info["faults"] == [f"learner: illegal: action {action} is not legal"]


def test_what_a_function_raises_comes_through_and_the_match_is_no_more() -> None:
    def looks_in_vain(request: Request) -> LegalMove:
        return next(move for move in request.moves if move == ["fly"])  # raises StopIteration

    env = learn.single("kali", [looks_in_vain], seat=1)
    with pytest.raises(StopIteration) as error:
        env.reset(seed=1)
    assert error.value.__notes__[0].startswith("looks_in_vain at question 1, deciding 'go_on'")
    with pytest.raises(SetupError, match=r"call reset\(\) first"):
        env.step(0)


def bot(folder: Path, choice: str) -> str:
    """A script named mine.py that makes this choice."""
    folder.mkdir()
    script = folder / "mine.py"
    script.write_text(
        "from dalang.kit import run\n"
        "if __name__ == '__main__':\n"
        f"    run(lambda request: {choice}, name='mine')\n",
        encoding="utf-8",
    )
    return str(script)


@pytest.mark.slow
def test_bots_in_processes_of_their_own_play_as_functions_do(tmp_path: Path) -> None:
    """Also two that have one name."""
    scripts = [
        bot(tmp_path / "a", "request.rng.choice(request.moves)"),
        bot(tmp_path / "b", "request.moves[0]"),
    ]
    outside = learn.single("kali", scripts, isolate="none")
    inside = learn.single("kali", ["random", "first"])
    for seed in range(3):
        one, other = (finished(env, np.random.default_rng(seed), seed) for env in (outside, inside))
        assert one == other
        assert [turn.move for turn in outside.match.turns] == [turn.move for turn in inside.match.turns]
    assert not outside.match.faults
    outside.close()
    assert not outside.outside.thread.is_alive()
    with pytest.raises(SetupError, match="the bots have gone home"):
        outside.reset()


@pytest.mark.slow
def test_one_seat_passes_the_check_of_gymnasium_also_against_processes(tmp_path: Path) -> None:
    check_env(learn.single("kali", [bot(tmp_path / "a", "0")], isolate="none"), skip_render_check=True)


STRICT = """
import json, sys
def say(**words): print(json.dumps(words), flush=True)
say(type="hello", protocol=1, name="strict")
playing = False
for line in sys.stdin:
    heard = json.loads(line)
    if heard["type"] == "start":
        assert not playing and heard["limits"]
        playing = True
        say(type="ready")
    elif heard["type"] == "decide":
        say(type="move", id=heard["id"], move=0)
    else:
        playing = False
"""


@pytest.mark.slow
def test_a_match_that_is_left_ends_for_the_bots_too(tmp_path: Path) -> None:
    script = tmp_path / "strict.py"
    script.write_text(STRICT, encoding="utf-8")
    env = learn.single("kali", [str(script)], isolate="none")
    for _ in range(3):
        _, info = env.reset()
        assert not info["faults"]
    outside = env.outside
    del env
    assert outside
    assert not outside.thread.is_alive()  # nobody holds the environment, so its bots have gone


@pytest.mark.slow
def test_a_bot_that_breaks_the_contract_is_told_of(tmp_path: Path) -> None:
    env = learn.single("kali", [bot(tmp_path / "a", "['fly']")], seat=0, isolate="none")
    env.reset(seed=1)
    over, info = False, {}
    while not over:
        _, _, over, _, info = env.step(int(env.action_masks().argmax()))
    env.close()
    assert [line.partition("; return")[0] for line in info["faults"]] == [
        "mine: illegal: choose returned ['fly']"
    ]


@pytest.mark.slow
def test_a_bot_that_cannot_be_started_is_told_at_once(tmp_path: Path) -> None:
    script = tmp_path / "dead.py"
    script.write_text("raise SystemExit(3)\n", encoding="utf-8")
    with pytest.raises(SetupError, match="dead cannot be started"):
        learn.single("kali", [str(script)], isolate="none")
