"""Whether a bot rests while it is not asked: the processor belongs to the one that thinks.

What all its processes have used is compared with what it may have used on its turns. To read that costs a few tens of
microseconds, so it is done now and then. A bot that is found to work off its turn is held from then on, with all its
processes, whenever it is not asked; one that cannot be held, or goes on all the same, breaks the contract.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from time import perf_counter

from dalang.harness.isolation.process_tree import content, descendants
from dalang.harness.match.faults import Ponder

ALLOWED_SECONDS = 0.5
"""Of the processor that a bot may use off its turns, once: runtimes compile and tidy up when they please."""
ALLOWED_SHARE = 0.02
"""And this share of the time that it lives."""
FORGIVEN_SECONDS = 2.0
"""What it may use beyond that in spite of being held, from then on."""
MOST_ROUNDS = 50
"""How often a bot is looked through for processes that still run, before it counts as one that cannot be held."""
TICK = 1 / os.sysconf("SC_CLK_TCK")
CPUCLOCK_SCHED = 2
"""Of the kernel's clocks for a process, which is what clock_getcpuclockid(3) makes its number of: the exact one."""
BY_ITSELF, BY_CHILDREN = slice(11, 13), slice(13, 15)
"""Where the kernel tells what a process has used, itself and by children that have ended."""


class Rest:
    """One bot's processes, and what they used on its turns and off them."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
        """On which it can work at once: it runs where we do."""
        self.on_turn = 0.0
        """Seconds of the processor that it may have used on its turns."""
        self.off_turn = 0.0
        """And off them, as far as it has been looked at."""
        self.is_asked = True
        """Whether it is its turn; from its start to its greeting it is."""
        self.is_watched = False
        """Whether it is to be held when it is not asked."""
        self.forgiven = 0.0
        """Seconds that are not held against it: on a busy machine it is found late."""
        self.held: list[int] = []
        self.offence: Ponder | None = None
        self.last_seen: dict[int, float] = {}
        self.ended_children = self.lost = 0.0
        self.begun = self.used_before = 0.0

    def begin(self) -> None:
        """It has greeted us: from now on there are turns."""
        self.begun, self.used_before = perf_counter(), self.used()
        self.is_asked = False

    # ---- Looking

    def look(self) -> bool:
        """Whether it has used more off its turns than it may; not to be asked on its turn.

        What it did not use of its turns is not saved up.
        """
        used = self.used() - self.used_before
        self.on_turn = min(self.on_turn, used)
        self.off_turn = used - self.on_turn
        return self.off_turn > self.allowed() + self.forgiven

    def allowed(self) -> float:
        return ALLOWED_SECONDS + ALLOWED_SHARE * (perf_counter() - self.begun)

    def used(self) -> float:
        """Seconds of the processor that its processes have used so far.

        Of one that has ended its parent tells, unless it does not care for its children: then what was seen of it last
        is not forgotten.
        """
        seen, children = {}, 0.0
        for pid in self.processes():
            if figures := status(pid):
                seen[pid] = used_by(pid, figures)
                children += seconds(figures[BY_CHILDREN])
        ended = sum(self.last_seen[pid] for pid in self.last_seen.keys() - seen.keys())
        self.lost += max(0.0, ended - max(0.0, children - self.ended_children))
        self.last_seen, self.ended_children = seen, children
        return sum(seen.values()) + children + self.lost

    def processes(self) -> list[int]:
        return descendants(self.root)

    # ---- Holding

    def watch(self) -> None:
        """It was found restless: hold it while it is not asked."""
        if self.is_watched:
            self.offence = Ponder("it works while it is not asked, although its processes are stopped then")
        self.is_watched = True
        self.forgiven = max(0.0, self.off_turn - self.allowed()) + FORGIVEN_SECONDS
        self.hold()

    def hold(self) -> None:
        """Stop all its processes: one that was sent the signal can fork no more, so in the end none is new."""
        begin, held = perf_counter(), dict[int, None]()
        for _ in range(MOST_ROUNDS):
            new = [pid for pid in self.processes() if pid not in held]
            if not new:
                break
            for pid in new:
                send(pid, signal.SIGSTOP)
            held |= dict.fromkeys(new)
        else:
            self.offence = Ponder("its processes come and go too quickly to be stopped while it is not asked")
        self.held = list(held)
        self.count_as_its_turn(begin)

    def let_go(self) -> None:
        begin = perf_counter()
        for pid in reversed(self.held):
            send(pid, signal.SIGCONT)
        self.held = []
        self.count_as_its_turn(begin)

    def count_as_its_turn(self, begin: float) -> None:
        """The time since then: as long as we take for our signals some of its processes run, and may."""
        self.on_turn += (perf_counter() - begin) * self.cores


def send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def status(pid: int) -> list[bytes]:
    """What the kernel tells of a process, from its state on; nothing if it has ended."""
    try:
        return content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return []


def used_by(pid: int, figures: list[bytes]) -> float:
    """Seconds of the processor that a process has used, to the microsecond where the kernel has a clock for it."""
    with suppress(OSError, OverflowError):
        return time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED)
    return seconds(figures[BY_ITSELF])


def seconds(ticks: list[bytes]) -> float:
    return sum(map(int, ticks)) * TICK
