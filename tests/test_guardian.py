"""The process that somebody sees, and may kill, only waits: its guardian leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
import pytest

from dalang.harness.cli.main import COMMANDS, BotStarter
from dalang.harness.isolation.levels import LEVELS
from dalang.harness.match.arena import heard_once
from dalang.harness.match.guardian import ends
from tests.leftovers import command_line, commands_naming, lineage_of, need_level, until
from tests.terminal import CTRL_C, terminal
from tests.test_arena import STRANGE

COMMANDS_THAT_TRY_A_BOT = {
    "match": ["match", "kali", "{bot}", "random"],
    "check": ["check", "{bot}"],
    "check of several": ["check", "{bot}", "random"],
    "run": ["run", "kali", "{bot}", "random", "--db", "t.db"],
    "compare": ["compare", "kali", "{bot}", "random", "--db", "t.db"],
    "plan": ["plan", "kali", "{bot}", "random", "--effect", "0.1"],
}
MATCH = ["match", "kali", "{bot}", "random", "--isolate", "none"]
WAITING, GUARDIAN, WORKING = range(3)
BOT = "never_greets.py"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only there are guardians")


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder of its own: whoever names it belongs to this test."""
    folder = tmp_path / "bot"
    folder.mkdir()
    shutil.copy(STRANGE / BOT, folder)
    (folder / "bot.toml").write_text(f"command = ['{sys.executable}', '{folder / BOT}']", encoding="utf-8")
    return folder


@contextmanager
def started(
    arguments: Sequence[str], bot: Path, launcher: Sequence[str] = ()
) -> Iterator[subprocess.Popen[str]]:
    """In a group of its own, until a bot and its child are there."""
    words = [word.format(bot=bot) for word in arguments]
    with subprocess.Popen(
        [*launcher, sys.executable, "-m", "dalang", *words],
        cwd=bot.parent,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
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
    with started([*COMMANDS_THAT_TRY_A_BOT[command], "--isolate", level], bot) as process:
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
    with started(MATCH, bot) as process:
        os.kill(lineage_of(process.pid)[who], signal.SIGKILL)
        assert process.wait(60) == 128 + signal.SIGKILL
        assert process.stderr and process.stderr.read().startswith(
            "dalang: killed, perhaps for want of memory"
        )
    assert not commands_naming(bot)


def test_nor_if_all_its_processes_are_killed(bot: Path) -> None:
    with started(MATCH, bot) as process:
        os.killpg(process.pid, signal.SIGKILL)
    until(lambda: not commands_naming(bot))


def test_nor_if_its_options_are_said_to_be_over(bot: Path) -> None:
    with started(["--", *MATCH], bot) as process:
        process.kill()
    until(lambda: not commands_naming(bot))


def test_nor_if_it_was_asked_for_by_somebody_who_was_gone_before_it_knew(bot: Path) -> None:
    nobody = "-1"
    asked = [sys.executable, "-m", "dalang.harness.cli.guarded", nobody, "check", str(bot)]
    assert subprocess.run(asked, timeout=60).returncode == 128 + signal.SIGKILL
    assert not commands_naming(bot)


def test_what_a_shell_had_started_before_it_became_the_command_lives_on(bot: Path) -> None:
    shell = ["sh", "-c", 'sleep 600 & echo $! > sleeper; exec "$@"', "sh"]
    with started(MATCH, bot, shell) as process:
        sleeper = int((bot.parent / "sleeper").read_text(encoding="ascii"))
        try:
            process.terminate()
            assert process.wait(60) == 130
            assert command_line(sleeper).startswith("sleep")
        finally:
            os.kill(sleeper, signal.SIGKILL)


def test_a_guardian_ends_for_nobody_but_those_below_and_above_it(bot: Path) -> None:
    with started(MATCH, bot) as process:
        for number in (signal.SIGQUIT, signal.SIGUSR1, signal.SIGTSTP, signal.SIGPIPE):
            os.kill(lineage_of(process.pid)[GUARDIAN], number)
        process.terminate()
        assert process.wait(60) == 130
    assert not commands_naming(bot)


@pytest.mark.parametrize("ask", [os.kill, os.killpg])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_is_asked_to_end_says_so(
    number: int, ask: Callable[[int, int], None], bot: Path
) -> None:
    """Who asks all its processes at once, as `timeout` does, asks some of them more than once."""
    with started(MATCH, bot) as process:
        ask(process.pid, number)
        assert process.wait(60) == 130
        assert process.stderr and process.stderr.read().strip() == "dalang: interrupted"
    assert not commands_naming(bot)


def test_under_nohup_it_goes_on_when_the_terminal_goes_away(bot: Path) -> None:
    with started(MATCH, bot, ["nohup"]) as process:
        os.killpg(process.pid, signal.SIGHUP)
        os.killpg(process.pid, signal.SIGTERM)  # it was still there, and so could be asked
        assert process.wait(60) == 130
    assert not commands_naming(bot)


def test_who_sits_at_a_terminal_that_goes_away_ends(bot: Path) -> None:
    with terminal(*(word.format(bot=bot) for word in MATCH)) as at:
        until(lambda: len(bots_of(bot)) >= 2, at.process)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, at.descriptor)
        os.close(nowhere)
        assert at.process.wait(60)
    assert not commands_naming(bot)


