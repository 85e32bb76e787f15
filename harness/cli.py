"""The command line: parse, call, print."""

from __future__ import annotations

import json
import secrets
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import click
import trio
from click.core import ParameterSource
from tabulate import tabulate

from engine.catalogue import find_game, games
from engine.game import Game, Plain, SetupError, unknown
from harness import __version__
from harness.arena import HostTooBusy, Played, interruptible, open_arena
from harness.check import examine, junit
from harness.config import DEFAULT_BLOCKS, EXAMPLE, Config, read_config
from harness.entrants import Entrant, build, find_entrants
from harness.limits import Limits
from harness.match import Match, Watcher
from harness.options import parse_options
from harness.pages import page
from harness.process import Log, adopt_orphans
from harness.progress import watched
from harness.run import play, tournament_of
from harness.store import create_or_open, open_to_read
from harness.story import fault_story, finding_story, result_table, told
from harness.tournament import commitment
from harness.verify import problems

GOOD, NO, USAGE, FAULTED, INTERRUPTED = 0, 1, 2, 4, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dalang")
def cli() -> None:
    """Referee, run and rank matches between game-playing programs.

    Example: dalang match kali first random
    """


def main() -> None:
    """Run the command line; what the user can mend is one line and exit code 2."""
    warnings.showwarning = one_line_warning
    adopt_orphans()
    try:
        sys.exit(cli(prog_name="dalang", standalone_mode=False))
    except (SetupError, HostTooBusy) as error:
        complain(str(error), USAGE)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "dalang"
        complain(f"{error.format_message()} See '{command} --help'.", USAGE)
    except click.ClickException as error:
        complain(error.format_message(), USAGE)
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted", INTERRUPTED)


def complain(message: str, code: int) -> None:
    click.echo(f"dalang: {message}", err=True)
    sys.exit(code)


def one_line_warning(message: Warning | str, *where: Any, **more: Any) -> None:
    click.echo(f"dalang: {message}", err=True)


def as_json(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--json", "json_", is_flag=True, help="Print JSON for other programs.")(command)


def echo_json(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False))


# ---- The catalogue


@cli.command("games")
@as_json
def games_command(json_: bool) -> None:
    """List the games, how many can play, and their options.

    Example: dalang games --json
    """
    if json_:
        echo_json([described(game) for game in games().values()])
        return
    rows = [[game.name, game.title, players(game), options_in_words(game)] for game in games().values()]
    click.echo(tabulate(rows, headers=["name", "title", "players", "options"], tablefmt="simple"))


def described(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "seats": list(game.seats),
        "options": {name: option.default for name, option in game.options.items()},
        "rules_version": game.rules_version,
    }


def players(game: Game) -> str:
    return f"{game.seats[0]}-{game.seats[-1]}"


def options_in_words(game: Game) -> str:
    return "\n".join(f"{name}: {option.allowed}" for name, option in game.options.items())


@cli.command()
@click.argument("game")
def rules(game: str) -> None:
    """Show the rulebook of GAME, with every ruling.

    Example: dalang rules kali
    """
    text = find_game(game).rulebook.read_text(encoding="utf-8")
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    click.echo_via_pager(page(text, width=shutil.get_terminal_size().columns))


# ---- Playing


def game_options(command: Callable[..., None]) -> Callable[..., None]:
    """What a match is made of besides game and bots."""
    for option in (
        click.option(
            "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game."
        ),
        click.option("--seed", help="Any text; the same seed is the same luck. Random if not given."),
    ):
        command = option(command)
    return command


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """What a bot may use."""
    default = Limits()
    seconds = click.FloatRange(min=0.001)
    for option in (
        click.option("--memory", type=click.IntRange(min=1), metavar="MB", help="Address space of a bot."),
        click.option("--startup-time", type=seconds, default=default.startup, show_default=True,
                     metavar="S", help="Seconds from start to hello."),
        click.option("--prepare-time", type=seconds, default=default.prepare, show_default=True,
                     metavar="S", help="Seconds to get ready for a match."),
        click.option("--bank", type=click.FloatRange(min=0), default=default.bank, show_default=True,
                     metavar="S", help="Extra seconds per match, used up by longer thinks."),
        click.option("--move-time", type=seconds, default=default.move, show_default=True,
                     metavar="S", help="Seconds for each decision."),
    ):  # fmt: skip
        command = option(command)
    return command


LIMIT_NAMES = ("move_time", "bank", "prepare_time", "startup_time", "memory")


def limits_of(
    move_time: float, bank: float, prepare_time: float, startup_time: float, memory: int | None
) -> Limits:
    return Limits(startup_time, prepare_time, move_time, bank, memory and memory * 1024 * 1024)


