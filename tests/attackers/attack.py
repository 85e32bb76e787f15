"""What every attacker does: it plays the first move, and before its first decision of a match it tries something.

What it gained it tells in the note of that move. Each attacker beside this file says in its docstring what it tries,
and in the last line at which levels that must work: where it never does, nothing would be shown by its failure.
"""

import os
import re
from pathlib import Path

from dalang.kit import run


def attack(trial):
    """`trial` returns what was gained, or nothing; whatever is refused is nothing."""
    begun = set()

    def choose(request):
        if request.seed not in begun:
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


def ancestors():
    """The processes above this one, as far as they can be seen."""
    pid = os.getppid()
    while pid > 1:
        yield pid
        try:
            pid = int(re.search(r"PPid:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())[1])
        except OSError:
            return


def others():
    """Processes that were started about when this one was, and are not of its own making."""
    own = {os.getpid(), os.getppid()}
    return [pid for pid in range(max(2, os.getpid() - 60), os.getpid() + 60) if pid not in own]