def script(text: str) -> Callable[[list[str]], list[str]]:
    """What runs at the terminal instead of dalang."""
    return lambda command: [*command[: command.index("-m")], "-c", text]


def test_ctrl_c_is_heard_also_while_a_guardian_is_made() -> None:
    with terminal(by=script(HELD_BACK)) as at:
        at.until("held back\n")
        at.type(CTRL_C)
        at.enter("go on")
        assert at.ended() == 130


HELD_BACK = """
import sys, time
from dalang.harness.match.guardian import attended, ends, hold_back
hold_back(ends())
print("held back", flush=True)
input()
try:
    attended()
    while True:
        time.sleep(0.1)
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_ctrl_c_is_heard_once() -> None:
    """Two that come at the same moment may be one, so it is tried some times."""
    with terminal(by=script(COUNTS)) as at:
        at.until("ready\n")
        for _ in range(10):
            at.type(CTRL_C)
            at.until("heard\n")
        at.process.terminate()
        assert at.ended() == 10


COUNTS = """
import signal, sys, termios, time
from dalang.harness.match.guardian import attended
silent = termios.tcgetattr(0)
silent[3] &= ~termios.ECHO
termios.tcsetattr(0, termios.TCSANOW, silent)
heard = []
def hear(*signals):
    heard.append(signals)
    print("heard", flush=True)
signal.signal(signal.SIGINT, hear)
signal.signal(signal.SIGTERM, lambda *signals: sys.exit(len(heard)))
attended()
print("ready", flush=True)
while True:
    time.sleep(0.1)
"""


def test_who_has_been_interrupted_is_not_ended_while_it_says_so(from_a_terminal: None) -> None:
    before = {number: signal.getsignal(number) for number in ends()}
    try:
        with pytest.raises(KeyboardInterrupt), heard_once():
            raise KeyboardInterrupt
        assert {signal.getsignal(number) for number in before} == {signal.SIG_IGN}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_who_has_not_been_interrupted_hears_as_before(from_a_terminal: None) -> None:
    before = {number: signal.getsignal(number) for number in ends()}
    with heard_once():
        pass
    assert {number: signal.getsignal(number) for number in before} == before


def test_it_ends_also_if_whoever_started_it_ignores_its_children(bot: Path) -> None:
    ignoring = [sys.executable, "-c", IGNORES_CHILDREN]
    with started(MATCH, bot, ignoring) as process:
        process.terminate()
        assert process.wait(60) == 130


IGNORES_CHILDREN = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_whatever_starts_bots_has_a_guardian() -> None:
    """Who starts them is told how they are isolated; of a league that stands in its file."""
    isolating = {command.name for command in COMMANDS if "isolate" in parameters(command.loaded())}
    starting = {command.name for command in COMMANDS if isinstance(command, BotStarter)}
    assert starting == isolating | {"league"}


def parameters(command: click.Command) -> set[str | None]:
    return {each.name for each in command.params}
