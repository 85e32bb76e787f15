"""What every attacker does: it plays the first move, and before its first decision of a match it tries something.

What it gained it tells in the note of that move. Each attacker beside this file says in its docstring what it tries,
and in the last line where that must work, as root or as an ordinary user: where it never does, nothing would be shown
by its failure. With LC_HARMLESS in its environment it plays the same moves and tries nothing.
"""

import os
import re
from pathlib import Path

from dalang.kit import run


def attack(trial):
    """`trial` returns what was gained, or nothing; whatever is refused is nothing."""
    begun = set()

    def choose(request):
        if request.seed not in begun and "LC_HARMLESS" not in os.environ:
            begun.add(request.seed)
            request.note = f"gained: {tried(trial)}"
        return 0

    run(choose, name="attacker")


def tried(trial, *arguments):
    try:
        return trial(*arguments) or "nothing"
    except (OSError, ValueError, IndexError) as error:
        return "nothing" if isinstance(error, OSError) else f"an error: {error!r}"


def gained(trial, *arguments):
    """Whether a single step works."""
    return tried(trial, *arguments) != "nothing"


def first_gain(trial, ways):
    return next((str(way) for way in ways if gained(trial, way)), "")


# ---- Whom it can attack


def harness():
    """The processes above this one that are the harness, nearest first, or the sandbox around it."""
    return [pid for pid in ancestors() if pid == os.getppid() or b"dalang" in seen_of(pid, "cmdline")]


def ancestors():
    pid = os.getppid()
    while pid > 0:
        yield pid
        pid = parent_of(pid)


def beside():
    """The bots that the same process has started."""
    own = os.getpid()
    return [pid for pid in processes() if pid != own and parent_of(pid) == os.getppid()]


def processes():
    """Those that can be seen, or else those that may have been started about when this one was."""
    try:
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    except OSError:
        return neighbours()


def neighbours():
    own = {os.getpid(), os.getppid()}
    return [pid for pid in range(max(2, os.getpid() - 200), os.getpid() + 200) if pid not in own]


def parent_of(pid):
    found = re.search(rb"PPid:\s*(\d+)", seen_of(pid, "status"))
    return int(found[1]) if found else 0


def seen_of(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
