"""Tournaments: `run`, `init`, `withdraw`, `verify`."""

from __future__ import annotations

import re
import shlex
from contextlib import closing
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError, quoted, unknown
from dalang.harness.cli.common import (
    ExitCode,
    as_json,
    command_again,
    echo_json,
    game_names,
    is_given,
    note,
    writing,
)
from dalang.harness.cli.elsewhere import elsewhere
from dalang.harness.cli.flags import (
    LIMIT_NAMES,
    bot_names,
    cluster_of,
    cluster_options,
    game_options,
    jobs_option,
    keep_stderr_option,
    limit_options,
    limits_of,
    play_options,
    seats_option,
)
from dalang.harness.cli.options import parse_options
from dalang.harness.cli.plan import say_beforehand
from dalang.harness.cli.progress import Events, progress_of, with_progress
from dalang.harness.cli.serve import delay_option, serving_of, serving_options
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.escaping import printable
from dalang.harness.gate import there
from dalang.harness.league.final import read_seed
from dalang.harness.match.arena import interruptible
from dalang.harness.serve.beside import spectators
from dalang.harness.terminal import echo, terminal_columns
from dalang.harness.tournament.config import (
    EXAMPLE,
    HERE,
    MOST_FAULTS_IN_A_ROW,
    MOST_MATCHES_PER_WORKER,
    Config,
    cores,
    read_config,
    terms_for,
)
from dalang.harness.tournament.entry import check_unchanged, prepared
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.schedule import COMPARE
from dalang.harness.tournament.standings import standings
from dalang.harness.tournament.terms import DEFAULT_BLOCKS
from dalang.harness.tournament.verify import BEFORE_MATCHES, everything_checked


@click.command()
@click.argument("what", metavar="CONFIG.toml | GAME", shell_complete=game_names)
@click.argument("bots", nargs=-1, shell_complete=bot_names)
@game_options
@limit_options
@play_options
@click.option(
    "--format",
    "format_",
    default="round-robin",
    show_default=True,
    help="round-robin, gauntlet, swiss, knockout or ladder.",
)
@seats_option
@click.option(
    "--blocks",
    type=click.IntRange(min=1),
    default=DEFAULT_BLOCKS,
    show_default=True,
    help="Deals per table; each is played from every seat.",
)
@click.option(
    "--common-deals",
    is_flag=True,
    default=None,
    help="All tables of a round meet the same deal, not each block its own.",
)
@click.option("--advance", type=click.IntRange(min=1), help="Knockout: how many of a table go on.")
@click.option(
    "--max-faults",
    type=click.IntRange(min=0, max=MOST_FAULTS_IN_A_ROW),
    default=10,
    show_default=True,
    help="Faults in a row after which a bot is withdrawn; 0 for never.",
)
@cluster_options
@click.option(
    "--matches-per-worker",
    type=click.IntRange(min=1, max=MOST_MATCHES_PER_WORKER),
    default=1,
    show_default=True,
    help="Matches at once in a worker, for bots that wait.",
)
@click.option("--fresh", is_flag=True, help="Start a new process of each bot for every match.")
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), help="The file; GAME.db if not given.")
@click.option(
    "--seed-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The seed that `dalang seed` wrote there.",
)
@click.option("--accept-changes", is_flag=True, help="A bot whose files changed enters as a new version.")
@click.option("--events", type=click.Path(dir_okay=False), help="Append a JSON line there for every match.")
@keep_stderr_option
@click.option("--serve", is_flag=True, help="Let spectators look on in a browser; see: dalang serve --help.")
@delay_option
@serving_options
@as_json
@click.pass_context
def run(
    context: click.Context,
    /,
    what: str,
    bots: tuple[str, ...],
    events: str | None,
    accept_changes: bool,
    serve: bool,
    strict: bool,
    seed_file: Path | None,
    json_: bool,
    **settings: Any,
) -> None:
    """Play a tournament and print the standings; the same command again resumes it.

    Example: dalang run kali first random --blocks 3 --seed 1
    """
    serving = serving_of(context, serve, settings)
    config = config_of(context, what, bots, **settings)
    if seed_file:
        config = replace(config, seed=read_seed(seed_file))
    if config.terms.format == COMPARE.name:
        raise SetupError("a comparison is no tournament: dalang compare GAME CANDIDATE BASELINE")
    with (
        writing(events, mode="a") as stream,
        create_or_open(config.file()) as store,
        elsewhere(config) as abroad,
        spectators(serving, note) as audience,
    ):
        ready = prepared(store, config, note, accept_changes, abroad)
        note(f"{config.file()}: seed committed as {ready.plan.terms.commitment}")
        say_beforehand(store, ready)
        progress = progress_of(ready)
        window = audience.let_in(store.path, ready.places()) if audience else None
        playing = Run(store, ready, [progress, *([Events(stream)] if stream else [])], note, window)
        try:
            with closing(progress):
                trio.run(interruptible, playing.play)
        except KeyboardInterrupt:
            note(f"\n{playing.played} more matches are kept; go on with: {resuming(context)}")
            raise
        table = standings(store)
        if json_:
            echo_json(table.data())
        else:
            echo(table.text(columns=terminal_columns()))
        check_unchanged(store, ready)
    if left_out := len(playing.tournament.left_out):
        note(f"{left_out} of the blocks could not be played on this machine and do not count")
        context.exit(ExitCode.UNDECIDED)
    if strict and table.faults():
        context.exit(ExitCode.FAULTED)


