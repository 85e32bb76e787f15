"""`dalang.learn`: what PettingZoo and Gymnasium ask of an environment, and what they do not ask but learners need."""

from __future__ import annotations

import builtins
import importlib
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # once the bench has installed pygame, it imports games that complain
    from pettingzoo.test import api_test, render_test, seed_test

from dalang import SetupError, learn
from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Game, IllegalMove
from dalang.harness.learn.arrays.kali import KaliArrays
from dalang.harness.learn.arrays.states import StateBatch
from dalang.harness.learn.table import REWARD_BY, LearningTable
from dalang.testing import Table
from tests.beach import BEACH
from tests.browser import Page
from tests.tables import TABLES

BY_NAME = "Observation is not a NumPy array|Observation space for each agent probably should be"
"""What `api_test` says to every environment whose name it does not know, and that has its mask in the observation."""

pytestmark = pytest.mark.filterwarnings(f"ignore:{BY_NAME}")
at_every_size = pytest.mark.parametrize(
    ("game", "seats"),
    [*[(table.game, table.seats) for table in TABLES if not table.options], (BEACH, 2), (BEACH, 3)],
    ids=lambda each: each.name if isinstance(each, Game) else str(each),
)

at_every_table = pytest.mark.parametrize("table", [*TABLES, Table(BEACH, 2), Table(BEACH, 3)], ids=str)