@cli.command()
@click.argument("game")
@click.argument("bots", nargs=-1, required=True)
@game_options
@limit_options
@click.option("--ask-forced", is_flag=True, help="Ask also where only one move is legal.")
@click.option("--no-clock", is_flag=True, help="Tell the bots nothing about time.")
@click.option("--strict", is_flag=True, help="Exit with code 4 if a bot broke the contract.")
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
    record: str | None,
    log_traffic: str | None,
    json_: bool,
    **limits: Any,
) -> None:
    """Play one match of GAME between BOTS, told as it happens.

    A BOT is a bundled name (first, random), a folder with bot.toml, a script, a program or a quoted command
    line; NAME= in front of it renames it.

    Example: dalang match kali first random --seed 7
    """
    played_game, entrants = find_game(game), find_entrants(bots)
    seed = seed if seed is not None else secrets.token_hex(8)
    plan = Match(
        played_game,
        seed,
        tuple(entrant.name for entrant in entrants),
        parse_options(played_game, options),
        ask_forced=ask_forced,
    )
    played_game.checked_seats(len(entrants))
    with writing(record) as file:
        played = show_match(plan, entrants, limits_of(**limits), not no_clock, log_traffic, quiet=json_)
        if file:
            print(json.dumps(played.data(), ensure_ascii=False), file=file)
    if json_:
        echo_json(played.data())
    else:
        echo_result(played, command_again(context, seed))
    if strict and played.match.faults:
        context.exit(FAULTED)


@cli.command()
@click.argument("bot")
@click.option("--game", help="Check this game only.")
@limit_options
@click.option(
    "--junit", "junit_file", type=click.Path(dir_okay=False), help="Write the findings there, as JUnit XML."
)
@as_json
@click.pass_context
def check(
    context: click.Context, /, bot: str, game: str | None, junit_file: str | None, json_: bool, **limits: Any
) -> None:
    """Check that BOT keeps the contract, step by step; where it fails, show what was seen.

    Example: dalang check random --game kali
    """
    [entrant] = find_entrants([bot])
    only = None if game is None else find_game(game)
    build(entrant)
    with writing(junit_file) as file:
        findings = trio.run(interruptible, partial(examine, entrant, limits_of(**limits), only))
        if file:
            print(junit(entrant, findings), file=file)
    if json_:
        echo_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(finding_story(finding))
    if not all(finding.good for finding in findings):
        context.exit(NO)


def show_match(
    plan: Match, entrants: list[Entrant], limits: Limits, show_clock: bool, traffic: str | None, quiet: bool
) -> Played:
    """Play a match in front of the user."""
    if not quiet:
        click.echo(f"{plan.game.title}, seed {plan.seed}: {', '.join(plan.names)}\n")

    async def play() -> Played:
        with traffic_log(traffic) as log:
            async with open_arena(limits, log=log, show_clock=show_clock) as arena:
                await arena.preflight(entrants)
                return await arena.play(plan, entrants, None if quiet else narrator(plan))

    for entrant in entrants:
        build(entrant)
    return trio.run(interruptible, play)


def narrator(plan: Match) -> Watcher:
    def narrate(events: list[Plain]) -> None:
        for event in events:
            click.echo(told(plan.game, event, plan.names))
            if "note" in event:
                click.echo(click.style(f"    “{event['note']}”", dim=True))

    return narrate


def echo_result(played: Played, again: list[str]) -> None:
    click.echo()
    click.echo(result_table(played.match, played.times))
    if played.voided:
        click.echo(f"This machine was late {played.voided} times; the match was void and played again.")
    for fault in played.match.faults:
        click.echo()
        click.echo(fault_story(fault, played.match.names[fault.seat], again))


def command_again(context: click.Context, seed: str | None) -> list[str]:
    """The command line that does the same once more: what was given, and this seed."""
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        value = seed if name == "seed" and seed is not None else context.params[name]
        if value is None or (not is_given(context, name) and name != "seed"):
            continue
        option = parameter.opts[:1] if isinstance(parameter, click.Option) else []
        if isinstance(parameter, click.Option) and parameter.is_flag:
            words += option
        else:
            values = value if isinstance(value, tuple) else (value,)
            words += [word for each in values for word in (*option, str(each))]
    return [*context.command_path.split(), *words]


@contextmanager
def traffic_log(path: str | None) -> Iterator[Log | None]:
    """Every message as one line: the bot, `<<` to it or `>>` from it, and the message as JSON."""
    with writing(path) as file:
        if file is None:
            yield None
        else:
            yield lambda name, way, message: print(name, way, json.dumps(message, default=repr), file=file)


@contextmanager
def writing(path: str | None, mode: str = "w") -> Iterator[IO[str] | None]:
    """The file at this path, opened before anything is played, so that nothing is played in vain."""
    if path is None:
        yield None
        return
    try:
        file = Path(path).open(mode, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}") from error
    with file:
        yield file


# ---- Tournaments


