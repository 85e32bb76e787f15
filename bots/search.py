"""Information-set Monte Carlo tree search for any game that keeps the contract of `engine.game`.

Each iteration imagines a world that looks like ours to the deciding seat, walks down one tree that all
worlds share, plays on from its edge, and notes at every decision on the way how well the seat that decided there did.
Every seat maximises its own reward. Luck is not in the tree: a move leads to whatever decision comes
next, told apart only as finely as the game's policy wants.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from time import perf_counter

from engine.chance import QuickChance
from engine.game import Game, Move, Outcome, Plain, State

Weigh = Callable[..., Sequence[float]]
"""How promising each of the moves looks, given the state and the moves: numbers above 0."""


def rewards(outcome: Outcome) -> list[float]:
    """For each seat: its place, shared if tied, from 1 for the first to 0 for the last, and a little for its points."""
    ranks, scores = outcome.ranks, outcome.scores
    seats, total = len(ranks), sum(scores) or 1
    return [
        1 - (rank - 1 + (ranks.count(rank) - 1) / 2) / (seats - 1) + POINTS * (score / total - 1 / seats)
        for rank, score in zip(ranks, scores, strict=True)
    ]


def finished(state: State) -> list[float]:
    return rewards(state.outcome())


def whose_what(state: State) -> Hashable:
    return state.seat, state.decision


@dataclass(frozen=True)
class Policy:
    """What the search may know of a game beyond its rules. By default it knows nothing."""

    weights: Mapping[str, Weigh] = field(default_factory=dict)
    """By decision: how likely each move is to be played, as far as one glance tells. Otherwise all are equal."""
    pause: str = ""
    """A decision at which a position can be judged without playing on to the end."""
    horizon: int = 0
    """How many pauses to play through before that."""
    standing: Callable[..., list[float]] = finished
    """The rewards by seat of a game that is over or given up at a pause."""
    situation: Callable[..., Hashable] = whose_what
    """What tells decisions apart that follow the same moves; luck may have come between."""


class Arm:
    """A move that can be made at a node, and what became of it."""

    __slots__ = ("available", "following", "prior", "total", "visits")

    def __init__(self, prior: float) -> None:
        self.prior = prior
        self.available = 0
        self.visits = 0
        self.total = 0.0
        self.following: dict[Hashable, Node] = {}

    def value(self) -> float:
        return self.total / self.visits if self.visits else 0.0


class Node:
    """A decision, as far as the deciding seat can tell it from others."""

    __slots__ = ("arms", "total", "visits")

    def __init__(self) -> None:
        self.arms: dict[Move, Arm] = {}
        self.visits = 0
        self.total = 0.0


@dataclass(frozen=True)
class Budget:
    """When to stop thinking: whichever comes first."""

    iterations: float
    seconds: float


POINTS = 0.1
"""Weight of a seat's share of all points against its place."""
CURIOSITY = 0.6
"""Weight of what is unknown against what has done well."""
WORLDS = 3
"""Iterations that share an imagined world, since imagining costs as much as playing on."""


class Search:
    """One seat's thoughts in one match."""

    def __init__(self, game: Game, policy: Policy, rng: Random) -> None:
        self.game = game
        self.policy = policy
        self.random = rng.random
        self.chance = QuickChance(rng)
        self.root = Node()

    def think(self, view: Plain, budget: Budget) -> Node:
        """Grow a tree for the decision that this view asks for."""
        end = perf_counter() + budget.seconds
        self.root = root = Node()
        number = 0
        while number < budget.iterations and perf_counter() < end:
            if number % WORLDS == 0:
                world = self.game.imagine(view, self.chance)
            self.iterate(root, world.clone(self.chance))
            number += 1
        return root

    def best(self, moves: list[Move]) -> Move:
        """The move that was tried most often; if it is one of several, the better one, then the likelier."""
        arms = self.root.arms
        if not arms:
            return moves[0]
        return max(moves, key=lambda move: (arms[move].visits, arms[move].total, arms[move].prior))

    def iterate(self, node: Node, state: State) -> None:
        path: list[tuple[int, Node, Arm]] = []
        situation = self.policy.situation
        moves = state.moves()
        new = False
        while moves and not new:
            arm = self.choose(node, state, moves)
            path.append((state.seat, node, arm[1]))
            state.apply(arm[0])
            moves = until_a_choice(state)
            key = situation(state)
            following = arm[1].following
            new = key not in following
            if new:
                following[key] = Node()
            node = following[key]
        self.play_on(state, moves)
        result = self.policy.standing(state)
        for seat, visited, arm_ in path:
            reward = result[seat]
            visited.visits += 1
            visited.total += reward
            arm_.visits += 1
            arm_.total += reward

    def choose(self, node: Node, state: State, moves: list[Move]) -> tuple[Move, Arm]:
        """The move with the best prospect: what it brought so far, and more the less it was tried."""
        arms = node.arms
        if any(move not in arms for move in moves):
            self.add_arms(arms, state, moves)
        hope = node.total / node.visits if node.visits else 0.5
        best = -1.0
        for move in moves:
            arm = arms[move]
            arm.available += 1
            visits = arm.visits
            prospect = (arm.total / visits if visits else hope) + CURIOSITY * arm.prior * sqrt(
                arm.available
            ) / (1 + visits)
            if prospect > best:
                best, chosen = prospect, (move, arm)
        return chosen

    def add_arms(self, arms: dict[Move, Arm], state: State, moves: list[Move]) -> None:
        weigh = self.policy.weights.get(state.decision)
        weights = weigh(state, moves) if weigh else [1.0] * len(moves)
        total = sum(weights)
        for move, weight in zip(moves, weights, strict=True):
            if move not in arms:
                arms[move] = Arm(weight / total)

    def play_on(self, state: State, moves: list[Move]) -> None:
        """Play by the policy alone up to the end or the horizon."""
        random, weights, pause = self.random, self.policy.weights, self.policy.pause
        left = self.policy.horizon
        while moves:
            decision = state.decision
            if decision == pause:
                if not left:
                    return
                left -= 1
            if len(moves) == 1:
                state.apply(moves[0])
            elif decision in weights:
                state.apply(drawn(moves, weights[decision](state, moves), random()))
            else:
                state.apply(moves[int(random() * len(moves))])
            moves = state.moves()


def until_a_choice(state: State) -> list[Move]:
    """Make the forced moves; the moves of the first decision that is none."""
    moves = state.moves()
    while len(moves) == 1:
        state.apply(moves[0])
        moves = state.moves()
    return moves


def drawn(moves: list[Move], weights: Sequence[float], number: float) -> Move:
    """The move on which a number from 0 to 1 falls."""
    number *= sum(weights)
    for move, weight in zip(moves, weights, strict=True):
        number -= weight
        if number < 0:
            return move
    return moves[-1]
