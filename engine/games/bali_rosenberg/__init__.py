"""Bali (Rosenberg 2001): one hand per island, and a puppeteer who decides where the game is played.

§ marks refer to bali_rosenberg.md beside this package. `components` holds cards, start cards and ready-made
moves, `state` the game from setup to scoring, `knowledge` who sees what and the worlds a seat can imagine.
"""

from __future__ import annotations

from importlib.resources import files

from dalang.engine.game import Game
from dalang.engine.games.bali_rosenberg.state import BaliRosenberg
from dalang.engine.telling import bali_rosenberg as telling

GAME = Game(
    name="bali_rosenberg",
    title="Bali (Uwe Rosenberg, 2001)",
    seats=(3, 4),
    rules_version=1,
    state=BaliRosenberg,
    rulebook=files("dalang.engine.games") / "bali_rosenberg.md",
    sentence=telling.sentence,
)
