"""The events of a run, read through a pipe that holds those of a few matches: the run waits for its reader."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import TextIO

HELD = 4096
"""Bytes: about twenty events."""


def read_slowly(pipe: Path) -> TextIO:
    """The reading end of a named pipe; what is written there cannot be over before its reader has seen most of it."""
    events = pipe.open(encoding="utf-8")
    fcntl.fcntl(events, fcntl.F_SETPIPE_SZ, HELD)
    return events
