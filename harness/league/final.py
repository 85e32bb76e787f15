"""The end of a season: its survivors, a fresh secret seed that was committed to, everybody against everybody."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import CannotPlay
from dalang.harness.gate import check_is_kept, check_text
from dalang.harness.league.season import check_same
from dalang.harness.league.settings import Settings
from dalang.harness.league.status import league_state
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.entry import Prepared, prepared
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.terms import commitment

MOST_SEED_BYTES = 4096
FINAL_BLOCKS = 10
"""Deals per table, of a final of which nobody has said how long it is to be."""


def final_of(
    season: Store, settings: Settings, blocks: int, seed: str | None, begun: Collection[str] = ()
) -> Config:
    """The tournament between those who are in the season and were not withdrawn; without anchors.

    Once it has begun, between those with whom it has.
    """
    lines = league_state(season).lines
    survivors = [line for line in lines if not line.withdrawn and not line.is_anchor]
    survivors = [line for line in lines if line.bot in begun] or survivors
    seats = settings.config.terms.seats
    if len(survivors) < seats:
        raise SetupError(f"{len(survivors)} bots cannot fill a table of {seats}: a final needs more")
    entrances = settings.entrances()
    terms = replace(
        settings.config.terms,
        format="round-robin",
        blocks=blocks,
        name=f"{settings.config.terms.name}-final",
    )
    entrants = tuple(entrances.entrant(line.name, line.bot) for line in survivors)
    for entrant in entrants:
        check_same(season, entrant)
    return replace(settings.config, terms=terms, entrants=entrants, seed=seed, db=settings.final())


def blocks_of_final(store: Store, wanted: int | None) -> int:
    """As agreed on before its first match. The seed is public afterwards, and more blocks would be no secret."""
    agreed = store.agreed()
    if agreed is None:
        return FINAL_BLOCKS if wanted is None else wanted
    if wanted not in (None, agreed.blocks):
        raise SetupError(f"this final was agreed on with blocks = {agreed.blocks}")
    return agreed.blocks


def is_finished(store: Store) -> bool:
    """Whether the final was played to its end: nothing is left to do but to tell of it."""
    agreed = store.agreed()
    return agreed is not None and store.is_finished(agreed.blocks)


def check_seed(store: Store, seed: str | None) -> None:
    """Whoever names a seed for a final that is over may believe that it was played on that one."""
    if seed is not None and seed != store.terms().seed:
        raise SetupError("this final was played on another seed")


def prepared_final(store: Store, config: Config, tell: Callable[[str], None]) -> Prepared:
    """Everything ready; whoever cannot even be started before it has begun is left out of it."""
    try:
        return prepared(store, config, tell)
    except CannotPlay as error:
        if store.agreed():
            raise
        tell(f"left out of the final: {error}")
        left = tuple(entrant for entrant in config.entrants if entrant.name not in error.names)
        return prepared_final(store, replace(config, entrants=left), tell)


# ---- Seeds


def new_seed(path: Path) -> str:
    """Write a secret seed that only we can read; what can be shown of it beforehand."""
    seed = secrets.token_hex(16)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SetupError(f"{path} is there already; choose another name") from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{seed}\n")
    return commitment(seed)


def read_seed(path: Path) -> str:
    """What `dalang seed` wrote there."""
    check_is_kept(path)
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            seed = file.read(MOST_SEED_BYTES + 1).strip()
    except OSError as error:
        raise SetupError(
            f"{path} cannot be read: {error.strerror}; make one with: dalang seed {path}"
        ) from error
    if not seed or len(seed) > MOST_SEED_BYTES or "\n" in seed:
        raise SetupError(f"{path} holds no seed; make one with: dalang seed FILE")
    check_text(seed, f"the seed in {path}")
    return seed
