"""Where one bot runs: what every level of isolation has in common."""

from __future__ import annotations

import os
import re
import resource
import select
import shutil
import stat
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import ClassVar

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.shortage import is_short_of_files, is_shortage

Start = Callable[..., "subprocess.Popen[bytes]"]
"""Starts a command with pipes, and takes what `subprocess.Popen` takes besides."""

KEPT_VARIABLES = re.compile("PATH|LANG|LC_[A-Z]+|TZ")
"""What every bot inherits of the operator's environment; where its files are his, also these:"""
HOME_VARIABLES = re.compile("HOME|TMPDIR")
NETWORK_VARIABLES = re.compile(
    "SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy", re.IGNORECASE
)
"""What a build inherits besides that may use the network."""

MOST_TASKS = 48
"""Processes and threads of a bot, all together; a Java machine has some 20 threads, a bomb has no end."""
MOST_FILES = 1024
"""Files that a process of a bot may have open."""
SCRATCH_BYTES = 64 * 1024 * 1024
"""What a bot may keep in its /tmp, and how large a single file may be."""
BUILD_TASKS, BUILD_FILES, BUILD_FILE_BYTES = 2048, 16384, 4 * 1024**3
"""The same of a build: compilers have many processes and large files."""
MOST_CPU_SECONDS = 7 * 24 * 3600
"""Seconds that a process of a bot may compute in its life; no honest one is so old, and one that got away ends."""
SWEEP_SECONDS = 0.5
"""Seconds to empty its /tmp before a match: more files than that is no honest use."""

FIRST_UID, UIDS_PER_PROCESS = 2**30, 2**8
"""Users for bots whose harness runs as root: far above those that people and services have."""


@dataclass(frozen=True)
class Room:
    """What all processes of a program may have together, or each of them."""

    memory: int | None
    tasks: int = MOST_TASKS
    files: int = MOST_FILES
    file_bytes: int = SCRATCH_BYTES
    disk: int | None = SCRATCH_BYTES


@dataclass(frozen=True)
class Leave:
    """What a build may do that bots may not: write to its folder and a home on disk, and perhaps use the network."""

    network: bool = False
    env: Mapping[str, str] = field(default_factory=dict)


MUTE = "it closed its end of the line but lives on"


class Untidy(Exception):
    """A bot's scratch folder cannot be emptied."""


@dataclass
class Cell:
    """The place of one bot that runs."""

    process: subprocess.Popen[bytes]

    def sweep(self) -> None:
        """Empty what the bot can write to, before a match."""

    def misuse(self) -> str:
        """Why the bot must end at once, seen by a look at its processes; empty if it need not."""
        return ""

    def exit_code(self) -> int | None:
        """As `subprocess` tells it: negative for a signal."""
        return self.process.returncode

    def close(self) -> None:
        """The bot is dead."""


class Isolation(ABC):
    """A level of isolation: how a bot is started so that it can harm nobody."""

    level: ClassVar[str]
    hides: ClassVar[bool] = True
    """Whether a bot sees only its own files."""

    @abstractmethod
    def problem(self) -> str:
        """Why it does not work here, and what to do about it; empty if it works."""

    @abstractmethod
    def start(
        self, entrant: Entrant, memory: int | None, start: Start, leave: Leave | None = None
    ) -> Cell: ...

    def hint(self, entrant: Entrant, said: Sequence[str]) -> str:
        """What of this level may have kept a bot from starting that said this on stderr."""
        return ""


# ---- Environment


def inherited(kept: re.Pattern[str] = KEPT_VARIABLES) -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if kept.fullmatch(key)}


def homeless(entrant: Entrant, home: str, leave: Leave | None) -> Mapping[str, str]:
    """The environment of a program that has no home but its scratch folder."""
    more = {} if leave is None else for_builds(home, leave)
    return {**inherited(), "HOME": home, "TMPDIR": home, **more, **entrant.env}


def for_builds(home: str, leave: Leave) -> Mapping[str, str]:
    """Java asks the list of users for its home, where a bot's is not."""
    network = inherited(NETWORK_VARIABLES) if leave.network else {}
    return {**leave.env, **network, "MAVEN_OPTS": f"-Duser.home={home}"}


# ---- Limits


def room(memory: int | None, leave: Leave | None) -> Room:
    return (
        Room(memory) if leave is None else Room(memory, BUILD_TASKS, BUILD_FILES, BUILD_FILE_BYTES, disk=None)
    )


def limiting(room: Room, is_own_user: bool = True) -> list[str]:
    """A launcher after which a program and its children live under limits.

    The kernel counts processes by user, so a bot that shares one with others cannot have them counted.

    Of its memory what it can write to itself is counted: a Java machine reserves far more than it uses.
    """
    wanted = {
        **({"nproc": (resource.RLIMIT_NPROC, room.tasks)} if is_own_user else {}),
        "nofile": (resource.RLIMIT_NOFILE, room.files),
        "fsize": (resource.RLIMIT_FSIZE, room.file_bytes),
        "core": (resource.RLIMIT_CORE, 0),
        "cpu": (resource.RLIMIT_CPU, MOST_CPU_SECONDS),
        **({} if room.memory is None else {"data": (resource.RLIMIT_DATA, room.memory)}),
    }
    words = [f"--{name}={allowed(which, value)}" for name, (which, value) in wanted.items()]
    return [shutil.which("prlimit") or "prlimit", *words, "--"]


