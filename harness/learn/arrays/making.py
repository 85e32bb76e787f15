"""A batch of a game: the arrays that it brings, or its states one by one."""

from __future__ import annotations

from typing import Any

from dalang.engine.game import Game
from dalang.engine.learning import learning_of
from dalang.harness.learn.arrays.batch import GameBatch
from dalang.harness.learn.arrays.states import StateBatch
from dalang.harness.learn.table import LearningTable

WORTH_ARRAYS = 48
"""Games below which states are quicker one by one; both give the same numbers."""


def vector(
    game: str | Game,
    number: int,
    seats: int | None = None,
    *,
    reward: str = "place",
    ask_forced: bool = False,
    **options: Any,
) -> GameBatch:
    """A `number` of games that are stepped together; a game that ends makes room for the next.

    All that is seen stands in arrays with a row for each game: observations, masks of the legal actions, the seats that
    decide, the rewards of games that have just ended. In each game one seat decides at a time, so one policy can play
    all seats. A game may bring arrays of its own that need no objects at all; Die Augen der Kali does.

    >>> from dalang import learn
    >>> batch = learn.vector("kali", 100, seats=2)
    >>> seen = batch.reset(seed=1)
    >>> seen.observations.shape, seen.masks.shape, seen.rewards.shape
    ((100, 28), (100, 4), (100, 2))
    >>> for _ in range(50):
    ...     seen = batch.step(seen.masks.argmax(axis=1))
    >>> int(seen.over.sum()), float(seen.rewards.sum())
    (3, 0.0)
    """
    table = LearningTable(game, seats, options, reward, ask_forced)
    place = learning_of(table.game).batch if number >= WORTH_ARRAYS else ""
    made: GameBatch = (table.game.part(place) if place else StateBatch)(table, number)
    return made
