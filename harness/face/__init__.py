"""Dalang: a tournament harness for game-playing programs.

What is named here, in `dalang.kit` (for bots) and in `dalang.testing` (for authors of games) keeps its meaning from one
version to the next. Everything else is dalang's own and may change.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalang.engine.game import Game, SetupError
    from dalang.harness.library import FinishedMatch, Standing, TournamentFile

__all__ = [
    "FinishedMatch", "Game", "SetupError", "Standing", "TournamentFile", "__version__", "game", "games", "open",
]  # fmt: skip

__version__ = "0.2.0"

# What they need is loaded when they are called: a bot that imports its kit shall not wait for it.


def games() -> dict[str, Game]:
    """All games by name: the bundled ones, and those that other packages add.

    >>> import dalang
    >>> list(dalang.games())[:3]
    ['kali', 'bali_wrede', 'bali_rosenberg']
    """
    from dalang.engine import catalogue

    return dict(catalogue.games())


def game(name: str) -> Game:
    """One game: its title, its table sizes, its options, and its states.

    Whatever the caller can mend is a SetupError, whose text is one line that says how:

    >>> import dalang
    >>> try:
    ...     dalang.game("kalli")
    ... except dalang.SetupError as error:
    ...     print(str(error).partition(" choose")[0])
    there is no game 'kalli'; did you mean 'kali'?

    >>> from dalang.engine.chance import SeededChance
    >>> kali: dalang.Game = dalang.game("kali")
    >>> kali.title, kali.seats
    ('Die Augen der Kali (Alex Randolph, 1993)', (2, 3, 4, 5, 6))
    >>> state = kali.start(2, SeededChance("any text"))
    >>> state.seat, state.moves()
    (0, [('draw',)])
    """
    from dalang.engine.catalogue import find_game

    return find_game(name)


def __getattr__(name: str) -> object:
    for module in ("dalang.engine.game", "dalang.harness.library") if name in __all__ else ():
        if hasattr(found := import_module(module), name):
            return getattr(found, name)
    raise AttributeError(f"module 'dalang' has no attribute {name!r}")


def open(file: str | PathLike[str]) -> TournamentFile:
    """The tournament in a file that `dalang run` has written.

    >>> import dalang
    >>> tournament: dalang.TournamentFile = dalang.open("kali.db")
    >>> tournament.terms["game"], tournament.terms["format"]
    ('kali', 'round-robin')
    >>> best: dalang.Standing = tournament.standings()[0]
    >>> best.name, best.place, round(best.beats.mean, 2)
    ('bold', 1, 0.75)
    >>> [(pair.row, pair.column, pair.result) for pair in tournament.crosstable()][:1]
    [('first', 'random', 0.25)]
    >>> first: dalang.FinishedMatch = next(tournament.matches())
    >>> first
    FinishedMatch(block=0, rotation=0, bots=('first', 'random'), places=(2, 1), scores=(0, 47), faults=('', ''))
    >>> tournament.record(0, 0)["record"]["turns"][0]
    [0, 'first_card', ['draw']]
    """
    from dalang.harness.library import TournamentFile

    return TournamentFile(file)
