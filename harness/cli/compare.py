"""Is a bot better than another: `compare` and `plan`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.cli.common import (
    ExitCode,
    as_json,
    check_writable,
    command_again,
    echo_json,
    game_names,
    is_given,
    note,
    writing,
)
from dalang.harness.cli.elsewhere import elsewhere
from dalang.harness.cli.flags import (
    LIMIT_NAMES,
    Number,
    ask_forced_option,
    bot_names,
    cluster_of,
    cluster_options,
    game_options,
    isolation_options,
    limit_options,
    limits_of,
    ponder_option,
    seats_option,
)
from dalang.harness.cli.options import parse_options
from dalang.harness.cli.plan import OrTournament
from dalang.harness.cli.progress import progress_of
from dalang.harness.compare import verdict
from dalang.harness.compare.failure import FAILED, NOT_OVER, UNFINISHED, Failure
from dalang.harness.compare.pages import SHOWN, Report
from dalang.harness.compare.planning import GREATEST_DIFFERENCE, MOST_OF_A_PILOT, Pilot, Sounding
from dalang.harness.compare.playing import HANG, Compared, kept_in, play
from dalang.harness.compare.sprt import Sprt
from dalang.harness.compare.verdict import BLOCKS, BLOCKS_OF_A_TEST, FAULTY, MEASURES, Comparison, Rule
from dalang.harness.entrants.entrant import CannotPlay
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.isolation.levels import AUTO
from dalang.harness.match.faults import HostTooBusy
from dalang.harness.match.limits import CPU, MB, Limits
from dalang.harness.terminal import echo
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import prepared
from dalang.harness.tournament.schedule import COMPARE, Plan
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.terms import Terms

CODES = {
    verdict.GOOD: ExitCode.GOOD,
    verdict.WORSE: ExitCode.NO,
    verdict.NOT_BETTER: ExitCode.NO,
    verdict.UNDECIDED: ExitCode.UNDECIDED,
    verdict.FAULTY: ExitCode.FAULTED,
}


def paired(command: Callable[..., None]) -> Callable[..., None]:
    """Who plays with whom, and how."""
    for parameter in (
        cluster_options,
        isolation_options,
        ponder_option,
        ask_forced_option,
        click.option("--no-clock", is_flag=True,
                     help="Show the bots no time, and stop only those that hang; with the same --seed two runs are the "
                     "same to the byte."),
        click.option("--by", type=click.Choice(sorted(MEASURES)), default="place", show_default=True,
                     help="What is compared: the share of the others beaten, or the score."),
        click.option("--luck", is_flag=True,
                     help="Decide by the difference with the luck of the draws removed."),
        click.option("--opponents", multiple=True, metavar="BOT", shell_complete=bot_names,
                     help="Who else sits at the table; may be repeated. If not given, copies of both."),
        seats_option,
        limit_options,
        game_options,
        click.argument("baseline", shell_complete=bot_names),
        click.argument("candidate", shell_complete=bot_names),
        click.argument("game", shell_complete=game_names),
    ):  # fmt: skip
        command = parameter(command)
    return command


@click.command()
@paired
@click.option(
    "--sprt", metavar="LOW,HIGH", help="Decide between two effects, and stop as soon as that is decided."
)
@click.option(
    "--alpha", type=Number(), default=0.05, show_default=True, help="Chance of HIGH where LOW is true."
)
@click.option(
    "--beta", type=Number(), default=0.05, show_default=True, help="Chance of LOW where HIGH is true."
)
@click.option(
    "--margin",
    type=Number(min=0),
    default=0.0,
    show_default=True,
    help="Without --sprt: how much worse is still good.",
)
@click.option(
    "--max-blocks",
    type=click.IntRange(min=1),
    help=f"Deals at most; {BLOCKS} if not given, {BLOCKS_OF_A_TEST} with --sprt.",
)
@click.option(
    "--max-fault-rate",
    type=Number(min=0, max=1),
    default=0.0,
    show_default=True,
    help="Share of its seats in which a bot may break the contract.",
)
@click.option(
    "--junit", "junit_file", type=click.Path(dir_okay=False), help="Write the verdict there, as JUnit XML."
)
@click.option(
    "--markdown",
    "markdown_file",
    type=click.Path(dir_okay=False),
    help="Write the verdict there, for a pull request.",
)
@click.option("--db", type=click.Path(dir_okay=False, path_type=Path), help="Keep all matches in this file.")
@as_json
@click.pass_context
def compare(
    context: click.Context,
    /,
    junit_file: str | None,
    markdown_file: str | None,
    json_: bool,
    **settings: Any,
) -> None:
    """Has a change made a bot better? CANDIDATE and BASELINE play in the same chairs of the same deals.

    Without --sprt the verdict is good if the 95 % interval of the difference lies above minus the margin, worse if it
    lies below; by place a clear case ends before all blocks are played. With --sprt it is good if the effect HIGH is
    accepted; if LOW is, it is worse where LOW is below 0, and otherwise not better. Effects are in standard deviations
    of a block's difference. By score LOW must be below 0 and HIGH above it, as scores have no bounds.

    With --luck every draw is held against all that might have come, and what luck did is taken out of the difference of
    each block, as much of it as helped in the blocks before. That takes no side, and blocks vary less. A test with LOW
    below 0 and HIGH above it gains most by it; any other takes out less, as it needs a bound.

    If the baseline or an opponent breaks the contract too often, the verdict is undecided.

    Exit codes: 0 good, 1 worse or not better, 3 undecided, 4 the candidate faulted too often or cannot be built or
    started, 2 wrong usage or set-up, 130 interrupted. What --junit and --markdown write is of this run in every case.

    Example: dalang compare kali cautious random --sprt 0,0.3 --seed 1
    """
    pages = Pages(junit_file, markdown_file, json_)
    pages.write(failure_of(context, settings, UNFINISHED, NOT_OVER))
    try:
        report = compared_by(context, settings)
    except (SetupError, HostTooBusy) as error:
        failure = failure_of(context, settings, who_failed(error, settings), str(error))
        pages.show(failure)
        if failure.verdict == FAILED:
            raise
        context.exit(ExitCode.FAULTED)
    pages.show(report)
    context.exit(CODES[report.comparison.verdict()])


class Pages:
    """Where a comparison is told: none of these files ever tells of an older one."""

    def __init__(self, junit_file: str | None, markdown_file: str | None, json_: bool) -> None:
        self.files = {junit_file: "junit", markdown_file: "markdown"}
        self.json = json_
        for path in self.files:
            check_writable(path)

    def write(self, told: Report | Failure) -> None:
        for path, page in self.files.items():
            with writing(path) as file:
                if file:
                    print(told.junit() if page == "junit" else told.markdown(), file=file)

    def show(self, told: Report | Failure) -> None:
        self.write(told)
        if self.json:
            echo_json(told.data())
        elif isinstance(told, Report) or told.verdict != FAILED:  # which is an error, and told as one
            echo(told.text())


def failure_of(context: click.Context, settings: dict[str, Any], verdict: str, reason: str) -> Failure:
    again = shlex.join(command_again(context, seed=None))
    return Failure(verdict, reason, settings["game"], settings["candidate"], settings["baseline"], again)


def who_failed(error: Exception, settings: dict[str, Any]) -> str:
    """It is the candidate's fault if nobody else fails."""
    if not isinstance(error, CannotPlay):
        return FAILED
    [candidate] = find_entrants([settings["candidate"]])
    return FAULTY if error.names == {candidate.name} else FAILED


