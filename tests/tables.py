"""Every table the contract is tested at, and what a test must know about each game to do so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.catalogue import games
from engine.game import Game, State


@dataclass
class Knowledge:
    """What the contract suite cannot know by itself."""

    conserved: Callable[[State], None]
    """Asserts that nothing was lost or made: cards, gems."""
    hidden: dict[str, set[str]] = field(default_factory=dict)
    """By event: the keys that only its owner may see."""
    option_sets: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    playthroughs: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    """The option sets of the golden games."""


def kali_conserved(state: Any) -> None:
    assert sum(state.wealth) + state.loot + state.temple == 350
    assert state.deck.size + len(state.turned) == 52
    assert min(state.wealth) >= 0
    assert state.temple >= 0


KNOWLEDGE = {
    "kali": Knowledge(
        conserved=kali_conserved,
        option_sets=[
            {},
            {"fine_rounding": "up", "after_takeover": "taker"},
            {"fields": [9] * 18},
        ],
    ),
}


class Table(NamedTuple):
    game: Game
    seats: int
    options: dict[str, Any]

    @property
    def knowledge(self) -> Knowledge:
        return KNOWLEDGE[self.game.name]

    def __str__(self) -> str:
        words = [f"{name}-{value}" for name, value in self.options.items() if not isinstance(value, list)]
        lists = [name for name, value in self.options.items() if isinstance(value, list)]
        return "-".join([self.game.name, f"{self.seats}p", *words, *lists])


TABLES = [
    Table(game, seats, options)
    for game in games().values()
    for seats in game.seats
    for options in KNOWLEDGE[game.name].option_sets
]
PLAYTHROUGHS = [
    Table(game, seats, options)
    for game in games().values()
    for seats in game.seats
    for options in KNOWLEDGE[game.name].playthroughs
]
