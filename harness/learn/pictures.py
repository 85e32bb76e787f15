"""A position as text, printed or not, or as a page with the drawing of the report."""

from __future__ import annotations

from collections.abc import Sequence

from dalang.engine.game import Plain, unknown
from dalang.harness.learn.table import LearningTable
from dalang.harness.people.tables import show_table, table_text
from dalang.harness.report.position import position_page

RENDER_MODES = ["human", "ansi", "html"]


def checked_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise unknown("render mode", mode, RENDER_MODES)
    return mode


def rendered(mode: str | None, table: LearningTable, view: Plain, names: Sequence[str]) -> str | None:
    if mode == "html":
        return position_page(table.game, view, names, table.options)
    if mode == "ansi":
        return table_text(table.game, view, names)
    if mode == "human":
        show_table(table.game, view, names)
    return None
