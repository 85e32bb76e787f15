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
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation import landlock, seccomp
from dalang.harness.isolation.cell import (
    MOST_TASKS,
    USERS,
    Cell,
    Isolation,
    Start,
    becoming,
    homeless,
    limiting,
    opened_folder,
    swept,
    trial,
)
from dalang.harness.isolation.sight import DALANG, missed, sight
from dalang.harness.isolation.usage import Crowd, descendants

READABLE = tuple(map(Path, ("/dev/zero", "/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
                            "/proc/version", "/proc/filesystems", "/proc/sys/vm", "/proc/sys/kernel/osrelease",
                            "/sys/devices/system/cpu", "/sys/kernel/mm/transparent_hugepage")))  # fmt: skip
"""What runtimes ask about the machine; of processes they see nothing."""
WRITABLE = tuple(map(Path, ("/dev/null", "/dev/full")))


class RestrictedCell(Cell):
    def __init__(
        self, process: subprocess.Popen[bytes], memory: int | None, scratch: Path, user: int | None
    ) -> None:
        super().__init__(process)
        self.memory = memory
        self.scratch = scratch
        self.user = user

    def sweep(self) -> None:
        with opened_folder(self.scratch) as folder:
            swept(folder)

    def misuse(self) -> str:
        return Crowd("/proc", descendants(self.process.pid, MOST_TASKS)).excess(self.memory)

    def close(self) -> None:
        remove(self.scratch)
        USERS.give_back(self.user)


class Restricted(Isolation):
    level = "restricted"

    def problem(self) -> str:
        return problem()

    def start(self, entrant: Entrant, memory: int | None, start: Start) -> Cell:
        user, scratch = USERS.take(), Path(tempfile.mkdtemp(prefix="dalang-scratch-"))
        if user is not None:
            os.chown(scratch, user, user)
        launcher = [
            *limiting(memory, is_own_user=user is not None),
            *becoming(user, may_read_all=True),
        ]
        try:
            with landlock.restriction(
                kept(sight(entrant), scratch), seccomp.program(closed=True)
            ) as restrict:
                process = start(
                    [*launcher, *entrant.command],
                    stderr=subprocess.PIPE,
                    cwd=entrant.folder,
                    env=homeless(entrant, str(scratch)),
                    preexec_fn=restrict,
                )
        except BaseException as error:
            remove(scratch)
            USERS.give_back(user)
            if isinstance(error, subprocess.SubprocessError):  # the restriction failed, in the child
                raise OSError("it cannot be restricted") from error
            raise
        return RestrictedCell(process, memory, scratch, user)

    def hint(self, entrant: Entrant, said: Sequence[str]) -> str:
        path = missed(entrant, said)
        if path is None:
            return "under restrictions; does it start with --isolate none?"
        return f'it may not read {path}: allow it with read = ["{path}"] in its bot.toml, or --isolate none'


def kept(seen: Mapping[Path, Path], scratch: Path) -> landlock.Kept:
    """Python finds a module only where it may list the folder."""
    folders = {place.parent for place, source in seen.items() if source.is_file()}
    return landlock.Kept([*seen.values(), *READABLE], [scratch, *WRITABLE], [*folders, DALANG.parent])


def remove(scratch: Path) -> None:
    with suppress(OSError):
        shutil.rmtree(scratch)


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
