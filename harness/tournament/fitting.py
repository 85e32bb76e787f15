"""Standings that fit a terminal: columns give way in a settled order, and the leaders stay on the screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

GIVE_WAY = (
    "mu", "sigma", "wins", "score", "blocks", "remark", "beats", "beats, luck removed", "buchholz", "rating", "faults",
    "reached", "group",
)  # fmt: skip
"""The columns in the order in which they give way; place, bot, strength and points stay, and names are cut."""
FEWEST_LETTERS = 6
"""Of a name, before a line is rather broken."""

Cells = dict[str, Any]
Draw = Callable[[Sequence[Cells]], str]
"""Makes a table of rows."""


def fitted(rows: Sequence[Cells], draw: Draw, columns: int) -> tuple[str, list[str]]:
    """The table, not wider than this if that can be helped, and which columns gave way for that."""
    gone: list[str] = []
    waiting = [column for column in GIVE_WAY if rows and column in rows[0]]
    while waiting and is_wider(draw(without(rows, gone)), columns):
        gone.append(waiting.pop(0))
    rows = without(rows, gone)
    over = width(draw(rows)) - columns
    if over > 0:
        longest = max(len(row["bot"]) for row in rows)
        letters = max(FEWEST_LETTERS, longest - over)
        rows = [row | {"bot": cut(row["bot"], letters)} for row in rows]
    return draw(rows), gone


def without(rows: Sequence[Cells], columns: Sequence[str]) -> list[Cells]:
    return [{key: value for key, value in row.items() if key not in columns} for row in rows]


def width(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def is_wider(text: str, columns: int) -> bool:
    return width(text) > columns


def cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def wrapped(text: str, columns: int) -> str:
    """Lines that are too long are broken between words."""
    return "\n".join(part for line in text.splitlines() for part in wrap(line, columns) or [""])


def on_screen(table: str, below: str, columns: int, lines: int) -> str:
    """What fits of a table from its top, the first line of what is said below it, and of the rest what has room."""
    first, *rest = below.splitlines()
    shown = table.splitlines()
    if len(shown) > lines - 1:
        over = len(shown) - (lines - 2)
        return "\n".join([*shown[: lines - 2], f"… and {over} more", cut(first, columns)])
    parts = [[cut(first, columns)], *(wrap(line, columns) or [""] for line in rest)]
    shown += [""] * (len(shown) + 1 < lines)
    for part in parts:
        if len(shown) + len(part) > lines:
            break
        shown += part
    return "\n".join(shown)
