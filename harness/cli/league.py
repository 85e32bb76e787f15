"""A season: `league` with its commands, and `seed`."""

from __future__ import annotations

import shlex
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click
import trio

from dalang.engine.game import SetupError
from dalang.harness.cli.common import as_json, echo_json, note, writing
from dalang.harness.cli.plan import say_beforehand
from dalang.harness.cli.progress import progress_of, with_progress
from dalang.harness.gate import check_is_new
from dalang.harness.league.final import (
    FINAL_BLOCKS,
    blocks_of_final,
    check_seed,
    final_of,
    is_finished,
    new_seed,
    prepared_final,
    read_seed,
)
from dalang.harness.league.run import LeagueRun
from dalang.harness.league.season import Season
from dalang.harness.league.settings import (
    ENTRANTS,
    FINAL_REPORT,
    LEAGUE_EXAMPLE,
    LEAGUE_FILE,
    VERSIONS,
    Settings,
    read_settings,
)
from dalang.harness.league.status import history_text, league_state, state_text
from dalang.harness.league.submission_table import happenings
from dalang.harness.match.arena import interruptible
from dalang.harness.report.data import gathered
from dalang.harness.report.page import page
from dalang.harness.terminal import echo, terminal_columns
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.standings import standings
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.terms import commitment

LEAGUE_FOLDER = click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))


@click.group()
def league() -> None:
    """Hold a league: bots are folders that come and go, and play for as long as wanted.

    Example: dalang league init my-league
    """


@league.command("init")
@LEAGUE_FOLDER
def league_init(folder: Path) -> None:
    """Make the folder of a new league in DIR: league.toml to look into, and entrants/ for the bots.

    Example: dalang league init my-league
    """
    check_is_new(folder)
    for each in (folder, folder / ENTRANTS, folder / VERSIONS):
        each.mkdir(exist_ok=True)
    with writing(str(folder / LEAGUE_FILE)) as file:
        assert file
        file.write(LEAGUE_EXAMPLE.format(folder=folder, name=folder.resolve().name))
    echo(
        f"{folder / LEAGUE_FILE} says what is played; bots are folders with bot.toml under {folder / ENTRANTS}. Then:\n"
        f"  dalang league run {shlex.quote(str(folder))}"
    )


@league.command("run")
@LEAGUE_FOLDER
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    metavar="N",
    help="Play so many rounds; without end if not given.",
)
def league_run(folder: Path, rounds: int | None) -> None:
    """Hold the league in DIR until Ctrl-C; the same command again goes on.

    Between rounds the folders are looked at: what is new or changed is copied, built and checked in isolation, and
    joins as a new version or is refused, with the reason in a file beside it. With --rounds it ends after these, or
    when nothing can be played.

    Example: dalang league run my-league --rounds 3
    """
    settings = read_settings(folder)
    if settings.final().exists():
        raise SetupError(
            f"this season is over: {settings.final()} is its final; begin another with: dalang league init"
        )
    (folder / VERSIONS).mkdir(exist_ok=True)
    with create_or_open(settings.season()) as store:
        season = Season(store, settings)
        note(f"{settings.season()}: seed committed as {season.terms.commitment}")
        LeagueRun(season, note, lambda ready: [progress_of(ready)], rounds).play()
        echo(state_text(league_state(store), terminal_columns()))


def season_of(settings: Settings) -> Path:
    """The file of a season that has begun."""
    if not settings.season().exists():
        raise SetupError(
            f"nothing has been played yet; begin with: dalang league run {shlex.quote(str(settings.folder))}"
        )
    return settings.season()


@league.command("status")
@LEAGUE_FOLDER
@as_json
def league_status(folder: Path, json_: bool) -> None:
    """Show how the league in DIR stands: divisions, who is not placed yet, who was withdrawn or refused, and why.

    Example: dalang league status my-league
    """
    with open_to_read(season_of(read_settings(folder))) as store:
        state = league_state(store)
    if json_:
        echo_json(state.data())
    else:
        echo(state_text(state, terminal_columns()))


@league.command("history")
@LEAGUE_FOLDER
@as_json
def league_history(folder: Path, json_: bool) -> None:
    """Show who came and went in the league in DIR, version by version, and what was refused.

    Example: dalang league history my-league
    """
    with open_to_read(season_of(read_settings(folder))) as store:
        happened = happenings(store)
    if json_:
        echo_json([asdict(each) for each in happened])
    else:
        echo(history_text(happened, terminal_columns()))


@league.command("freeze")
@LEAGUE_FOLDER
@click.option(
    "--blocks",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Deals per table; {FINAL_BLOCKS} if not given. Settled once the final has begun.",
)
@click.option(
    "--seed-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The secret seed that `dalang seed` made, whose commitment you have published; a fresh one if not given.",
)
def league_freeze(folder: Path, blocks: int | None, seed_file: Path | None) -> None:
    """End the season in DIR with a final: its survivors, everybody against everybody, on a fresh secret seed.

    The commitment to the seed is printed and stored before the first match. The same command again goes on with a final
    that was interrupted. Afterwards the report is written; of a final that is over, that is all that is done.

    Example: dalang league freeze my-league --blocks 1
    """
    settings = read_settings(folder)
    seed = read_seed(seed_file) if seed_file else None
    with create_or_open(season_of(settings)) as season, create_or_open(settings.final()) as store:
        agreed = blocks_of_final(store, blocks)
        if is_finished(store):
            check_seed(store, seed)
        else:
            play_final(store, final_of(season, settings, agreed, seed, [bot.name for bot in store.bots()]))
        echo(standings(store).text(columns=terminal_columns()))
        data = gathered(store, None, lambda keys, unit: with_progress(keys, len(keys), unit))
    with writing(str(folder / FINAL_REPORT)) as file:
        assert file
        file.write(page(data))
    echo(
        f"\nThe report: {folder / FINAL_REPORT}. To prove it: dalang verify {shlex.quote(str(settings.final()))}"
    )


def play_final(store: Store, config: Config) -> None:
    ready = prepared_final(store, config, note)
    note(f"{config.file()}: seed committed as {ready.plan.terms.commitment}")
    say_beforehand(store, ready)
    progress = progress_of(ready)
    with closing(progress):
        trio.run(interruptible, Run(store, ready, [progress], note).play)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--show", is_flag=True, help="Only show the commitment to the seed that is in FILE.")
@as_json
def seed(file: Path, show: bool, json_: bool) -> None:
    """Write a secret seed to FILE, and print the commitment that can be published before it is used.

    Nobody can tell the seed from the commitment, and no other seed has it. Keep FILE to yourself until the tournament
    is over; then the tournament file holds the seed, and `dalang verify DB --commitment …` proves that it is this one.

    Example: dalang seed final.seed
    """
    shown = commitment(read_seed(file)) if show else new_seed(file)
    if json_:
        echo_json({"file": str(file), "commitment": shown})
    else:
        echo(shown)
        if not show:
            note(f"{file} holds the secret seed: publish the line above, and keep the file to yourself")
