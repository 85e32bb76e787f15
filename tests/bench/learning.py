"""How fast learners get to see games: `make bench`.

Steps per second of random play through each interface, one beside the other in the same rounds: ours, rlcard's uno
through its Python API, and card games of PettingZoo. A step shows what the next one to decide may see, in numbers, with
its legal actions. Time is that of the process, so that others on the machine count less; medians are shown.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from random import Random
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import rlcard
from tabulate import tabulate

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # pygame speaks of what it is built with
    from pettingzoo.classic import leduc_holdem_v4, texas_holdem_v4

from dalang import learn

ROUNDS = 5
SECONDS = 1.0
AT_ONCE = (64, 1024, 4096)
UNO = "rlcard uno, env.step"
RNG = Random(1)
LOTS = np.random.default_rng(1)


def main() -> None:
    ways = {UNO: uno(), **pettingzoos(), **environments(), **batches()}
    rounds = [{name: speed(steps) for name, steps in ways.items()} for _ in range(ROUNDS)]
    rows = [
        [
            name,
            round(median(each[name] for each in rounds)),
            median(each[name] / each[UNO] for each in rounds),
        ]
        for name in ways
    ]
    print(tabulate(rows, headers=["", "steps/s", "times uno"], intfmt=",", floatfmt=".2f"))


def speed(steps: Iterator[int]) -> float:
    """Steps per second; each item is so many that were made."""
    made, begin = 0, process_time()
    while (spent := process_time() - begin) < SECONDS:
        made += next(steps)
    return made / spent


def uno() -> Iterator[int]:
    env = rlcard.make("uno")
    while True:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(RNG.choice(list(state["legal_actions"])))
            yield 1


def aec(env: Any) -> Iterator[int]:
    while True:
        env.reset()
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(RNG.choice(seen["action_mask"].nonzero()[0]))
                yield 1


def pettingzoos() -> dict[str, Iterator[int]]:
    modules: dict[str, Callable[[], Any]] = {
        "leduc_holdem_v4": leduc_holdem_v4.raw_env,
        "texas_holdem_v4": texas_holdem_v4.raw_env,
    }
    return {f"pettingzoo {name}": aec(make()) for name, make in modules.items()}


def environments() -> dict[str, Iterator[int]]:
    return {f"dalang.learn.env {name}": aec(learn.env(name)) for name in OURS}


def batches() -> dict[str, Iterator[int]]:
    return {
        f"dalang.learn.vector {name} × {number}": batch(learn.vector(name, number))
        for name in OURS
        for number in (AT_ONCE if name == "kali" else AT_ONCE[:1])
    }


OURS = ("kali", "bali_wrede", "bali_rosenberg")


def batch(games: Any) -> Iterator[int]:
    now = games.reset(seed=1)
    while True:
        now = games.step((LOTS.random(now.masks.shape) * now.masks).argmax(axis=1))
        yield games.number


if __name__ == "__main__":
    main()
