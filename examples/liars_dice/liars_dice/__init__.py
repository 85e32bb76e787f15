"""Liar's Dice: bid on dice that nobody sees all of, and doubt what you do not believe."""

from importlib.resources import files

from dalang.engine.game import Game, Promises
from liars_dice import telling
from liars_dice.state import LiarsDice, conserved

GAME = Game(
    name="liars_dice",
    title="Liar's Dice (traditional)",
    seats=(2, 3, 4, 5, 6),
    rules_version=1,
    state=LiarsDice,
    rulebook=files(__package__) / "rulebook.md",
    sentence=telling.sentence,
    scored_by="outlasted",
    company=("seer:100", "random"),
    face="liars_dice.face:FACE",
    drawing="liars_dice:drawing.js",
    policy="liars_dice.policy:POLICY",
    learning="liars_dice.learning:LEARNING",
    promises=Promises(conserved=conserved, hidden={"roll": {"drawn"}}, variants=({"wild_ones": False},)),
)
