"""Which games there are: the bundled ones, and those that other packages add.

A game is loaded when it is asked for, and other packages are asked only where no bundled game is meant: whoever plays
one game waits for no other.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from dalang.engine.game import Game, unknown


def bundled_games() -> tuple[str, ...]:
    """The names of those in the box."""
    from dalang.engine.games import BUNDLED_GAMES  # a page of help and a worker can do without

    return BUNDLED_GAMES


@cache
def games() -> dict[str, Game]:
    """All games by name, the bundled ones first."""
    from dalang.engine.plugins import added_games  # to look for packages costs as much as all bundled games

    found = {name: bundled(name) for name in bundled_games()}
    for game in added_games():
        found.setdefault(game.name, game)
    return found


@cache
def bundled(name: str) -> Game:
    game: Game = import_module(f"dalang.engine.games.{name}").GAME
    return game


def find_game(name: str) -> Game:
    if name in bundled_games():
        return bundled(name)
    if name not in games():
        raise unknown("game", name, games())
    return games()[name]


def added_modules() -> list[str]:
    """Where the games of other packages have their rules, as far as anybody has asked for such games."""
    if not games.cache_info().currsize:
        return []
    return [game.state.__module__ for game in games().values() if game.name not in bundled_games()]
