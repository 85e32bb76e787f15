"""The example that learns: its loop improves on its own start, and what it has learnt plays as an ordinary bot."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalang
import dalang.learn
from dalang.harness.cli.main import answered
from tests.roomy import room_for

FOLDER = Path(__file__).parent.parent / "examples" / "learning"


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("net", "train"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("train")
    for name in ("net", "train"):
        sys.modules.pop(name, None)


def test_slopes_are_those_of_the_loss(train: Any) -> None:
    """By small changes of single weights; so a mistake in the arithmetic does not hide behind slow learning."""
    batch, rng = dalang.learn.vector("kali", 64), np.random.default_rng(1)
    net = train.Net.new(batch.table.encoding.size, len(batch.table.actions), rng)
    net = train.Net({name: weight.astype(np.float64) for name, weight in net.weights.items()})
    batch.reset(1)
    lessons = train.played(batch, net, rng)
    advantage = fixed_advantage(net, lessons)
    found = train.slopes(net, lessons)
    for name, weight in net.weights.items():
        at = tuple(rng.integers(size) for size in weight.shape)
        kept = weight[at]
        losses = []
        for change in (1e-5, -1e-5):
            weight[at] = kept + change
            losses.append(loss(train, net, lessons, advantage))
        weight[at] = kept
        assert found[name][at] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-7, rel=1e-3), name


def fixed_advantage(net: Any, lessons: Any) -> Any:
    better = lessons.results - net.value(net.thought(lessons.seen))
    return (better - better.mean()) / (better.std() + 1e-6)


def loss(train: Any, net: Any, lessons: Any, advantage: Any) -> float:
    thought = net.thought(lessons.seen)
    chances = net.chances(thought, lessons.masks)
    chosen = chances[np.arange(len(lessons.actions)), lessons.actions]
    doubt = -(chances * np.log(np.maximum(chances, 1e-9))).sum(axis=1)
    missed = (lessons.results - net.value(thought)) ** 2 / 2
    return float(np.mean(missed - advantage * np.log(chosen) - train.CURIOSITY * doubt))


@pytest.mark.slow
def test_a_few_seconds_of_training_improve_on_its_own_start(train: Any) -> None:
    told: list[str] = []
    net = train.trained(updates=8, games=256, seed=1, tell=told.append)
    start = train.trained(updates=0, games=64, seed=1)
    assert train.beaten(net, start, seed=2) > 0.55
    assert 0.45 < train.beaten(start, start, seed=2) < 0.55
    assert "beats its own start in" in told[-1]


@pytest.mark.slow
def test_it_trains_saves_and_enters_a_tournament_like_any_bot(tmp_path: Path) -> None:
    bot, file = tmp_path / "learnt", tmp_path / "learnt.db"
    shutil.copytree(FOLDER, bot)
    (bot / "weights.npz").unlink()
    done = subprocess.run(
        [sys.executable, "train.py", "--updates", "1", "--games", "64"],
        cwd=bot, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "saved to" in done.stdout
    assert answered(["check", str(bot), "--game", "kali", *room_for("check")]) == 0
    shutil.copy(FOLDER / "weights.npz", bot)
    words = ["--blocks", "40", "--seed", "learnt", "--db", str(file), "--strict"]
    assert answered(["run", "kali", str(bot), "random", *words, *room_for("run")]) == 0
    best = dalang.open(file).standings()[0]
    assert (best.name, best.beats.low > 0.5) == ("learnt", True)
