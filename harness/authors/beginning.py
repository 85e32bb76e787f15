"""A game to begin with: the smallest of the examples, under another name."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import Path

from dalang.engine.catalogue import games
from dalang.engine.game import SetupError, quoted
from dalang.harness.entrants.fingerprint import COMPILED, DALANG, files_in
from dalang.harness.gate import check_is_new

MODEL = "nim"
"""The game that is copied."""
WORD = re.compile(rf"(?<![A-Za-z]){MODEL}(?![A-Za-z])")
TITLE = re.compile(rf"\b{MODEL.title()}\b")
CLASS = re.compile(rf"(?<=class ){MODEL.title()}\b|(?<=state=){MODEL.title()}\b")


def write_game(folder: Path) -> str:
    """Write a game that is called as the folder is; returns its name."""
    name, model = checked_name(folder.resolve().name), DALANG / "examples" / MODEL
    try:
        check_is_new(folder)
        for source in sorted(files_in(model, COMPILED)):
            target = folder / renamed(str(source.relative_to(model)), name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(source.read_text(encoding="utf-8"), name), encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{folder} cannot be written: {error.strerror or error}") from error
    return name


def checked_name(name: str) -> str:
    """A name for a game and its package; nobody else's."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise SetupError(
            f"a game cannot be called {quoted(name)}; use small letters, digits and _, as in my_game"
        )
    if name in (*games(), *sys.stdlib_module_names, "dalang"):
        raise SetupError(f"there is a {name} already; call the folder something else")
    return name


def renamed(text: str, name: str) -> str:
    """The same about another game: its name, its class, its title."""
    title = name.replace("_", " ").capitalize()
    text = CLASS.sub(name.title().replace("_", ""), text)
    return TITLE.sub(title, WORD.sub(name, text))
