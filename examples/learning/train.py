"""Learn Die Augen der Kali by playing against oneself: `python train.py [--updates 200] [--weights weights.npz]`.

Many games are played at once by one network, which decides for every seat. Each decision is then made likelier if its
seat did better than the network had guessed, and unlikelier if it did worse (REINFORCE with a learnt baseline).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from net import Net

from dalang import learn

GAME, SEATS = "kali", 2
GAMES = 512
"""Played at once."""
STEPS = 96
"""In each game before the network learns from them."""
PARTS = 4
"""In which it does so, one after the other."""
PACE = 2e-3
CURIOSITY = 0.01
"""How much it is worth to stay undecided, so that it does not settle too early."""
HERE = Path(__file__).parent


class Lessons(NamedTuple):
    """Decisions, and what they came to; a row for each."""

    seen: Any
    masks: Any
    actions: Any
    results: Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=200)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weights", type=Path, default=HERE / "weights.npz")
    wanted = parser.parse_args()
    net = trained(wanted.updates, wanted.games, wanted.seed, tell=print)
    net.save(wanted.weights)
    print(f"saved to {wanted.weights}")


def trained(updates: int, games: int, seed: int, tell: Callable[[str], None] = lambda text: None) -> Net:
    rng, batch = np.random.default_rng(seed), learn.vector(GAME, games, SEATS)
    net = Net.new(batch.table.encoding.size, len(batch.table.actions), rng)
    first, teacher, begin = net.copy(), Adam(net), perf_counter()
    batch.reset(seed)
    for update in range(1, updates + 1):
        lessons = played(batch, net, rng)
        for part in np.array_split(rng.permutation(len(lessons.actions)), PARTS):
            teacher.step(
                slopes(net, Lessons(*(each[part] for each in lessons))), PACE * (1 - update / (updates + 1))
            )
        if update % 20 == 0 or update == updates:
            ahead = beaten(net, first, seed)
            tell(
                f"{update:4} updates, {perf_counter() - begin:4.0f} s: beats its own start in {ahead:.1%} of games"
            )
    return net


# ---- Playing


def played(batch: Any, net: Net, rng: np.random.Generator) -> Lessons:
    """The decisions of some steps whose games have come to an end meanwhile."""
    rows, now = [], batch.now
    for _ in range(STEPS):
        seen, masks, seats = now.observations.copy(), now.masks.copy(), now.seats.copy()
        actions = net.play(seen, masks, rng)
        now = batch.step(actions)
        rows.append((seen, masks, actions, seats, now.rewards.copy(), now.over.copy()))
    results = np.stack(list(results_of(rows))[::-1])
    ended = ~np.isnan(results)
    seen, masks, actions = (np.stack(column)[ended] for column in list(zip(*rows, strict=True))[:3])
    return Lessons(seen, masks, actions, results[ended])


def results_of(rows: list[Any]) -> Iterator[Any]:
    """From the last step back: what the game brought to the seat that decided, or nan if it is not over."""
    final = np.full_like(rows[0][4], np.nan)
    for _, _, _, seats, rewards, over in reversed(rows):
        final[over] = rewards[over]
        yield final[np.arange(len(seats)), seats]


def beaten(net: Net, other: Net, seed: int, games: int = 256, least: int = 2000) -> float:
    """The share of games that it wins against another, a tie counting half; both sit in every seat as often."""
    batch, rng = learn.vector(GAME, games, SEATS), np.random.default_rng(seed)
    own = np.arange(games) % SEATS
    now, results = batch.reset(f"duel {seed}"), []
    while len(results) < least:
        mine = now.seats == own
        ours, theirs = (each.play(now.observations, now.masks, rng) for each in (net, other))
        actions = np.where(mine, ours, theirs)
        now = batch.step(actions)
        results += now.rewards[now.over, own[now.over]].tolist()
    return float(np.mean(results) + 1) / 2


# ---- Learning


def slopes(net: Net, lessons: Lessons) -> dict[str, Any]:
    """How the loss changes with each weight: minus the gain of likelier good decisions, plus the error of the guess."""
    number = len(lessons.actions)
    thought = net.thought(lessons.seen)
    chances, value = net.chances(thought, lessons.masks), net.value(thought)
    better = lessons.results - value
    advantage = (better - better.mean()) / (better.std() + 1e-6)
    chosen = np.zeros_like(chances)
    chosen[np.arange(number), lessons.actions] = 1
    surprise = np.log(np.maximum(chances, 1e-9))
    doubt = chances * (surprise - (chances * surprise).sum(axis=1, keepdims=True))
    liking = (advantage[:, None] * (chances - chosen) + CURIOSITY * doubt) / number
    guess = (-better / number)[:, None]
    inner = (liking @ net.weights["policy"].T + guess @ net.weights["value"].T) * (1 - thought**2)
    return {
        "inner": lessons.seen.T @ inner,
        "inner_bias": inner.sum(axis=0),
        "policy": thought.T @ liking,
        "policy_bias": liking.sum(axis=0),
        "value": thought.T @ guess,
        "value_bias": guess.sum(axis=0),
    }


class Adam:
    """Steps downhill, each weight at a pace that suits it (Kingma and Ba, 2015)."""

    def __init__(self, net: Net) -> None:
        self.net, self.steps = net, 0
        self.mean = {name: np.zeros_like(weight) for name, weight in net.weights.items()}
        self.square = {name: np.zeros_like(weight) for name, weight in net.weights.items()}

    def step(self, slopes: dict[str, Any], pace: float) -> None:
        self.steps += 1
        for name, slope in slopes.items():
            self.mean[name] += 0.1 * (slope - self.mean[name])
            self.square[name] += 0.001 * (slope**2 - self.square[name])
            mean, square = (
                self.mean[name] / (1 - 0.9**self.steps),
                self.square[name] / (1 - 0.999**self.steps),
            )
            self.net.weights[name] -= (pace * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


if __name__ == "__main__":
    main()
