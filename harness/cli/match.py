"""One match and one bot: `match` and `check`."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any

import click
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain
from dalang.harness.cli.common import ExitCode, as_json, command_again, echo_json, game_names, note, writing
from dalang.harness.cli.flags import (
    bot_names,
    game_options,
    isolation_options,
    limit_options,
    limits_of,
    play_options,
)
from dalang.harness.cli.options import parse_options
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.escaping import for_json
from dalang.harness.isolation.levels import isolation_that_works
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.junit import junit
from dalang.harness.match.arena import Arena, interruptible, open_arena
from dalang.harness.match.check import cases, examine
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Match, Watcher
from dalang.harness.match.wire import Log
from dalang.harness.people.story import (
    event_story,
    fault_story,
    finding_story,
    note_story,
    result_table,
    stand_in_story,
)
from dalang.harness.terminal import echo


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
    json_: bool,
    **limits: Any,
) -> None:
    """Play one match of GAME between BOTS, told as it happens.

    A BOT is a bundled name (first, random, cautious, bold, planner, guardian, seer), a folder with bot.toml, a
    script, a program or a quoted command line; NAME= in front of it renames it.

    Example: dalang match kali first random --seed 7
    """
    played_game, entrants = find_game(game), find_entrants(bots)
    seed = seed if seed is not None else secrets.token_hex(16)
    plan = Match(
        played_game,
        seed,
        tuple(entrant.name for entrant in entrants),
        parse_options(played_game, options),
        ask_forced=ask_forced,
        key=key,
    )
    played_game.checked_seats(len(entrants))
    isolation = isolation_that_works(isolate)
    arena = partial(
        open_arena,
        limits_of(**limits),
        show_clock=not no_clock,
        isolation=isolation,
        ponder=ponder,
        tell=note,
    )
    Workshop(isolation, build_network).prepare(entrants, note)
    with writing(record) as file:
        played = show_match(plan, entrants, arena, log_traffic, quiet=json_)
        if file:
            print(for_json(played.retold().data()), file=file)
    if json_:
        echo_json(played.retold().data())
    else:
        echo_result(played, command_again(context, seed))
    if strict and played.faults:
        context.exit(ExitCode.FAULTED)


@click.command()
@click.argument("bot", shell_complete=bot_names)
@click.option("--game", help="Check this game only.")
@limit_options
@isolation_options
@click.option(
    "--junit", "junit_file", type=click.Path(dir_okay=False), help="Write the findings there, as JUnit XML."
)
@as_json
@click.pass_context
def check(
    context: click.Context,
    /,
    bot: str,
    game: str | None,
    isolate: str,
    build_network: bool,
    junit_file: str | None,
    json_: bool,
    **limits: Any,
) -> None:
    """Check that BOT keeps the contract, step by step; where it fails, show what was seen.

    Example: dalang check random --game kali
    """
    [entrant] = find_entrants([bot])
    only = None if game is None else find_game(game)
    isolation = isolation_that_works(isolate)
    Workshop(isolation, build_network).prepare([entrant], note)
    show = (lambda finding: None) if json_ else (lambda finding: echo(finding_story(finding)))
    with writing(junit_file) as file:
        findings = trio.run(
            interruptible, partial(examine, entrant, limits_of(**limits), only, show, isolation)
        )
        if file:
            print(junit(f"dalang check {entrant.name}", entrant.name, cases(findings)), file=file)
    if json_:
        echo_json([asdict(finding) for finding in findings])
    if not all(finding.good for finding in findings):
        context.exit(ExitCode.NO)


def show_match(
    plan: Match,
    entrants: list[Entrant],
    arena_with: Callable[..., AbstractAsyncContextManager[Arena]],
    traffic: str | None,
    quiet: bool,
) -> Played:
    """Play a match in front of the user."""
    if not quiet:
        echo(f"{plan.game.title}, seed {plan.seed}: {', '.join(plan.names)}\n")

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
