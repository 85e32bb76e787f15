"""What processes use while the soak goes on: memory and descriptors of runs and of their workers."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from dalang.harness.isolation.process_tree import children
from tests.leftovers import command_line, lineage_of

EVERY = 0.5
QUARTERS = 4
WORKER = "dalang.harness.tournament.worker"


@dataclass
class Peak:
    megabytes: float = 0.0
    descriptors: int = 0


class Watch(Thread):
    """Looks at the runs that it is told of, twice a second; peaks are kept by role and quarter of the time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(daemon=True)
        self.seconds = seconds
        self.begin = monotonic()
        self.runs: dict[int, str] = {}
        self.peaks: defaultdict[tuple[str, int], Peak] = defaultdict(Peak)
        self.ended = Event()

    def run(self) -> None:
        while not self.ended.wait(EVERY):
            for pid, role in list(self.runs.items()):
                for process in lineage_of(pid):
                    self.look(process, role)
                for worker in workers_of(pid):
                    self.look(worker, f"{role}, a worker")

    def look(self, pid: int, role: str) -> None:
        with suppress(OSError, IndexError, ValueError):
            peak = self.peaks[role, self.quarter()]
            peak.megabytes = max(peak.megabytes, megabytes(pid))
            peak.descriptors = max(peak.descriptors, len(list(Path(f"/proc/{pid}/fd").iterdir())))

    def quarter(self) -> int:
        return min(QUARTERS - 1, int(QUARTERS * (monotonic() - self.begin) / self.seconds))

    def roles(self) -> list[str]:
        return sorted({role for role, _ in self.peaks})

    def of(self, role: str, quarter: int) -> Peak:
        return self.peaks.get((role, quarter), Peak())


def megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def workers_of(run: int) -> list[int]:
    """The workers of a run, and the guardian above each of them."""
    guardians = [child for child in children(lineage_of(run)[-1]) if WORKER in command_line(child)]
    return guardians + [child for guardian in guardians for child in children(guardian)]