def resuming(context: click.Context) -> str:
    return shlex.join(command_again(context, seed=None))


CHANGEABLE = ("seats", "blocks", "jobs", "cluster", "db", "build_network", "keep_stderr")
"""Flags that may change what a file says: the size of the tournament, where it is played and kept, and how bots are
built here."""


def config_of(context: click.Context, what: str, bots: tuple[str, ...], **settings: Any) -> Config:
    """The tournament by flags, or by a file of which a few flags may change something."""
    settings["cluster"] = cluster_of(context, settings["cluster"])
    if what.endswith(".toml") or there(Path(what).is_file):
        given = {name: value for name, value in settings.items() if is_given(context, name)}
        fixed = [*bots, *(name for name in given if name not in CHANGEABLE)]
        if fixed:
            raise SetupError(f"{what} says it all; write {', '.join(fixed)} into it")
        config = read_config(Path(what))
        if "jobs" in given and "cluster" not in given:
            config = replace(config, cluster=None)  # workers on this machine were asked for
        if given.get("seats", config.terms.seats) != config.terms.seats:
            given = {"db": config.file().with_stem(f"{config.file().stem}-{given['seats']}"), **given}
            find_game(config.terms.game).checked_seats(given["seats"])
        size = {name: given.pop(name) for name in ("seats", "blocks") if name in given}
        return replace(config, terms=replace(config.terms, **size), **given)
    game = find_game(what)
    here = {name: settings.pop(name) for name in ("db", "cluster", *HERE)}
    terms = terms_for(
        game,
        parse_options(game, settings.pop("options")),
        settings.pop("seats"),
        name=what,
        format=settings.pop("format_"),
        clock=not settings.pop("no_clock"),
        limits=limits_of(**{name: settings.pop(name) for name in LIMIT_NAMES}),
        **settings,
    )
    return Config(terms, tuple(find_entrants(bots)), **here)


@click.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path), default="tournament.toml")
def init(path: Path) -> None:
    """Write a commented example of a tournament to PATH, or to tournament.toml.

    Example: dalang init my.toml
    """
    if path.is_file():
        raise SetupError(f"{path} is there already; choose another name")
    with writing(str(path)) as file:
        assert file
        file.write(EXAMPLE.format(path=path, name=path.stem))
    echo(f"{path} is written; look into it, then: dalang run {shlex.quote(str(path))}")


