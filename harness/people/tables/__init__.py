"""Games for a person at a terminal: each table as a picture, each move in words, each decision with its rule."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from dalang.engine.game import Game, Plain, SetupError
from dalang.harness.people.pages import bare, page
from dalang.harness.people.tables.face import Face
from dalang.harness.people.tables.paint import WIDTH, Scene, heading
from dalang.harness.terminal import echo

__all__ = [
    "WIDTH", "Face", "Scene", "face_of", "opening", "point_text", "rule_of", "rulebook_of", "show_table", "table_text",
]  # fmt: skip

LONGEST_OPENING = 20
"""Rows, so that it fits a small terminal whatever a rulebook begins with."""


def face_of(game: Game) -> Face:
    """What the game brings, or what any game looks like."""
    face = game.part(game.face) if game.face else Face()
    if not isinstance(face, Face):
        raise SetupError(f"{game.name}: {game.face!r} is no dalang.faces.Face")
    return face


def table_text(game: Game, view: Plain, names: Sequence[str]) -> str:
    """The table as one seat sees it."""
    return "\n".join(face_of(game).picture(Scene(view, names)))


def show_table(game: Game, view: Plain, names: Sequence[str]) -> None:
    echo(table_text(game, view, names))


# ---- Rules


def opening(game: Game) -> list[str]:
    """What the game is about, as its rulebook begins, and how it is won."""
    text = re.split(
        r"^## |^\*\*How to read", game.rulebook.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE
    )
    lines = page(re.sub(r"^# .*", "", text[0]), WIDTH).strip().splitlines()
    goal = face_of(game).goal
    return [*lines[:LONGEST_OPENING], *([heading(f"Goal: {goal}")] if goal else [])]


def rulebook_of(game: Game, columns: int) -> list[str]:
    return page(game.rulebook.read_text(encoding="utf-8"), min(WIDTH, columns)).splitlines()


def rule_of(game: Game, decision: str, options: Plain) -> list[str]:
    """What the rulebook says about a decision, point by point, as far as it holds with these options."""
    decisions = face_of(game).decisions
    if decision not in decisions:
        return ["?? shows the whole rulebook."]
    return list(cited(game, decisions[decision].in_force(options)))


def cited(game: Game, points: list[str]) -> Iterator[str]:
    for point in points:
        rule = f"{point} {without_reasons(point_text(game, point)) or 'is not in the rulebook.'}"
        yield from textwrap.wrap(rule, WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def without_reasons(text: str) -> str:
    """Without the remark that says why a point is read as it is: the rulebook itself has it."""
    return re.sub(r" \((?:ruling|follows)\b.*\)$", "", text)


def point_text(game: Game, point: str) -> str:
    """A point of the rulebook, where it stands as `- **§1.2** ...` on a line of its own; empty if it does not."""
    text = game.rulebook.read_text(encoding="utf-8")
    found = re.search(rf"^- \*\*{re.escape(point)}\*\* (.*)$", text, re.MULTILINE)
    return bare(found[1]).replace("*", "") if found else ""
