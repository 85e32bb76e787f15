"""The flags that several commands have which let bots play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import click
from click.shell_completion import CompletionItem

from dalang.engine.game import SetupError
from dalang.harness.cli.common import is_given, named_or_files
from dalang.harness.entrants.finding import BUNDLED_BOTS
from dalang.harness.isolation.levels import AUTO, CHOICES
from dalang.harness.match.limits import CPU, MB, MOST_MEMORY, MOST_SECONDS, WALL, Limits
from dalang.harness.tournament.cluster_place import ClusterPlace, find_cluster
from dalang.harness.tournament.config import MOST_JOBS


def bot_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return named_or_files(BUNDLED_BOTS, begun)


class Number(click.FloatRange):
    """A number that can be reckoned with: neither infinite nor none at all."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is no number to reckon with.", param, ctx)
        return number


seats_option = click.option(
    "--seats", type=int, help="Bots per table; the smallest table of the game if not given."
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1, max=MOST_JOBS), help="Worker processes; one per core if not given."
)


def cluster_options(command: Callable[..., None]) -> Callable[..., None]:
    """Where it is played, and by which clock."""
    for option in (
        click.option(
            "--scale-clocks",
            is_flag=True,
            help="Multiply limits on time by how slow a machine is, compared with this one.",
        ),
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="Play on a Dask cluster: address or file of its scheduler, or local:N.",
        ),
        jobs_option,
    ):
        command = option(command)
    return command


def cluster_of(context: click.Context, text: str | None) -> ClusterPlace | None:
    if text is None:
        return None
    if is_given(context, "jobs"):
        raise SetupError(
            "--jobs is for workers on this machine; a cluster has as many as its workers have cores"
        )
    return find_cluster(text)


def isolation_options(command: Callable[..., None]) -> Callable[..., None]:
    """How bots, and what builds them, are kept from harm."""
    for option in (
        click.option("--build-network", is_flag=True, help="Let build commands use the network."),
        click.option(
            "--isolate",
            type=click.Choice(CHOICES),
            default=AUTO,
            show_default=True,
            help="How bots are kept from harm; auto for the strongest that works here (see: dalang doctor).",
        ),
    ):
        command = option(command)
    return command


keep_stderr_option = click.option(
    "--keep-stderr",
    is_flag=True,
    help="Keep what bots write to stderr with a match, up to 8 KB each; `dalang replay` shows it.",
)
ponder_option = click.option("--ponder", is_flag=True, help="Let bots work also while they are not asked.")
ask_forced_option = click.option("--ask-forced", is_flag=True, help="Ask also where only one move is legal.")


def game_options(command: Callable[..., None]) -> Callable[..., None]:
    """What a match is made of besides game and bots."""
    for option in (
        click.option(
            "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game."
        ),
        click.option("--seed", help="Any text; the same seed is the same luck. Random if not given."),
    ):
        command = option(command)
    return command


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """What a bot may use."""
    default = Limits()
    seconds = Number(min=0.001, max=MOST_SECONDS)
    for option in (
        click.option("--cpu-clock", is_flag=True,
                     help="Measure move time and bank by the processor time of a bot, not by the clock on the wall."),
        click.option("--memory", type=click.IntRange(min=1, max=MOST_MEMORY // MB), metavar="MB",
                     help="Memory of a bot and its children."),
        click.option("--startup-time", type=seconds, default=default.startup, show_default=True,
                     metavar="S", help="Seconds from start to hello."),
        click.option("--prepare-time", type=seconds, default=default.prepare, show_default=True,
                     metavar="S", help="Seconds to get ready for a match."),
        click.option("--bank", type=Number(min=0, max=MOST_SECONDS), default=default.bank, show_default=True,
                     metavar="S", help="Extra seconds per match, used up by longer thinks."),
        click.option("--move-time", type=seconds, default=default.move, show_default=True,
                     metavar="S", help="Seconds for each decision."),
    ):  # fmt: skip
        command = option(command)
    return command


def play_options(command: Callable[..., None]) -> Callable[..., None]:
    """How matches are played, and what a fault means for the exit code."""
    for option in (
        click.option("--strict", is_flag=True, help="Exit with code 4 if a bot broke the contract."),
        click.option("--no-clock", is_flag=True, help="Tell the bots nothing about time."),
        isolation_options,
        ponder_option,
        ask_forced_option,
    ):
        command = option(command)
    return command


LIMIT_FIELDS = {
    "move_time": "move",
    "bank": "bank",
    "prepare_time": "prepare",
    "startup_time": "startup",
    "memory": "memory",
    "cpu_clock": "clock",
}
"""By flag, which of the limits it is."""
LIMIT_NAMES = tuple(LIMIT_FIELDS)


def given_limits(context: click.Context, limits: Mapping[str, Any]) -> dict[str, Any]:
    """Only those that were typed."""
    wanted = limits_of(**limits)
    return {name: getattr(wanted, name) for flag, name in LIMIT_FIELDS.items() if is_given(context, flag)}


def limits_of(
    move_time: float,
    bank: float,
    prepare_time: float,
    startup_time: float,
    memory: int | None,
    cpu_clock: bool = False,
) -> Limits:
    clock = CPU if cpu_clock else WALL
    return Limits(startup_time, prepare_time, move_time, bank, memory and memory * MB, clock)
