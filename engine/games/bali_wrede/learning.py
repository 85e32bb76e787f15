"""What Bali (Wrede) says to learners: its moves, and the table in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalang.engine.encoding import (
    Feature,
    by_seat,
    counts,
    derived,
    each_of,
    growing,
    number,
    one_of,
    seat,
    up_to,
)
from dalang.engine.game import Move, Plain
from dalang.engine.games.bali_wrede.components import (
    ADD,
    ALTAR,
    BUY,
    CARDS,
    COPIES,
    DISCARD,
    GAIN,
    GOODS,
    KEEP,
    LOOK,
    OFFER,
    OFFERINGS,
    ORACLE,
    ORACLES,
    PASS,
    PLAY,
    PLAY_FARMERS,
    REWARDS,
    ROWS,
    TAKE,
    TOPS,
)
from dalang.engine.learning import Learning

ROW_LENGTH = 4
MOST_DUE = 2  # §8.7: one card, and one more for a sole majority


def actions(seats: int, options: Plain) -> list[Move]:
    farmers = [move for moves in PLAY_FARMERS for move in moves]
    oracle = [LOOK, *KEEP] if options["oracle"] else []
    return [PASS, *BUY, *PLAY, *farmers, DISCARD, *OFFER, *ADD, *TAKE, *GAIN, *REWARDS, *oracle]


def schema(seats: int, options: Plain) -> Sequence[Feature]:
    goods = dict.fromkeys(GOODS, OFFERINGS)
    copies = dict(zip(CARDS, (*COPIES[:ORACLE], ORACLES), strict=True))
    owned = {card: COPIES[kind] + seats for kind, card in enumerate(CARDS[:ORACLE])}
    rows = [f"row {row}" for row in ROWS]
    return [
        seat("turn", seats, "whose turn it is"),
        one_of("row", (-1, *ROWS), "from which a card was last taken this turn, -1 if none was"),
        number("due", MOST_DUE, "cards still due to the seat that is asked to gain"),
        each_of(rows, up_to(ROW_LENGTH, one_of("rows", CARDS, "the cards of each row, top to bottom"))),
        one_of("demon", (-1, *ROWS), "the row it stands on, -1 without that variant"),
        counts("stack", copies, "cards that are still to come"),
        counts("stock", goods, "offering cards in stock"),
        counts("box", {"altar": COPIES[ALTAR], "oracle": ORACLES}, "cards out of the game"),
        by_seat(counts("tables", owned, "cards on each table"), seats),
        by_seat(counts("hands", owned, "cards in each hand"), seats),
        by_seat(growing("stone", 8, "stone of each seat"), seats),
        by_seat(growing("points", 20, "points of each seat"), seats),
        counts("held", goods, "offering cards that you hold"),
        by_seat(growing("total", 8, "offering cards that each seat holds"), seats),
        by_seat(each_of(GOODS, number("open", OFFERINGS, "the open ledger of each seat", -OFFERINGS)), seats),
        by_seat(growing("down", 4, "cards that each seat laid face down"), seats),
        by_seat(growing("picks", 4, "cards that each seat kept after a look"), seats),
        growing("place", 20, "cards on the place of offerings"),
        one_of("top", TOPS[:-1], "the top of the place as it lies"),
        derived("laid", laid_parts(), laid_by_kind, "cards laid on the place: openly, and by you face down"),
    ]


def laid_parts() -> list[str]:
    return [f".{side}.{good}" for side in ("open", "mine down") for good in GOODS]


def laid_by_kind(laid: Any, me: int) -> list[float]:
    openly = [kind for _, side, kind in laid if side == "open"]
    mine = [kind for by, side, kind in laid if side == "down" and by == me]
    return [kinds.count(good) / OFFERINGS for kinds in (openly, mine) for good in GOODS]


LEARNING = Learning(
    actions=actions,
    schema=schema,
    left_out={
        "laid": "by kind, openly and by you; not in which order and by whom",
        "looks": "what was seen at a look, and after which card: the rarest of clues",
        "lows": "what perfect recall adds to the open ledger",
        "revealed": "known only when the game is over",
    },
)
