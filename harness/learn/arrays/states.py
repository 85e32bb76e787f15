"""A batch of any game: one state after the other."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from dalang.engine.game import Move, State
from dalang.harness.learn.arrays.batch import GameBatch


class StateBatch(GameBatch):
    def begin_all(self) -> None:
        self.states: list[State] = []
        for place in range(self.number):
            state, moves = self.begin(place)
            self.states.append(state)
            self.fill(place, moves)

    def begin(self, place: int) -> tuple[State, list[Move]]:
        """A game in which somebody has a choice."""
        while True:
            state, moves = self.table.begin(self.next_deal(place))
            if moves:
                return state, moves

    def play(self, actions: npt.NDArray[Any]) -> None:
        table, now = self.table, self.now
        for place, action in enumerate(actions.tolist()):
            state = self.states[place]
            state.apply(table.actions.move(action, state.seat))
            moves = table.settled(state)
            if not moves:
                now.rewards[place] = table.rewards(state)
                now.over[place] = True
                self.states[place], moves = self.begin(place)
            self.fill(place, moves)

    def fill(self, place: int, moves: list[Move]) -> None:
        state, now = self.states[place], self.now
        seat, index = state.seat, self.table.actions.index
        now.seats[place] = seat
        now.observations[place] = self.table.observation(state, seat)
        now.masks[place] = 0
        now.masks[place, [index(move, seat) for move in moves]] = 1
