"""`sandbox`: bubblewrap with a seccomp filter. A bot sees a small world of its own and nobody in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation import seccomp
from dalang.harness.isolation.cell import (
    MUTE,
    SCRATCH_BYTES,
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
    room,
    swept,
    trial,
)
from dalang.harness.isolation.folders import workplace
from dalang.harness.isolation.process_tree import all_children
from dalang.harness.isolation.shortage import pass_on_shortage
from dalang.harness.isolation.sight import LINKS, is_private, is_puzzling, missed, remedy, sight
from dalang.harness.isolation.usage import Crowd, known_to

SCRATCH = ("/tmp", "/dev/shm")
"""Where a bot can write."""
USER_NAMESPACES = (
    "the sandbox needs user namespaces: allow bwrap to use them (on Ubuntu with a profile of AppArmor for it, or with "
    "sysctl kernel.apparmor_restrict_unprivileged_userns=0; a container must be started with leave to)"
)


class SandboxCell(Cell):
    def __init__(self, process: subprocess.Popen[bytes], room: Room, exits: ExitStack) -> None:
        super().__init__(process)
        self.room = room
        self.exits = exits
        self.proc: int | None = None
        """The kernel's folder on processes as it is in there."""
        self.was_mute = False
        self.scratch: dict[int, int] = {}
        """Its scratch folders, each with the number of files in it when it is empty."""

    def sweep(self) -> None:
        try:
            self.scratch = self.scratch or dict.fromkeys(opened_scratch(self.process.pid), 0)
        except (OSError, IndexError) as error:
            pass_on_shortage(error)
            if self.process.poll() is None:
                raise Untidy from None
        for folder, clean in self.scratch.items():
            if not clean or files_in(folder) != clean:  # to count them costs a hundredth of looking for them
                self.scratch[folder] = 1 + swept(folder)

    def misuse(self) -> str:
        try:
            self.proc = opened_proc(self.process.pid) if self.proc is None else self.proc
            crowd = Crowd(f"/proc/self/fd/{self.proc}", known_to(f"/proc/self/fd/{self.proc}"))
        except (OSError, IndexError):  # it has not begun, or has ended
            return ""
        return crowd.excess(self.room) or self.muteness(crowd)

    def muteness(self, crowd: Crowd) -> str:
        """Bubblewrap keeps both lines open, whatever its bot does; seen once, one may be on its way to a child."""
        lines = (self.process.stdin, self.process.stdout)  # a build has none
        before = self.was_mute
        self.was_mute = not all(crowd.hold(os.fstat(line.fileno())) for line in lines if line)
        return MUTE if before and self.was_mute else ""

    def exit_code(self) -> int | None:
        """Bubblewrap tells of a signal as a shell does."""
        code = self.process.returncode
        return 128 - code if code is not None and code > 128 else code

    def close(self) -> None:
        for folder in [*self.scratch, *filter(None, [self.proc])]:
            os.close(folder)
        self.scratch, self.proc = {}, None
        self.exits.close()


def opened_scratch(bubblewrap: int) -> list[int]:
    """Its scratch folders, seen through the bot's own root: nobody else has them."""
    root = f"/proc/{child_of(child_of(bubblewrap))}/root"
    opened: list[int] = []
    try:
        for path in SCRATCH:
            opened.append(os.open(root + path, os.O_RDONLY | os.O_DIRECTORY))
    except OSError:
        for folder in opened:
            os.close(folder)
        raise
    return opened


def opened_proc(bubblewrap: int) -> int:
    """Not before the bot is there: until then its world is ours."""
    first = child_of(bubblewrap)
    child_of(first)
    return os.open(f"/proc/{first}/root/proc", os.O_RDONLY | os.O_DIRECTORY)


def files_in(folder: int) -> int:
    """How many files and folders there are in a file system in memory, its root included."""
    system = os.fstatvfs(folder)
    return system.f_files - system.f_ffree


def child_of(pid: int) -> int:
    """Its first child: bubblewrap, the first process of the new world, the bot."""
    return all_children(pid)[0]


