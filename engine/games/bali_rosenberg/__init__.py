"""Bali (Rosenberg 2001): one hand per island, and a puppeteer who decides where the game is played."""

from __future__ import annotations

from importlib.resources import files

from dalang.engine.game import Game
from dalang.engine.games.bali_rosenberg import telling
from dalang.engine.games.bali_rosenberg.state import BaliRosenberg

GAME = Game(
    name="bali_rosenberg",
    title="Bali (Uwe Rosenberg, 2001)",
    seats=(3, 4),
    rules_version=1,
    state=BaliRosenberg,
    rulebook=files(__package__) / "rulebook.md",
    sentence=telling.sentence,
)
