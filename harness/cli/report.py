"""Pictures: `report`."""

from __future__ import annotations

from pathlib import Path

import click

from dalang.harness.cli.common import writing
from dalang.harness.cli.progress import with_progress
from dalang.harness.report.data import gathered
from dalang.harness.report.page import page
from dalang.harness.terminal import echo
from dalang.harness.tournament.opening import open_to_read


@click.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False), default="report.html", show_default=True,
    help="The file to write.",
)  # fmt: skip
@click.option(
    "--matches", type=click.IntRange(min=0), metavar="N",
    help="How many matches can be stepped through; up to 100 in 3 MB if not given.",
)  # fmt: skip
def report(db: Path, output: str, matches: int | None) -> None:
    """Show the tournament in DB as one HTML file: standings, charts, faults, and matches to step through.

    It needs no network and no other file, so it can be mailed or put on any web server. It tells all: every hand,
    and what bots wrote to stderr.

    Example: dalang report kali.db -o kali.html
    """
    with open_to_read(db) as store:
        data = gathered(store, matches, lambda keys, unit: with_progress(keys, len(keys), unit))
    text = page(data)
    with writing(output) as file:
        assert file
        file.write(text)
    echo(
        f"{output}: {len(data['matches'])} of {data['stored']} matches to step through, {len(text) // 1000:,} kB"
    )
