"""The process that somebody sees, and may kill, only waits: its guardian leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from dalang.harness.cli.main import COMMANDS, START_BOTS
from dalang.harness.isolation.levels import LEVELS
from tests.leftovers import commands_naming, lineage_of, need_level, until
from tests.test_arena import STRANGE

COMMANDS_THAT_TRY_A_BOT = {
    "match": ["match", "kali", "{bot}", "random"],
    "check": ["check", "{bot}"],
    "check of several": ["check", "{bot}", "random"],
    "run": ["run", "kali", "{bot}", "random", "--db", "t.db"],
    "compare": ["compare", "kali", "{bot}", "random", "--db", "t.db"],
    "plan": ["plan", "kali", "{bot}", "random", "--effect", "0.1"],
}
WAITING, GUARDIAN, WORKING = range(3)
BOT = "never_greets.py"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder of its own: whoever names it belongs to this test."""
    folder = tmp_path / "bot"
    folder.mkdir()
    shutil.copy(STRANGE / BOT, folder)
    (folder / "bot.toml").write_text(f"command = ['{sys.executable}', '{folder / BOT}']", encoding="utf-8")
    return folder


@contextmanager
def started(arguments: Sequence[str], bot: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Until a bot and its child are there."""
    with subprocess.Popen(
        [sys.executable, "-m", "dalang", *arguments],
        cwd=bot.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            until(lambda: len(bots_of(bot)) >= 2, process)
            yield process
        finally:
            process.kill()


def bots_of(folder: Path) -> list[str]:
    return [line for line in commands_naming(folder) if line.split()[1] == str(folder / BOT)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("command", COMMANDS_THAT_TRY_A_BOT)
def test_a_command_that_is_killed_leaves_nothing_of_a_bot_that_is_tried(
    command: str, level: str, bot: Path
) -> None:
    need_level(level)
    words = [word.format(bot=bot) for word in COMMANDS_THAT_TRY_A_BOT[command]]
    with started([*words, "--isolate", level], bot) as process:
        process.kill()
    until(lambda: not commands_naming(bot))


@pytest.mark.parametrize("level", LEVELS)
def test_nor_of_a_build(level: str, bot: Path) -> None:
    need_level(level)
    (bot / "bot.toml").write_text(
        f"build = ['{sys.executable}', '{bot / BOT}']\ncommand = ['true']", encoding="utf-8"
    )
    with started(["check", str(bot), "--isolate", level], bot) as process:
        process.kill()
    until(lambda: not commands_naming(bot))


@pytest.mark.parametrize("who", [GUARDIAN, WORKING])
def test_nor_if_another_of_its_processes_is_killed(who: int, bot: Path) -> None:
    with started(["match", "kali", str(bot), "random", "--isolate", "none"], bot) as process:
        os.kill(lineage_of(process.pid)[who], signal.SIGKILL)
        assert process.wait(60) == 128 + signal.SIGKILL
    assert not commands_naming(bot)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_asked_to_end_says_so(number: int, bot: Path) -> None:
    with started(["match", "kali", str(bot), "random", "--isolate", "none"], bot) as process:
        process.send_signal(number)
        assert process.wait(60) == 130
    assert not commands_naming(bot)


def test_whatever_starts_bots_has_a_guardian() -> None:
    """Who starts them is told how they are isolated; of a league that stands in its file."""
    isolating = {command.name for command in COMMANDS if "isolate" in parameters(command.loaded())}
    assert isolating | {"league"} == START_BOTS


def parameters(command: click.Command) -> set[str | None]:
    return {each.name for each in command.params}
