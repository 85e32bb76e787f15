"""A table as a PettingZoo environment: agents in turn, each told what its seat may know and which actions are legal."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from pettingzoo import AECEnv

from dalang.engine.game import Game, IllegalMove, Move, State
from dalang.harness.learn.pictures import RENDER_MODES, checked_mode, rendered
from dalang.harness.learn.spaces import Seen, action_space, observation_space
from dalang.harness.learn.table import Deals, LearningTable


class TableEnv(AECEnv[str, Seen, int | None]):  # type: ignore[misc]  # it has no types
    """One game after the other at one table; rewards come when it is over."""

    def __init__(self, table: LearningTable, render_mode: str | None = None) -> None:
        super().__init__()
        self.table = table
        self.render_mode = checked_mode(render_mode)
        self.metadata = {"name": table.game.name, "is_parallelizable": False, "render_modes": RENDER_MODES}
        self.possible_agents = [f"player_{seat}" for seat in range(table.seats)]
        self.seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: observation_space(table) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(table) for agent in self.possible_agents}
        self.agents: list[str] = []
        self.deals = Deals()
        self.game_state: State
        self.moves: list[Move] = []

    def __getattr__(self, name: str) -> Any:
        """Much is there only while a game is played."""
        raise AttributeError(f"there is no {name}; if reset() is to give it, call that first")

    def __str__(self) -> str:
        return self.table.game.name

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    # ---- Playing

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new deal; with a seed, the first of those that this seed gives."""
        self.deals.restart(seed)
        self.moves = []
        while not self.moves:  # somebody has a choice in it
            self.game_state, self.moves = self.table.begin(self.deals.next())
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.select()

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        move = self.table.legal(action, self.moves, self.game_state.seat)
        if move is None:
            raise IllegalMove(f"action {action} is not legal now: choose one that the action_mask allows")
        self.game_state.apply(move)
        self.moves = self.table.settled(self.game_state)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.moves:
            self.select()
        else:
            self.end()
        if self.render_mode == "human":
            self.render()

    def select(self) -> None:
        """The agent that has to decide; all others have no legal action."""
        self.agent_selection = self.possible_agents[self.game_state.seat]
        mask = self.table.mask(self.moves, self.game_state.seat)
        self.infos = {agent: {"action_mask": mask * 0} for agent in self.agents}
        self.infos[self.agent_selection] = {"action_mask": mask}

    def end(self) -> None:
        self.rewards = dict(zip(self.agents, self.table.rewards(self.game_state), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"action_mask": self.table.mask([], 0)} for agent in self.agents}
        self._accumulate_rewards()
        self._deads_step_first()

    # ---- Looking

    def observe(self, agent: str) -> Seen:
        return self.table.observed(self.game_state, self.moves, self.seat_of[agent])

    def render(self) -> str | None:
        seat = max(self.game_state.seat, 0)
        return rendered(self.render_mode, self.table, self.game_state.view(seat), self.possible_agents)

    def close(self) -> None:
        """There is nothing to give back."""


def env(
    game: str | Game,
    seats: int | None = None,
    *,
    reward: str = "place",
    render_mode: str | None = None,
    ask_forced: bool = False,
    **options: Any,
) -> TableEnv:
    """A game as a PettingZoo AEC environment; `options` are the game's own.

    An observation is `{"observation": …, "action_mask": …}`; the mask is in `infos` too. `reward` is by `place` (from
    -1 for the sole last to 1 for the sole winner) or by `score`, as the game counts it; it comes when the game is over.
    An agent is asked only where it has a choice, unless you want it `ask_forced`. An action that is not legal raises
    IllegalMove: PettingZoo's TerminateIllegalWrapper makes a lost game of it. `render_mode` is `ansi` for text, `human`
    to have that printed, or `html` for a page with the drawing of the report.

    >>> from dalang import learn
    >>> env = learn.env("kali", seats=2, fine_rounding="up")
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     seen, reward, terminated, truncated, info = env.last()
    ...     env.step(None if terminated else int(seen["action_mask"].argmax()))
    ...     if terminated:
    ...         print(agent, reward)
    player_0 -1.0
    player_1 1.0
    """
    return TableEnv(LearningTable(game, seats, options, reward, ask_forced), render_mode)
