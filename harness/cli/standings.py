"""Who is better: `standings`, as a table, as data, or again and again while a tournament runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size

import click

from dalang.engine.game import Plain, SetupError
from dalang.harness.cli.common import writing
from dalang.harness.cli.flags import jobs_option
from dalang.harness.escaping import for_json
from dalang.harness.report.badge import badge as drawn_badge
from dalang.harness.terminal import alternate_screen, echo, paint, terminal_columns
from dalang.harness.tournament.config import cores
from dalang.harness.tournament.luck import standings_without_luck
from dalang.harness.tournament.machines import MachineLine, machines_of
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.standings import (
    BY_STYLE,
    ORDERS,
    STYLES,
    Standings,
    standings,
    tabulated,
    thinking,
)
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.tally import Follower

REFRESH_SECONDS = 2.0
"""Between two looks at a tournament that runs."""


@click.command("standings")
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--format", "format_", type=click.Choice(STYLES), default="table", show_default=True)
@click.option("--by", "order", type=click.Choice(ORDERS), help="What decides the places.")
@click.option("--crosstable", is_flag=True, help="Show how everybody did against everybody.")
@click.option("--times", is_flag=True, help="Show how long the bots thought.")
@click.option("--luck", is_flag=True, help="Show also what they beat with the luck of the draws removed.")
@click.option("--machines", is_flag=True, help="Show where it was played, and how fast and fair that was.")
@jobs_option
@click.option("--void", default="", metavar="KIND,…", help="Leave out blocks with such faults.")
@click.option("--exclude", multiple=True, metavar="BOT", help="Leave out a bot and its blocks.")
@click.option("--watch", is_flag=True, help="Show them again every two seconds, while a tournament runs.")
@click.option(
    "--badge",
    type=click.Path(dir_okay=False),
    metavar="FILE.svg",
    help="Write who leads there, as a small picture.",
)
@click.option("--json", "format_", flag_value="json", help="The same as --format json.")
def standings_command(
    db: Path,
    format_: str,
    order: str | None,
    crosstable: bool,
    times: bool,
    luck: bool,
    machines: bool,
    jobs: int | None,
    void: str,
    exclude: tuple[str, ...],
    watch: bool,
    badge: str | None,
) -> None:
    """Show the standings of the tournament in DB, finished or not.

    With --luck every match is re-enacted, which takes some milliseconds: at each draw, what came is held against all
    that might have come. That takes no side, and leaves less to chance.

    Example: dalang standings kali.db --crosstable
    """

    follower = Follower()
    voiding = [kind for kind in void.split(",") if kind]

    def looked(store: Store) -> Standings:
        if luck:
            return standings_without_luck(store, order, voiding, exclude, jobs or cores())
        return standings(store, order, voiding, exclude, follower.tallied)

    def show() -> None:
        with open_to_read(db) as store:
            table = looked(store)
            with writing(badge) as file:
                if file:
                    file.write(drawn_badge(table))
            thought = thinking(store) if times else []
            played_on = machines_of(store) if machines else []
            echo(in_format(table, format_, crosstable, thought, played_on))

    def follow() -> None:
        with open_to_read(db) as store:
            paint(looked(store).screen(*fitting_screen()))

    if watch and sys.stdout.isatty() and format_ == "table":
        with alternate_screen():
            again_and_again(follow)
    elif watch:
        again_and_again(show)
    else:
        show()


def again_and_again(show: Callable[[], None]) -> None:
    while True:
        show()
        time.sleep(REFRESH_SECONDS)


def fitting_screen() -> tuple[int, int]:
    """Columns and lines; the last line is left for the cursor."""
    size = get_terminal_size()
    return size.columns, size.lines - 1


def in_format(
    table: Standings,
    format_: str,
    crosstable: bool,
    times: list[Plain],
    machines: list[MachineLine],
) -> str:
    if format_ == "json":
        more = {"times": times, "machines": [each.data() for each in machines]}
        return for_json(table.data() | {key: rows for key, rows in more.items() if rows})
    if format_ == "csv":
        if crosstable or times or machines:
            raise SetupError(
                "a csv holds one table; --crosstable, --times and --machines go with --format json, table or markdown"
            )
        return table.csv().rstrip("\n")
    style, columns = ("github", None) if format_ == "markdown" else ("simple", terminal_columns())
    thought = [row | {"bot": BY_STYLE[style](row["bot"])} for row in times]
    tables = [thought, [each.cells(BY_STYLE[style]) for each in machines]]
    return "\n\n".join(
        [table.text(style, crosstable, columns), *(tabulated(rows, "keys", style) for rows in tables if rows)]
    )
