"""Die Augen der Kali (Randolph 1993): dare another card, or stop and keep the loot."""

from __future__ import annotations

from importlib.resources import files

from dalang.engine.game import Game
from dalang.engine.games.kali import promises, telling
from dalang.engine.games.kali.state import Kali
from dalang.engine.games.kali.value import VALUE

GAME = Game(
    name="kali",
    title="Die Augen der Kali (Alex Randolph, 1993)",
    seats=(2, 3, 4, 5, 6),
    rules_version=1,
    state=Kali,
    rulebook=files(__package__) / "rulebook.md",
    sentence=telling.sentence,
    scored_by="gems",
    company=("cautious", "bold"),
    face="dalang.harness.people.tables.kali:FACE",
    drawing="dalang.harness.report:assets/kali.js",
    policy="dalang.bots.policies.kali:POLICY",
    learning="dalang.engine.games.kali.learning:LEARNING",
    promises=promises.PROMISES,
    value=VALUE,
)
