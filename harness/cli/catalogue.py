"""The catalogue: `games` and `rules`."""

from __future__ import annotations

import shutil
import sys
from typing import Any

import click
from tabulate import tabulate

from dalang.engine.catalogue import find_game, games
from dalang.engine.game import Game
from dalang.harness.cli.common import as_json, echo_json, game_names
from dalang.harness.people.pages import page
from dalang.harness.terminal import echo


@click.command("games")
@as_json
def games_command(json_: bool) -> None:
    """List the games, how many can play, and their options.

    Example: dalang games --json
    """
    if json_:
        echo_json([described(game) for game in games().values()])
        return
    rows = [[game.name, game.title, game.players(), options_in_words(game)] for game in games().values()]
    echo(tabulate(rows, headers=["name", "title", "players", "options"], tablefmt="simple"))


def described(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "seats": list(game.seats),
        "options": {name: option.default for name, option in game.options.items()},
        "rules_version": game.rules_version,
        "scored_by": game.scored_by,
        "company": list(game.company),
    }


def options_in_words(game: Game) -> str:
    return "\n".join(f"{name}: {option.allowed}" for name, option in game.options.items())


@click.command()
@click.argument("game", shell_complete=game_names)
def rules(game: str) -> None:
    """Show the rulebook of GAME, with every ruling.

    Example: dalang rules kali
    """
    text = find_game(game).rulebook.read_text(encoding="utf-8")
    if not sys.stdout.isatty():
        echo(text, nl=False)
        return
    click.echo_via_pager(page(text, width=shutil.get_terminal_size().columns))
