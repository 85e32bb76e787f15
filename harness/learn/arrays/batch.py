"""What every batch of games has: the arrays, and the deals."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dalang.engine.game import IllegalMove, SetupError
from dalang.harness.learn.table import Floats, LearningTable, Mask


class ArrayRows(NamedTuple):
    """Arrays with a row for each game; they are the batch's own, so copy what is to outlast the next step."""

    observations: Floats
    """What the seat sees that decides next."""
    masks: Mask
    """1 for each action that is legal for it."""
    seats: npt.NDArray[np.int64]
    """Which seat that is."""
    rewards: Floats
    """By seat, what the game brought that this step has ended; 0 while it goes on."""
    over: npt.NDArray[np.bool_]
    """Where this step has ended a game; what is seen there belongs to the next one already."""


class GameBatch(ABC):
    """Games that are stepped together; where one ends, the next begins at once."""

    def __init__(self, table: LearningTable, number: int) -> None:
        if number < 1:
            raise SetupError(f"a batch has at least one game, not {number}")
        self.table = table
        self.number = number
        self.now = ArrayRows(
            np.zeros((number, table.encoding.size), np.float32),
            np.zeros((number, len(table.actions)), np.int8),
            np.zeros(number, np.int64),
            np.zeros((number, table.seats), np.float32),
            np.zeros(number, np.bool_),
        )
        self.rows = np.arange(number)
        self.seed = secrets.token_hex(8)
        self.dealt = [0] * number

    def reset(self, seed: int | str | None = None) -> ArrayRows:
        """New games everywhere; with a seed, the first of those that this seed gives."""
        if seed is not None:
            self.seed, self.dealt = str(seed), [0] * self.number
        self.begin_all()
        self.now.rewards.fill(0)
        self.now.over.fill(False)
        return self.now

    def step(self, actions: npt.NDArray[Any]) -> ArrayRows:
        """One action for each game, as its mask allows."""
        legal = self.now.masks[self.rows, actions]
        if not legal.all():
            place = int(legal.argmin())
            raise IllegalMove(f"action {actions[place]} is not legal in game {place}: see its mask")
        self.now.rewards.fill(0)
        self.now.over.fill(False)
        self.play(actions)
        return self.now

    def next_deal(self, place: int) -> str:
        """Each place has deals of its own, whatever happens at the others."""
        self.dealt[place] += 1
        return f"{self.seed}/{place}/{self.dealt[place]}"

    @abstractmethod
    def begin_all(self) -> None:
        """A new game at every place, up to the first decision of each."""

    @abstractmethod
    def play(self, actions: npt.NDArray[Any]) -> None:
        """Make these moves, and fill the arrays."""
