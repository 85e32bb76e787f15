"""`restricted`: Landlock with a seccomp filter, for machines on which bubblewrap cannot work.

A bot has the files that it would have in the sandbox and no sockets, but it lives in the same world as all others.
It restricts itself between its fork and its start. (A thread of ours that was restricted first would be faster, but it
and its children are then of one domain: they may send it signals, and a signal to a thread hits all of us.)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from time import time_ns

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.fingerprint import DALANG
from dalang.harness.isolation import landlock, seccomp
from dalang.harness.isolation.cell import (
    USERS,
    Cell,
    Isolation,
    Leave,
    Room,
    Start,
    Untidy,
    becoming,
    homeless,
    limiting,
    opened_folder,
    room,
    swept,
    trial,
)
from dalang.harness.isolation.folders import scratch_folder, workplace
from dalang.harness.isolation.process_tree import descendants
from dalang.harness.isolation.shortage import pass_on_shortage
from dalang.harness.isolation.sight import games_of_others, is_puzzling, missed, remedy, sight
from dalang.harness.isolation.usage import Crowd, bytes_in

READABLE = tuple(map(Path, ("/dev/zero", "/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
                            "/proc/version", "/proc/filesystems", "/proc/sys/vm", "/proc/sys/kernel/osrelease",
                            "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage")))  # fmt: skip
"""What runtimes ask about the machine; of processes they see nothing."""
WRITABLE = tuple(map(Path, ("/dev/null", "/dev/full")))
SETTLED_NANOSECONDS = 100_000_000
"""After which a change to a folder has another time than the last one: a tick of the kernel's has at most a tenth."""


class RestrictedCell(Cell):
    def __init__(self, process: subprocess.Popen[bytes], room: Room, scratch: Path, exits: ExitStack) -> None:
        super().__init__(process)
        self.room = room
        self.scratch = scratch
        self.exits = exits
        self.empty_since = 0
        """When its scratch folder was last changed, if it has been looked through since."""

    def sweep(self) -> None:
        try:
            if os.stat(self.scratch).st_ctime_ns != self.empty_since:  # noqa: PTH116  # for every bot in every match
                with opened_folder(self.scratch) as folder:
                    swept(folder)
                    self.empty_since = sure_of_change(os.fstat(folder).st_ctime_ns)
        except OSError as error:
            pass_on_shortage(error)  # otherwise the bot has closed it to us
            raise Untidy from None

    def misuse(self) -> str:
        crowd = Crowd("/proc", descendants(self.process.pid, self.room.tasks))
        return crowd.excess(self.room) or self.waste(crowd)

    def waste(self, crowd: Crowd) -> str:
        """What it has written to disk; in the sandbox its /tmp is no larger."""
        most = self.room.disk
        if most is None or bytes_in(self.scratch) + crowd.removed_bytes() <= most:
            return ""
        return f"it has more than {most // 1024**2} MB of files in its TMPDIR, or too many"

    def close(self) -> None:
        self.exits.close()


def sure_of_change(changed: int) -> int:
    """The time of a change, unless another could follow it by the same clock: that of files is coarse."""
    return changed if time_ns() - changed > SETTLED_NANOSECONDS else 0


class Restricted(Isolation):
    level = "restricted"

    def problem(self) -> str:
        return problem()

    def start(self, entrant: Entrant, memory: int | None, start: Start, leave: Leave | None = None) -> Cell:
        with ExitStack() as exits:
            user = exits.enter_context(USERS.one())
            folder = workplace(entrant, user) if leave else scratch_folder(user)
            scratch = exits.enter_context(folder)
            limits = limiting(room(memory, leave), is_own_user=user is not None)
            with restriction(entrant, scratch, leave) as restrict:
                process = start(
                    [*limits, *becoming(user, may_read_all=True), *entrant.command],
                    stderr=subprocess.PIPE,
                    cwd=entrant.folder,
                    env=homeless(entrant, str(scratch), leave),
                    preexec_fn=restrict,
                )
            return RestrictedCell(process, room(memory, leave), scratch, exits.pop_all())

    def hint(self, entrant: Entrant, said: Sequence[str]) -> str:
        path = missed(entrant, said)
        if path is None:
            return "under restrictions; does it work with --isolate none?" if is_puzzling(said) else ""
        return f"it may not read {path}: {remedy(entrant, path)}"


@contextmanager
def restriction(entrant: Entrant, scratch: Path, leave: Leave | None) -> Iterator[Callable[[], None]]:
    network = bool(leave and leave.network)
    own = [entrant.folder] if leave and entrant.folder else []
    try:
        with landlock.restriction(
            kept(sight(entrant), [scratch, *own]), seccomp.program(closed=True, network=network), network
        ) as restrict:
            yield restrict
    except subprocess.SubprocessError as error:  # it failed, in the child
        raise OSError("it cannot be restricted") from error


def kept(seen: Mapping[Path, Path], own: Sequence[Path]) -> landlock.Kept:
    """Python finds a module only where it may list the folder."""
    folders = {place.parent for place, source in seen.items() if source.is_file()}
    packages = {DALANG.parent, *(place.parent for place in games_of_others())}
    return landlock.Kept([*seen.values(), *READABLE], [*own, *WRITABLE], [*folders, *packages])


@cache
def problem() -> str:
    if sys.platform != "linux":
        return "it needs Linux"
    if not seccomp.is_known_machine():
        return f"the numbers of system calls are known only for {' and '.join(seccomp.MACHINES)}"
    if not landlock.version():
        return "this kernel has no Landlock: it needs Linux 5.13 or newer, and landlock in its list of lsm"
    for program in ("prlimit", "setpriv"):
        if not shutil.which(program):
            return f"there is no program {program}: install util-linux"
    return trial(Restricted())
