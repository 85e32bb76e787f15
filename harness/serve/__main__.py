"""The process that serves spectators beside a run; it ends when its stdin does."""

from __future__ import annotations

import json
import os
import socket
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import trio

from dalang.harness.isolation.prctl import hide_from_others
from dalang.harness.match.arena import interruptible
from dalang.harness.serve.serving import Serving, serve

NICENESS = 15
"""By so much it yields to whoever plays."""


def main() -> None:
    hide_from_others()
    os.nice(NICENESS)
    path, listener, window, serving = json.loads(sys.argv[1])
    with suppress(KeyboardInterrupt), socket.socket(fileno=listener) as door:
        trio.run(interruptible, partial(watch, Path(path), door, window, Serving.of_data(serving)))


async def watch(path: Path, door: socket.socket, window: int, serving: Serving) -> None:
    await serve(serving, door, [path], window, trio.lowlevel.FdStream(os.dup(0)))


if __name__ == "__main__":
    main()
