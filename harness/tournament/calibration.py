"""How fast a machine is: a fixed small search by the rules of a game, counted in seconds of the processor.

Every machine does the same work, so that the speeds of two of them can be compared; what else keeps a machine busy
meanwhile is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from time import thread_time
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.chance import QuickChance
from dalang.engine.game import NOBODY, Plain
from dalang.harness.match.limits import MOST_SECONDS

CALIBRATION_DECISIONS = 30_000
"""Decisions of one round: a tenth of a second or two in the games of the box."""
CALIBRATION_ROUNDS = 5
"""The best of them counts: what disturbs a processor only ever makes it slower."""
CALIBRATION_SEED = 1
SCALED = ("startup", "prepare", "move", "bank")
"""The limits on time."""


def measured_speed(game: str, seats: int, options: Plain) -> float:
    """Decisions per second."""
    return max(
        CALIBRATION_DECISIONS / seconds_of_search(game, seats, options) for _ in range(CALIBRATION_ROUNDS)
    )


def seconds_of_search(name: str, seats: int, options: Plain) -> float:
    """Random games from the first decision on, always the same ones."""
    game, rng, chance = find_game(name), Random(CALIBRATION_SEED), QuickChance(CALIBRATION_SEED)
    decisions, begin = 0, thread_time()
    while decisions < CALIBRATION_DECISIONS:
        state = game.start(seats, chance, **options)
        state.events = None
        while state.seat != NOBODY and decisions < CALIBRATION_DECISIONS:
            state.apply(rng.choice(state.moves()))
            decisions += 1
    return thread_time() - begin


def scaled(limits: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """The same limits with so many times the time."""
    return {
        name: min(value * factor, MOST_SECONDS) if name in SCALED else value for name, value in limits.items()
    }
