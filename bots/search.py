"""Information-set Monte Carlo tree search for any game that keeps the contract of `dalang.engine.game`.

Each iteration imagines a world that looks like ours to the deciding seat, walks down one tree that all
worlds share, plays on from its edge, and notes at every decision on the way how well the seat that decided there did.
Every seat maximises its own reward. Luck is not in the tree: a move leads to whatever decision comes
next, told apart only as finely as the game's policy wants.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import exp, inf, sqrt
from random import Random
from time import perf_counter

from dalang.engine.chance import QuickChance
from dalang.engine.game import Game, Move, NoWorld, Outcome, Plain, State

Weigh = Callable[..., Sequence[float]]
"""How promising each of the moves looks, given the state and the moves: numbers above 0."""


def rewards(outcome: Outcome) -> list[float]:
    """For each seat: its place, shared if tied, from 1 for the first to 0 for the last, and a little for its points."""
    ranks, scores = outcome.ranks, outcome.scores
    seats, total = len(ranks), sum(map(abs, scores)) or 1
    return [
        1
        - (rank - 1 + (ranks.count(rank) - 1) / 2) / (seats - 1)
        + POINTS_WEIGHT * (score / total - 1 / seats)
        for rank, score in zip(ranks, scores, strict=True)
    ]


def rewards_by_lead(values: Sequence[float], swing: float) -> list[float]:
    """The rewards of a game in progress: the place that a seat can expect if leads of about `swing` may turn."""
    others = len(values) - 1
    return [
        (sum([1 / (1 + exp((value - mine) / swing)) for value in values]) - 0.5) / others for mine in values
    ]


def final_rewards(state: State) -> list[float]:
    return rewards(state.outcome())


def seat_and_decision(state: State) -> Hashable:
    return state.seat, state.decision


@dataclass(frozen=True)
class Policy:
    """What the search may know of a game beyond its rules. By default it knows nothing."""

    weights: Mapping[str, Weigh] = field(default_factory=dict)
    """By decision: how likely each move is to be played, as far as one glance tells. Otherwise all are equal."""
    counsel: Callable[[Plain, list[Move]], Sequence[float]] | None = None
    """The same as `weights` for the decision that is to be made, from its view: it may take its time."""
    pauses: Sequence[str] = ()
    """Decisions at which a position can be judged without playing on to the end."""
    horizon: int = 0
    """How many pauses to play through before that."""
    standing: Callable[..., list[float]] = final_rewards
    """The rewards by seat of a game that is over or given up at a pause."""
    situation: Callable[..., Hashable] = seat_and_decision
    """What tells decisions apart that follow the same moves; luck may have come between."""
    complete: bool = False
    """Does the situation alone tell decisions apart, whatever moves led there?"""


class Arm:
    """A move that can be made at a node, and what became of it."""

    __slots__ = ("available", "following", "prior", "total", "visits")

    def __init__(self) -> None:
        self.prior = 0.0
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


POINTS_WEIGHT = 0.1
"""Weight of a seat's share of all points against its place."""
EVEN_SHARE = 0.25
"""The part of the trust in moves that all get alike, whatever a glance says."""
GOLDEN_RATIO = 0.6180339887498949
"""Its multiples fill the numbers from 0 to 1 evenly, however many are taken."""
ENOUGH_RESULTS = 10
"""Fewer results say too little about how much they vary."""
ITERATIONS_PER_WORLD = 3
"""Iterations that share an imagined world, since imagining costs as much as playing on."""


class Spread:
    """How much the results of one decision vary: so curious is the search about moves that it has hardly tried."""

    __slots__ = ("deviation", "number", "squares", "total")

    def __init__(self) -> None:
        self.number, self.total, self.squares = 0, 0.0, 0.0
        self.deviation = 0.5

    def add(self, result: float) -> None:
        self.number += 1
        self.total += result
        self.squares += result * result
        if self.number >= ENOUGH_RESULTS:
            mean = self.total / self.number
            self.deviation = sqrt(max(0.0, self.squares / self.number - mean * mean))


