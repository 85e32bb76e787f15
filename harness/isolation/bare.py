"""`none`: a bot runs as whoever started us, with a clean environment; for one's own bots."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from contextlib import suppress

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.cell import (
    HOME_VARIABLES,
    KEPT_VARIABLES,
    Cell,
    Isolation,
    Leave,
    Start,
    inherited,
)
from dalang.harness.isolation.shortage import limit_as_when_started

INHERITED = re.compile(f"{KEPT_VARIABLES.pattern}|{HOME_VARIABLES.pattern}")


class Bare(Isolation):
    level = "none"
    hides = False

    def problem(self) -> str:
        return ""

    def start(self, entrant: Entrant, memory: int | None, start: Start, leave: Leave | None = None) -> Cell:
        process = start(
            entrant.command,
            stderr=subprocess.PIPE,
            cwd=entrant.folder,
            env={**(inherited(INHERITED) if leave is None else os.environ), **entrant.env},
        )
        limit_as_when_started(process.pid)
        if memory is not None and leave is None and sys.platform == "linux":
            with suppress(OSError, ValueError):  # it is gone already, or lives under a stricter limit
                resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))
        return Cell(process)
