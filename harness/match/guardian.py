"""Nothing outlives a run, not even one that was killed: above each worker stands a guardian that does nothing else.

So it is with whatever another dalang does for us, as to examine a bot (`python -m dalang.harness.cli.guarded`).

The kernel ends a child with its parent, but no grandchild, and only as long as the child does not mind. An orphan falls
to the nearest ancestor that adopts them: that is the worker while it lives, and then its guardian, which ends them all.
A run that is killed cannot ask for this; the kernel tells the guardian.
"""

from __future__ import annotations

import os
import signal
import sys

import trio

from dalang.harness.isolation.prctl import PR_SET_PDEATHSIG, prctl
from dalang.harness.match.children import CHILDREN
from dalang.harness.match.orphans import kill_orphans

PARENT_IS_GONE = signal.SIGHUP
HEARD = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, PARENT_IS_GONE}


def guarded(asker: int | None = None) -> None:
    """Go on in a child; this process stays behind as its guardian, and ends after it and all that it leaves behind.

    The asker is who started us: it may have ended before the kernel knew that we want to be told. Who hears by a closed
    pipe that it is gone, as a worker does, need not name it.
    """
    if sys.platform == "linux":
        signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
        guardian = os.getpid()
        child = os.fork()
        if child:
            stand_guard(child, asker)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guardian:
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEARD)


def stand_guard(child: int, asker: int | None) -> None:
    prctl(PR_SET_PDEATHSIG, PARENT_IS_GONE)  # until here we would have been killed
    if asker is not None and os.getppid() != asker:
        os.kill(child, signal.SIGKILL)
    CHILDREN.adopt_orphans()
    let_go_of_pipes()
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        number = signal.sigwait(HEARD)
        if number != signal.SIGCHLD:
            os.kill(child, signal.SIGKILL if number == PARENT_IS_GONE else number)
    trio.run(kill_orphans)
    os._exit(os.waitstatus_to_exitcode(ended[1]) & 0xFF)


def let_go_of_pipes() -> None:
    """They are the child's alone, so that whoever talks to it hears when it ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
