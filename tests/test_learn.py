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
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from dalang import SetupError, learn
from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Game, IllegalMove
from dalang.harness.learn.arrays.kali import KaliArrays
from dalang.harness.learn.arrays.states import StateBatch
from dalang.harness.learn.table import REWARD_BY, LearningTable
from dalang.kit import LegalMove, Request
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


@at_every_size
def test_the_mask_allows_the_legal_moves_and_no_others(game: Game, seats: int) -> None:
    """`api_test` never looks at a mask inside a dict."""
    env, rng = learn.env(game, seats), np.random.default_rng(1)
    env.reset(seed=1)
    for _, agent in zip(range(300), env.agent_iter(), strict=False):
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


def test_an_illegal_action_is_refused_and_a_wrapper_makes_a_lost_game_of_it() -> None:
    env = learn.env("kali")
    env.reset(seed=1)
    with pytest.raises(IllegalMove, match="action 3 is not legal now"):
        env.step(3)
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


def test_human_is_text_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    env = learn.env("kali", render_mode="human")
    env.reset(seed=1)
    assert env.render() is None
    assert "player_1" in capsys.readouterr().out


# ---- Gymnasium


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


def test_an_illegal_action_is_a_fault_and_the_last_place() -> None:
    env = learn.single("kali", ["random"], seat=0)
    env.reset(seed=1)
    _, reward, over, _, info = env.step(3)
    assert (reward, over, info["illegal"]) == (-1, True, True)
    assert [fault.kind for fault in env.match.faults] == ["illegal"]


@pytest.mark.slow
def test_bots_in_processes_of_their_own_play_as_functions_do(tmp_path: Path) -> None:
    script = tmp_path / "late.py"
    script.write_text(
        "from dalang.kit import run\n"
        "if __name__ == '__main__':\n"
        "    run(lambda request: request.rng.choice(request.moves), name='late')\n",
        encoding="utf-8",
    )
    outside, inside = (learn.single("kali", [bot], seat=0, isolate="none") for bot in (str(script), "random"))
    for seed in range(3):
        one, other = (finished(env, np.random.default_rng(seed), seed) for env in (outside, inside))
        assert one == other
    assert not outside.match.faults
    outside.close()
    assert not outside.outside.thread.is_alive()


@pytest.mark.slow
def test_a_bot_that_cannot_be_started_is_told_at_once(tmp_path: Path) -> None:
    script = tmp_path / "dead.py"
    script.write_text("raise SystemExit(3)\n", encoding="utf-8")
    with pytest.raises(SetupError, match="dead cannot be started"):
        learn.single("kali", [str(script)], isolate="none")


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


@at_every_size
def test_a_batch_is_as_many_games_as_were_wanted(game: Game, seats: int) -> None:
    batch, rng = learn.vector(game, 3, seats), np.random.default_rng(1)
    seen = batch.reset(seed=1)
    single = learn.env(game, seats)
    single.reset(seed="1/0")  # type: ignore[arg-type]
    assert seen.observations[0].tobytes() == single.last()[0]["observation"].tobytes()
    for _ in range(20):
        seats_before = seen.seats.copy()
        assert seen.masks.any(axis=1).all()
        seen = batch.step(np.array([legal(mask, rng) for mask in seen.masks]))
        assert not seen.rewards[~seen.over].any()
    assert seats_before.max() < seats


def test_a_batch_repeats_itself_by_its_seed_and_goes_on_without() -> None:
    def seen(*seeds: int | None) -> list[bytes]:
        batch = learn.vector("kali", 64)
        return [batch.reset(seed=seed).observations.tobytes() for seed in seeds]

    assert seen(1, None) == seen(1, None)
    assert len(set(seen(1, None, 2))) == 3


@pytest.mark.parametrize("number", [4, 64])
def test_an_illegal_action_in_a_batch_is_named(number: int) -> None:
    batch = learn.vector("kali", number)
    actions = batch.reset(seed=1).masks.argmax(axis=1)
    actions[2] = 3
    with pytest.raises(IllegalMove, match="action 3 is not legal in game 2"):
        batch.step(actions)


# ---- What it means


@at_every_size
def test_every_number_has_a_name_and_a_meaning(game: Game, seats: int) -> None:
    encoding = game.encoding(seats)
    assert len(set(encoding.names)) == len(encoding.names) == encoding.size
    assert all(feature.about for feature in encoding.features)
    told = learn.describe(game, seats)
    assert f"{encoding.size} numbers" in told
    assert all(f"`{feature.key}`" in told for feature in encoding.features)


def test_the_page_shows_what_the_numbers_mean() -> None:
    page = (Path(__file__).parent.parent / "docs" / "learning.md").read_text(encoding="utf-8")
    assert learn.describe("kali") in page
    for table in TABLES:
        if not table.options and table.game.name in bundled_games():
            size, actions = table.encoding.size, len(table.actions)
            assert f"| `{table.game.name}` | {table.seats} | {actions} | {size} |" in page


@pytest.mark.parametrize("name", bundled_games())
def test_a_page_of_a_position_is_drawn(name: str, page: Page, tmp_path: Path) -> None:
    env = learn.env(name, render_mode="html")
    env.reset(seed=1)
    file = tmp_path / "position.html"
    file.write_text(str(env.render()), encoding="utf-8")
    page.send("Page.navigate", url=file.as_uri())
    page.until("document.querySelector('#position svg')")
    assert "player_1" in "".join(page.texts("#position text, #position title"))