@click.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("bot")
def withdraw(db: Path, bot: str) -> None:
    """Take BOT out of the tournament in DB: what it played counts, what it has not played is left out.

    Example: dalang withdraw kali.db first
    """
    with open_to_read(db):
        pass  # one that is not there is not made
    with create_or_open(db) as store:
        names = [row.name for row in store.bots()]
        if bot not in names:
            raise unknown(f"bot in {db}", bot, names)
        store.withdraw(bot, "by hand")
    echo(f"{bot} is withdrawn from {db}.")


@click.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--commitment", metavar="HEX", help="What was published of the seed beforehand; it must be this one."
)
@jobs_option
@as_json
@click.pass_context
def verify(
    context: click.Context, /, db: Path, commitment: str | None, jobs: int | None, json_: bool
) -> None:
    """Prove that the matches in DB were played as they are told.

    Proved is that the file is sound and holds nothing but what dalang makes; that the seed is the one that was
    committed to; that everybody sat where the schedule puts them, on the deals that follow from the seed; that every
    match, re-enacted from its seed and from its events, comes to the events, scores and places that are recorded; that
    faults are such as can have been, and from there on a stand-in played; that the tables say the same as the records;
    and that nothing is missing from what is told as finished.

    Not proved is that the bots chose these moves and broke the contract as it is told, how long they thought, and what
    they wrote; nor which limits and isolation they had and what they were told of time, what their commands and files
    were, who was withdrawn by hand, whether blocks were added later, on which machines was played, and what these were
    too busy for. Who owns the file and the bots can play honest
    matches again until he likes them, or take some out: ask him for the commitment before the first match, then he
    cannot choose another seed.

    With --commitment it is proved that the seed is the one whose commitment was published.

    Example: dalang verify kali.db
    """
    checked, missing, wrong = 0, 0, list[dict[str, str]]()
    published = None if commitment is None else commitment_in(commitment)
    with open_to_read(db) as store:
        if published and published != store.terms().commitment:
            wrong.append({"what": "the commitment", "problem": "the seed is not the one that was published"})
            if not json_:
                echo(f"{click.style('✗', fg='red')} the seed is not the one whose commitment was published")
        matches = store.number_of_matches()
        if matches > LONG_SCHEDULE:
            note(f"{matches} matches: the schedule first, then one after the other")
        found = everything_checked(store, jobs or cores())
        for each in chain(islice(found, BEFORE_MATCHES), with_progress(found, matches, "match")):
            checked += 1
            missing += each.missing
            wrong += [{"what": each.what, "problem": problem} for problem in each.problems]
            if not json_:
                for problem in each.problems:
                    echo(f"{click.style('✗', fg='red')} {each.what}: {printable(problem)}")
    if json_:
        told = {
            "matches": checked - BEFORE_MATCHES,
            "checked": checked,
            "problems": wrong,
            "missing": missing,
        }
        echo_json(told)
    elif not wrong:
        good = click.style("✓", fg="green")
        echo(
            f"{good} {checked - BEFORE_MATCHES} matches, the schedule and the master seed are as they should be"
        )
        if missing:
            echo(f"{missing} matches before the last are not there: still to be played, or taken out")
        echo(UNPROVED)
    if wrong:
        context.exit(ExitCode.NO)


def commitment_in(typed: str) -> str:
    """One that is none would prove nothing, and an empty one comes of a command that failed."""
    found = typed.strip().lower()
    if not re.fullmatch("[0-9a-f]{64}", found):
        raise SetupError(
            f"a commitment is 64 hexadecimal digits, as `dalang run` prints it, not {quoted(typed)}"
        )
    return found


LONG_SCHEDULE = 100_000
"""Matches; with more, seconds pass before the schedule is walked."""
UNPROVED = (
    "not proved: thinking times, what bots wrote, under which limits, and that nobody played until he liked it "
    "(see --help)"
)
