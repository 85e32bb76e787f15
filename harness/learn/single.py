"""One seat of a table as a Gymnasium environment: bots play the others, under the referee of any match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from dalang.engine.game import Game, Plain, SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.inprocess.players import Player, PlayerChair, bundled_player, name_of
from dalang.harness.isolation.levels import AUTO
from dalang.harness.learn.outside import BotsOutside
from dalang.harness.learn.pictures import RENDER_MODES, checked_mode, rendered
from dalang.harness.learn.spaces import Seen, action_space, observation_space
from dalang.harness.learn.table import REWARD_BY, LearningTable
from dalang.harness.match.faults import BotFault, Illegal
from dalang.harness.match.referee import Answer, Match, Question, RunningMatch, conversation
from dalang.protocol.messages import VIEW

LEARNER = "learner"
NO_NEWS = Answer(wants=frozenset([VIEW]))
"""What a learner says to `start`."""

Opponent = Player | str
Replies = Callable[[Question], Answer | BotFault]


class SeatEnv(gymnasium.Env[Seen, np.int64]):
    """One match after the other, in which everybody else is a bot."""

    def __init__(
        self,
        table: LearningTable,
        against: Sequence[Opponent],
        seat: int | None,
        render_mode: str | None,
        isolate: str,
    ) -> None:
        self.table = table
        self.metadata = {"render_modes": RENDER_MODES}
        self.render_mode = checked_mode(render_mode)
        self.observation_space = observation_space(table)  # type: ignore[assignment]
        self.action_space = action_space(table)
        if seat is not None and not 0 <= seat < table.seats:
            raise SetupError(f"there is no seat {seat} at a table of {table.seats}")
        self.wanted_seat = seat
        self.names = [name_of(player) for player in against]
        self.players: list[Player | Entrant] = [found(player) for player in against]
        entrants = [player for player in self.players if isinstance(player, Entrant)]
        self.outside = BotsOutside(entrants, table.game, table.seats, isolate) if entrants else None
        self.is_over = True
        self.question: Question | None = None
        """What the learner is asked now."""

    # ---- Playing

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, Plain]:
        """A new match; with a seed, always the same deals and seats after it."""
        super().reset(seed=seed)
        self.is_over = True
        while self.is_over:  # the learner has a choice in it
            self.sit_down(str(self.np_random.integers(2**63)))
            self.go_on(None)
        return self.seen(), self.info()

    def sit_down(self, deal: str) -> None:
        seats = self.table.seats
        self.seat = int(self.np_random.integers(seats)) if self.wanted_seat is None else self.wanted_seat
        replies = [self.replies(player, deal) for player in self.players]
        self.chairs = [*replies[: self.seat], self.learner, *replies[self.seat :]]
        self.seated = [*self.names[: self.seat], LEARNER, *self.names[self.seat :]]
        match = Match(
            self.table.game, deal, tuple(self.seated), self.table.options, ask_forced=self.table.ask_forced
        )
        self.match = RunningMatch(match)
        self.talk = conversation(self.match)

    def replies(self, player: Player | Entrant, deal: str) -> Replies:
        if isinstance(player, Entrant):
            assert self.outside
            return self.outside.chair(player, deal)
        return PlayerChair(player).reply

    def learner(self, question: Question) -> Answer:
        """What is no decision answers itself."""
        return NO_NEWS

    def go_on(self, answer: Answer | BotFault | None) -> None:
        """Up to the learner's next decision, or to the end."""
        try:
            self.question = self.talk.send(answer) if answer else next(self.talk)
            while self.question.seat != self.seat or not self.question.moves:
                self.question = self.talk.send(self.chairs[self.question.seat](self.question))
            self.is_over = False
        except StopIteration:
            self.question, self.is_over = None, True

    def step(self, action: np.int64 | int) -> tuple[Seen, float, bool, bool, Plain]:
        """An action that is not legal is a fault, as it would be in a match: a stand-in plays on, and you are last."""
        if self.question is None:
            raise SetupError("the match is over, or was never begun: call reset() first")
        move, moves = self.table.actions.move(int(action), self.seat), self.question.message["moves"]
        is_legal = move in moves
        fault = Illegal(f"action {action} is not legal")
        self.go_on(Answer(moves.index(move)) if is_legal else fault)
        reward = self.reward() if self.is_over else 0.0
        return self.seen(), reward, self.is_over, False, {**self.info(), "illegal": not is_legal}

    def reward(self) -> float:
        return REWARD_BY[self.table.reward](self.match.ranks, self.match.outcome.scores)[self.seat]

    # ---- Looking

    def seen(self) -> Seen:
        view = self.question.message["view"] if self.question else self.match.state.view(self.seat)
        numbers = np.frombuffer(self.table.encoding.encode(view), np.float32).copy()
        return {"observation": numbers, "action_mask": self.action_masks()}

    def action_masks(self) -> npt.NDArray[np.int8]:
        """1 for each action that is legal now, where MaskablePPO looks for it."""
        return self.table.mask(self.question.message["moves"] if self.question else [], self.seat)

    def info(self) -> Plain:
        return {"action_mask": self.action_masks(), "seat": self.seat}

    def render(self) -> str | None:
        return rendered(self.render_mode, self.table, self.match.state.view(self.seat), self.seated)

    def close(self) -> None:
        """The bots go home."""
        if self.outside:
            self.outside.close()


def found(player: Opponent) -> Player | Entrant:
    """A function, also of a bundled bot; or a bot that has a process of its own."""
    if not isinstance(player, str):
        return player
    entrant = find_entrant(player)
    return bundled_player(entrant) or entrant


def single(
    game: str | Game,
    against: Sequence[Opponent],
    *,
    seat: int | None = None,
    reward: str = "place",
    render_mode: str | None = None,
    ask_forced: bool = False,
    isolate: str = AUTO,
    **options: Any,
) -> SeatEnv:
    """One seat of a game as a Gymnasium environment; the others are played by `against`, one bot for each.

    A bot is a function as `dalang.play_match` takes them, a bundled one by name, or anything that `dalang run` takes:
    that runs in a process of its own, isolated as you ask. The seat is another in every match unless you choose one.

    >>> from dalang import learn
    >>> env = learn.single("kali", against=["cautious"], seat=0)
    >>> seen, info = env.reset(seed=1)
    >>> over = False
    >>> while not over:
    ...     seen, reward, over, cut_off, info = env.step(int(seen["action_mask"].argmax()))
    >>> reward
    -1.0
    """
    table = LearningTable(game, len(against) + 1, options, reward, ask_forced)
    return SeatEnv(table, against, seat, render_mode, isolate)
