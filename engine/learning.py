"""What learners need of a game: all moves that there can be, numbered, and views as numbers.

A game names its `Learning` by its place, as it does its face. What it leaves out is found: moves by playing at random,
numbers by hashing the view. Both serve to begin with; a game that says more is learnt sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import overload

from dalang.engine.chance import SeededChance
from dalang.engine.encoding import Encoding, Feature, hashed, one_of, seat
from dalang.engine.game import NOBODY, Game, Move, Plain, SetupError, quoted

EXPLORED = 200
"""Random games that find the moves of a game which does not name them."""
LOOKED_AT_MOST = 100_000
"""Decisions of these: a game may be long, or have no end."""
ALWAYS_LEFT_OUT = {
    "you": "seats are counted from the one that looks",
    "options": "they are the same at this table for ever",
}


@dataclass(frozen=True)
class Learning:
    """What a game says to learners; each part is a function of the number of seats and all options."""

    actions: Callable[[int, Plain], Iterable[Move]] | None = None
    """Every move that can ever be legal, each once."""
    turned: Callable[[Move, int, int], Move] | None = None
    """For a game whose moves name seats: the move with its seats so many further on, at a table of so many."""
    schema: Callable[[int, Plain], Sequence[Feature]] | None = None
    """What its own part of a view becomes; who is asked what is told for every game."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """What of a view is not told, or not in full, and why that does not matter much."""
    batch: str = ""
    """`module:NAME` of a class that plays many games at once in arrays."""


class Actions(Sequence[Move]):
    """Every move that can ever be legal at a table, numbered in an order that stays.

    Where moves name seats, they are listed as seat 0 has them; whoever sits elsewhere counts seats from itself.

    >>> from dalang.engine.catalogue import find_game
    >>> actions = find_game("kali").actions(2)
    >>> len(actions), actions[1], actions.index(("stop",))
    (4, ('stop',), 1)
    """

    def __init__(self, game: str, seats: int, moves: Iterable[Move], learning: Learning) -> None:
        self.game = game
        self.seats = seats
        self.moves = tuple(moves)
        self.turned = learning.turned
        self.places = {move: place for place, move in enumerate(self.moves)}

    @overload
    def __getitem__(self, number: int) -> Move: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Move]: ...
    def __getitem__(self, number: int | slice) -> Move | Sequence[Move]:
        return self.moves[number]

    def __len__(self) -> int:
        return len(self.moves)

    def __contains__(self, move: object) -> bool:
        return move in self.places

    def move(self, number: int, seat: int) -> Move:
        """The move that this number means for a seat."""
        move = self.moves[number]
        return self.turned(move, seat, self.seats) if self.turned else move

    def index(self, move: Move, seat: int = 0) -> int:  # type: ignore[override]
        """The number that this move has for a seat."""
        try:
            return self.places[self.turned(move, -seat, self.seats) if self.turned else move]
        except KeyError:
            raise SetupError(
                f"{quoted(move)} is not among the {len(self)} actions of {self.game}: let its Learning name all of them"
            ) from None


def learning_of(game: Game) -> Learning:
    learning = game.part(game.learning) if game.learning else Learning()
    if not isinstance(learning, Learning):
        raise SetupError(f"{game.name}: {game.learning!r} is no dalang.engine.learning.Learning")
    return learning


def actions_of(game: Game, seats: int, options: Plain) -> Actions:
    learning = learning_of(game)
    moves = learning.actions(seats, options) if learning.actions else explored(game, seats, options)
    return Actions(game.name, seats, moves, learning)


def encoding_of(game: Game, seats: int, options: Plain) -> Encoding:
    schema = learning_of(game).schema
    if schema is None:
        return Encoding([hashed()])
    return Encoding([*common_fields(game, seats), *schema(seats, options)])


def common_fields(game: Game, seats: int) -> list[Feature]:
    decisions = sorted(game.state.MAY)
    return [
        seat("asked", seats, "who decides now; nobody when the game is over"),
        one_of("decision", decisions, "what is to be decided"),
    ]


def left_out(game: Game) -> dict[str, str]:
    """What of a view the encoding does not tell in full, and why; a hash is made of all of it."""
    learning = learning_of(game)
    return {**ALWAYS_LEFT_OUT, **learning.left_out} if learning.schema else {}


# ---- For a game that does not name its moves


def explored(game: Game, seats: int, options: Plain) -> list[Move]:
    """The moves that random games meet: the same in every process, but perhaps not all."""
    met = {move for moves in islice(random_play(game, seats, options), LOOKED_AT_MOST) for move in moves}
    return sorted(met, key=lambda move: [(isinstance(word, str), word) for word in move])


def random_play(game: Game, seats: int, options: Plain) -> Iterator[list[Move]]:
    """The legal moves of one decision after the other."""
    for number in range(EXPLORED):
        state, rng = game.start(seats, SeededChance(f"explore {number}"), **options), Random(number)
        state.events = None
        while state.seat != NOBODY:
            moves = state.moves()
            yield moves
            state.apply(rng.choice(moves))
