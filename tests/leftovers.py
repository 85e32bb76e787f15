"""What is still there, by looking at the machine itself: processes, descriptors, and what it can do to isolate bots."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from dalang.harness.isolation.levels import LEVELS
from dalang.harness.isolation.process_tree import children

UPPER = [level for level, isolation in LEVELS.items() if isolation.hides]
"""The levels of isolation that promise something."""


def need_level(level: str) -> None:
    excuse(LEVELS[level].problem())


def excuse(problem: str) -> None:
    """Skip where somebody's machine cannot do it; where changes are judged, it must."""
    if problem:
        pytest.fail(problem) if os.environ.get("CI") == "true" else pytest.skip(problem)


def descriptors() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def marked_processes(mark: str) -> list[str]:
    """The living processes that have this mark in their environment, as `ps` shows them.

    As LC_MARK it is one of the variables that bots inherit.
    """
    listed = subprocess.run(
        ["ps", "axeww", "-o", "pid=,stat=,command="], capture_output=True, text=True, check=True
    )
    return [line for line in listed.stdout.splitlines() if mark in line and " Z" not in line[:20]]


def gone(mark: str) -> bool:
    """Whether no process with this mark is left; a busy machine may take its time to end the last."""
    deadline = monotonic() + 60
    while left := marked_processes(mark):
        if monotonic() > deadline:
            break
    return not left


def commands_naming(folder: Path) -> list[str]:
    """The commands of others that live and name something in this folder."""
    others = {int(process.name) for process in Path("/proc").glob("[0-9]*")} - {os.getpid()}
    lines = map(command_line, others)
    return [line for line in lines if f"{folder}/" in line]


def command_line(pid: int) -> str:
    """Nothing if it has ended."""
    try:
        return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).replace("\0", " ")
    except OSError:
        return ""


def lineage_of(run: int) -> list[int]:
    """The process that was started, its guardian, and the one that does the work: they have one command line."""
    lineage, command = [run], command_line(run)
    while same := [child for child in children(lineage[-1]) if command_line(child) == command]:
        lineage.append(same[0])
    return lineage


def until(condition: Callable[[], bool], running: subprocess.Popen[Any] | None = None) -> None:
    """Wait for something, but not for ever, and not once the process that is to do it has ended."""
    deadline = monotonic() + 120.0
    while not condition():
        assert monotonic() < deadline
        assert running is None or running.poll() is None
        sleep(0.05)