def allowed(which: int, value: int) -> int:
    """No more than we have ourselves: nobody may raise a limit."""
    hard = resource.getrlimit(which)[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


# ---- Users


class Users:
    """One user for each bot at the same time: the kernel counts processes by user, and not at all for root."""

    def __init__(self) -> None:
        self.taken: set[int] = set()

    def take(self) -> int | None:
        """None if we are no root, and all our bots are the same user."""
        if os.geteuid() != 0:
            return None
        first = FIRST_UID + os.getpid() * UIDS_PER_PROCESS
        user = next(uid for uid in range(first, first + UIDS_PER_PROCESS) if uid not in self.taken)
        self.taken.add(user)
        return user

    @contextmanager
    def one(self) -> Iterator[int | None]:
        user = self.take()
        try:
            yield user
        finally:
            self.taken.discard(user or 0)


USERS = Users()


def becoming(user: int | None, may_read_all: bool) -> list[str]:
    """A launcher after which a bot is this user and may do nothing but, where it must, read others' files."""
    if user is None:
        return []
    kept = "-all,+dac_read_search" if may_read_all else "-all"
    # without that bit the kernel forgets the leave when it is asked (access), as compilers ask for their linker
    lasting = [f"--ambient-caps={kept}", "--securebits=+no_setuid_fixup"] if may_read_all else []
    identity = ["--reuid", str(user), "--regid", str(user), "--clear-groups"]
    mortal = ["--pdeathsig", "KILL"]  # which whoever becomes another user has lost
    return [setpriv(), *identity, *mortal, f"--bounding-set={kept}", f"--inh-caps={kept}", *lasting, "--"]


def setpriv() -> str:
    return shutil.which("setpriv") or "setpriv"


# ---- Scratch folders


FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def opened_folder(path: Path | str, within: int | None = None, flags: int = FOLDER) -> Iterator[int]:
    descriptor = os.open(path, flags, dir_fd=within)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def unlock_folder(name: str, within: int) -> None:
    """So that we can look into it; a link that a bot has put in its place just now leads us nowhere."""
    with opened_folder(name, within, FOLDER | os.O_PATH) as folder:
        Path(f"/proc/self/fd/{folder}").chmod(0o700)


def empty(folder: int, device: int, deadline: float) -> int:
    """Remove what is in this folder, but nothing that is mounted into it; no link leads out of it.

    Returns how many entries had to stay: what is mounted, and the folders on the way to it.
    """
    kept = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if perf_counter() > deadline:
                raise Untidy
            with suppress(FileNotFoundError):
                kept += removed(entry, folder, device, deadline)
    return kept


def removed(entry: os.DirEntry[str], folder: int, device: int, deadline: float) -> int:
    if entry.stat(follow_symlinks=False).st_dev != device:
        return 1
    if entry.is_dir(follow_symlinks=False):
        return remove_folder(entry.name, folder, device, deadline)
    os.unlink(entry.name, dir_fd=folder)
    return 0


def remove_folder(name: str, within: int, device: int, deadline: float) -> int:
    mode = stat.S_IMODE(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode)
    with suppress(OSError):
        unlock_folder(name, within)
    with opened_folder(name, within) as inner:
        kept = empty(inner, device, deadline)
        if kept:
            os.fchmod(inner, mode)  # the way to what is mounted stays as open as it was
    if kept:
        return 1 + kept
    with suppress(OSError):  # the bot has just put something into it
        os.rmdir(name, dir_fd=within)
    return 0


def swept(folder: int) -> int:
    try:
        return empty(folder, os.fstat(folder).st_dev, perf_counter() + SWEEP_SECONDS)
    except (OSError, RecursionError) as error:  # folders too deep for us
        if is_shortage(error) and is_short_of_files():
            raise
        raise Untidy from None


# ---- Trying a level

TRIAL = Entrant("trial", ("/bin/sh", "-c", "(:) & wait; echo works; read end"))
"""Runs, forks, says so, and stays until it is let go."""
TRIAL_SECONDS = 10.0


def trial(isolation: Isolation) -> str:
    """What went wrong when a small program was started at this level; empty if nothing did."""
    try:
        cell = isolation.start(TRIAL, None, plainly)
    except OSError as error:
        return str(error)
    try:
        return seen_in(cell)
    finally:
        cell.process.kill()
        cell.process.communicate()
        cell.close()


def seen_in(cell: Cell) -> str:
    stdout, stderr = cell.process.stdout, cell.process.stderr
    assert stdout and stderr
    if not select.select([stdout], [], [], TRIAL_SECONDS)[0]:
        return "a program that was started hangs"
    if stdout.readline() != b"works\n":
        return last_line(stderr.read()) or "a program that was started says nothing"
    try:
        cell.sweep()
    except Untidy:
        return "its /tmp cannot be emptied"
    return ""


def plainly(command: Sequence[str], **more: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)  # type: ignore[call-overload, no-any-return]


def last_line(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
