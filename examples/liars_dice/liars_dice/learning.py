"""What Liar's Dice says to learners: its moves, and the table in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalang.engine.encoding import Feature, by_seat, derived, number, one_hot, order, seat
from dalang.engine.game import Move, Plain
from dalang.engine.learning import Learning
from liars_dice.state import DICE, DOUBT, FACES


def actions(seats: int, options: Plain) -> list[Move]:
    return [DOUBT, *[("bid", count, face) for count in range(1, seats * DICE + 1) for face in FACES]]


def schema(seats: int, options: Plain) -> Sequence[Feature]:
    most = seats * DICE

    def bid(value: Any, me: int) -> list[float]:
        count, face = value or (0, 0)
        return [count / most, *one_hot(len(FACES), face - 1)]

    faces = [f"={face}" for face in FACES]
    return [
        derived("dice", faces, own_dice, "how many of each face you have"),
        by_seat(number("held", DICE, "dice of each seat"), seats),
        derived("bid", [".count", *faces], bid, "the bid to beat, nothing before the first of a round"),
        seat("bidder", seats, "whose bid it is"),
        order("out", seats, "who is out, and when"),
    ]


def own_dice(dice: Any, me: int) -> list[float]:
    return [dice.count(face) / DICE for face in FACES]


LEARNING = Learning(actions=actions, schema=schema)
