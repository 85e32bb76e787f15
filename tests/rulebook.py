"""Holds a game's tests against its rulebook: every numbered point has a test named after it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from dalang.engine.game import Game

POINT = re.compile(r"^(?:- \*\*|\| )([§DEVT][\d.]+)\b", re.MULTILINE)


def points(game: Game) -> list[str]:
    """The numbered points and table rows of the rulebook, such as §4.2, D3 or E7."""
    return POINT.findall(game.rulebook.read_text(encoding="utf-8"))


def test_prefix(point: str) -> str:
    """§4.2 is tested by test_s4_2_..., D3 by test_d3_..."""
    return "def test_" + point.replace("§", "s").replace(".", "_").lower() + "_"


def untested(game: Game, *test_files: str | Path) -> list[str]:
    text = text_of(test_files)
    return [point for point in points(game) if test_prefix(point) not in text]


def invented(game: Game, *test_files: str | Path) -> list[str]:
    """Tests that claim to check a point the rulebook does not have."""
    claimed = set(re.findall(r"def (test_[sdevt]\d+(?:_\d+)*_)", text_of(test_files)))
    known = {test_prefix(point).removeprefix("def ") for point in points(game)}
    return sorted(claimed - known)


def text_of(test_files: Iterable[str | Path]) -> str:
    return "\n".join(Path(file).read_text(encoding="utf-8") for file in test_files)
