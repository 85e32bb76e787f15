"""The components of Bali (§1), and every move that can be made with them, ready-made.

Cards and goods are numbers, in the order of the names in CARDS and GOODS; a list of counts has the same order.
"""

from __future__ import annotations

from dalang.engine.game import Move

# ---- Goods and cards

GOODS = ["rice", "peanut", "banana", "pepper"]
KIND = {name: kind for kind, name in enumerate(GOODS)}
KINDS = range(4)
OFFERINGS = 25  # §1.5, of each kind

STONECUTTER, PRIEST, ALTAR, FARMER, ORACLE = 0, 1, 2, 3, 7
CARDS = ("stonecutter", "priest", "altar", *(f"farmer:{good}" for good in GOODS), "oracle")
CARD = {name: card for card, name in enumerate(CARDS)}
COPIES = (12, 9, 9, 5, 5, 5, 5, 0)  # §1.1
ORACLES = 8

ROWS = range(4)
HAND = 3
CARD_PRICE = 5  # §4.2
ALTAR_PRICE = 7  # §5.1

# ---- The place of offerings

FACE_DOWN = 4
EMPTY = -1
"""How the top of the place can look, beside the four kinds (V5)."""
TOPS = [*GOODS, "down", ""]
WINDOW = 4  # §10.6
UNKNOWN = -1
"""The kind of a card that a seat has not seen, or that nobody kept."""

# ---- Moves: names only at the border, made once

PASS: Move = ("pass",)
BUY: list[Move] = [("buy", good) for good in GOODS]
PLAY: list[Move] = [("play", card) for card in CARDS[:FARMER]]
PLAY_FARMERS: list[list[Move]] = [[("play", "farmer", good, m) for m in (1, 2, 3)] for good in GOODS]
DISCARD: Move = ("discard", "altar")
OFFER: list[Move] = [("offer", good) for good in GOODS]
ADD: list[Move] = [("add", good) for good in GOODS]
TAKE: list[Move] = [("take", row) for row in ROWS]
LOOK: Move = ("look",)
KEEP: list[Move] = [("keep", good) for good in GOODS]
GAIN: list[Move] = [("gain", good) for good in GOODS]
REWARDS: list[Move] = [("reward", "stone"), ("reward", "point")]
