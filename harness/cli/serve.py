"""Spectators: `serve`, and the flags with which `run` lets them look on."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import trio

from dalang.engine.game import SetupError
from dalang.harness.cli.common import as_json, echo_json, is_given, note
from dalang.harness.cli.flags import Number
from dalang.harness.match.arena import interruptible
from dalang.harness.serve.http import MOST_CONNECTIONS
from dalang.harness.serve.serving import DEFAULT_PORT, THIS_MACHINE, Serving, serve
from dalang.harness.serve.show import QUICKEST
from dalang.harness.serve.static import MATCHES_WRITTEN, begun
from dalang.harness.terminal import echo
from dalang.harness.tournament.opening import open_to_read

LONGEST_DELAY = 24 * 3600.0
SERVING = ("host", "port", "delay", "open_hands", "names", "connections")
"""The flags of a site."""


def serving_options(command: Callable[..., None]) -> Callable[..., None]:
    """Where spectators are served, and what they may see."""
    for option in (
        click.option("--connections", type=click.IntRange(min=1, max=100_000), default=MOST_CONNECTIONS,
                     show_default=True, metavar="N", help="Connections of spectators at once."),
        click.option("--allow-host", "names", multiple=True, metavar="NAME",
                     help="A name by which spectators ask for this machine; its addresses always do."),
        click.option("--open-hands", is_flag=True,
                     help="Show also what seats may not see while a match or its deal is still being played."),
        click.option("--port", type=click.IntRange(min=0, max=65535), default=DEFAULT_PORT, show_default=True,
                     help="Where the page listens; 0 for any port that is free."),
        click.option("--host", default=THIS_MACHINE, show_default=True,
                     help="The address on which it listens; 0.0.0.0 for everybody who can reach this machine."),
    ):  # fmt: skip
        command = option(command)
    return command


delay_option = click.option(
    "--delay",
    type=Number(min=0, max=LONGEST_DELAY),
    default=0.0,
    show_default=True,
    metavar="S",
    help="Show spectators running matches so many seconds later, so that nobody is helped.",
)


def serving_of(context: click.Context, wanted: bool, settings: dict[str, Any]) -> Serving | None:
    """How spectators of a run are served, taken out of its settings; None if they are not."""
    chosen = {name: settings.pop(name) for name in SERVING}
    if wanted:
        return Serving(**chosen)
    for name in SERVING:
        if is_given(context, name):
            raise SetupError(f"--{name.replace('_', '-').replace('names', 'allow-host')} goes with --serve")
    return None


@click.command("serve")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE..."
)
@serving_options
@click.option(
    "--static", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Write the site into this folder instead, for any web host, and go on until all is played.",
)  # fmt: skip
@click.option(
    "--matches", type=click.IntRange(min=0), default=MATCHES_WRITTEN, show_default=True, metavar="N",
    help="With --static: how many matches of each can be stepped through.",
)  # fmt: skip
@as_json
@click.pass_context
def serve_command(
    context: click.Context,
    /,
    files: tuple[Path, ...],
    folder: Path | None,
    matches: int,
    json_: bool,
    **settings: Any,
) -> None:
    """Show the tournaments in FILES on a web page, while they are played or afterwards.

    The page shows standings, charts, rounds, faults, and every finished match to step through; it goes on by itself
    while a run writes the file. `dalang run --serve` also shows the matches that are being played. A finished match can
    be opened when all of its block are finished, or of the whole tournament where blocks share deals. What FILES tell
    is never changed.

    With --static the same is written as files, which any web host can show.

    Example: dalang serve kali.db --static site --json
    """
    if folder is None and is_given(context, "matches"):
        raise SetupError("--matches goes with --static; a site that is served has all of them")
    if folder is not None:
        write_site(files, folder, matches, settings["open_hands"], json_)
        return
    for file in files:  # before anybody is told of a page
        with open_to_read(file) as store:
            store.terms()
    serving = Serving(**settings)
    with serving.listener() as listener:
        site = partial(serve, serving, listener, files)
        address = serving.address(listener)
        if json_:
            echo_json({"address": address, "files": [str(file) for file in files]})
        else:
            echo(f"{', '.join(map(str, files))}: {address} (Ctrl-C ends it)")
        if exposed := serving.exposure(listener):
            note(exposed)
        trio.run(interruptible, site)


def write_site(files: tuple[Path, ...], folder: Path, matches: int, open_hands: bool, json_: bool) -> None:
    """Write it, again and again, until everything is played."""
    going_on = written = begun(files, folder, matches, open_hands)
    if not json_:
        echo(f"{folder / 'index.html'}: written anew while it is played (Ctrl-C ends that)")
    while going_on := [each for each in going_on if each.write()]:
        if not all(each.growing.is_over for each in going_on):
            time.sleep(QUICKEST)
    if json_:
        echo_json({"folder": str(folder), "matches": sum(len(each.matches) for each in written)})
