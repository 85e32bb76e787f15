"""Do bots keep the contract? `check`, of one step by step, of many as a table."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import IO, Any

import click
import trio
from tabulate import tabulate

from dalang.engine.catalogue import find_game
from dalang.harness.cli.common import ExitCode, as_json, echo_json, flags_given, note, writing
from dalang.harness.cli.flags import bot_names, isolation_options, jobs_option, limit_options, limits_of
from dalang.harness.entrants.finding import find_entrants, unfolded
from dalang.harness.escaping import printable
from dalang.harness.isolation.levels import isolation_that_works
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.junit import Suite, junit, junit_of
from dalang.harness.match.arena import interruptible
from dalang.harness.match.check import Finding, cases, examine
from dalang.harness.match.check_apart import Examined, all_examined
from dalang.harness.people.story import finding_story
from dalang.harness.terminal import echo, terminal_columns
from dalang.harness.tournament.config import cores
from dalang.harness.tournament.fitting import cut

FEWEST_LETTERS_OF_REASON = 30


@click.command()
@click.argument("bots", nargs=-1, required=True, metavar="BOT...", shell_complete=bot_names)
@click.option("--game", help="Check this game only.")
@limit_options
@isolation_options
@click.option(
    "--junit", "junit_file", type=click.Path(dir_okay=False), help="Write the findings there, as JUnit XML."
)
@jobs_option
@as_json
@click.pass_context
def check(
    context: click.Context,
    /,
    bots: tuple[str, ...],
    game: str | None,
    junit_file: str | None,
    jobs: int | None,
    json_: bool,
    **settings: Any,
) -> None:
    """Check that BOT keeps the contract, step by step; where it fails, show what was seen.

    Of several a table is shown: who does, and of the others the first sentence that is not true. They are checked on
    all cores; name one alone to see more of it.

    Example: dalang check random --game kali
    """
    several = unfolded(bots)
    if game is not None:
        find_game(game)
    with writing(junit_file) as file:
        if len(several) == 1:
            good = check_one(several[0], game, file, json_, **settings)
        else:
            flags = flags_given(context, without=("bots", "junit_file", "jobs", "json_"))
            good = check_many(several, flags, jobs or cores(), file, json_)
    if not good:
        context.exit(ExitCode.NO)


def check_one(
    bot: str,
    game: str | None,
    file: IO[str] | None,
    json_: bool,
    isolate: str,
    build_network: bool,
    **limits: Any,
) -> bool:
    """Whether it does; each step is shown as it is tried."""
    [entrant] = find_entrants([bot])
    only = None if game is None else find_game(game)
    isolation = isolation_that_works(isolate)
    Workshop(isolation, build_network).prepare([entrant], note)
    show = (lambda finding: None) if json_ else show_finding
    findings = trio.run(interruptible, partial(examine, entrant, limits_of(**limits), only, show, isolation))
    if file:
        print(junit(f"dalang check {entrant.name}", entrant.name, cases(findings)), file=file)
    if json_:
        echo_json([asdict(finding) for finding in findings])
    return all(finding.good for finding in findings)


def show_finding(finding: Finding) -> None:
    echo(finding_story(finding))


def check_many(bots: list[str], flags: list[str], jobs: int, file: IO[str] | None, json_: bool) -> bool:
    """Whether all do."""
    done: list[Examined] = []

    def tell(examined: Examined) -> None:
        done.append(examined)
        note(f"{'✓' if examined.good else '✗'} {examined.bot} ({len(done)} of {len(bots)})")

    found = trio.run(interruptible, partial(all_examined, bots, flags, jobs, tell))
    if file:
        suites = [Suite(f"dalang check {each.bot}", each.bot, each.cases()) for each in found]
        print(junit_of(suites), file=file)
    if json_:
        echo_json([each.data() for each in found])
    else:
        echo(table(found, terminal_columns()))
    return all(each.good for each in found)


def table(found: list[Examined], columns: int | None) -> str:
    """Who keeps the contract, and why the others do not: cut to the width of a terminal."""
    taken = max(len(printable(each.bot)) for each in found) + 4
    letters = None if columns is None else max(FEWEST_LETTERS_OF_REASON, columns - taken)
    rows = [[mark(each.good), printable(each.bot), reason(each, letters)] for each in found]
    good = sum(each.good for each in found)
    return (
        f"{tabulate(rows, tablefmt='plain', disable_numparse=True)}\n{good} of {len(found)} keep the contract"
    )


def mark(good: bool) -> str:
    return click.style("✓", fg="green") if good else click.style("✗", fg="red")


def reason(examined: Examined, letters: int | None) -> str:
    text = printable(examined.first_failing())
    return text if letters is None else cut(text, letters)
