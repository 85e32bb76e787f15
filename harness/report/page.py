"""The page: markup, style, scripts and data in one file, which the browser may not let speak to anybody."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, Plain, SetupError
from dalang.harness.escaping import printable
from dalang.harness.report.data import compact

ASSETS = files(__package__) / "assets"
TOOLS = (
    "dom", "charts", "standings", "ratings", "crosstable", "seats", "times", "faults", "machines", "bracket", "league",
    "evidence", "drawing",
)  # fmt: skip
"""What comes before the drawing of the game, which may use all of it."""
SCRIPTS = ("replay", "viewer", "sections", "main")
LIVE_SCRIPTS = ("replay", "viewer", "sections", "wall", "finder", "live")
UNDRAWN = f"{__package__}:assets/undrawn.js"
FEED, FILES = "feed", "files"
"""Whence a live page has its news: it is told, or looks again and again."""


def page(data: Plain) -> str:
    """A report: all of it in one file."""
    script = script_for(find_game(data["standings"]["tournament"]["game"]), SCRIPTS)
    data_element = f'<script type="application/json" id="data">{unclosing(compact(data))}</script>'
    return filled_in(
        "page.html",
        policy=policy(script),
        title=escape(printable(data["standings"]["tournament"]["name"])),
        style=f"<style>\n{asset('style.css')}\n</style>",
        source="report",
        footer="Made by <code>dalang report</code>. This file needs no network and sends nothing anywhere.",
        script=f'{data_element}\n<script type="module">{script}</script>',
    )


def live_page(name: str, source: str, policy: str) -> str:
    """A page that loads what it shows, and goes on doing so; the rest lies beside it."""
    return filled_in(
        "page.html",
        policy=policy,
        title=escape(printable(name)),
        style='<link rel="stylesheet" href="style.css">',
        source=source,
        footer="Shown by <code>dalang serve</code>, from here and nowhere else.",
        script='<script type="module" src="script.js"></script>',
    )


def live_script(game: Game) -> str:
    return script_for(game, LIVE_SCRIPTS)


def script_for(game: Game, scripts: Sequence[str]) -> str:
    return "\n".join([*map(script_of, TOOLS), table_drawing(game), *map(script_of, scripts)])


def filled_in(name: str, **parts: str) -> str:
    """The page of this name, with each of its gaps filled."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], asset(name))


def unclosing(text: str) -> str:
    """JSON that cannot end its own element."""
    return text.replace("<", "\\u003c")


def script_of(name: str) -> str:
    return asset(f"{name}.js")


def asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def table_drawing(game: Game) -> str:
    """The script that draws its tables, as one function: whatever else it names is its own affair."""
    package, _, path = (game.drawing or UNDRAWN).partition(":")
    try:
        code = (files(package) / path).read_text(encoding="utf-8")
    except (ImportError, OSError, ValueError) as error:
        raise SetupError(f"the drawing of {game.name}, {game.drawing!r}, cannot be read: {error}") from error
    code = code.replace("</", r"<\/")  # so that it cannot end its own element
    return f"const drawTable = (() => {{\n{code}\nreturn draw;\n}})();"


def policy(script: str) -> str:
    """Nothing may be loaded from anywhere, and no script may run but ours."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
