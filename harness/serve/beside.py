"""Spectators of a run: they are served by a process beside it, which yields to whoever plays.

The run only notes its moves where that process can read them; nobody who looks on can hold it up, and if the page fails
the run goes on.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dalang.harness.match.children import CHILDREN
from dalang.harness.serve.serving import Serving
from dalang.harness.tournament.window import new_window

PARTING_PATIENCE = 10.0
"""Seconds in which the process has to end when the run has."""


class Spectators:
    """The door is open before anything is played; they are let in when there is something to see."""

    def __init__(
        self, serving: Serving, listener: socket.socket, tell: Callable[[str], None], exits: ExitStack
    ) -> None:
        self.serving = serving
        self.listener = listener
        self.tell = tell
        self.exits = exits

    def let_in(self, path: Path, places: int) -> int:
        """Show this file and so many matches at once; what has been noted is read from the file that is returned."""
        window = self.exits.enter_context(new_window(places))
        stderr = self.exits.enter_context(tempfile.TemporaryFile())
        descriptors = [self.listener.fileno(), window.fileno()]
        wishes = json.dumps([str(path.absolute()), *descriptors, self.serving.data()])
        process = CHILDREN.start(
            [sys.executable, "-P", "-m", "dalang.harness.serve", wishes], pass_fds=descriptors, stderr=stderr
        )
        self.exits.callback(self.dismiss, process, stderr.fileno())
        self.tell(f"spectators: {self.serving.address(self.listener)}")
        if exposed := self.serving.exposure(self.listener, is_played=True):
            self.tell(exposed)
        return window.fileno()

    def dismiss(self, process: subprocess.Popen[bytes], stderr: int) -> None:
        """The run is over; so is the page, once it has told that."""
        assert process.stdin and process.stdout
        is_gone = process.poll() is not None
        process.stdin.close()
        try:
            process.wait(PARTING_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        CHILDREN.forget(process)
        if is_gone:
            self.tell(f"the page for spectators ended before the run: {last_line(stderr)}")


@contextmanager
def spectators(serving: Serving | None, tell: Callable[[str], None]) -> Iterator[Spectators | None]:
    """Whoever may look on; None if that is not wished for."""
    with ExitStack() as exits:
        yield Spectators(serving, exits.enter_context(serving.listener()), tell, exits) if serving else None


def last_line(descriptor: int) -> str:
    with open(descriptor, "rb", closefd=False) as file:
        file.seek(0)
        lines = file.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
