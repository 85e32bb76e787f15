"""Which games there are: the bundled ones, and those that other packages add.

A package adds a game by naming its `Game` in the entry-point group `dalang.games`.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from dalang.engine.game import Game, unknown
from dalang.engine.games import bali_rosenberg, bali_wrede, kali

BUNDLED_GAMES = (kali.GAME, bali_wrede.GAME, bali_rosenberg.GAME)


@cache
def games() -> dict[str, Game]:
    """All games by name, the bundled ones first."""
    found = {game.name: game for game in BUNDLED_GAMES}
    for point in entry_points(group="dalang.games"):
        game = added(point)
        if game is not None:
            found.setdefault(game.name, game)
    return found


def added(point: EntryPoint) -> Game | None:
    """The game of another package; a broken one is named and left out, so that the others can be played."""
    try:
        game = point.load()
    except Exception as error:  # anything can go wrong in somebody else's module
        warnings.warn(f"the game plug-in {point.value!r} cannot be loaded: {error}", stacklevel=2)
        return None
    if not isinstance(game, Game):
        warnings.warn(f"the game plug-in {point.value!r} is no dalang.engine.game.Game", stacklevel=2)
        return None
    return game


def find_game(name: str) -> Game:
    if name not in games():
        raise unknown("game", name, games())
    return games()[name]
