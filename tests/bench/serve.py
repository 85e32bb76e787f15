"""What spectators cost a run: `make bench`.

A run with `--serve` and 200 spectators on this machine, each of whom listens to all that is told. Now and then they and
the process that serves them are held still: then the run is as fast as if nobody looked on. How many decisions it makes
in a second of the one and of the other is compared; seconds of both sorts come in turn, so that it does not matter
when else the machine is busy. Spectators are a process of their own that yields to everybody, as they would be
elsewhere; what they take from the two cores counts all the same.
"""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from select import select
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter, sleep
from typing import NamedTuple

from tabulate import tabulate

from dalang.harness.isolation.process_tree import descendants
from dalang.harness.statistics.intervals import mean_and_error
from dalang.harness.tournament.config import cores

ROUNDS = 12
HELD_SECONDS, WATCHED_SECONDS = 3.0, 9.0
"""Of a round. What is played while they are held is told afterwards, so that must not be much."""
WARM_UP = 8.0
"""Seconds until all are there, and have been told how it stands."""
SPECTATORS = 200
GAMES = {"kali": ("first", "random"), "bali_rosenberg": ("guardian", "first", "random")}
"""Short matches, and longer ones."""


class Speed(NamedTuple):
    """Decisions per second in one round."""

    alone: float
    watched: float


def main() -> None:
    rows = [row(game) for game in GAMES]
    print(f"decisions per second, {SPECTATORS} spectators, {ROUNDS} rounds")
    heads = ["game", "nobody/s", "spectators/s", "ratio", "standard error", "of all cores", "told, MB"]
    print(tabulate(rows, headers=heads, floatfmt=("", ".0f", ".0f", ".3f", ".3f", ".3f", ".1f")))


def row(game: str) -> list[object]:
    with TemporaryDirectory() as folder, watched_run(game, Path(folder) / "bench.db") as run:
        before = run.onlooking()
        rounds = [speed(run) for _ in range(ROUNDS)]
        share = (run.onlooking() - before) / (WATCHED_SECONDS * ROUNDS * cores())
        run.process.send_signal(signal.SIGINT)
        megabytes = float(run.crowd.communicate()[0])
    alone, watched = map(mean, zip(*rounds, strict=True))
    ratio, error = mean_and_error([each.watched / each.alone for each in rounds])
    return [game, alone, watched, ratio, error, share, megabytes]


@dataclass
class WatchedRun:
    process: subprocess.Popen[str]
    crowd: subprocess.Popen[str]
    server: int
    db: Path
    last: int = 0
    """The last match of the file that was counted."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody looks on meanwhile."""
        try:
            self.signal(signal.SIGSTOP)
            yield
        finally:
            self.signal(signal.SIGCONT)

    def signal(self, number: int) -> None:
        for pid in (self.crowd.pid, self.server):
            os.kill(pid, number)

    def onlooking(self) -> float:
        """Seconds of the processor that looking on has taken so far."""
        return sum(processor_seconds(pid) for pid in (self.crowd.pid, self.server))

    def new_decisions(self) -> int:
        """Since this was asked last, as the file tells."""
        with closing(sqlite3.connect(f"{self.db.as_uri()}?mode=ro", uri=True)) as connection:
            query = """
                select coalesce(sum(decisions), 0), coalesce(max(match.rowid), ?)
                from match cross join seat using (block, rotation) where match.rowid > ?
            """
            number, self.last = connection.execute(query, (self.last, self.last)).fetchone()
        return int(number)


@contextmanager
def watched_run(game: str, db: Path) -> Iterator[WatchedRun]:
    words = [*GAMES[game], "--blocks", "1000000", "--seed", "bench", "--isolate", "none", "--db", str(db)]
    command = [sys.executable, "-m", "dalang", "run", game, *words, "--serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        address = next(line.split()[1] for line in process.stderr if line.startswith("spectators: "))
        look = [sys.executable, "-m", "tests.bench.serve", address]
        with subprocess.Popen(look, stdout=subprocess.PIPE, text=True) as crowd:
            try:
                sleep(WARM_UP)
                [server] = [pid for pid in descendants(process.pid) if is_server(pid)]
                yield WatchedRun(process, crowd, server, db)
            finally:
                process.terminate()  # then all of the crowd leave


def is_server(pid: int) -> bool:
    return b"dalang.harness.serve\0" in Path(f"/proc/{pid}/cmdline").read_bytes()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def speed(run: WatchedRun) -> Speed:
    watched = rate(run, WATCHED_SECONDS)
    with run.held():
        return Speed(rate(run, HELD_SECONDS), watched)


def rate(run: WatchedRun, seconds: float) -> float:
    """Decisions per second."""
    run.new_decisions()
    begin = perf_counter()
    sleep(seconds)
    return run.new_decisions() / (perf_counter() - begin)


def look_on(address: str) -> None:
    """All listen until the site is gone."""
    os.nice(10)
    host, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
    heard, there = 0, [listening((host, int(port))) for _ in range(SPECTATORS)]
    while there:
        for wire in select(there, [], [])[0]:
            told = len(wire.recv(2**16))
            heard += told
            if not told:
                there.remove(wire)
    print(heard / 1e6)


def listening(place: tuple[str, int]) -> socket.socket:
    wire = socket.create_connection(place)
    wire.sendall(b"GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return wire


if __name__ == "__main__":
    if sys.argv[1:]:
        look_on(sys.argv[1])
    else:
        main()
