"""One seat of a table as a Gymnasium environment: bots play the others, under the referee of any match."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from dalang.engine.game import Game, Plain, SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.inprocess.matches import answered
from dalang.harness.inprocess.players import Player, PlayerChair, named_opponents
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
        players: Mapping[str, Player | Entrant],
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
        self.players = players
        entrants = [player for player in players.values() if isinstance(player, Entrant)]
        self.outside = BotsOutside(entrants, table.game, table.seats, isolate) if entrants else None
        self.go_home = weakref.finalize(self, self.outside.close) if self.outside else lambda: None
        self.question: Question | None = None
        """What the learner is asked now; None when a match is over, or was never begun."""

    # ---- Playing

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, Plain]:
        """A new match; with a seed, always the same deals and seats after it."""
        super().reset(seed=seed)
        self.leave()
        is_asked = False
        while not is_asked:  # the learner has a choice in it
            self.sit_down(str(self.np_random.integers(2**63)))
            is_asked = self.go_on(None)
        return self.seen(), self.info()

    def leave(self) -> None:
        """A match that is left goes on without you, where there are processes: they are to hear how it ended."""
        if self.question and self.outside:
            self.go_on(Illegal("the learner has left"))

    def sit_down(self, deal: str) -> None:
        seats, names = self.table.seats, [*self.players]
        self.seat = int(self.np_random.integers(seats)) if self.wanted_seat is None else self.wanted_seat
        self.seated = [*names[: self.seat], LEARNER, *names[self.seat :]]
        match = Match(
            self.table.game,
            deal,
            tuple(self.seated),
            self.table.options,
            limits=self.outside.limits.announced() if self.outside else {},
            ask_forced=self.table.ask_forced,
        )
        self.chairs = [self.replies(match, name) for name in self.seated]
        self.match = RunningMatch(match)
        self.talk = conversation(self.match)

    def replies(self, match: Match, name: str) -> Replies:
        if name == LEARNER:
            return lambda question: NO_NEWS  # what is no decision
        player = self.players[name]
        if isinstance(player, Entrant):
            assert self.outside
            return self.outside.chair(player, match.seed)
        return partial(answered, match, PlayerChair(player))

    def go_on(self, answer: Answer | BotFault | None) -> bool:
        """Up to the learner's next decision, or to the end; whether there is such a decision."""
        self.question = None  # also if a function raises
        asked = self.next_question(answer)
        while asked and (asked.seat != self.seat or not asked.moves):
            asked = self.next_question(self.chairs[asked.seat](asked))
        self.question = asked
        return asked is not None

    def next_question(self, answer: Answer | BotFault | None) -> Question | None:
        """What the referee asks after this answer; None when the match is over."""
        try:
            return self.talk.send(answer) if answer else next(self.talk)
        except StopIteration:
            return None

    def step(self, action: np.int64 | int) -> tuple[Seen, float, bool, bool, Plain]:
        """An action that is not legal is a fault, as it would be in a match: a stand-in plays on, and you are last."""
        if self.question is None:
            raise SetupError("the match is over, or was never begun: call reset() first")
        moves = self.question.message["moves"]
        move = self.table.legal(action, moves, self.seat)
        answer = Answer(moves.index(move)) if move else Illegal(f"action {action} is not legal")
        is_over = not self.go_on(answer)
        reward = self.reward() if is_over else 0.0
        return self.seen(), reward, is_over, False, {**self.info(), "illegal": move is None}

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
        faults = [f"{self.seated[fault.seat]}: {fault.kind}: {fault.detail}" for fault in self.match.faults]
        return {"action_mask": self.action_masks(), "seat": self.seat, "faults": faults}

    def render(self) -> str | None:
        return rendered(self.render_mode, self.table, self.match.state.view(self.seat), self.seated)

    def close(self) -> None:
        """The bots go home; they do also when nobody holds the environment."""
        self.question = None
        self.go_home()


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
    players = named_opponents(against, taken=[LEARNER])
    table = LearningTable(game, len(players) + 1, options, reward, ask_forced)
    return SeatEnv(table, players, seat, render_mode, isolate)
