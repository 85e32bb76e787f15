"""What Die Augen der Kali says to learners: four moves, and the table in numbers."""

from __future__ import annotations

from collections.abc import Sequence

from dalang.engine.encoding import Feature, by_seat, counts, number, one_of, seat
from dalang.engine.game import Move, Plain
from dalang.engine.games.kali.components import (
    CARDS,
    COPIES,
    DECLINE,
    GEMS,
    LAST_FIELD,
    LENGTHS,
    STOP,
    TAKE_OVER,
    TURN_UP,
)
from dalang.engine.learning import Learning

PRICES = (1, 10, 20, 40)  # §8.2, §8.3


def actions(seats: int, options: Plain) -> list[Move]:
    return [TURN_UP, STOP, TAKE_OVER, DECLINE]


def schema(seats: int, options: Plain) -> Sequence[Feature]:
    return [
        seat("owner", seats, "whose regular turn it is"),
        seat("acting", seats, "who turns cards now"),
        number(
            "field", LAST_FIELD + max(LENGTHS), "where the slave stands; beyond the last field at Kali's feet"
        ),
        number("loot", GEMS, "gems that the slave carries"),
        one_of("price", (0, *PRICES), "of a takeover; 0 while none is on offer"),
        number("temple", GEMS, "gems in the temple"),
        number("frights", COPIES[CARDS.index("fright")], "frights so far"),
        by_seat(number("wealth", GEMS, "gems of each seat"), seats),
        counts("deck", dict(zip(CARDS, COPIES, strict=True)), "cards that were not turned yet"),
        one_of("ending", ("kali_wakes", "kali_reached"), "how it ended, if it did"),
    ]


LEARNING = Learning(
    actions=actions,
    schema=schema,
    left_out={
        "turned": "the deck tells which cards are out; their order has no effect on what comes",
        "turned_by": "who turned a card has no effect on what comes",
    },
    batch="dalang.harness.learn.arrays.kali:KaliArrays",
)
