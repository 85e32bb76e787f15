"""For those who write games: `check-game` and `new-game`."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

import click

from dalang.harness.authors.beginning import write_game
from dalang.harness.authors.examination import GameExamination
from dalang.harness.authors.finding import game_or_module
from dalang.harness.cli.common import ExitCode, as_json, echo_json, game_names, writing
from dalang.harness.junit import junit
from dalang.harness.match.check import cases
from dalang.harness.people.story import finding_story
from dalang.harness.terminal import echo


@click.command("check-game")
@click.argument("game", metavar="GAME | MODULE", shell_complete=game_names)
@click.option("--games", "number", type=click.IntRange(min=1), default=10, show_default=True, metavar="N",
              help="Games of random moves for each promise at each table.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="The first of their seeds.")  # fmt: skip
@click.option(
    "--seats", type=int, multiple=True, metavar="N", help="Only tables of this size; all if not given."
)
@click.option(
    "--junit", "junit_file", type=click.Path(dir_okay=False), help="Write the findings there, as JUnit XML."
)
@as_json
@click.pass_context
def check_game_command(
    context: click.Context,
    /,
    game: str,
    number: int,
    seed: int,
    seats: tuple[int, ...],
    junit_file: str | None,
    json_: bool,
) -> None:
    """Check that a game keeps the contract; where it fails, show the shortest play that was found to do so.

    MODULE is a module of yours that has a GAME, or MODULE:NAME; it need not be installed.

    Example: dalang check-game kali --games 2
    """
    found = game_or_module(game)
    findings = []
    with writing(junit_file) as file:
        for finding in GameExamination(found, seats, range(seed, seed + number), game).findings():
            findings.append(finding)
            if not json_:
                echo(finding_story(finding))
        if file:
            print(junit(f"dalang check-game {found.name}", found.name, cases(findings)), file=file)
    if json_:
        echo_json([asdict(finding) for finding in findings])
    if not all(finding.good for finding in findings):
        context.exit(ExitCode.NO)


@click.command("new-game")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
def new_game(folder: Path) -> None:
    """Write a small game that already works into the new folder DIR: rules, rulebook, tests and entry point.

    The game is called as the folder is, and is Nim until you change it.

    Example: dalang new-game my_game
    """
    name = write_game(folder)
    echo(
        f"{folder}: the game {name}; {folder / 'README.md'} says what is what. Next:\n"
        f"  cd {shlex.quote(str(folder))}\n"
        f"  dalang check-game {name}\n"
        f"  pip install --editable .\n"
        f"  dalang match {name} random seer"
    )
