"""One match: `match`."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.cli.common import ExitCode, as_json, command_again, echo_json, game_names, note, writing
from dalang.harness.cli.flags import (
    bot_names,
    game_options,
    given_limits,
    keep_stderr_option,
    limit_options,
    limits_of,
    play_options,
)
from dalang.harness.cli.options import parse_options
from dalang.harness.cli.past import attended_by, bots_and_past, check_fits, check_provable, from_options
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.escaping import for_json
from dalang.harness.isolation.levels import isolation_that_works
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.match.arena import Arena, interruptible, open_arena
from dalang.harness.match.limits import Limits
from dalang.harness.match.played import Conditions, Played
from dalang.harness.match.referee import Match, Watcher
from dalang.harness.match.wire import Log
from dalang.harness.people.debugging import LiveStderr, terminal_kept
from dalang.harness.people.story import (
    event_story,
    fault_story,
    note_story,
    result_table,
    stand_in_story,
)
from dalang.harness.terminal import echo


class SetUp(NamedTuple):
    """A match that is to be played, and what its bots are told besides."""

    plan: Match
    limits: Limits
    clock: bool

    def conditions(self) -> Plain:
        plan = self.plan
        return asdict(Conditions(self.limits.announced(), plan.key, plan.ask_forced, self.clock))


def checked_key(context: click.Context, parameter: click.Parameter, key: str | None) -> str:
    if key is not None and not re.fullmatch(r"\d{1,9}\.\d{1,9}", key):
        raise click.BadParameter(f"it is BLOCK.ROTATION, as in 4.1, not {key!r}.")
    return key or ""


@click.command()
@click.argument("game", shell_complete=game_names)
@click.argument("bots", nargs=-1, required=True, shell_complete=bot_names)
@game_options
@limit_options
@play_options
@click.option(
    "--key",
    callback=checked_key,
    metavar="BLOCK.ROTATION",
    help="Play it as this match of a tournament with the same deal was played: the bots' own luck depends on it.",
)
@click.option(
    "--record", type=click.Path(dir_okay=False), help="Write the record of the match there, as JSON."
)
@click.option("--log-traffic", type=click.Path(dir_okay=False), help="Write every message there, as JSON.")
@click.option(
    "--stderr", "live_stderr", is_flag=True, help="Show what the bots write to stderr, as it comes."
)
@keep_stderr_option
@click.option(
    "--debug", metavar="BOT", help="Give this bot the terminal and all the time, for a debugger in it."
)
@click.option(
    "--attach", metavar="BOT", help="Wait for a debugger, or Enter, before the match begins for this bot."
)
@from_options
@as_json
@click.pass_context
def match(
    context: click.Context,
    /,
    game: str,
    bots: tuple[str, ...],
    seed: str | None,
    options: tuple[str, ...],
    ask_forced: bool,
    no_clock: bool,
    strict: bool,
    key: str,
    isolate: str,
    ponder: bool,
    build_network: bool,
    record: str | None,
    log_traffic: str | None,
    live_stderr: bool,
    keep_stderr: bool,
    debug: str | None,
    attach: str | None,
    source: Path | None,
    turn: int | None,
    at_once: bool,
    json_: bool,
    **limits: Any,
) -> None:
    """Play one match of GAME between BOTS, told as it happens.

    A BOT is a bundled name (first, random, cautious, bold, planner, guardian, seer), a folder with bot.toml, a
    script, a program or a quoted command line; NAME= in front of it renames it.

    With --from DB MATCH --turn N the bots take the seats of a match that was played, and go on from its decision N. Up
    to there they are asked again what was asked then; the luck to come is the same, unless --seed gives another.

    Example: dalang match kali first random --seed 7
    """
    played_game = find_game(game)
    bots, past = bots_and_past(context, bots, source, turn)
    entrants = find_entrants(bots)
    names = tuple(entrant.name for entrant in entrants)
    if past:
        check_fits(past, played_game, entrants)
        check_provable(record, seed)
        plan, given = past.match(past.decision(turn), names, at_once, seed), given_limits(context, limits)
        entrants = [past.seated(entrant, seat, given) for seat, entrant in enumerate(entrants)]
        set_up = SetUp(plan, past.limits(given), past.conditions.clock)
    else:
        played_game.checked_seats(len(entrants))
        seed = seed if seed is not None else secrets.token_hex(16)
        plan = Match(
            played_game, seed, names, parse_options(played_game, options), ask_forced=ask_forced, key=key
        )
        set_up = SetUp(plan, limits_of(**limits), not no_clock)
    isolation = isolation_that_works(isolate)
    live = LiveStderr(names, partial(echo, err=True)) if live_stderr else None
    arena = partial(
        open_arena,
        set_up.limits,
        show_clock=set_up.clock,
        isolation=isolation,
        ponder=ponder,
        tell=note,
        hear=live.hear if live else None,
        keep_stderr=keep_stderr,
        attended=attended_by(entrants, bots, debug, attach),
    )
    Workshop(isolation, build_network).prepare(entrants, note)
    with writing(record) as file:
        with terminal_kept(), closing(live) if live else nullcontext():
            played = show_match(plan, entrants, arena, log_traffic, quiet=json_)
        played = replace(played, conditions=set_up.conditions())
        if file:
            print(for_json(played.retold().data()), file=file)
    if json_:
        echo_json(played.retold().data())
    else:
        echo_result(played, command_again(context, seed))
    if strict and played.faults:
        context.exit(ExitCode.FAULTED)


def show_match(
    plan: Match,
    entrants: list[Entrant],
    arena_with: Callable[..., AbstractAsyncContextManager[Arena]],
    traffic: str | None,
    quiet: bool,
) -> Played:
    """Play a match in front of the user."""
    if not quiet:
        on = f", on from decision {len(plan.given)}" if plan.given else ""
        echo(f"{plan.game.title}, seed {plan.seed}{on}: {', '.join(plan.names)}\n")

    async def play() -> Played:
        with traffic_log(traffic) as log:
            async with arena_with(log=log) as arena:
                await arena.preflight(entrants, plan.game, len(entrants))
                return await arena.play(plan, entrants, None if quiet else narrator(plan))

    return trio.run(interruptible, play)


def narrator(plan: Match) -> Watcher:
    def narrate(events: list[Plain]) -> None:
        for event in events:
            for fault in event.get("faults", ()):
                echo(stand_in_story(plan.names[fault.seat], fault.kind))
            echo(event_story(plan.game, event, plan.names))
            if "note" in event:
                echo(note_story(event["note"]))

    return narrate


def echo_result(played: Played, again: list[str]) -> None:
    echo()
    echo(result_table(played))
    if played.voided:
        echo(f"This machine was late {played.voided} times; the match was void and played again.")
    for fault in played.faults:
        echo()
        echo(fault_story(fault, played.names[fault.seat], again))


@contextmanager
def traffic_log(path: str | None) -> Iterator[Log | None]:
    """Every message as one line: the bot, `<<` to it or `>>` from it, and the message as JSON."""
    with writing(path) as file:
        if file is None:
            yield None
        else:
            yield lambda name, way, message: print(name, way, json.dumps(message, default=repr), file=file)
