"""A bot that is debugged: it has our terminal, and what is said to it goes over descriptors of their own."""

from __future__ import annotations

import os

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.cell import Cell, Isolation, Leave, Start
from dalang.protocol.messages import DESCRIPTORS


class AtTerminal(Isolation):
    """As little isolation as a debugger wants: our environment, our session, our place in the foreground."""

    level = "terminal"
    hides = False

    def problem(self) -> str:
        return "" if os.isatty(0) and os.isatty(1) else "stdin and stdout are no terminal"

    def start(self, entrant: Entrant, memory: int | None, start: Start, leave: Leave | None = None) -> Cell:
        """A debugger needs memory of its own, so there is no limit on it."""
        theirs_to_read, ours_to_write = os.pipe()
        ours_to_read, theirs_to_write = os.pipe()
        theirs, ours = (theirs_to_read, theirs_to_write), (ours_to_write, ours_to_read)
        try:
            process = start(
                entrant.command,
                stdin=None,
                stdout=None,
                start_new_session=False,
                pass_fds=theirs,
                cwd=entrant.folder,
                env={**os.environ, **entrant.env, DESCRIPTORS: f"{theirs_to_read},{theirs_to_write}"},
            )
        except OSError:
            close(*ours)
            raise
        finally:
            close(*theirs)
        process.stdin, process.stdout = os.fdopen(ours_to_write, "wb", 0), os.fdopen(ours_to_read, "rb", 0)
        process.stderr = os.fdopen(ended(), "rb", 0)
        return Cell(process)


def close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def ended() -> int:
    """To be read in the place of stderr: there is nothing, and nothing will come."""
    reading, writing = os.pipe()
    os.close(writing)
    return reading
