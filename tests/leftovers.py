"""What is still there, by looking at the machine itself: processes, descriptors, and what it can do to isolate bots."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from time import monotonic

import pytest

from dalang.harness.isolation.levels import LEVELS

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


def running_below(folder: Path) -> dict[int, str]:
    """By number, the commands that name this folder, of processes that live and are not ours."""
    lines = {int(process.name): command_line(process) for process in Path("/proc").glob("[0-9]*")}
    return {pid: line for pid, line in lines.items() if str(folder) in line and pid != os.getpid()}


def command_line(process: Path) -> str:
    """Of a process that lives, by its folder in /proc."""
    try:
        return os.fsdecode((process / "cmdline").read_bytes()).replace("\0", " ")
    except OSError:
        return ""


def ended_below(folder: Path) -> bool:
    """Whether all of them end; a busy machine may take its time."""
    deadline = monotonic() + 60
    while running_below(folder) and monotonic() < deadline:
        pass
    return not running_below(folder)
