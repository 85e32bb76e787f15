"""A tournament between players in this process: the same schedule, deals, file and statistics as `dalang run` has."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, SetupError
from dalang.harness.blocks import Block, MatchResult
from dalang.harness.inprocess.matches import refereed
from dalang.harness.inprocess.players import Player, named_players
from dalang.harness.library import TournamentFile
from dalang.harness.match.referee import Match
from dalang.harness.tournament.config import terms_for
from dalang.harness.tournament.machine import Tournament, walked
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.terms import Terms

IN_PROCESS = "a function"
"""The command of a player that has no process."""


def tournament(
    game: str,
    players: Mapping[str, Player | str] | Sequence[Player | str],
    *,
    seats: int | None = None,
    format: str = "round-robin",
    blocks: int = 10,
    seed: str | None = None,
    options: Mapping[str, Any] | None = None,
    common_deals: bool = False,
    file: str | PathLike[str] | None = None,
    progress: Callable[[int], None] = lambda blocks: None,
) -> TournamentFile:
    named, rules = named_players(players), find_game(game)
    terms = terms_for(
        rules,
        dict(options or {}),
        seats,
        format=format,
        blocks=blocks,
        common_deals=common_deals,
        clock=False,
    ).with_seed(secrets.token_hex(16) if seed is None else seed)
    path = in_passing() if file is None else unused(Path(file))
    play_all(path, replace(terms, name=path.stem), rules, named, progress)
    played = TournamentFile(path)
    if file is None:
        weakref.finalize(played, shutil.rmtree, path.parent, ignore_errors=True)
    return played


def in_passing() -> Path:
    """A file that goes with whoever asks it."""
    return Path(tempfile.mkdtemp(prefix="dalang-")) / "tournament.db"


def unused(path: Path) -> Path:
    if path.exists():
        raise SetupError(f"{path} is there already; choose another file")
    return path


def play_all(
    path: Path, terms: Terms, game: Game, players: Mapping[str, Player], progress: Callable[[int], None]
) -> None:
    with create_or_open(path) as store:
        store.begin(terms, [BotRow(name, 0, "", IN_PROCESS) for name in players])
        contest = Tournament(store.plan(terms))

        def known(block: Block) -> Mapping[int, MatchResult]:
            return kept(store, terms, block, game, players)

        for done, _ in enumerate(walked(contest, known), 1):
            progress(done)
        store.finish(terms.blocks)


def kept(
    store: Store, terms: Terms, block: Block, game: Game, players: Mapping[str, Player]
) -> Mapping[int, MatchResult]:
    """Play this block, and keep it."""
    seed = terms.deal_seed(block.deal)
    matches = []
    for rotation, names in enumerate(block.seatings()):
        match = Match(game, seed, names, terms.options, key=block.key(rotation).short())
        matches.append(StoredMatch.of(block, rotation, refereed(match, players)))
    store.save(matches)
    return store.matches_of(block.number)
