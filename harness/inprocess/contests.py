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
    named, rules = named_players(players), find_game(game if isinstance(game, str) else game.name)
    terms = terms_for(
        rules,
        dict(options or {}),
        seats,
        format=format,
        blocks=blocks,
        common_deals=common_deals,
        clock=False,
    ).with_seed(secrets.token_hex(16) if seed is None else str(seed))
    if file is None:
        return played_in_passing(terms, rules, named, progress)
    return played_into(unused(Path(file)), terms, rules, named, progress)


def played_in_passing(*contest: Any) -> TournamentFile:
    """Its file goes with whoever asks it, or with what a player raises."""
    folder = Path(tempfile.mkdtemp(prefix="dalang-"))
    try:
        played = played_into(folder / "tournament.db", *contest)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(played, shutil.rmtree, folder, ignore_errors=True)
    return played


def unused(path: Path) -> Path:
    if path.exists():
        raise SetupError(f"{path} is there already; choose another file")
    return path


def played_into(
    path: Path, terms: Terms, game: Game, players: Mapping[str, Player], progress: Callable[[int], None]
) -> TournamentFile:
    terms = replace(terms, name=path.stem)
    with create_or_open(path) as store:
        store.begin(terms, [BotRow(name, 0, "", IN_PROCESS) for name in players])
        contest = Tournament(store.plan(terms))

        def known(block: Block) -> Mapping[int, MatchResult]:
            return kept(store, terms, block, game, players)

        for done, _ in enumerate(walked(contest, known), 1):
            progress(done)
        store.finish(terms.blocks)
    return TournamentFile(path)


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
