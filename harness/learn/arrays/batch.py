"""What every batch of games has: the arrays, and the deals."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dalang.engine.game import IllegalMove, SetupError, quoted
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

    def step(self, actions: npt.ArrayLike) -> ArrayRows:
        """One action for each game, as its mask allows."""
        checked = self.checked(np.asarray(actions))
        self.now.rewards.fill(0)
        self.now.over.fill(False)
        self.play(checked)
        return self.now

    def checked(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """These actions, if there are as many as games and each is legal."""
        if actions.shape != (self.number,) or actions.dtype.kind not in "iu":
            raise IllegalMove(
                f"{self.number} games need as many whole numbers, not {quoted(actions.tolist())}"
            )
        masks = self.now.masks
        legal = masks[self.rows, actions % masks.shape[1]] & (actions >= 0) & (actions < masks.shape[1])
        if not legal.all():
            place = int(legal.argmin())
            raise IllegalMove(f"action {actions[place]} is not legal in game {place}: see its mask")
        return actions

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
