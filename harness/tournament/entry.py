"""`dalang run`: settle the terms, enlist the bots, try each of them once, then play what is missing."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import trio

from dalang import __version__
from dalang.engine.game import Game, Plain, SetupError
from dalang.harness.entrants.finding import Entrant, build, fingerprint
from dalang.harness.match.arena import interruptible, open_arena
from dalang.harness.match.limits import Limits
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.machine import Tournament, commitment, plan_of
from dalang.harness.tournament.schedule import check_plan
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.worker import Setup

GROWING = ("round-robin", "gauntlet", "ladder")
"""Formats that bots may join later."""
AT_ONCE = 8
"""Bots that are tried at the same time before the first match."""


@dataclass
class Enlisted:
    """Who plays, and what the file does not know of it yet."""

    entrants: list[Entrant] = field(default_factory=list)
    added: list[BotRow] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)
    """By name of a bot whose files changed: the name of its new version."""


# ---- Terms


def settle(store: Store, config: Config) -> Plain:
    """What was agreed: now, or when the file was made."""
    agreed = store.agreed()
    if not agreed:
        seed = config.seed if config.seed is not None else secrets.token_hex(16)
        return {
            **config.terms(seed),
            "commitment": commitment(seed),
            "version": __version__,
            "name": config.name,
        }
    wanted = config.terms(agreed["seed"] if config.seed is None else config.seed)
    differing = [key for key, value in wanted.items() if agreed.get(key) != value]
    if differing == ["blocks"] and may_grow(store, agreed, wanted):
        return {**agreed, "blocks": wanted["blocks"]}
    if differing == ["blocks"] and joined_later(store):
        raise SetupError(
            f"{store.path}: blocks was {agreed['blocks']}, now {wanted['blocks']}, but bots have joined since the "
            "beginning, and what they were to play depends on it; choose another file with --db"
        )
    if differing:
        said = "; ".join(f"{key} was {agreed.get(key)!r}, now {wanted[key]!r}" for key in differing)
        raise SetupError(
            f"{store.path} holds a tournament on other terms: {said}; choose another file with --db"
        )
    return agreed


def may_grow(store: Store, agreed: Plain, wanted: Plain) -> bool:
    """More blocks may be played if they come after all others: not once bots have joined later."""
    more = wanted["blocks"] > agreed["blocks"]
    return more and agreed["format"] != "knockout" and not joined_later(store)


def joined_later(store: Store) -> bool:
    return any(bot.wave for bot in store.bots())


# ---- Bots


def enlist(store: Store, entrants: Sequence[Entrant], agreed: Plain, accept_changes: bool) -> Enlisted:
    """Who plays; changed files and late comers are told apart from those who were there."""
    known = {bot.name: bot for bot in store.bots()}
    wave = max((bot.wave for bot in known.values()), default=-1) + 1
    enlisted = Enlisted()
    for entrant in entrants:
        print_ = fingerprint(entrant)
        versions = [bot for name, bot in known.items() if is_version(name, entrant.name)]
        current = versions[-1] if versions else None
        if current and current.fingerprint == print_:
            enlisted.entrants.append(replace(entrant, name=current.name))
            continue
        if current:
            check_accepted(store, entrant, agreed, accept_changes)
            entrant = replace(entrant, name=f"{entrant.name}@{len(versions) + 1}")
            enlisted.replaced[current.name] = entrant.name
        enlisted.entrants.append(entrant)
        enlisted.added.append(BotRow(entrant.name, wave, print_, shlex.join(entrant.command)))
    check_additions(known, enlisted, agreed)
    check_absent(store, known, enlisted)
    return enlisted


def is_version(name: str, of: str) -> bool:
    """Whether this is the name of the bot or of a later version of it: mine, mine@2, ..."""
    return name == of or re.fullmatch(re.escape(of) + r"@\d+", name) is not None


def check_accepted(store: Store, entrant: Entrant, agreed: Plain, accept_changes: bool) -> None:
    if not accept_changes:
        anew = "enter the new version as a bot of its own with --accept-changes, or "
        raise SetupError(
            f"the files of {entrant.name} have changed since it entered {store.path}; "
            f"{anew if agreed['format'] in GROWING else ''}choose another file with --db (files that a bot writes "
            "itself belong into a folder whose name begins with a dot)"
        )


def check_additions(known: dict[str, BotRow], enlisted: Enlisted, agreed: Plain) -> None:
    if known and enlisted.added and agreed["format"] not in GROWING:
        names = ", ".join(bot.name for bot in enlisted.added)
        raise SetupError(
            f"{names} cannot join: a {agreed['format']} is closed once it has begun; only {', '.join(GROWING)} can grow"
        )


def check_absent(store: Store, known: dict[str, BotRow], enlisted: Enlisted) -> None:
    here = {entrant.name for entrant in enlisted.entrants} | enlisted.replaced.keys()
    for bot in known.values():
        if bot.name not in here and not bot.withdrawn:
            raise SetupError(
                f"{bot.name} is in {store.path} but not in this run; name it too, or take it out with "
                f"`dalang withdraw {store.path} {bot.name}`"
            )


# ---- Playing


def prepared(store: Store, config: Config, accept_changes: bool) -> Tournament:
    """Everything ready to run. The file learns of it last, when every bot has shown that it can play."""
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
    plan = plan_of(agreed, [*store.bots(), *enlisted.added], config.game.seats)
    check_plan(plan)
    trio.run(interruptible, partial(preflight, setup, config.game, plan.seats))
    store.begin(agreed, enlisted.added, enlisted.replaced)
    return Tournament(store, plan, setup, config.workers(), agreed["max_faults"])


async def preflight(setup: Setup, game: Game, seats: int) -> None:
    """Every bot is started and greeted once, before anything is played."""
    failures: list[str] = []
    limiter = trio.CapacityLimiter(AT_ONCE)

    async def try_one(entrant: Entrant) -> None:
        async with limiter:
            try:
                async with open_arena(setup.limits) as arena:
                    await arena.preflight([entrant], game, seats)
            except SetupError as error:
                failures.append(str(error))

    async with trio.open_nursery() as nursery:
        for entrant in setup.entrants:
            nursery.start_soon(try_one, entrant)
    if failures:
        raise SetupError(sorted(failures)[0] + (f" (and {len(failures) - 1} more)" if failures[1:] else ""))
