"""How a game looks to people at a terminal. A part that it does not bring is shown as bots have it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dalang.engine.game import Move, Plain
from dalang.harness.people.tables.paint import WIDTH, Decision, Scene


def listed(scene: Scene) -> list[str]:
    view = scene.full or scene.view
    return [
        line
        for key, value in view.items()
        for line in textwrap.wrap(f"{key}: {json.dumps(value)}", WIDTH, subsequent_indent="  ")
    ]


def as_bots_see_it(view: Plain, move: Move) -> str:
    return " ".join(map(str, move))


@dataclass(frozen=True)
class Face:
    """Its table as a picture, its moves in words, its decisions with their rules.

    >>> Face(choice=lambda view, move: f"Take {move[1]} stones").choice({}, ("take", 3))
    'Take 3 stones'
    """

    picture: Callable[[Scene], list[str]] = listed
    """The table in lines of at most 80 columns."""
    choice: Callable[[Plain, Move], str] = as_bots_see_it
    """A move as an offer, given the view of the seat that decides; seats are still numbers."""
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    brief: Callable[[Scene], list[str]] | None = None
    """The table in fewer lines: what matters for the decision of the view, where there is no room for all of it."""
    goal: str = ""
    """How the game is won, in a line."""

    def question(self, decision: str) -> str:
        return self.decisions[decision].question if decision in self.decisions else f"Decide: {decision}"