def compared_by(context: click.Context, settings: dict[str, Any]) -> Report:
    """Play it until there is a verdict."""
    rule = rule_of(context, settings)
    config = config_of(context, settings, rule)
    with kept_in(settings["db"]) as store:
        try:
            return report_of(played(store, config, lambda plan: Comparison(plan, rule)), config, settings)
        except KeyboardInterrupt:
            if settings["db"]:
                again = shlex.join(command_again(context, seed=None))
                echo(f"\nwhat is finished is kept; go on with: {again}", err=True)
            raise


def played(store: Store, config: Config, comparison: Callable[[Plan], Comparison]) -> Compared:
    with elsewhere(config) as abroad:
        ready = prepared(store, config, note, abroad=abroad)
        with closing(progress_of(ready)) as progress:
            return play(store, ready, comparison(ready.plan), progress, note)


def report_of(compared: Compared, config: Config, settings: dict[str, Any]) -> Report:
    bots = [settings["candidate"], settings["baseline"], *settings["opponents"]]
    return Report(
        compared.comparison,
        config.terms.game,
        {entrant.name: bot for entrant, bot in zip(config.entrants, bots, strict=True)},
        match_settings(config.terms, settings["options"]),
        compared.seconds if config.terms.clock else None,
        stories=dict(compared.faulty_stories(SHOWN)),
    )


