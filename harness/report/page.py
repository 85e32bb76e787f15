"""The page: markup, style, scripts and data in one file, which the browser may not let speak to anybody."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, Plain, SetupError
from dalang.harness.escaping import printable
from dalang.harness.report.data import compact

ASSETS = files(__package__) / "assets"
TOOLS = ("dom", "charts", "standings", "ratings", "crosstable", "seats", "times", "faults", "drawing")
"""What comes before the drawing of the game, which may use all of it."""
SCRIPTS = ("replay", "viewer", "main")
UNDRAWN = f"{__package__}:assets/undrawn.js"


def page(data: Plain) -> str:
    game = find_game(data["standings"]["tournament"]["game"])
    script = "\n".join([*map(script_of, TOOLS), table_drawing(game), *map(script_of, SCRIPTS)])
    parts = {
        "policy": policy(script),
        "title": escape(printable(data["standings"]["tournament"]["name"])),
        "style": asset("style.css"),
        "data": compact(data).replace("<", "\\u003c"),  # so that it cannot end its own element
        "script": script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], asset("page.html"))


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
