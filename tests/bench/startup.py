"""What it costs to start: `make bench`.

Seconds of the processor, with all children, beside those of a Python that does nothing; all take turns, and medians are
shown. Bytecode is there already, as it is after an installation and after the first start.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

import msgpack
from tabulate import tabulate

from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.match.children import CHILDREN
from dalang.harness.tournament.config import terms_for
from dalang.harness.tournament.worker import Assignment
from dalang.harness.tournament.workers import spawn_worker

TURNS = 15


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for start in STARTS.values():
        start()
    turns = [[seconds(start) for start in STARTS.values()] for _ in range(TURNS)]
    times = [median(column) for column in zip(*turns, strict=True)]
    rows = [[what, time, time / times[0]] for what, time in zip(STARTS, times, strict=True)]
    print(tabulate(rows, headers=["start of", "CPU seconds", "of the first"], floatfmt=("", ".3f", ".1f")))


def seconds(start: Callable[[], None]) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    start()
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(*command: str) -> None:
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def start_worker() -> None:
    """To its first sign of life."""
    worker = spawn_worker(0, ASSIGNMENT)
    heard_and_ended(worker.process, msgpack.packb(ASSIGNMENT.data()))
    worker.stderr.close()
    worker.notes.close()


def start_bot() -> None:
    """To its hello."""
    heard_and_ended(CHILDREN.start(find_entrant("first").command))


def heard_and_ended(process: subprocess.Popen[bytes], first_words: bytes = b"") -> None:
    assert process.stdin and process.stdout
    with process.stdout, process.stdin:
        process.stdin.write(first_words)
        assert process.stdout.read(1)
    process.wait()
    CHILDREN.forget(process)


ASSIGNMENT = Assignment(terms_for(find_game("kali"), {}, 2), ())
STARTS: dict[str, Callable[[], None]] = {
    "python -c pass": lambda: run(sys.executable, "-c", "pass"),
    "python -c 'import click'": lambda: run(sys.executable, "-c", "import click"),
    "python -c 'import trio'": lambda: run(sys.executable, "-c", "import trio"),
    "dalang --help": lambda: run(sys.executable, "-m", "dalang", "--help"),
    "dalang games": lambda: run(sys.executable, "-m", "dalang", "games"),
    "a worker, to its first sign of life": start_worker,
    "a bundled bot, to its hello": start_bot,
}


if __name__ == "__main__":
    main()
