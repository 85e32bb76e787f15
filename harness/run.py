"""`dalang run`: settle the terms, enlist the bots, try each of them once, then play what is missing."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

import trio

from engine.game import Plain, SetupError
from harness import __version__
from harness.arena import open_arena
from harness.config import Config
from harness.entrants import Entrant, build, fingerprint
from harness.limits import Limits
from harness.store import BotRow, Store
from harness.tournament import Tournament, commitment, plan_of
from harness.worker import Setup

GROWING = ("round-robin", "gauntlet", "ladder")
"""Formats that bots may join later."""
AT_ONCE = 8
"""Bots that are tried at the same time before the first match."""


@dataclass
class Enlisted:
    """Who plays, as the file knows them, and how they are started."""

    rows: list[BotRow]
    entrants: list[Entrant]
    added: list[str]


# ---- Terms


def settle(store: Store, config: Config) -> Plain:
    """What was agreed: now, or when the file was made."""
    agreed = store.agreed()
    if not agreed:
        seed = config.seed if config.seed is not None else secrets.token_hex(16)
        agreed = {
            **config.terms(seed),
            "commitment": commitment(seed),
            "version": __version__,
            "name": config.name,
        }
        store.agree(agreed)
        return agreed
    wanted = config.terms(agreed["seed"] if config.seed is None else config.seed)
    differing = [key for key, value in wanted.items() if agreed[key] != value]
    if differing == ["blocks"] and may_grow(store, agreed, wanted):
        store.agree({"blocks": wanted["blocks"]})
        return {**agreed, "blocks": wanted["blocks"]}
    if differing:
        said = "; ".join(f"{key} was {agreed[key]!r}, now {wanted[key]!r}" for key in differing)
        raise SetupError(
            f"{store.path} holds a tournament on other terms: {said}; choose another file with --db"
        )
    return agreed


def may_grow(store: Store, agreed: Plain, wanted: Plain) -> bool:
    """More blocks may be played if they come after all others: not once bots have joined later."""
    joined_later = any(bot.wave for bot in store.bots())
    return wanted["blocks"] > agreed["blocks"] and agreed["format"] != "knockout" and not joined_later


# ---- Bots


def enlist(store: Store, entrants: Sequence[Entrant], agreed: Plain, accept_changes: bool) -> Enlisted:
    """Write down who plays; changed files and late comers are told apart from those who were there."""
    known = {bot.name: bot for bot in store.bots()}
    wave = max((bot.wave for bot in known.values()), default=-1) + 1
    present: list[Entrant] = []
    added: list[BotRow] = []
    for entrant in entrants:
        print_ = fingerprint(entrant)
        current = newest_version(entrant.name, known)
        if current and current.fingerprint != print_:
            entrant = new_version(store, entrant, current, known, accept_changes)
            current = None
        elif current:
            entrant = replace(entrant, name=current.name)
        present.append(entrant)
        if current is None:
            added.append(BotRow(entrant.name, wave, print_, shlex.join(entrant.command)))
    check_additions(store, known, added, agreed)
    check_absent(store, known, present)
    store.add_bots(added)
    return Enlisted(store.bots(), present, [bot.name for bot in added])


def newest_version(name: str, known: dict[str, BotRow]) -> BotRow | None:
    versions = [bot for bot in known.values() if bot.name == name or bot.name.startswith(f"{name}@")]
    return versions[-1] if versions else None


def new_version(
    store: Store, entrant: Entrant, current: BotRow, known: dict[str, BotRow], accept_changes: bool
) -> Entrant:
    """A bot whose files changed is another bot."""
    if not accept_changes:
        raise SetupError(
            f"the files of {entrant.name} have changed since it entered {store.path}; enter the new version as a bot "
            "of its own with --accept-changes, or choose another file with --db"
        )
    versions = sum(name == entrant.name or name.startswith(f"{entrant.name}@") for name in known)
    name = f"{entrant.name}@{versions + 1}"
    store.withdraw(current.name, f"replaced by {name}")
    return replace(entrant, name=name)


def check_additions(store: Store, known: dict[str, BotRow], added: Sequence[BotRow], agreed: Plain) -> None:
    if known and added and agreed["format"] not in GROWING:
        names = ", ".join(bot.name for bot in added)
        raise SetupError(
            f"{names} cannot join: a {agreed['format']} is closed once it has begun; only {', '.join(GROWING)} can grow"
        )


def check_absent(store: Store, known: dict[str, BotRow], present: Sequence[Entrant]) -> None:
    here = {entrant.name for entrant in present}
    for bot in store.bots():
        if bot.name in known and bot.name not in here and not bot.withdrawn:
            raise SetupError(
                f"{bot.name} is in {store.path} but not in this run; name it too, or take it out with "
                f"`dalang withdraw {store.path} {bot.name}`"
            )


# ---- Playing


def tournament_of(store: Store, config: Config, accept_changes: bool) -> Tournament:
    """Everything ready to run: terms settled, bots built and enlisted."""
    for entrant in config.entrants:
        build(entrant)
    agreed = settle(store, config)
    enlisted = enlist(store, config.entrants, agreed, accept_changes)
    setup = Setup(
        game=agreed["game"],
        options=agreed["options"],
        entrants=tuple(enlisted.entrants),
        limits=Limits(**agreed["limits"]),
        fresh=agreed["fresh"],
        show_clock=agreed["clock"],
        ask_forced=agreed["ask_forced"],
        matches_per_worker=config.matches_per_worker,
    )
    plan = plan_of(agreed, enlisted.rows, config.game.seats)
    return Tournament(store, plan, setup, config.workers(), agreed["max_faults"])


async def play(tournament: Tournament) -> None:
    await preflight(tournament.crew.setup)
    await tournament.run()


async def preflight(setup: Setup) -> None:
    """Every bot is started and greeted once, before anything is played."""
    failures: list[str] = []
    limiter = trio.CapacityLimiter(AT_ONCE)

    async def try_one(entrant: Entrant) -> None:
        async with limiter:
            try:
                async with open_arena(setup.limits) as arena:
                    await arena.preflight([entrant])
            except SetupError as error:
                failures.append(str(error))

    async with trio.open_nursery() as nursery:
        for entrant in setup.entrants:
            nursery.start_soon(try_one, entrant)
    if failures:
        raise SetupError(sorted(failures)[0] + (f" (and {len(failures) - 1} more)" if failures[1:] else ""))
