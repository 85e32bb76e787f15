"""Every table the contract is tested at, and what a test must know about each game to do so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dalang.engine.catalogue import games
from dalang.engine.game import State
from dalang.testing import Table, tables_of


@dataclass
class Knowledge:
    """What the contract suite cannot know by itself."""

    conserved: Callable[[State], None]
    """Asserts that nothing was lost or made: cards, gems."""
    hidden: dict[str, set[str]] = field(default_factory=dict)
    """By event: the keys that only its owner may see."""
    option_sets: list[dict[str, Any]] = field(default_factory=list)
    """The variants that are tested beside the game with its default options."""
    playthroughs: list[dict[str, Any]] = field(default_factory=lambda: [{}])
    """The option sets of the golden games."""


def kali_conserved(state: Any) -> None:
    assert sum(state.wealth) + state.loot + state.temple == 350
    assert state.deck.size + len(state.turned) == 52
    assert min(state.wealth) >= 0
    assert state.temple >= 0


BALI_GOODS = ["rice", "peanut", "banana", "pepper"]


def bali_wrede_conserved(state: Any) -> None:
    lying = [state.laid[card][2] for card in state.place]
    for kind in range(4):
        assert state.stock[kind] + sum(held[kind] for held in state.held) + lying.count(kind) == 25
    lacking = state.options["start_sets"][: state.seats]
    farmers = [5 + state.seats - lacking.count(good) for good in BALI_GOODS]
    copies = [12 + state.seats, 9, 9, *farmers, 8 * state.options["oracle"]]
    boxed = [0, 0, state.box[0], 0, 0, 0, 0, state.box[1]]
    for card, number in enumerate(copies):
        owned = sum(cards[card] for cards in [*state.hands, *state.tables] if card < 7)
        shown = sum(row.count(card) for row in state.rows)
        assert state.stack.counts[card] + owned + shown + boxed[card] == number
    assert min(min(counts) for counts in [state.stone, state.points, state.stock, *state.held]) >= 0


def bali_rosenberg_conserved(state: Any) -> None:
    cards = state.pile.counts.copy()
    for card, number in enumerate(state.discards.counts):
        cards[card] += number
    for hand in state.hands:
        assert min(hand) >= 0
        cards = [left + held for left, held in zip(cards, hand, strict=True)]
    for stack in [stack for stacks in state.stacks for stack in stacks] + [state.laid]:
        for card in stack:
            cards[card] += 1
    assert cards == [30, 30, 15, 30, 30, 4, 4, 4, 4, 4, 4]
    assert min(state.pile.counts + state.discards.counts) >= 0
    assert state.pile.size == sum(state.pile.counts)
    assert state.discards.size == sum(state.discards.counts)
    masks = state.masks + [value for taken in state.taken for value in taken]
    assert sorted(masks) == sorted(state.options["masks"])
    assert state.seat < 0 or not any(stacks[state.home] for stacks in state.stacks) or state.decision == "lay"


KNOWLEDGE = {
    "kali": Knowledge(
        conserved=kali_conserved,
        option_sets=[
            {"fine_rounding": "up", "after_takeover": "taker"},
            {"fields": [9] * 18},
        ],
    ),
    "bali_wrede": Knowledge(
        conserved=bali_wrede_conserved,
        hidden={"look": {"kinds"}, "first_offerings": {"drawn"}},
        option_sets=[
            {"oracle": True},
            {"demon": True},
            {"oracle": True, "demon": True},
            {"oracle": True, "start_sets": ["pepper", "rice", "banana", "peanut"]},
        ],
        playthroughs=[{}, {"oracle": True, "demon": True}],
    ),
    "bali_rosenberg": Knowledge(
        conserved=bali_rosenberg_conserved,
        hidden={
            "deal": {"drawn"},
            "draw": {"drawn"},
            "put": {"move"},
            "take": {"card"},
            "laid": {"cards"},
            "pick_up": {"cards"},
        },
        option_sets=[{"split_mask": "next", "max_turns": 40}, {"max_turns": 12}],
        playthroughs=[{"max_turns": 16}],
    ),
}


TABLES = [
    table
    for name, game in games().items()
    for table in tables_of(game, options=KNOWLEDGE[name].option_sets, invariant=KNOWLEDGE[name].conserved)
]
PLAYTHROUGHS = [
    Table(game, seats, options)
    for name, game in games().items()
    for seats in game.seats
    for options in KNOWLEDGE[name].playthroughs
]
