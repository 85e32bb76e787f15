"""Dalang: a tournament harness for game-playing programs.

What is named here, in `dalang.kit` (for bots), in `dalang.testing` (for authors of games) and in `dalang.learn` (for
learners) keeps its meaning from one version to the next. Everything else is dalang's own and may change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dalang.engine.game import Game, SetupError
    from dalang.harness.inprocess.matches import PlayedMatch
    from dalang.harness.inprocess.players import Player
    from dalang.harness.library import FinishedMatch, Standing, TournamentFile

__all__ = [
    "FinishedMatch", "Game", "PlayedMatch", "SetupError", "Standing", "TournamentFile", "__version__", "game", "games",
    "open", "play_match", "tournament",
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


HOMES = ("dalang.engine.game", "dalang.harness.library", "dalang.harness.inprocess.matches")


def __getattr__(name: str) -> object:
    for module in HOMES if name in __all__ else ():
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


def play_match(
    game: str | Game,
    players: Mapping[str, Player | str] | Sequence[Player | str],
    seed: str | int | None = None,
    options: Mapping[str, Any] | None = None,
) -> PlayedMatch:
    """One match between functions, in this process: each chooses from a `dalang.kit.Request`, as a bot's does.

    Bundled bots go by their names. The referee is that of any match, so a bot plays the same moves here as it does in a
    process of its own. What a function raises comes through to you, with a note on which question that was.

    >>> import dalang
    >>> def greedy(request):
    ...     return request.moves[0]
    >>> match: dalang.PlayedMatch = dalang.play_match("kali", [greedy, "cautious"], seed="any text")
    >>> match.players, match.places, match.scores, match.ending
    (('greedy', 'cautious'), (1, 2), (316, 34), 'kali_reached')
    >>> match.moves[0]
    (0, 'first_card', ('draw',))
    >>> match.record["record"]["turns"][0]
    [0, 'first_card', ['draw']]
    """
    from dalang.harness.inprocess import matches

    return matches.play_match(game, players, seed, options)


def tournament(
    game: str | Game,
    players: Mapping[str, Player | str] | Sequence[Player | str],
    *,
    seats: int | None = None,
    format: str = "round-robin",
    blocks: int = 10,
    seed: str | int | None = None,
    options: Mapping[str, Any] | None = None,
    common_deals: bool = False,
    file: str | PathLike[str] | None = None,
    progress: Callable[[int], None] = lambda blocks: None,
) -> TournamentFile:
    """A tournament between functions, in this process: schedule, deals and statistics are those of `dalang run`.

    With a `file` all of it is kept there, and every command reads it; else it is gone when you let go of it. `progress`
    is told after each block how many are done.

    >>> import dalang
    >>> def greedy(request):
    ...     return request.moves[0]
    >>> played = dalang.tournament("kali", [greedy, "cautious"], blocks=20, seed="any text")
    >>> [(line.name, round(line.beats.mean, 3)) for line in played.standings()]
    [('cautious', 0.6), ('greedy', 0.4)]
    """
    from dalang.harness.inprocess import contests

    return contests.tournament(
        game, players, seats=seats, format=format, blocks=blocks, seed=seed, options=options,
        common_deals=common_deals, file=file, progress=progress,
    )  # fmt: skip