class Sandbox(Isolation):
    level = "sandbox"

    def problem(self) -> str:
        return problem()

    def start(self, entrant: Entrant, memory: int | None, start: Start, leave: Leave | None = None) -> Cell:
        with ExitStack() as exits:
            user = exits.enter_context(USERS.one())
            home = exits.enter_context(workplace(entrant, user)) if leave else None
            writable = [home, folder_of(entrant)] if home else []
            with seccomp.as_file(seccomp.program()) as filter_:
                world = command(entrant, user, filter_, writable, network=bool(leave and leave.network))
                process = start(
                    [*world, *limiting(room(memory, leave)), *inside(entrant, user)],
                    stderr=subprocess.PIPE,
                    cwd="/",
                    env=homeless(entrant, str(home or SCRATCH[0]), leave),
                    pass_fds=[filter_],
                )
            return SandboxCell(process, room(memory, leave), exits.pop_all())

    def hint(self, entrant: Entrant, said: Sequence[str]) -> str:
        path = missed(entrant, said)
        if path is None:
            return "in the sandbox; does it work with --isolate none?" if is_puzzling(said) else ""
        return f"the sandbox hides {path}: {remedy(entrant, path)}"


def command(
    entrant: Entrant, user: int | None, filter_: int, writable: Sequence[Path], network: bool
) -> list[str]:
    """Bubblewrap and what the bot's world is made of."""
    return [
        bubblewrap(),
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *(() if network else ("--unshare-net",)),
        # as root a bot becomes another user inside, which a namespace with a single user has not
        *(("--unshare-user", *without_more_users()) if user is None else ()),
        *("--die-with-parent", "--new-session", "--hostname", "dalang", "--proc", "/proc", "--dev", "/dev"),
        *(word for path in SCRATCH for word in ("--perms", "1777", "--size", str(SCRATCH_BYTES), "--tmpfs", path)),
        *files(entrant),
        *(word for path in writable for word in ("--bind", str(path), str(path))),
        *("--dir", str(folder_of(entrant)), "--chdir", str(folder_of(entrant))),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--cap-drop", "ALL"),
        *(word for name in capabilities(user) for word in ("--cap-add", name)),
        *("--seccomp", str(filter_), "--"),
    ]  # fmt: skip


def bubblewrap() -> str:
    return shutil.which("bwrap") or "bwrap"


@cache
def without_more_users() -> Sequence[str]:
    """Nobody in there makes user namespaces; before 0.8 bubblewrap cannot forbid it, and the filter does alone."""
    told = subprocess.run([bubblewrap(), "--help"], capture_output=True, text=True, check=False)
    return ("--disable-userns",) if "--disable-userns" in told.stdout + told.stderr else ()


def files(entrant: Entrant) -> Iterator[str]:
    for link in LINKS:
        if link.is_symlink():
            yield from ("--symlink", str(link.readlink()), str(link))
    for place, source in sight(entrant).items():
        # bubblewrap would make the folders above it as closed as a private file in them
        yield from ("--dir", str(place.parent), "--ro-bind", str(source), str(place))


def folder_of(entrant: Entrant) -> Path:
    """Where it runs, as it would outside: words of its command may be seen from there."""
    return entrant.folder or Path.cwd()


def capabilities(user: int | None) -> Sequence[str]:
    """What is needed to become another user; the bot itself has at most the last of them."""
    return () if user is None else ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_READ_SEARCH")


def inside(entrant: Entrant, user: int | None) -> list[str]:
    may_read_all = any(map(is_private, sight(entrant).values()))
    return [*becoming(user, may_read_all), *entrant.command]


@cache
def problem() -> str:
    if sys.platform != "linux":
        return "it needs Linux"
    if not seccomp.is_known_machine():
        return f"the numbers of system calls are known only for {' and '.join(seccomp.MACHINES)}"
    for program, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux"), ("setpriv", "util-linux")):
        if not shutil.which(program):
            return f"there is no program {program}: install {package}"
    seen = trial(Sandbox())
    if "Unknown option" in seen:
        return f"{seen}; this bubblewrap is too old: install 0.7 or newer"
    return f"{seen}; {USER_NAMESPACES}" if seen else ""
