"""Bali (Rosenberg 2001): one hand per island, and a puppeteer who decides where the game is played."""

from __future__ import annotations

from importlib.resources import files

from dalang.engine.game import Game
from dalang.engine.games.bali_rosenberg import promises, telling
from dalang.engine.games.bali_rosenberg.state import BaliRosenberg

GAME = Game(
    name="bali_rosenberg",
    title="Bali (Uwe Rosenberg, 2001)",
    seats=(3, 4),
    rules_version=1,
    state=BaliRosenberg,
    rulebook=files(__package__) / "rulebook.md",
    sentence=telling.sentence,
    scored_by="points",
    company=("guardian", "guardian"),
    face="dalang.harness.people.tables.bali_rosenberg:FACE",
    drawing="dalang.harness.report:assets/bali_rosenberg.js",
    policy="dalang.bots.policies.bali_rosenberg:POLICY",
    learning="dalang.engine.games.bali_rosenberg.learning:LEARNING",
    promises=promises.PROMISES,
)
