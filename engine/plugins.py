"""Games of other packages: a package adds one by naming its `Game` in the entry-point group `dalang.games`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from dalang.engine.game import Game


def added_games() -> Iterator[Game]:
    for point in entry_points(group="dalang.games"):
        game = added(point)
        if game is not None:
            yield game


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
