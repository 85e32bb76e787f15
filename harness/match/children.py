"""The children of this process: nothing that it starts, and nothing that those leave behind, outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from dalang.harness.isolation.prctl import DIE_WITH_US, PR_SET_CHILD_SUBREAPER, prctl
from dalang.harness.isolation.process_tree import children, descendants


class Children:
    """Those that we started, and the orphans that the kernel gave us instead of their parents."""

    def __init__(self) -> None:
        self.started: set[int] = set()
        self.adopts = False
        """Whether orphans become ours."""

    def start(self, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a program that talks to us over pipes, in a session of its own, unless the options say otherwise."""
        usual = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "start_new_session": True, "bufsize": 0}
        process: subprocess.Popen[bytes] = subprocess.Popen([*DIE_WITH_US, *command], **{**usual, **options})
        self.started.add(process.pid)
        return process

    def forget(self, process: subprocess.Popen[bytes]) -> None:
        """It has ended; the kernel may give its number to a stranger."""
        self.started.discard(process.pid)

    def adopt_orphans(self) -> None:
        """From now on a process that slips away from its parent becomes our child (Linux), so it can be found."""
        self.adopts = sys.platform == "linux" and prctl(PR_SET_CHILD_SUBREAPER, 1)

    def orphans(self) -> set[int]:
        """Our living children that we did not start; those that have ended are reaped."""
        found = set(children(os.getpid())) - self.started if self.adopts else set()
        return {pid for pid in found if not has_ended(pid)}

    def end_orphans(self) -> bool:
        """Send them all the signal; whether there were any."""
        orphans = self.orphans()
        for pid in orphans:
            kill_family(pid)
        return bool(orphans)


def kill_family(pid: int) -> None:
    """A process and all that it has started, at once: whoever is left could go on starting others."""
    for each in descendants(pid):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)


def has_ended(child: int) -> bool:
    try:
        return os.waitpid(child, os.WNOHANG)[0] == child
    except ChildProcessError:
        return True


CHILDREN = Children()
"""Of this process; whatever is to run beside it, bots and workers, is started here."""
