"""Running dalang as a user would, and what can befall it: signals, a full disk, and that it is run again."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import NamedTuple

from tests.leftovers import lineage_of, marked_processes
from tests.soak.tally import Tally
from tests.soak.watch import Watch, workers_of

DALANG = (sys.executable, "-m", "dalang")
LONGEST = 1800.0
"""Seconds after which a run that was left in peace is taken to hang. One match may think for minutes on a core that is
shared: in a long game of Rosenberg's it takes `seer` a second to imagine a world."""
MOURNING = 20.0
"""Seconds for everything to end after a run has ended."""


NO_PORT = "9"
"""Where attackers find nobody: what they may reach is for other tests to say."""


ProcessesOf = Callable[[int], list[int]]


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Ground:
    """The place of one contest."""

    def __init__(self, folder: Path, mark: str, rng: Random, tally: Tally, watch: Watch) -> None:
        self.folder = folder
        self.mark = mark
        self.rng = rng
        self.tally = tally
        self.watch = watch

    def dalang(
        self, *arguments: str, befall: Sequence[Callable[[int], None]] = (), span: float = 0.0
    ) -> Done:
        """Run to its end, while at some moments of the first `span` seconds something befalls it."""
        with self.started(arguments) as (process, out, err):
            moments = sorted(self.rng.uniform(0, span) for _ in befall)
            begin = monotonic()
            for moment, happening in zip(moments, befall, strict=True):
                with suppress(subprocess.TimeoutExpired):
                    process.wait(max(0.0, begin + moment - monotonic()))
                if process.returncode is None:
                    happening(process.pid)
            try:
                process.wait(LONGEST)
            except subprocess.TimeoutExpired:
                self.tally.fail(f"it hangs: {' '.join(arguments)}")
        self.check_nothing_is_left()
        return Done(process.returncode, text(out), text(err))

    @contextmanager
    def started(self, arguments: Sequence[str]) -> Iterator[tuple[subprocess.Popen[bytes], Path, Path]]:
        out, err = self.folder / "out", self.folder / "err"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [*DALANG, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                cwd=self.folder,
                env={**os.environ, "LC_MARK": self.mark, "LC_PORT": NO_PORT},
            )
        self.watch.runs[process.pid] = "tournaments"
        try:
            yield process, out, err
        finally:
            del self.watch.runs[process.pid]
            process.kill()
            process.wait()

    def check_nothing_is_left(self) -> None:
        deadline = monotonic() + MOURNING
        while (left := marked_processes(self.mark)) and monotonic() < deadline:
            sleep(0.1)
        for line in left:
            self.tally.left += 1
            self.tally.fail(f"a process is left: {line.strip()[:160]}")
            end_marked(int(line.split()[0]), self.mark)

    # ---- What can befall a run

    def kill(self, run: int) -> None:
        """The process that was started, its guardian, or the one that does the work."""
        with one_of(lineage_of, run, self.rng) as send:
            self.tally.count["kills of the run"] += send(signal.SIGKILL)

    def kill_a_worker(self, run: int) -> None:
        with one_of(workers_of, run, self.rng) as send:
            self.tally.count["kills of workers"] += send(signal.SIGKILL)

    def stop(self, run: int) -> None:
        self.stop_one(lineage_of, run)

    def stop_a_worker(self, run: int) -> None:
        self.stop_one(workers_of, run)

    def stop_one(self, processes_of: ProcessesOf, run: int) -> None:
        with one_of(processes_of, run, self.rng) as send:
            if send(signal.SIGSTOP):
                self.tally.count["stops"] += 1
                try:
                    sleep(self.pause())
                finally:
                    send(signal.SIGCONT)

    def fill_the_disk(self, run: int) -> None:
        """No file may grow beyond a size that is soon reached."""
        size = self.rng.randrange(2**14, 2**17)
        with suppress(OSError):
            resource.prlimit(lineage_of(run)[-1], resource.RLIMIT_FSIZE, (size, size))
        self.tally.count["full disks"] += 1

    def pause(self) -> float:
        """Mostly short; now and then so long that the harness takes a worker for dead."""
        return self.rng.choice([0.05, 0.2, 0.2, 1.0, 1.0, 3.0, 23.0])

    def troubles(self) -> list[Callable[[int], None]]:
        """What befalls one run; fewer workers are killed than are a sign that a match kills them."""
        light = [self.stop, self.stop_a_worker, self.kill_a_worker]
        chosen = self.rng.sample(light, self.rng.randrange(3))
        return [*chosen, self.rng.choice([self.kill, self.kill, self.fill_the_disk, self.kill_a_worker])]


@contextmanager
def one_of(processes_of: ProcessesOf, run: int, rng: Random) -> Iterator[Callable[[int], bool]]:
    """A way to send signals to one of these processes, by a handle: who gets its number later is not hit."""
    processes = processes_of(run)
    handle = -1
    if processes:
        pid = rng.choice(processes)
        with suppress(ProcessLookupError):
            handle = os.pidfd_open(pid)
        if handle >= 0 and pid not in processes_of(run):  # it was another's number already
            os.close(handle)
            handle = -1
    try:
        yield lambda number: handle >= 0 and sent(handle, number)
    finally:
        if handle >= 0:
            os.close(handle)


def sent(handle: int, number: int) -> bool:
    try:
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    return True


def end_marked(pid: int, mark: str) -> None:
    """End a process that carries our mark, and no other that has got its number."""
    with suppress(OSError):
        handle = os.pidfd_open(pid)
        try:
            if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
