"""Games for a person at a terminal: each table as a picture, each move in words, each decision with its rule.

A game of another package has none of this; then its view is listed as it is, and moves are shown as bots see them.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from dalang.engine.game import Game, Move, Plain
from dalang.harness.people.pages import bare
from dalang.harness.people.tables import bali_rosenberg, bali_wrede, kali
from dalang.harness.people.tables.paint import WIDTH, Decision, Scene

__all__ = ["WIDTH", "Face", "Scene", "face_of", "rule_of"]


class Face(NamedTuple):
    """How a game looks to people."""

    picture: Callable[[Scene], list[str]]
    choice: Callable[[Plain, Move], str]
    """A move as an offer, given the view of the seat that decides; seats are still numbers."""
    decisions: Mapping[str, Decision]

    def question(self, decision: str) -> str:
        return self.decisions[decision].question if decision in self.decisions else f"Decide: {decision}"


def listed(scene: Scene) -> list[str]:
    view = scene.full or scene.view
    return [
        line
        for key, value in view.items()
        for line in textwrap.wrap(f"{key}: {json.dumps(value)}", WIDTH, subsequent_indent="  ")
    ]


def as_bots_see_it(view: Plain, move: Move) -> str:
    return " ".join(map(str, move))


PLAIN = Face(listed, as_bots_see_it, {})
FACES = {
    "kali": Face(kali.picture, kali.choice, kali.DECISIONS),
    "bali_wrede": Face(bali_wrede.picture, bali_wrede.choice, bali_wrede.DECISIONS),
    "bali_rosenberg": Face(bali_rosenberg.picture, bali_rosenberg.choice, bali_rosenberg.DECISIONS),
}


def face_of(game: Game) -> Face:
    return FACES.get(game.name, PLAIN)


# ---- Rules


def rule_of(game: Game, decision: str) -> list[str]:
    """What the rulebook says about a decision, point by point."""
    decisions = face_of(game).decisions
    if decision not in decisions:
        return [f"`dalang rules {game.name}` has the whole rulebook."]
    return list(cited(game, decisions[decision].points.split()))


def cited(game: Game, points: list[str]) -> Iterator[str]:
    text = game.rulebook.read_text(encoding="utf-8")
    for point in points:
        found = re.search(rf"^- \*\*{re.escape(point)}\*\* (.*)$", text, re.MULTILINE)
        assert found, f"{game.name} has no {point}"
        rule = f"{point} {bare(found[1]).replace('*', '')}"
        yield from textwrap.wrap(rule, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
