"""Before the first match: settle the terms, enlist the bots, and try each of them once."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from pathlib import Path

import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import CannotPlay, Entrant
from dalang.harness.entrants.finding import shlex_split
from dalang.harness.entrants.fingerprint import (
    BUNDLED_MARK,
    MARK,
    earlier_fingerprints,
    fingerprint,
    without_place,
)
from dalang.harness.isolation.shortage import most_files
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.match.arena import interruptible, open_arena
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.crew import Abroad
from dalang.harness.tournament.opening import parts
from dalang.harness.tournament.schedule import FORMATS, Plan, find_format
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.worker import Assignment

LATER_VERSION = re.compile(r"@\d+\Z")
"""Ends the name of a later version of a bot."""
AT_ONCE = 8
"""Bots that are tried at the same time before the first match."""
FILES_PER_BOT, FILES_BESIDE_BOTS = 8, 48
"""That a worker has open: pipes and folders of a bot, and whatever else there is."""


@dataclass(frozen=True)
class Prepared:
    """A tournament that can be played."""

    plan: Plan
    assignment: Assignment
    workers: int
    abroad: Abroad | None = None
    """Where it is played if not here."""

    def places(self) -> int:
        """How many matches are played at once."""
        return self.workers * self.assignment.matches_per_worker


@dataclass
class Enlisted:
    """Who plays, and what the file does not know of it yet."""

    entrants: list[Entrant] = field(default_factory=list)
    added: list[BotRow] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)
    """By name of a bot whose files changed: the name of its new version."""
    fingerprints: dict[str, str] = field(default_factory=dict)
    """By name of a bot that is the same as before: a fingerprint that is told in a new way."""


# ---- Terms


def settle(store: Store, config: Config) -> Terms:
    """What was agreed: now, or when the file was made."""
    agreed = store.agreed()
    asked = config.terms.timed(agreed) if config.scale_clocks else config.terms
    if agreed is None:
        return (
            asked.isolated(None)
            .dealt(None)
            .with_seed(secrets.token_hex(16) if config.seed is None else config.seed)
        )
    seed = agreed.seed if config.seed is None else config.seed
    wanted = asked.isolated(agreed).dealt(agreed).with_seed(seed)
    before, now = agreed.binding(), wanted.binding()
    differing = [key for key in now.keys() | before.keys() if before.get(key) != now.get(key)]
    if differing == ["blocks"] and may_grow(store, agreed, wanted):
        return replace(agreed, blocks=wanted.blocks, lengthened=agreed.lengthened or store.last_block() >= 0)
    if differing == ["blocks"] and joined_later(store):
        raise SetupError(
            f"{store.path}: blocks was {agreed.blocks}, now {wanted.blocks}, but bots have joined since the "
            "beginning, and what they were to play depends on it; choose another file with --db"
        )
    if differing:
        terms = [text for key in sorted(differing) for text in changed(key, before.get(key), now.get(key))]
        raise SetupError(
            f"{store.path} holds a tournament on other terms: {'; '.join(terms)}; choose another file with --db"
        )
    return agreed


def changed(key: str, before: object, now: object) -> Iterator[str]:
    """What differs in a term, of a table in its parts; a seed is nobody's business."""
    if key == "seed":
        yield "the seed is another"
    elif isinstance(before, dict) and isinstance(now, dict):
        for part in sorted(before.keys() | now.keys()):
            if before.get(part) != now.get(part):
                yield from changed(f"{key}.{part}", before.get(part), now.get(part))
    else:
        yield f"{key} was {said(before)}, now {said(now)}"


