"""One position as a page of its own, drawn as the report draws it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dalang.engine.game import Game, Plain
from dalang.harness.escaping import printable
from dalang.harness.report.data import compact
from dalang.harness.report.page import asset, filled_in, policy, script_for, unclosing


def position_page(game: Game, view: Plain, names: Sequence[str], options: Plain) -> str:
    script = script_for(game, ["position"])
    return filled_in(
        "position.html",
        policy=policy(script),
        title=escape(printable(game.title)),
        style=asset("style.css"),
        data=unclosing(compact({"view": view, "names": list(names), "options": options})),
        script=script,
    )
