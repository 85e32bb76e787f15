"""Bali (Wrede 2017): grow goods, offer some to the gods, and own what they were offered most."""

from __future__ import annotations

from importlib.resources import files

from dalang.engine.game import Game
from dalang.engine.games.bali_wrede import promises, telling
from dalang.engine.games.bali_wrede.state import BaliWrede

GAME = Game(
    name="bali_wrede",
    title="Bali (Klaus-Jürgen Wrede, 2017)",
    seats=(2, 3, 4),
    rules_version=1,
    state=BaliWrede,
    rulebook=files(__package__) / "rulebook.md",
    sentence=telling.sentence,
    scored_by="points",
    company=("planner", "planner"),
    face="dalang.harness.people.tables.bali_wrede:FACE",
    drawing="dalang.harness.report:assets/bali_wrede.js",
    policy="dalang.bots.policies.bali_wrede:POLICY",
    learning="dalang.engine.games.bali_wrede.learning:LEARNING",
    promises=promises.PROMISES,
)
