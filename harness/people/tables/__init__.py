"""Games for a person at a terminal: each table as a picture, each move in words, each decision with its rule."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from dalang.engine.game import Game, SetupError
from dalang.harness.people.pages import bare
from dalang.harness.people.tables.face import Face
from dalang.harness.people.tables.paint import WIDTH, Scene

__all__ = ["WIDTH", "Face", "Scene", "face_of", "point_text", "rule_of"]


def face_of(game: Game) -> Face:
    """What the game brings, or what any game looks like."""
    face = game.part(game.face) if game.face else Face()
    if not isinstance(face, Face):
        raise SetupError(f"{game.name}: {game.face!r} is no dalang.faces.Face")
    return face


# ---- Rules


def rule_of(game: Game, decision: str) -> list[str]:
    """What the rulebook says about a decision, point by point."""
    decisions = face_of(game).decisions
    if decision not in decisions:
        return [f"`dalang rules {game.name}` has the whole rulebook."]
    return list(cited(game, decisions[decision].points.split()))


def cited(game: Game, points: list[str]) -> Iterator[str]:
    for point in points:
        rule = f"{point} {point_text(game, point) or 'is not in the rulebook.'}"
        yield from textwrap.wrap(rule, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def point_text(game: Game, point: str) -> str:
    """A point of the rulebook, where it stands as `- **§1.2** ...` on a line of its own; empty if it does not."""
    text = game.rulebook.read_text(encoding="utf-8")
    found = re.search(rf"^- \*\*{re.escape(point)}\*\* (.*)$", text, re.MULTILINE)
    return bare(found[1]).replace("*", "") if found else ""