@cli.command()
@click.argument("what", metavar="CONFIG.toml | GAME")
@click.argument("bots", nargs=-1)
@game_options
@limit_options
@click.option(
    "--format",
    "format_",
    default="round-robin",
    show_default=True,
    help="round-robin, gauntlet, swiss, knockout or ladder.",
)
@click.option("--seats", type=int, help="Bots per table; the smallest table of the game if not given.")
@click.option(
    "--blocks",
    type=click.IntRange(min=1),
    default=DEFAULT_BLOCKS,
    show_default=True,
    help="Deals per table; each is played from every seat.",
)
@click.option("--advance", type=click.IntRange(min=1), help="Knockout: how many of a table go on.")
@click.option(
    "--max-faults",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Faults in a row after which a bot is withdrawn; 0 for never.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Worker processes; one per core if not given.")
@click.option(
    "--matches-per-worker",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Matches at once in a worker, for bots that wait.",
)
@click.option("--fresh", is_flag=True, help="Start a new process of each bot for every match.")
@click.option("--no-clock", is_flag=True, help="Tell the bots nothing about time.")
@click.option("--ask-forced", is_flag=True, help="Ask also where only one move is legal.")
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), help="The file; GAME.db if not given.")
@click.option("--accept-changes", is_flag=True, help="A bot whose files changed enters as a new version.")
@click.option("--events", type=click.Path(dir_okay=False), help="Append a JSON line there for every match.")
@click.option("--strict", is_flag=True, help="Exit with code 4 if a bot broke the contract.")
@as_json
@click.pass_context
def run(
    context: click.Context,
    /,
    what: str,
    bots: tuple[str, ...],
    events: str | None,
    accept_changes: bool,
    strict: bool,
    json_: bool,
    **settings: Any,
) -> None:
    """Play a tournament and print the standings; the same command again resumes it.

    Example: dalang run kali first random --blocks 3 --seed 1 --db /tmp/dalang-example.db
    """
    config = config_of(context, what, bots, **settings)
    with writing(events, mode="a") as stream, create_or_open(config.file()) as store:
        tournament = tournament_of(store, config, accept_changes)
        click.echo(f"{config.file()}: seed committed as {commitment(tournament.plan.seed)}", err=True)
        try:
            with watched(tournament, stream):
                trio.run(interruptible, partial(play, tournament))
        except KeyboardInterrupt:
            click.echo(f"\n{tournament.played} matches are kept; go on with: {resuming(context)}", err=True)
            raise
        report = report_of(store)
    echo_json(report.data()) if json_ else click.echo(report.table())
    if strict and report.faults():
        context.exit(FAULTED)


def resuming(context: click.Context) -> str:
    return shlex.join(command_again(context, seed=None))


def config_of(context: click.Context, what: str, bots: tuple[str, ...], **settings: Any) -> Config:
    """The tournament by flags, or by a file whose jobs and database the flags may change."""
    if what.endswith(".toml") or Path(what).is_file():
        given = [name for name in settings if is_given(context, name) and name not in ("jobs", "db")]
        if bots or given:
            raise SetupError(f"{what} says it all; write {', '.join([*bots, *given])} into it")
        config = read_config(Path(what))
        return replace(
            config, **{name: settings[name] for name in ("jobs", "db") if settings[name] is not None}
        )
    game = find_game(what)
    return Config(
        game=game,
        entrants=tuple(find_entrants(bots)),
        name=what,
        options=parse_options(game, settings.pop("options")),
        format=settings.pop("format_"),
        clock=not settings.pop("no_clock"),
        limits=limits_of(**{name: settings.pop(name) for name in LIMIT_NAMES}),
        **settings,
    )


def is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


@cli.command()
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path), default="tournament.toml")
def init(path: Path) -> None:
    """Write a commented example of a tournament to PATH.

    Example: dalang init /dev/stdout
    """
    if path.is_file():
        raise SetupError(f"{path} is there already; choose another name")
    with writing(str(path)) as file:
        assert file
        file.write(EXAMPLE.format(path=path))


@cli.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("bot")
def withdraw(db: Path, bot: str) -> None:
    """Take BOT out of the tournament in DB: what it played counts, what it has not played is left out.

    Example: dalang withdraw --help
    """
    with create_or_open(db) as store:
        names = [row.name for row in store.bots()]
        if bot not in names:
            raise unknown(f"bot in {db}", bot, names)
        store.withdraw(bot, "by hand")
    click.echo(f"{bot} is withdrawn from {db}.")


@cli.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path))
@as_json
@click.pass_context
def verify(context: click.Context, /, db: Path, json_: bool) -> None:
    """Re-enact every match in DB from its seed and from its events, and check what follows from it.

    Example: dalang verify --help
    """
    checked, wrong = 0, []
    with open_to_read(db) as store:
        for what, found in problems(store):
            checked += 1
            wrong += [{"what": what, "problem": problem} for problem in found]
            if not json_:
                for problem in found:
                    click.echo(f"{click.style('✗', fg='red')} {what}: {problem}")
    if json_:
        echo_json({"checked": checked, "problems": wrong})
    elif not wrong:
        click.echo(
            f"{click.style('✓', fg='green')} {checked - 1} matches and the master seed are as they should be"
        )
    if wrong:
        context.exit(NO)
