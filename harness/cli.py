"""The command line: parse, call, print."""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import click
from tabulate import tabulate

from engine.catalogue import find_game, games
from engine.game import Game, SetupError
from engine.record import Record, enact
from harness import __version__
from harness.options import parse_options
from harness.pages import page

GOOD, NO, USAGE, INTERRUPTED = 0, 1, 2, 130


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dalang")
def cli() -> None:
    """Referee, run and rank matches between game-playing programs.

    Example: dalang demo kali
    """


def main() -> None:
    """Run the command line; what the user can mend is one line and exit code 2."""
    warnings.showwarning = one_line_warning
    try:
        sys.exit(cli(standalone_mode=False))
    except SetupError as error:
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


@cli.command()
@click.argument("game", default="kali")
@click.option("--seats", type=int, help="How many players; the smallest table if not given.")
@click.option("--seed", default="demo", show_default=True, help="Any text; the same seed is the same game.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
def demo(game: str, seats: int | None, seed: str, options: tuple[str, ...]) -> None:
    """Watch random players at one table of GAME, told as it happens.

    Example: dalang demo kali --seats 3 --seed 7
    """
    played = find_game(game)
    rng = Random(seed)
    record = enact(
        played,
        played.seats[0] if seats is None else seats,
        seed,
        lambda state: rng.choice(state.moves()),
        **parse_options(played, options),
    )
    for event in record.events:
        click.echo(played.sentence(event))
    click.echo()
    click.echo(result_table(record))


def result_table(record: Record) -> str:
    rows = sorted(zip(record.outcome.ranks, range(record.seats), record.outcome.scores, strict=True))
    return tabulate(rows, headers=["place", "seat", "score"])
