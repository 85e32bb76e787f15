"""What the processes of a bot use together: the kernel's own limits hold for each of them alone."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

from dalang.harness.isolation.cell import Room
from dalang.harness.isolation.process_tree import content
from dalang.harness.isolation.shortage import is_shortage

STATUS = re.compile(rb"^(Threads|RssAnon|RssShmem|VmSwap):\s+(\d+)", re.MULTILINE)
SHARES = re.compile(rb"^(Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+)", re.MULTILINE)
"""The same memory; what several processes have in common is divided among them. It takes the kernel longer to tell."""

MOST_ENTRIES, MOST_DEPTH = 4096, 64
"""Files in a scratch folder that lies on disk, and folders in each other: to look at more takes us too long."""

Numbers = dict[bytes, int]


@dataclass(frozen=True)
class Crowd:
    """The processes of a bot at one moment."""

    proc: str
    """A folder of the kernel's on processes that knows them by these numbers."""
    pids: Sequence[int]

    def excess(self, room: Room) -> str:
        """What they have more of than there is room for; empty if nothing."""
        statuses = [numbers(f"{self.proc}/{pid}/status", STATUS) for pid in self.pids]
        if sum(status.get(b"Threads", 0) for status in statuses) > room.tasks:
            return f"it has more than {room.tasks} processes and threads"
        memory = room.memory
        if memory is not None and in_bytes(statuses) > memory and self.exact_memory(statuses) > memory:
            return f"its processes have more than {memory // 1024**2} MB of memory together"
        return ""

    def exact_memory(self, statuses: Sequence[Numbers]) -> int:
        """Without counting twice what is shared; of one who does not let us look closer, all."""
        shares = (numbers(f"{self.proc}/{pid}/smaps_rollup", SHARES) for pid in self.pids)
        return in_bytes([share or status for share, status in zip(shares, statuses, strict=True)])

    def removed_bytes(self) -> int:
        """On disk, in files that have no name any more and stay because somebody has them open."""
        files = (file for pid in self.pids for file in open_files(f"{self.proc}/{pid}/fd"))
        nameless = {file.st_ino: file for file in files if stat.S_ISREG(file.st_mode) and not file.st_nlink}
        return sum(map(on_disk, nameless.values()))

    def hold(self, pipe: os.stat_result) -> bool:
        """Whether one of them has this pipe open."""
        return any(
            os.path.samestat(file, pipe) for pid in self.pids for file in open_files(f"{self.proc}/{pid}/fd")
        )


def numbers(path: str, wanted: re.Pattern[bytes]) -> Numbers:
    """None of a process that has ended meanwhile."""
    with suppress(OSError):
        return {name: int(value) for name, value in wanted.findall(content(path))}
    return {}


def in_bytes(found: Sequence[Numbers]) -> int:
    return 1024 * sum(value for each in found for name, value in each.items() if name != b"Threads")


def open_files(folder: str) -> Iterator[os.stat_result]:
    with suppress(OSError), os.scandir(folder) as links:
        for link in links:
            with suppress(OSError):  # closed meanwhile
                yield link.stat()


def on_disk(file: os.stat_result) -> int:
    return file.st_blocks * 512


def bytes_in(folder: Path, most: int = MOST_ENTRIES) -> float:
    """On disk; without end if there is too much to count it now and then, or something is out of our reach."""
    found, deepest = 0, len(folder.parts) + MOST_DEPTH
    try:
        for number, entry in enumerate(entries_below(str(folder))):
            if number > most or entry.path.count(os.sep) > deepest:
                return inf
            with suppress(FileNotFoundError):
                found += on_disk(entry.stat(follow_symlinks=False))
    except OSError as error:  # otherwise a folder that is closed to us
        return found if is_shortage(error) else inf
    return found


def entries_below(folder: str) -> Iterator[os.DirEntry[str]]:
    """Of a folder in which somebody is at work: as deep as he likes, and what was there a moment ago may be gone."""
    folders = [folder]
    for each in folders:
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(each) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)


def known_to(proc: str) -> list[int]:
    """All processes there are in a world of its own, but the one that bubblewrap has in it."""
    with os.scandir(proc) as entries:
        return [int(entry.name) for entry in entries if entry.name.isdecimal() and entry.name != "1"]
