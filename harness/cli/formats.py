"""How a tournament can be held: `formats`."""

from __future__ import annotations

import shutil

import click
from tabulate import tabulate

from dalang.harness.cli.common import as_json, echo_json
from dalang.harness.people.pages import page
from dalang.harness.terminal import echo
from dalang.harness.tournament.schedule import FORMATS, find_format


@click.command("formats")
@click.argument("name", required=False, metavar="[FORMAT]")
@as_json
def formats_command(name: str | None, json_: bool) -> None:
    """List the formats of tournaments, or show the rules of FORMAT: who meets whom, what decides the places.

    Example: dalang formats swiss
    """
    found = FORMATS.values() if name is None else [find_format(name)]
    if json_:
        echo_json([{"name": each.name, "summary": each.summary, "rules": each.rules()} for each in found])
    elif name is None:
        echo(tabulate([[each.name, each.summary] for each in found], headers=["format", "what it is for"]))
        echo("\nThe rules of one: dalang formats NAME; those of a league: dalang formats league")
    else:
        for each in found:
            echo(page(f"# {each.name}\n\n{each.rules()}", shutil.get_terminal_size().columns), nl=False)
