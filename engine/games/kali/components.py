"""The components of Die Augen der Kali (§1), and every move, ready-made."""

from __future__ import annotations

from dalang.engine.game import Move

GEMS = 350  # §1.2
CARDS = ("step1", "step2", "step3", "step4", "noise", "fright")
COPIES = (16, 12, 6, 4, 12, 2)  # §1.4, §1.5
LENGTHS = (1, 2, 3, 4)
"""Of the footprint cards, in fields (§1.4)."""
NOISE = 4
LAST_FIELD = 18  # §1.1
FIELD_VALUES = [1, 1, 1, 1, 2, 2, 3, 3, 5, 5, 6, 7, 10, 10, 11, 15, 15, 20]  # §1.7
FIRST_WEALTH = 40  # §2.3

TURN_UP: Move = ("draw",)
STOP: Move = ("stop",)
TAKE_OVER: Move = ("take_over",)
DECLINE: Move = ("decline",)