class Search:
    """One seat's thoughts in one match."""

    def __init__(self, game: Game, policy: Policy, rng: Random) -> None:
        self.game = game
        self.policy = policy
        self.random = rng.random
        self.chance = QuickChance(rng)
        self.root = Node()
        self.nodes: dict[Hashable, Node] = {}
        self.results = Spread()

    def think(self, view: Plain, moves: list[Move], budget: Budget, begun: Node | None = None) -> Node:
        """Grow a tree for the decision that this view asks for, from the node where it has begun, if any."""
        end = perf_counter() + budget.seconds
        self.root = root = begun or Node()
        self.nodes = {}
        self.results = Spread()
        if self.policy.counsel:
            add_arms(root.arms, moves, self.policy.counsel(view, moves))
        with suppress(NoWorld):  # what was thought so far has to do, if it is only a first glance
            self.grow(root, view, budget.iterations, end)
        return root

    def grow(self, root: Node, view: Plain, iterations: float, end: float) -> None:
        number = 0
        while number < iterations and perf_counter() < end:
            if number % ITERATIONS_PER_WORLD == 0:
                world = self.game.imagine(view, self.chance)
            self.iterate(root, world.clone(self.chance))
            number += 1

    def best(self, moves: list[Move]) -> Move:
        """The move that was tried most often; if it is one of several, the better one, then the likelier."""
        arms = self.root.arms
        known = [move for move in moves if move in arms]
        if not known:
            return moves[0]
        return max(known, key=lambda move: (arms[move].visits, arms[move].total, arms[move].prior))

    def iterate(self, node: Node, state: State) -> None:
        """From the root to a new node, and on to a judgement that all on the way learn from."""
        path: list[tuple[int, Node, Arm]] = []
        moves = state.moves()
        new = False
        while moves and not new:
            move, arm = self.choose(node, state, moves)
            if not path:
                self.even_out_first_draw(arm.visits)
            path.append((state.seat, node, arm))
            state.apply(move)
            moves = until_a_choice(state)
            key = self.policy.situation(state)
            nodes = self.nodes if self.policy.complete else arm.following
            new = key not in nodes
            if new:
                nodes[key] = Node()
            node = nodes[key]
        self.play_on(state, moves)
        self.chance.random = self.random
        result = self.policy.standing(state)
        self.results.add(result[path[0][0]])
        for seat, visited, arm in path:
            reward = result[seat]
            visited.visits += 1
            visited.total += reward
            arm.visits += 1
            arm.total += reward

    def even_out_first_draw(self, number: int) -> None:
        """Let the first draw after a root move go evenly through the bag, visit by visit, instead of at random."""
        even = number * GOLDEN_RATIO % 1.0

        def first() -> float:
            self.chance.random = self.random
            return even

        self.chance.random = first

    def choose(self, node: Node, state: State, moves: list[Move]) -> tuple[Move, Arm]:
        """The move with the best prospect: what it brought so far, and more the less it was tried."""
        arms = node.arms
        if any(move not in arms for move in moves):
            weigh = self.policy.weights.get(state.decision)
            add_arms(arms, moves, weigh(state, moves) if weigh else [1.0] * len(moves))
        hope = node.total / node.visits if node.visits else 0.5
        curiosity = self.results.deviation
        best = -inf
        for move in moves:
            arm = arms[move]
            arm.available += 1
            visits = arm.visits
            prospect = (arm.total / visits if visits else hope) + curiosity * arm.prior * sqrt(
                arm.available
            ) / (1 + visits)
            if prospect > best:
                best, chosen = prospect, (move, arm)
        return chosen

    def play_on(self, state: State, moves: list[Move]) -> None:
        """Play by the policy alone up to the end or the horizon."""
        random, weights, pauses = self.random, self.policy.weights, self.policy.pauses
        left = self.policy.horizon
        while moves:
            decision = state.decision
            if decision in pauses:
                if not left:
                    return
                left -= 1
            if len(moves) == 1:
                state.apply(moves[0])
            elif decision in weights:
                state.apply(picked(moves, weights[decision](state, moves), random()))
            else:
                state.apply(moves[int(random() * len(moves))])
            moves = state.moves()


def add_arms(arms: dict[Move, Arm], moves: list[Move], weights: Sequence[float]) -> None:
    """Trust moves by their weights; none is so small that its move is never tried."""
    total, least = sum(weights), EVEN_SHARE / len(moves)
    for move, weight in zip(moves, weights, strict=True):
        arms.setdefault(move, Arm()).prior = least + (1 - EVEN_SHARE) * weight / total


def weights_by_value(values: Sequence[float], sharpness: float) -> list[float]:
    """Weights for moves of these values: one unit more multiplies a weight by e to the sharpness."""
    best = max(values)
    return [exp(sharpness * (value - best)) for value in values]


def until_a_choice(state: State) -> list[Move]:
    """Make the forced moves; the moves of the first decision that is none."""
    moves = state.moves()
    while len(moves) == 1:
        state.apply(moves[0])
        moves = state.moves()
    return moves


def picked(moves: list[Move], weights: Sequence[float], number: float) -> Move:
    """The move on which a number from 0 to 1 falls."""
    number *= sum(weights)
    for move, weight in zip(moves, weights, strict=True):
        number -= weight
        if number < 0:
            return move
    return moves[-1]
