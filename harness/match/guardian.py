"""Nothing outlives a run, not even one that was killed: above who starts bots stands a guardian that does nothing else.

The kernel ends a child with its parent, but no grandchild, and only as long as the child does not mind. An orphan falls
to the nearest ancestor that adopts them: that is who started the bot while he lives, and then his guardian, which ends
them all. A run that is killed cannot ask for this; the kernel tells the guardian.

So it is with each worker, with whatever another dalang does for us, as to examine a bot (`python -m
dalang.harness.cli.guarded`), and with a command that somebody types: the process he sees, and may kill, only waits.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import NoReturn

import trio

from dalang.harness.isolation.prctl import PR_SET_PDEATHSIG, prctl
from dalang.harness.isolation.process_tree import children
from dalang.harness.match.children import CHILDREN
from dalang.harness.match.orphans import kill_orphans

PARENT_IS_GONE = signal.SIGHUP
BY_GUARDIAN = {
    signal.SIGTERM: signal.SIGTERM,
    signal.SIGINT: signal.SIGINT,
    PARENT_IS_GONE: signal.SIGKILL,
}
"""What a guardian passes on to its child when it hears this."""
BY_WAITING = {
    signal.SIGTERM: signal.SIGTERM,
    signal.SIGINT: signal.SIGINT,
    signal.SIGHUP: signal.SIGTERM,
}
"""What the process that somebody sees passes on to the guardian below it."""
SI_KERNEL = 0x80
"""The code of a signal that comes from a terminal."""
KILLED = b"dalang: killed, perhaps for want of memory; a tournament goes on with the same command\n"
"""Nobody else can say so."""
SIGNAL_CODES = 128
"""Above it are the exit codes of those whom a signal has ended, as a shell tells them."""


def attended() -> None:
    """Go on in the child of a guardian; this process, which anybody may kill, stays behind and waits for them."""
    if sys.platform == "linux":
        waiting, heeded = os.getpid(), ends()
        hold_back(heeded)
        if child := os.fork():
            CHILDREN.started.update(children(waiting))  # a shell that has become us may have left some
            outlive(child, {number: BY_WAITING[number] for number in heeded}, KILLED)
        guarded(waiting)


def guarded(asker: int | None = None) -> None:
    """Go on in a child; this process stays behind as its guardian, and ends after it and all that it leaves behind.

    The asker is who started us: it may have ended before the kernel knew that we want to be told. Who hears by a closed
    pipe that it is gone, as a worker does, need not name it.
    """
    if sys.platform == "linux":
        hold_back(BY_GUARDIAN)
        guardian = os.getpid()
        child = os.fork()
        if child:
            stand_guard(child, asker)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guardian:
            os._exit(1)
        CHILDREN.adopt_orphans()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, *BY_GUARDIAN})


def ends() -> list[signal.Signals]:
    """The signals that end us; under `nohup` the terminal may go away."""
    heeds_terminal = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *[signal.SIGHUP] * heeds_terminal]


def hold_back(signals: Collection[signal.Signals]) -> None:
    """They wait until we ask for them, and so does the end of a child, which whoever started us may have ignored."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, *signals})


def stand_guard(child: int, asker: int | None) -> NoReturn:
    # nothing that is meant for all of a command stops or ends its guardian
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    if os.getpgrp() != os.getpid():
        os.setpgid(0, 0)
    prctl(PR_SET_PDEATHSIG, PARENT_IS_GONE)  # until here we would have been killed
    if asker is not None and os.getppid() != asker:
        os.kill(child, signal.SIGKILL)
    outlive(child, BY_GUARDIAN)


def outlive(
    child: int, passed_on: Mapping[signal.Signals, signal.Signals], if_killed: bytes = b""
) -> NoReturn:
    """Wait until the child has ended, end what it leaves behind, say if it was killed, and end ourselves."""
    CHILDREN.adopt_orphans()
    let_go_of_pipes()
    # a terminal may have told us before there was a child to hear it
    while early := signal.sigtimedwait(passed_on, 0):
        pass_on(early, child, passed_on)
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        heard = signal.sigwaitinfo({signal.SIGCHLD, *passed_on})
        if heard.si_signo != signal.SIGCHLD and not is_ctrl_c(heard):
            pass_on(heard, child, passed_on)
    trio.run(kill_orphans)
    code = os.waitstatus_to_exitcode(ended[1])
    code = code if code >= 0 else SIGNAL_CODES - code
    if code == SIGNAL_CODES + signal.SIGKILL:
        with suppress(OSError):
            os.write(2, if_killed)
    os._exit(code)


def pass_on(
    heard: signal.struct_siginfo, child: int, passed_on: Mapping[signal.Signals, signal.Signals]
) -> None:
    os.kill(child, passed_on[signal.Signals(heard.si_signo)])


def is_ctrl_c(heard: signal.struct_siginfo) -> bool:
    """Of that the terminal has told our child as well."""
    return heard.si_signo == signal.SIGINT and heard.si_code == SI_KERNEL


def let_go_of_pipes() -> None:
    """They are the child's alone, so that whoever talks to it hears when it ends."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(nothing, descriptor)