def said(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{part} {said(each)}" for part, each in value.items())
    return "not said" if value is None else repr(value)


def may_grow(store: Store, agreed: Terms, wanted: Terms) -> bool:
    """More blocks may be played if they come after all others: not once bots have joined later."""
    more = wanted.blocks > agreed.blocks
    return more and find_format(agreed.format).lengthens and not joined_later(store)


def joined_later(store: Store) -> bool:
    return any(bot.wave for bot in store.bots())


def check_out_of_sight(store: Store, entrants: Sequence[Entrant], workshop: Workshop) -> None:
    """The file holds the seed, and no bot may read it, nor what SQLite keeps beside it; whatever it asks for."""
    for entrant, file in product(entrants, parts(store.path)):
        if place := workshop.in_sight(entrant, file):
            raise SetupError(
                f"{file} lies in {place}, where {entrant.name} could read the seed; choose another place with --db"
            )


# ---- Bots


def enlist(store: Store, entrants: Sequence[Entrant], terms: Terms, accept_changes: bool) -> Enlisted:
    """Who plays; changed files and late comers are told apart from those who were there."""
    known = {bot.name: bot for bot in store.bots()}
    wave = max((bot.wave for bot in known.values()), default=-1) + 1
    enlisted = Enlisted()
    check_names(known, entrants)
    for entrant in entrants:
        identity = fingerprint(entrant)
        versions = [bot for name, bot in known.items() if is_version(name, entrant.name)]
        current = versions[-1] if versions else None
        if current and is_same(current, entrant, identity):
            check_limits(store, replace(entrant, name=current.name))
            enlisted.entrants.append(replace(entrant, name=current.name))
            enlisted.fingerprints[current.name] = identity
            continue
        if current:
            check_accepted(store, entrant, terms, accept_changes)
            entrant = replace(entrant, name=f"{entrant.name}@{len(versions) + 1}")
            enlisted.replaced[current.name] = entrant.name
        enlisted.entrants.append(entrant)
        enlisted.added.append(BotRow(entrant.name, wave, identity, shlex.join(entrant.command)))
    check_additions(known, enlisted, terms)
    check_absent(store, known, enlisted)
    return enlisted


def is_version(name: str, of: str) -> bool:
    """Whether this is the name of the bot or of a later version of it: mine, mine@2, ..."""
    return name == of or re.fullmatch(re.escape(of) + r"@\d+", name) is not None


def check_names(known: Collection[str], entrants: Sequence[Entrant]) -> None:
    """Refuse a newcomer who could not be told from a later version of another bot, or another from one of his."""
    everybody = {*known, *(entrant.name for entrant in entrants)}
    for name in sorted(everybody):
        first = LATER_VERSION.sub("", name)
        if first != name and first in everybody and not {name, first} <= set(known):
            raise SetupError(
                f"{name} cannot play beside {first}: a later version of that bot is called so; give one of them "
                "another name with NAME=BOT"
            )


def is_same(bot: BotRow, entrant: Entrant, identity: str) -> bool:
    """Whether this is the bot that entered, its files unchanged.

    A bot whose fingerprint has no mark entered under an earlier dalang. A bundled one plays as it did then, so its
    command decides; of others those files do that were looked at then.
    """
    if bot.fingerprint.startswith((BUNDLED_MARK, MARK)):
        return bot.fingerprint == identity
    if identity.startswith(BUNDLED_MARK) and not entrant.env:
        named = [Path(word).name for word in shlex_split(bot.command)[1:]]
        return named == [*map(without_place, entrant.command[1:])]
    return bot.fingerprint in earlier_fingerprints(entrant)


def check_limits(store: Store, entrant: Entrant) -> None:
    before = store.bot_limits().get(entrant.name, {})
    if before != dict(entrant.limits):
        raise SetupError(
            f"the limits of {entrant.name} in {store.path} were {said(before) or 'those of all'}, now "
            f"{said(dict(entrant.limits)) or 'those of all'}; choose another file with --db"
        )


def check_accepted(store: Store, entrant: Entrant, terms: Terms, accept_changes: bool) -> None:
    if not accept_changes:
        anew = "enter the new version as a bot of its own with --accept-changes, or "
        raise SetupError(
            f"the files of {entrant.name} have changed since it entered {store.path}; "
            f"{anew if find_format(terms.format).grows else ''}choose another file with --db (files that a bot writes "
            "itself belong into a folder whose name begins with a dot)"
        )


def check_additions(known: dict[str, BotRow], enlisted: Enlisted, terms: Terms) -> None:
    if known and enlisted.added and not find_format(terms.format).grows:
        names = ", ".join(bot.name for bot in enlisted.added)
        growing = ", ".join(name for name, format in FORMATS.items() if format.grows)
        raise SetupError(
            f"{names} cannot join: a {terms.format} is closed once it has begun; only {growing} can grow"
        )


def check_absent(store: Store, known: dict[str, BotRow], enlisted: Enlisted) -> None:
    here = {entrant.name for entrant in enlisted.entrants} | enlisted.replaced.keys()
    for bot in known.values():
        if bot.name not in here and not bot.withdrawn:
            raise SetupError(
                f"{bot.name} is in {store.path} but not in this run; name it too, choose another file with --db, or "
                f"take it out with `dalang withdraw {store.path} {bot.name}`"
            )


def check_unchanged(store: Store, ready: Prepared) -> None:
    """After a run: no bot that has rewritten itself, or was rewritten, goes unnoticed."""
    entered = {bot.name: bot.fingerprint for bot in store.bots()}
    changed = [bot.name for bot in ready.assignment.entrants if fingerprint(bot) != entered[bot.name]]
    if changed:
        raise SetupError(
            f"the files of {', '.join(changed)} have changed during this run, and nobody can tell which of them "
            "played: begin anew with another file (--db)"
        )


# ---- Everything ready


def prepared(
    store: Store,
    config: Config,
    tell: Callable[[str], None],
    accept_changes: bool = False,
    abroad: Abroad | None = None,
) -> Prepared:
    """Everything ready to run. The file learns of it last, when every bot has shown that it can play."""
    terms = settle(store, config)
    workshop = Workshop(terms.isolation(), config.build_network)
    check_out_of_sight(store, config.entrants, workshop)
    workshop.prepare(config.entrants, tell)
    enlisted = enlist(store, config.entrants, terms, accept_changes)
    assignment = Assignment(terms, tuple(enlisted.entrants), config.matches_per_worker, config.keep_stderr)
    plan = store.plan(terms, enlisted.added)
    find_format(terms.format).check(plan)
    if not abroad:
        check_files(assignment)
    trio.run(interruptible, partial(preflight, assignment))
    if abroad:
        trio.run(interruptible, partial(abroad.examine, assignment))
    limits = {entrant.name: dict(entrant.limits) for entrant in enlisted.entrants}
    store.begin(terms, enlisted.added, enlisted.replaced, enlisted.fingerprints, limits)
    return Prepared(plan, assignment, abroad.slots() if abroad else config.workers(), abroad)


def check_files(assignment: Assignment) -> None:
    """Refuse what could only be begun: each match has bots of its own, and each of them takes some open files."""
    matches, most = assignment.matches_per_worker, most_files()
    needed = FILES_BESIDE_BOTS + FILES_PER_BOT * assignment.terms.seats * matches
    if needed > most:
        raise SetupError(
            f"a worker needs {needed} open files for {matches} times {assignment.terms.seats} bots, and may have "
            f"{most}: allow more with `ulimit -n {needed}`, or use fewer --matches-per-worker"
        )


async def preflight(assignment: Assignment) -> None:
    """Every bot is started and greeted once, before anything is played."""
    failures = await unfit(assignment)
    if failures:
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        raise CannotPlay(min(failures.values()) + more, failures)


async def unfit(assignment: Assignment) -> dict[str, str]:
    """By name, who cannot be started and greeted here, and why."""
    failures: dict[str, str] = {}
    limiter = trio.CapacityLimiter(AT_ONCE)
    terms = assignment.terms

    async def try_one(entrant: Entrant) -> None:
        async with limiter:
            try:
                async with open_arena(terms.limits, isolation=terms.isolation()) as arena:
                    await arena.preflight([entrant], find_game(terms.game), terms.seats)
            except CannotPlay as error:
                failures[entrant.name] = str(error)

    async with trio.open_nursery() as nursery:
        for entrant in assignment.entrants:
            nursery.start_soon(try_one, entrant)
    return failures
