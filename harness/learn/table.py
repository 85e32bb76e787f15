"""A table to learn at: what is the same for every game that is played there."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Game, Move, State, unknown
from dalang.engine.value import share_beaten

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]

Reward = Callable[[Sequence[int], Sequence[int]], list[float]]
"""From the places and the scores by seat."""


def by_place(ranks: Sequence[int], scores: Sequence[int]) -> list[float]:
    """1 for the sole winner, -1 for the sole last, and between them by the share of the others who were beaten."""
    return [2 * share_beaten(ranks, seat) - 1 for seat in range(len(ranks))]


def by_score(ranks: Sequence[int], scores: Sequence[int]) -> list[float]:
    return [float(score) for score in scores]


REWARD_BY: dict[str, Reward] = {"place": by_place, "score": by_score}


class LearningTable:
    """A game with a number of seats and options, its actions and its encoding."""

    def __init__(
        self,
        game: str | Game,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        reward: str = "place",
        ask_forced: bool = False,
    ) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self.seats = self.game.checked_seats(self.game.seats[0] if seats is None else seats)
        self.options = self.game.checked_options(options or {})
        self.actions = self.game.actions(self.seats, self.options)
        self.encoding = self.game.encoding(self.seats, self.options)
        if reward not in REWARD_BY:
            raise unknown("reward", reward, REWARD_BY)
        self.reward = reward
        self.ask_forced = ask_forced

    def begin(self, deal: str) -> tuple[State, list[Move]]:
        """A new game, and the moves of the first who has a choice; none if nobody ever has."""
        state = self.game.start(self.seats, SeededChance(deal), **self.options)
        state.events = None
        return state, self.settled(state)

    def settled(self, state: State) -> list[Move]:
        """Make the moves that are forced; then the legal ones, none if the game is over."""
        moves = state.moves()
        while len(moves) == 1 and not self.ask_forced:
            state.apply(moves[0])
            moves = state.moves()
        return moves

    def rewards(self, state: State) -> list[float]:
        scores, ranks, _ = state.outcome()
        return REWARD_BY[self.reward](ranks, scores)

    def legal(self, action: Any, moves: Sequence[Move], seat: int) -> Move | None:
        """The move that an action means for a seat; None if it is not one of these."""
        try:
            number = index(action)
        except TypeError:
            return None
        move = self.actions.move(number, seat) if 0 <= number < len(self.actions) else None
        return move if move in moves else None

    # ---- In arrays

    def observation(self, state: State, seat: int) -> Floats:
        return np.frombuffer(self.encoding.encode(state.view(seat)), np.float32)

    def mask(self, moves: Sequence[Move], seat: int) -> Mask:
        """1 for each action that is legal; once the game is over for all, so that no sum over them is 0."""
        mask = np.zeros(len(self.actions), np.int8)
        for move in moves:
            mask[self.actions.index(move, seat)] = 1
        return mask if moves else mask + np.int8(1)

    def observed(self, state: State, moves: Sequence[Move], seat: int) -> dict[str, npt.NDArray[Any]]:
        """What a seat gets to see: who is not asked has no legal action."""
        own = moves if state.seat in (seat, NOBODY) else None
        mask = np.zeros(len(self.actions), np.int8) if own is None else self.mask(own, seat)
        return {"observation": self.observation(state, seat).copy(), "action_mask": mask}


class Deals:
    """Names of deals, one after the other, all from one seed: by these our own chance gives the cards."""

    def __init__(self) -> None:
        self.seed = secrets.token_hex(8)
        self.dealt = 0

    def restart(self, seed: int | str | None) -> None:
        """With another seed; without one they just go on."""
        if seed is not None:
            self.seed, self.dealt = str(seed), 0

    def next(self) -> str:
        self.dealt += 1
        return f"{self.seed}/{self.dealt}"
