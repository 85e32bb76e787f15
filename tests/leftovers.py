"""What is still there: processes and descriptors, counted by looking at the machine itself."""

from __future__ import annotations

import subprocess
from pathlib import Path


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
    """Whether no process with this mark is left; the kernel may take a moment to end the last."""
    return any(marked_processes(mark) == [] for _ in range(100))
