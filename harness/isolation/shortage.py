"""What the host may lack to start and look after bots, as open files: of that no bot is to blame."""

from __future__ import annotations

import errno
import os
import resource
import sys
from contextlib import suppress

SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC})
"""What the system says when it is the system that cannot go on."""
WHEN_STARTED = resource.getrlimit(resource.RLIMIT_NOFILE)
"""How many files a process of ours might open when we were started, and how far it may raise that."""
ENOUGH_FILES = 65536
"""Where there is no limit: more than any number of matches takes."""
SPARE_FILES = 64
"""With fewer left to be opened it is we who have too few; beyond that a bot has put folders into each other."""


def is_shortage(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in SHORTAGES


def pass_on_shortage(error: BaseException) -> None:
    if is_shortage(error):
        raise error


def most_files() -> int:
    """That we can open once we have asked for as many as we may have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return ENOUGH_FILES if hard == resource.RLIM_INFINITY else min(hard, ENOUGH_FILES)


def open_more_files() -> None:
    """From now on: each bot takes some, and the usual limit is meant for programs that talk to nobody."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < most_files():
        with suppress(OSError, ValueError):  # some systems have a limit that they do not tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (most_files(), hard))


def limit_as_when_started(pid: int) -> None:
    """What we have asked for is not meant for those whom we start."""
    if sys.platform == "linux" and resource.getrlimit(resource.RLIMIT_NOFILE) != WHEN_STARTED:
        with suppress(OSError, ValueError):  # it is gone already
            resource.prlimit(pid, resource.RLIMIT_NOFILE, WHEN_STARTED)


def is_short_of_files() -> bool:
    opened: list[int] = []
    try:
        for _ in range(SPARE_FILES):
            opened.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return True
    finally:
        for descriptor in opened:
            os.close(descriptor)
    return False
