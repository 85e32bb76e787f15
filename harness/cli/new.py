"""A beginning: `new`."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import click

from dalang.engine.game import SetupError
from dalang.harness.entrants.building import STAMP
from dalang.harness.entrants.fingerprint import DALANG, LEFT_OUT
from dalang.harness.gate import check_is_new
from dalang.harness.terminal import echo

LANGUAGES = ("python", "c", "cpp", "go", "java", "javascript", "typescript", "rust", "shell")
DOWNLOADING = ("go", "java", "javascript", "typescript", "rust")
"""Those whose build fetches what it needs."""


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="python",
    show_default=True,
    help="What it is written in.",
)
def new(folder: Path, language: str) -> None:
    """Write a bot that already plays into the new folder DIR.

    Example: dalang new my_bot --language python
    """
    write_bot(folder, language)
    bot = shlex.quote(str(folder))
    download = " --build-network" * (language in DOWNLOADING)
    echo(
        f"{folder}: a bot in {language} that plays every game; {folder / 'README.md'} says what is what. Next:\n"
        f"  dalang check {bot}{download}\n"
        f"  dalang match kali {bot} random"
    )


def write_bot(folder: Path, language: str) -> None:
    try:
        check_is_new(folder)
        shutil.copytree(
            examples() / language,
            folder,
            ignore=shutil.ignore_patterns(*LEFT_OUT, STAMP),
            dirs_exist_ok=True,
        )
    except OSError as error:
        raise SetupError(f"{folder} cannot be written: {error.strerror or error}") from error


def examples() -> Path:
    """The bots to copy."""
    return DALANG / "examples"