def legal(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


# ---- PettingZoo


@at_every_size
def test_an_environment_passes_the_tests_of_pettingzoo(game: Game, seats: int, capsys: Any) -> None:
    def made(render_mode: str | None = None) -> Any:
        return learn.env(game, seats, render_mode=render_mode)

    api_test(made(), num_cycles=60)
    seed_test(made, num_cycles=30)
    render_test(made, {"html": lambda page: page.startswith("<!doctype html>")})


@at_every_table
def test_the_mask_allows_the_legal_moves_and_no_others(table: Table) -> None:
    """`api_test` never looks at a mask inside a dict."""
    env, rng = learn.env(table.game, table.seats, **table.options), np.random.default_rng(1)
    env.reset(seed=1)
    for _, agent in zip(range(200), env.agent_iter(), strict=False):
        seen, _, over, _, info = env.last()
        if over:
            break
        state, seat = env.game_state, env.seat_of[agent]
        allowed = [env.table.actions.move(int(at), seat) for at in np.flatnonzero(seen["action_mask"])]
        assert sorted(map(str, allowed)) == sorted(map(str, state.moves()))
        assert len(allowed) > 1  # what is forced is not asked
        assert (seen["action_mask"] == info["action_mask"]).all()
        for other in set(env.agents) - {agent}:
            assert not env.observe(other)["action_mask"].any()
            assert not env.infos[other]["action_mask"].any()
        env.step(legal(seen["action_mask"], rng))


@at_every_size
def test_what_is_observed_is_the_encoded_view(game: Game, seats: int) -> None:
    env, rng = learn.env(game, seats), np.random.default_rng(2)
    env.reset(seed=2)
    for _ in range(50):
        for agent, seat in env.seat_of.items():
            expected = game.encoding(seats).encode(env.game_state.view(seat))
            assert env.observe(agent)["observation"].tobytes() == expected.tobytes()
        if any(env.terminations.values()):
            break
        env.step(legal(env.last()[0]["action_mask"], rng))


def test_a_game_is_the_one_of_the_engine_and_pays_when_it_is_over() -> None:
    for reward in REWARD_BY:
        env = learn.env("kali", 3, reward=reward, ask_forced=True, fine_rounding="up")
        env.reset(seed=5)
        state = find_game("kali").start(3, SeededChance(f"{env.deals.seed}/1"), fine_rounding="up")
        rng, paid = np.random.default_rng(3), {}
        for agent in env.agent_iter():
            seen, gain, over, _, _ = env.last()
            if over:
                paid[agent] = gain
                env.step(None)
                continue
            assert (env.seat_of[agent], gain) == (state.seat, 0)
            action = legal(seen["action_mask"], rng)
            state.play(env.table.actions.move(action, state.seat))
            env.step(action)
        assert state.seat == NOBODY
        scores, ranks, _ = state.outcome()
        assert list(paid.values()) == REWARD_BY[reward](ranks, scores)


def test_rewards_by_place_run_from_the_winner_to_the_last() -> None:
    assert REWARD_BY["place"]([1, 2, 3], [9, 5, 1]) == [1, 0, -1]
    assert REWARD_BY["place"]([1, 1], [5, 5]) == [0, 0]
    assert REWARD_BY["score"]([1, 2], [9, 5]) == [9, 5]


def test_a_seed_gives_one_game_after_the_other_and_no_seed_any() -> None:
    def deals(seed: int | None) -> list[bytes]:
        env = learn.env("bali_wrede")
        seen = []
        for again in (seed, None, None):
            env.reset(seed=again)
            seen.append(env.last()[0]["observation"].tobytes())
        return seen

    assert deals(7) == deals(7)
    assert len(set(deals(7))) == 3
    assert deals(None) != deals(None)


NO_ACTIONS: list[Any] = [3, 17, -1, -4, None, 0.0, "draw"]
"""At the first choice of a game of Kali."""


@pytest.mark.parametrize("action", NO_ACTIONS)
def test_an_illegal_action_is_refused_and_changes_nothing(action: Any) -> None:
    env = learn.env("kali")
    env.reset(seed=1)
    before = env.game_state.dump()
    with pytest.raises(IllegalMove, match=f"action {action} is not legal now"):
        env.step(action)
    assert env.game_state.dump() == before


def test_a_wrapper_makes_a_lost_game_of_an_illegal_action() -> None:
    lenient = TerminateIllegalWrapper(learn.env("kali"), illegal_reward=-1)
    lenient.reset(seed=1)
    loser = lenient.agent_selection
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lenient.step(3)
    assert lenient.rewards[loser] == -1
    assert all(lenient.terminations.values())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: learn.env("kalli"), "did you mean 'kali'"),
        (lambda: learn.env("kali", 7), "is for 2 to 6 players"),
        (lambda: learn.env("kali", feilds=[1]), "did you mean 'fields'"),
        (lambda: learn.env("kali", reward="luck"), "there is no reward 'luck'"),
        (lambda: learn.env("kali", render_mode="rgb"), "there is no render mode 'rgb'"),
        (lambda: learn.vector("kali", 0), "at least one game"),
        (lambda: learn.single("kali", ["random"], seat=2), "there is no seat 2 at a table of 2"),
        (lambda: learn.single("kali", ["rondom"]), "did you mean 'random'"),
        (lambda: learn.single("kali", ["random"]).step(0), r"call reset\(\) first"),
    ],
)
def test_a_mistake_is_told_in_one_line(make: Callable[[], object], words: str) -> None:
    with pytest.raises(SetupError, match=words) as error:
        make()
    assert "\n" not in str(error.value)


