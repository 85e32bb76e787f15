"""The components of Bali (§1), and every move that can be made with them, ready-made."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from dalang.engine.game import Move

# ---- Islands and cards

ISLANDS = ("kukusch", "panschar", "tschakkalag", "wontong")  # §1.2
ISLAND = {name: island for island, name in enumerate(ISLANDS)}

WARRIOR, SCHOLAR, ARTIST, PRIEST, PRINCE, FIRST_DALANG = range(6)
NAMED_ON = {FIRST_DALANG + n: pair for n, pair in enumerate(combinations(range(4), 2))}  # §1.4
CARDS = (
    *("warrior", "scholar", "artist", "priest", "prince"),
    *(f"dalang:{ISLANDS[one]}+{ISLANDS[other]}" for one, other in NAMED_ON.values()),
)
COPIES = (30, 30, 15, 30, 30, 4, 4, 4, 4, 4, 4)  # §1.3, §1.5
CARD_KINDS = range(len(CARDS))
CARD = {name: card for card, name in enumerate(CARDS)}

# ---- Masks and seals

MASKS = [2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5]  # §1.8
SEAL = 3  # §1.7
NOT_HERE = -1
"""The seat that has a chip which is set aside (§2.6) or a seal nobody won yet."""

# ---- Setup


class StartCard(NamedTuple):
    prince: int
    priest: int
    dalang: int


START_NAMES = ("start:1", "start:2", "start:3", "start:4")
START_CARDS = tuple(  # §2.4
    StartCard(*(ISLAND[name] for name in line.split()))
    for line in (
        "panschar kukusch tschakkalag",
        "tschakkalag panschar wontong",
        "wontong tschakkalag kukusch",
        "kukusch wontong panschar",
    )
)
DEALT = 3  # §2.2: cards for each seat at each island

# ---- Limits

MOST = 3  # §5.6, §6.1, §7.1: cards that one flight, scholar or artist moves
KEPT = 4  # §11.8

# ---- Moves: names only at the border, made once

END: Move = ("end",)
PASS: Move = ("pass",)
DONE: Move = ("done",)
FLEE: Move = ("flee",)
DRAW: Move = ("draw",)
PLAY: list[Move] = [("play", card) for card in CARDS]
SPARE: dict[tuple[int, int], list[Move]] = {
    (seats, active): [("play", "warrior", seat) for seat in range(seats) if seat != active]
    for seats in (3, 4)
    for active in range(seats)
}
"""The warriors of an active seat, by number of seats and that seat: one for each it can spare (§5.1)."""
CONTEST: dict[int, list[Move]] = {
    card: [("play", CARDS[card], shown) for shown in range(1, COPIES[card])] for card in (PRIEST, PRINCE)
}
VOYAGE: dict[int, list[list[Move]]] = {
    card: [[("play", CARDS[card], ISLANDS[to]) for to in pair if to != here] for here in range(4)]
    for card, pair in NAMED_ON.items()
}
"""By Dalang card and active island: one for each island that is named and not the active one (§10.2)."""
PUT: list[list[list[Move]]] = [
    [[("put", card, ISLANDS[to]) for to in range(4) if to != here] for here in range(4)] for card in CARDS
]
"""By card and active island."""
TAKE: list[Move] = [("take", island) for island in ISLANDS]
SWAP: list[Move] = [("swap", card) for card in CARDS]
SHOW: list[Move] = [("show", number) for number in range(31)]
LAY: list[Move] = [("lay", card) for card in CARDS]
BLOCK: list[list[tuple[int, Move]]] = [
    [(card, ("block", CARDS[card])) for card, pair in NAMED_ON.items() if target in pair]
    for target in range(4)
]
"""By target: the Dalang cards that name it (§10.3)."""
