"""What several commands share: options, exit codes, and ways to print."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from math import isfinite
from pathlib import Path
from typing import IO, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from dalang.engine.catalogue import games
from dalang.engine.game import SetupError
from dalang.harness.entrants.finding import BUNDLED_BOTS
from dalang.harness.escaping import for_json, plain_lines
from dalang.harness.isolation.levels import AUTO, CHOICES
from dalang.harness.match.limits import MB, MOST_MEMORY, MOST_SECONDS, Limits
from dalang.harness.terminal import echo
from dalang.harness.tournament.config import MOST_JOBS


class ExitCode(IntEnum):
    """What the shell is told."""

    GOOD = 0
    NO = 1
    USAGE = 2
    UNDECIDED = 3
    FAULTED = 4
    INTERRUPTED = 130
    UNREAD = 141


def as_json(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--json", "json_", is_flag=True, help="Print JSON for other programs.")(command)


def note(text: str) -> None:
    """A remark beside what the command prints."""
    echo(plain_lines(text), err=True)


def echo_json(data: Any) -> None:
    echo(for_json(data))


def game_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """For the shell's completion: games, or files where one may stand for a game."""
    return named_or_files(games(), begun)


def bot_names(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    return named_or_files(BUNDLED_BOTS, begun)


def named_or_files(names: Iterable[str], begun: str) -> list[CompletionItem]:
    found = [CompletionItem(name) for name in names if name.startswith(begun)]
    return found or [CompletionItem(begun, type="file")]


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


LIMIT_NAMES = ("move_time", "bank", "prepare_time", "startup_time", "memory")


def limits_of(
    move_time: float, bank: float, prepare_time: float, startup_time: float, memory: int | None
) -> Limits:
    return Limits(startup_time, prepare_time, move_time, bank, memory and memory * MB)


def command_again(context: click.Context, seed: str | None) -> list[str]:
    """The command line that does the same once more: what was given, and this seed."""
    words: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        value = seed if name == "seed" and seed is not None else context.params[name]
        if value is None or (not is_given(context, name) and name != "seed"):
            continue
        option = parameter.opts[:1] if isinstance(parameter, click.Option) else []
        if isinstance(parameter, click.Option) and parameter.is_flag:
            words += option
        else:
            values = value if isinstance(value, tuple) else (value,)
            words += [word for each in values for word in (*option, str(each))]
    return [*context.command_path.split(), *words]


def is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def check_writable(path: str | None) -> None:
    """Refuse a path that cannot be written before anything is played in vain, and leave alone what is there."""
    if path is None:
        return
    folder = Path(path).parent
    if not folder.is_dir():
        raise SetupError(f"{path} cannot be written: there is no folder {folder}")
    if not os.access(path if Path(path).exists() else folder, os.W_OK):
        raise SetupError(f"{path} cannot be written: permission denied")


@contextmanager
def writing(path: str | None, mode: str = "w") -> Iterator[IO[str] | None]:
    """The file at this path, opened before anything is played, so that nothing is played in vain."""
    if path is None:
        yield None
        return
    try:
        file = Path(path).open(mode, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}") from error
    with file:
        yield file