def test_who_lacks_the_extra_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_numpy(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "numpy":
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
        return real(name, *rest, **more)

    for name in [name for name in sys.modules if name.startswith(("dalang.learn", "dalang.harness.learn"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without_numpy)
    with pytest.raises(ModuleNotFoundError, match=re.escape("pip install 'dalang[learn]'")):
        importlib.import_module("dalang.learn")


def test_who_does_not_begin_a_game_is_told_to() -> None:
    for look in (lambda env: env.last(), lambda env: env.step(0), lambda env: env.render()):
        with pytest.raises(AttributeError, match=r"reset\(\)"):
            look(learn.env("kali", render_mode="ansi"))


def test_human_is_text_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    env = learn.env("kali", render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    assert "player_1" in capsys.readouterr().out


# ---- Many at once

VARIANTS = [{}, {"fine_rounding": "up", "after_takeover": "taker"}, {"fields": [9] * 18}]


def pairs() -> Iterator[tuple[int, dict[str, Any], str, bool]]:
    for seats in (2, 3, 6):
        for number, options in enumerate(VARIANTS):
            yield seats, options, ("place", "score")[(seats + number) % 2], number == 1


@pytest.mark.parametrize(("seats", "options", "reward", "ask_forced"), list(pairs()))
def test_arrays_of_kali_play_as_the_engine_does_number_for_number(
    seats: int, options: dict[str, Any], reward: str, ask_forced: bool
) -> None:
    table = LearningTable("kali", seats, options, reward, ask_forced)
    arrays, states = KaliArrays(table, 40), StateBatch(table, 40)
    rng, over = np.random.default_rng(seats), 0
    one, other = arrays.reset(seed=4), states.reset(seed=4)
    for _ in range(150):
        for name, mine, theirs in zip(one._fields, one, other, strict=True):
            assert (mine == theirs).all(), name
        actions = (rng.random(one.masks.shape) * one.masks).argmax(axis=1)
        one, other = arrays.step(actions), states.step(actions)
        over += int(one.over.sum())
    assert over > 40


@at_every_table
def test_each_game_of_a_batch_is_that_of_an_environment_step_by_step(table: Table) -> None:
    batch, rng = learn.vector(table.game, 3, table.seats, **table.options), np.random.default_rng(1)
    env = learn.env(table.game, table.seats, **table.options)
    now, steps = batch.reset(seed=1), 0
    env.reset(seed="1/2")  # type: ignore[arg-type]
    while steps < 100 and not now.over[2]:
        seen, *_ = env.last()
        assert now.seats[2] == env.game_state.seat
        assert now.observations[2].tobytes() == seen["observation"].tobytes()
        assert (now.masks[2] == seen["action_mask"]).all()
        actions = [legal(mask, rng) for mask in now.masks]
        env.step(actions[2])
        now, steps = batch.step(actions), steps + 1
        assert not now.rewards[~now.over].any()
        assert now.rewards[2].tolist() == pytest.approx(list(env.rewards.values()))
        assert now.over[2] == any(env.terminations.values())


def test_a_batch_repeats_itself_by_its_seed_and_goes_on_without() -> None:
    def seen(*seeds: int | None) -> list[bytes]:
        batch = learn.vector("kali", 64)
        return [batch.reset(seed=seed).observations.tobytes() for seed in seeds]

    assert seen(1, None) == seen(1, None)
    assert len(set(seen(1, None, 2))) == 3


@pytest.mark.parametrize("number", [4, 64])
@pytest.mark.parametrize("action", [3, 17, -1, -4])
def test_an_illegal_action_in_a_batch_is_named(number: int, action: int) -> None:
    batch = learn.vector("kali", number)
    actions = batch.reset(seed=1).masks.argmax(axis=1)
    actions[2] = action
    with pytest.raises(IllegalMove, match=f"action {action} is not legal in game 2"):
        batch.step(actions)


@pytest.mark.parametrize("number", [4, 64])
@pytest.mark.parametrize("actions", [None, [0], 0, "draw", [[0]], 0.5])
def test_a_batch_needs_an_action_for_each_game(number: int, actions: Any) -> None:
    batch = learn.vector("kali", number)
    batch.reset(seed=1)
    with pytest.raises(IllegalMove, match=f"{number} games need as many whole numbers"):
        batch.step(actions)


# ---- Pictures


@pytest.mark.parametrize("name", bundled_games())
def test_a_page_of_a_position_is_drawn(name: str, page: Page, tmp_path: Path) -> None:
    env = learn.env(name, render_mode="html")
    env.reset(seed=1)
    file = tmp_path / "position.html"
    file.write_text(str(env.render()), encoding="utf-8")
    page.send("Page.navigate", url=file.as_uri())
    page.until("document.querySelector('#position svg')")
    assert "player_1" in "".join(page.texts("#position text, #position title"))
