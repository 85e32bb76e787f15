"""What Bali (Rosenberg) says to learners: its moves, and the table in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

from dalang.engine.encoding import (
    Feature,
    among,
    by_seat,
    counts,
    derived,
    each_of,
    flag,
    growing,
    number,
    one_hot,
    one_of,
    seat,
    seen_from_me,
    up_to,
)
from dalang.engine.game import Move, Plain
from dalang.engine.games.bali_rosenberg.components import (
    ARTIST,
    BLOCK,
    CARDS,
    CONTEST,
    COPIES,
    DEALT,
    DONE,
    DRAW,
    END,
    FLEE,
    ISLANDS,
    KEPT,
    LAY,
    MOST,
    PASS,
    PLAY,
    PRIEST,
    PRINCE,
    PUT,
    SCHOLAR,
    SHOW,
    SPARE,
    SWAP,
    TAKE,
    VOYAGE,
    WARRIOR,
)
from dalang.engine.games.bali_rosenberg.telling import ENDINGS
from dalang.engine.games.bali_rosenberg.worlds import UNKNOWN
from dalang.engine.learning import Learning

SHOWN_IN_CONTESTS = (CARDS[PRIEST], CARDS[PRINCE])
LYING = (*CARDS, UNKNOWN)
"""What a seat knows of a card in its own stack."""
HALF_A_STACK = 4


# ---- Moves


def actions(seats: int, options: Plain) -> list[Move]:
    """The seats to spare as seat 0 has them."""
    responses = [PLAY[card] for card in (WARRIOR, SCHOLAR, ARTIST)]
    contests = chain.from_iterable(CONTEST.values())
    voyages = unique(move for by_island in VOYAGE.values() for moves in by_island for move in moves)
    puts = unique(move for by_island in PUT for moves in by_island for move in moves)
    blocks = unique(move for named in BLOCK for _, move in named)
    plain = [END, PASS, DONE, FLEE, DRAW, *responses, *SPARE[seats, 0], *contests, *voyages, *puts]
    return [*plain, *TAKE, *SWAP, *SHOW[1:], *LAY, *blocks]


def unique(moves: Any) -> list[Move]:
    return list(dict.fromkeys(moves))


def turned(move: Move, steps: int, seats: int) -> Move:
    """Only a warrior names a seat: the one that is spared."""
    if len(move) == 3 and move[:2] == PLAY[WARRIOR]:
        return *move[:2], (int(move[2]) + steps) % seats
    return move


# ---- Numbers


def schema(seats: int, options: Plain) -> Sequence[Feature]:
    all_cards = dict(zip(CARDS, COPIES, strict=True))
    masks = options["masks"]
    return [
        number("turn", options["max_turns"], "the number of this turn"),
        number("idle", 2 * seats, "turns in a row in which nobody played or drew"),
        seat("active", seats, "whose turn it is"),
        one_of("island", ISLANDS, "where the Dalang stands"),
        one_of("home", ISLANDS, "the island whose stacks the hands are"),
        among("fled", seats, "who has fled"),
        one_of("play.card", CARDS, "the card that is being resolved"),
        seat("play.spared", seats, "whom the warrior spares"),
        one_of("play.target", ISLANDS, "where the Dalang is to go"),
        number("play.best", max(COPIES), "the highest number shown in this contest"),
        seat("play.leader", seats, "who showed it"),
        number("play.used", MOST, "cards that this scholar, artist or flight has moved"),
        one_of("play.mode", ("put", "take", "swap"), "what it does with them"),
        flag("play.forced", "whether a second card has ended the turn"),
        each_of(ISLANDS, seat("chips.priest", seats, "whose priest is on each island")),
        each_of(ISLANDS, seat("chips.prince", seats, "whose prince is on each island")),
        each_of(ISLANDS, seat("seals", seats, "whose seal each island bears")),
        up_to(len(masks), number("masks", max(masks), "masks in stock, lowest first")),
        by_seat(worth_of("taken", sum(masks), "what the masks of each seat are worth"), seats),
        number("pile", sum(COPIES), "cards in the draw pile"),
        counts("discards", all_cards, "cards in the discard pile"),
        by_seat(growing("hands", HALF_A_STACK, "cards in each hand"), seats),
        by_seat(each_of(ISLANDS, growing("stacks", HALF_A_STACK, "cards in each stack")), seats),
        by_seat(each_of(ISLANDS, number("dealt", DEALT, "of them from the first deal")), seats),
        sure_cards(seats),
        one_of("ending", tuple(ENDINGS), "how it ended, if it did"),
        counts("hand", all_cards, "your hand"),
        derived("laid", [f".{card}" for card in CARDS], counted, "what you have laid down so far"),
        each_of(ISLANDS, derived("own", stack_parts(), known_stack, "your own stacks: how many of each card, "
                                 f"the lowest {KEPT} and the highest {MOST}")),
    ]  # fmt: skip


def worth_of(key: str, most: int, about: str) -> Feature:
    return derived(key, [""], lambda masks, me: [sum(masks) / most], about)


def counted(cards: Any, me: int) -> list[float]:
    return [cards.count(card) / copies for card, copies in zip(CARDS, COPIES, strict=True)]


def stack_parts() -> list[str]:
    slots = [f".low {place}" for place in range(KEPT)] + [f".high {place}" for place in range(MOST)]
    return [*[f".{card}" for card in CARDS], *[f"{slot}={card}" for slot in slots for card in LYING]]


SLOT = {card: one_hot(len(LYING), place) for place, card in enumerate(LYING)}
EMPTY_SLOT = one_hot(len(LYING), -1)


def known_stack(stack: Any, me: int) -> list[float]:
    low = [*stack[:KEPT], *[None] * KEPT][:KEPT]
    high = [*stack[: -MOST - 1 : -1], *[None] * MOST][:MOST]
    ends = chain.from_iterable(SLOT.get(card, EMPTY_SLOT) for card in (*low, *high))
    return [*counted(stack, me), *ends]


def sure_cards(seats: int) -> Feature:
    """By seat, island and kind, of a list of those that are not 0."""
    places = [
        (step, island, card) for step in range(seats) for island in ISLANDS for card in SHOWN_IN_CONTESTS
    ]
    who = seen_from_me(seats)

    def read(sure: Any, me: int) -> list[float]:
        known = {((other - me) % seats, island, card): many for other, island, card, many in sure}
        return [known.get(place, 0) / max(COPIES) for place in places]

    parts = [f"[{who[step]}][{island}].{card}" for step, island, card in places]
    return derived("sure", parts, read, "priests and princes that all know to be in a stack")


LEARNING = Learning(
    actions=actions,
    turned=turned,
    schema=schema,
    left_out={
        "start": "the start cards only place the first chips",
        "taken": "what they are worth, not which they are",
        "laid": "how many of each, not in which order",
        "own": "how many of each, and both ends: not the order in the middle of a tall stack",
        "trails": "the way of hidden cards: too long, and what is sure is told",
        "piles": "what was in the draw pile when it was made",
        "drawn": "what you drew from each pile: you hold it or saw it go",
    },
)