def rule_of(context: click.Context, settings: dict[str, Any]) -> Rule:
    """How it is decided; what belongs to the other way of deciding is refused."""
    sprt = None
    for name in ("margin",) if settings["sprt"] is not None else ("alpha", "beta"):
        if is_given(context, name):
            raise SetupError(f"--{name} goes {'without' if name == 'margin' else 'with'} --sprt")
    if settings["sprt"] is not None:
        sprt = Sprt(*two_effects(settings["sprt"]), settings["alpha"], settings["beta"])
    return Rule(
        blocks=settings["max_blocks"] or (BLOCKS_OF_A_TEST if sprt else BLOCKS),
        by=settings["by"],
        sprt=sprt,
        margin=settings["margin"],
        max_fault_rate=settings["max_fault_rate"],
        luck=settings["luck"],
    )


def two_effects(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise SetupError(f"--sprt is LOW,HIGH, two numbers as in 0,0.2; not {text!r}") from None
    return low, high


def config_of(context: click.Context, settings: dict[str, Any], rule: Rule) -> Config:
    """The candidate is the first entrant, the baseline the second; all others are opponents."""
    game = find_game(settings["game"])
    no_clock = settings["no_clock"]
    given = {name: settings[name] for name in LIMIT_NAMES if is_given(context, name) or not no_clock}
    terms = terms_for(
        game,
        parse_options(game, settings["options"]),
        settings["seats"],
        name=COMPARE.name,
        format=COMPARE.name,
        blocks=rule.blocks,
        max_faults=0,  # nobody is withdrawn: faults are counted, and too many are a verdict
        limits=limits_of(**{**HANGING, **given}),
        clock=not no_clock,
        ask_forced=settings["ask_forced"],
        isolate=settings["isolate"],
        ponder=settings["ponder"],
        compare=rule.terms(),
    )
    entrants = find_entrants([settings["candidate"], settings["baseline"], *settings["opponents"]])
    return Config(
        terms,
        tuple(entrants),
        seed=settings["seed"],
        jobs=settings["jobs"],
        cluster=cluster_of(context, settings["cluster"]),
        scale_clocks=settings["scale_clocks"],
        build_network=settings["build_network"],
    )


HANGING = {
    "move_time": HANG.move,
    "bank": HANG.bank,
    "prepare_time": HANG.prepare,
    "startup_time": HANG.startup,
    "memory": None,
}


def match_settings(terms: Terms, options: tuple[str, ...]) -> list[str]:
    """The flags with which `dalang match` plays a match as it was played here."""
    words = [word for option in options for word in ("--option", option)]
    usual, limits = Limits(), terms.limits
    for flag, value, default in (
        ("--move-time", limits.move, usual.move),
        ("--bank", limits.bank, usual.bank),
        ("--prepare-time", limits.prepare, usual.prepare),
        ("--startup-time", limits.startup, usual.startup),
        ("--memory", limits.memory and limits.memory // MB, usual.memory),
    ):
        words += [flag, f"{value:g}"] if value is not None and value != default else []
    words += ["--isolate", terms.isolate] if terms.isolate != AUTO else []
    flags = {
        "--cpu-clock": limits.clock == CPU,
        "--ask-forced": terms.ask_forced,
        "--ponder": terms.ponder,
        "--no-clock": not terms.clock,
    }
    return words + [flag for flag, is_set in flags.items() if is_set]


@click.command(cls=OrTournament)
@paired
@click.option(
    "--effect",
    type=Number(min=0, min_open=True, max=GREATEST_DIFFERENCE),
    required=True,
    metavar="D",
    help="The difference in place or score that must not be missed.",
)
@click.option(
    "--blocks",
    type=click.IntRange(min=5),
    help=f"Deals of the pilot; if not given, as many as it takes, up to {MOST_OF_A_PILOT}.",
)
@as_json
@click.pass_context
def plan(context: click.Context, /, effect: float, blocks: int | None, json_: bool, **settings: Any) -> None:
    """How many blocks `dalang compare` will need to see a difference of D, and how long that takes.

    A pilot is played to see how much a block varies. It is short where blocks are much alike, and longer where a few
    of them differ by far more than the others. What it suggests is enough in 95 of 100 pilots.

    Of a tournament: `dalang plan FILE.toml` tells how many matches it has, how long that takes, and how fine a
    difference it can tell apart.

    Example: dalang plan kali first random --effect 0.1 --seed 1
    """
    rule = Rule(blocks or MOST_OF_A_PILOT, by=settings["by"], max_fault_rate=1.0, luck=settings["luck"])
    config = config_of(context, settings, rule)
    with kept_in(None) as store:
        compared = played(
            store, config, lambda plan: Sounding(plan, rule, wanted=effect, grows=blocks is None)
        )
    pilot = Pilot(compared, effect)
    pilot.check()
    if json_:
        echo_json(pilot.data())
    else:
        echo(pilot.text())
    if not pilot.deviation():
        context.exit(ExitCode.UNDECIDED)
