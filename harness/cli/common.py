"""What any command may need: exit codes, ways to print, files to write. Every start waits for what this imports."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import IO, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from dalang.engine.catalogue import games
from dalang.engine.game import SetupError
from dalang.harness.escaping import for_json, plain_lines
from dalang.harness.terminal import echo


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


def named_or_files(names: Iterable[str], begun: str) -> list[CompletionItem]:
    found = [CompletionItem(name) for name in names if name.startswith(begun)]
    return found or [CompletionItem(begun, type="file")]


def command_again(context: click.Context, seed: str | None) -> list[str]:
    """The command line that does the same once more: what was given, and this seed."""
    return [*context.command_path.split(), *flags_given(context, seed)]


def flags_given(context: click.Context, seed: str | None = None, without: Collection[str] = ()) -> list[str]:
    """What was given to a command, as it is typed, but for these parameters; and this seed."""
    words: list[str] = []
    for parameter in context.command.params:
        if parameter.name in without:
            continue
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
    return words


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
