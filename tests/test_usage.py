"""What a bot and all its children use together, at the upper levels of isolation."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.isolation.cell import MOST_TASKS, USERS
from dalang.harness.isolation.levels import LEVELS
from dalang.harness.match.check import first_question, get_ready
from dalang.harness.match.faults import Flood
from dalang.harness.match.played import Fault
from dalang.harness.match.process import running
from tests.leftovers import UPPER, gone, need_level
from tests.test_rogues import ROOMY, play

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the upper levels need Linux"),
]
at_upper_levels = pytest.mark.parametrize("level", UPPER)

MEGABYTE = 1024 * 1024
MEMORY = replace(ROOMY, memory=300 * MEGABYTE)
TOO_MUCH = "its processes have more than 300 MB of memory together"
BOT = """\
import ctypes, mmap, os, threading, time
from dalang.kit import run

def choose(request):
{}
    return 0

run(choose, name="greedy")
"""


def bot(folder: Path, *lines: str) -> Path:
    """A bot that does this when it is asked."""
    script = folder / "greedy.py"
    script.write_text(BOT.format("\n".join(f"    {line}" for line in lines)), encoding="utf-8")
    return script


def fault_of(script: Path, level: str, mark: str = "nobody") -> Fault:
    need_level(level)
    entrant = replace(find_entrant(str(script)), env={"LC_MARK": mark})
    [played] = play(entrant, MEMORY, isolation=LEVELS[level])
    [fault] = played.faults
    assert fault.seat == 2
    return fault


def seen_of(script: Path, level: str) -> str:
    """What is seen of a bot that has answered one question, and lives."""
    need_level(level)

    async def look() -> str:
        async with running(find_entrant(str(script)), MEMORY, isolation=LEVELS[level]) as running_bot:
            game = find_game("kali")
            await get_ready(running_bot, game, 2)
            await running_bot.wire.ask(first_question(running_bot, game, 2), ROOMY.move)
            return running_bot.cell.misuse()

    return trio.run(look)


def in_children(number: int, *lines: str) -> Sequence[str]:
    """So many children do this, and stay."""
    body = [f"        {line}" for line in (*lines, "time.sleep(600)")]
    return [f"for _ in range({number}):", "    if not os.fork():", *body]


@at_upper_levels
def test_memory_is_that_of_all_children_together(level: str, tmp_path: Path) -> None:
    mark = f"children-{level}-{tmp_path}"
    script = bot(tmp_path, *in_children(10, "held = bytearray(250 * 1024**2)"), "time.sleep(600)")
    assert (fault := fault_of(script, level, mark)).kind == "crash"
    assert fault.detail == TOO_MUCH
    assert gone(mark)


@at_upper_levels
def test_memory_that_only_a_child_of_a_dead_child_has_is_seen(level: str, tmp_path: Path) -> None:
    takes = "held = mmap.mmap(-1, 400 * 1024**2)", "for place in range(0, len(held), 4096): held[place] = 1"
    script = bot(
        tmp_path, *in_children(1, "if os.fork(): os._exit(0)", *takes), "os.wait()", "time.sleep(600)"
    )
    assert fault_of(script, level).detail == TOO_MUCH


@at_upper_levels
def test_memory_that_children_share_is_counted_once(level: str, tmp_path: Path) -> None:
    script = bot(
        tmp_path, "global held", "held = bytes(os.urandom(1024) * 100 * 1024)", *in_children(6, "pass")
    )
    assert seen_of(script, level) == ""


@at_upper_levels
def test_memory_that_no_process_has_cannot_be_had(level: str, tmp_path: Path) -> None:
    calls = "libc = ctypes.CDLL(None)", "found = [libc.shmget(0, 4096, 0o1600), libc.memfd_create(b'x', 0)]"
    assert seen_of(bot(tmp_path, *calls, "assert found == [-1, -1], found"), level) == ""


@at_upper_levels
def test_fifty_children_end_as_a_fault(level: str, tmp_path: Path) -> None:
    script = bot(tmp_path, *in_children(50, "os.setsid()"), "time.sleep(600)")
    assert fault_of(script, level).kind == "crash"


def test_a_bot_that_shares_its_user_with_others_is_counted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the sandbox none does."""
    monkeypatch.setattr(USERS, "take", lambda: None)
    mark = f"shared-{tmp_path}"
    script = bot(tmp_path, *in_children(60, "os.setsid()"), "time.sleep(600)")
    assert (
        fault_of(script, "restricted", mark).detail == f"it has more than {MOST_TASKS} processes and threads"
    )
    assert gone(mark)


@at_upper_levels
def test_sixty_threads_end_as_a_fault(level: str, tmp_path: Path) -> None:
    start = "threading.Thread(target=time.sleep, args=[600], daemon=True).start()"
    assert fault_of(bot(tmp_path, f"for _ in range(60): {start}", "time.sleep(600)"), level).kind == "crash"


@pytest.mark.parametrize("line", ["pass", "os.unlink(file.name)"], ids=["named", "removed"])
def test_files_on_disk_are_bounded_together(line: str, tmp_path: Path) -> None:
    """In the sandbox there is no disk to write to."""
    opened = "file = open(os.path.join(os.environ['TMPDIR'], str(number)), 'wb')"
    written = ["kept.append(file)", "file.write(bytes(30 * 1024**2))", "file.flush()", line]
    loop = ["kept = []", "for number in range(3):", *(f"    {each}" for each in (opened, *written))]
    assert "MB of files" in fault_of(bot(tmp_path, *loop, "time.sleep(600)"), "restricted").detail


def test_folders_on_disk_that_are_too_deep_to_count_end_their_bot_and_nothing_else(tmp_path: Path) -> None:
    dig = "for _ in range(200): os.mkdir('d'); os.chdir('d')"
    script = bot(tmp_path, "os.chdir(os.environ['TMPDIR'])", dig, "time.sleep(600)")
    assert "MB of files" in fault_of(script, "restricted").detail


def test_a_bot_that_closes_its_scratch_folder_harms_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only an ordinary user cannot look into it then."""
    need_level("restricted")

    async def sweep() -> None:
        async with running(find_entrant("first"), ROOMY, isolation=LEVELS["restricted"]) as running_bot:
            monkeypatch.setattr(running_bot.cell, "scratch", tmp_path / "gone")
            with pytest.raises(Flood):
                await running_bot.new_match()

    trio.run(sweep)


@pytest.mark.parametrize("limit", ["NOFILE", "FSIZE", "CORE", "CPU"])
@at_upper_levels
def test_a_process_lives_under_limits_and_cannot_raise_them(level: str, limit: str, tmp_path: Path) -> None:
    script = bot(
        tmp_path, "import resource", f"hard = resource.getrlimit(resource.RLIMIT_{limit})[1]", "assert hard >= 0",
        f"try: resource.setrlimit(resource.RLIMIT_{limit}, (0, hard + 1))", "except ValueError: return 0", "assert 0",
    )  # fmt: skip
    assert seen_of(script, level) == ""
