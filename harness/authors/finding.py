"""Which game an author means: one of the catalogue, or one in a module that is not installed yet."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from dalang.engine.catalogue import games
from dalang.engine.game import Game, SetupError, unknown
from dalang.engine.testing.promise import what


def game_or_module(text: str) -> Game:
    """The game of this name, or the one that a module has, given as `module` or `module:NAME`."""
    if text in games():
        return games()[text]
    place, _, name = text.partition(":")
    found = game_in(loaded(place), name)
    if found is None:
        raise SetupError(f"{place} has no dalang.engine.game.Game {name or 'GAME'}")
    return found


def loaded(place: str) -> ModuleType:
    """The module, also if it lies in the folder where we are."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        return import_module(place)
    except ModuleNotFoundError as error:
        if error.name and place.startswith(error.name):
            raise unknown("game or module", place, games()) from None
        raise SetupError(f"{place} cannot be imported: {error}") from error
    except Exception as error:  # anything can go wrong in somebody's module
        raise SetupError(f"{place} cannot be imported: {what(error)}") from error


def game_in(module: ModuleType, name: str) -> Game | None:
    """What has the name; if none is given GAME, or the first game that is there."""
    named = [getattr(module, name or "GAME", None)]
    others = [] if name else list(vars(module).values())
    return next((each for each in named + others if isinstance(each, Game)), None)
