"""What spectators cost a run: `make bench`.

A run that nobody looks at, and the same with `--serve` and 200 spectators on this machine, in turn. Each listens to all
that is told. Those who look on are a process of their own that yields
to everybody, as they would be elsewhere; what they take from the two cores counts all the same.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import IO

import trio
from tabulate import tabulate

ROUNDS = 5
SPECTATORS = 200
GAMES = {
    "kali": ("first", "random", "--blocks", "4000"),
    "bali_rosenberg": ("guardian", "first", "random", "--blocks", "100"),
}
"""Short matches, and longer ones; so many that the start of the page counts for little, as in a run worth watching."""


def main() -> None:
    rows = [row(game) for game in GAMES]
    print(f"matches per second, {SPECTATORS} spectators")
    print(tabulate(rows, headers=["game", "nobody/s", "spectators/s", "ratio", "told, MB"], floatfmt=".2f"))


def row(game: str) -> list[object]:
    pairs, told = [], 0.0
    for _ in range(ROUNDS):
        alone, _ = rate(game)
        watched, megabytes = rate(game, "--serve", "--port", "0")
        pairs.append((alone, watched))
        told = max(told, megabytes)
    ratio = median(watched / alone for alone, watched in pairs)
    return [game, *(median(column) for column in zip(*pairs, strict=True)), ratio, told]


def rate(game: str, *more: str) -> tuple[float, float]:
    """Matches per second of a whole run, and what spectators were told meanwhile."""
    with TemporaryDirectory() as folder:
        words = [*GAMES[game], "--seed", "bench", "--isolate", "none", "--db", str(Path(folder) / "bench.db")]
        command = [sys.executable, "-m", "dalang", "run", game, *words, *more]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
            assert run.stderr
            with audience(run.stderr) if more else nobody() as crowd:
                told, megabytes = run.stderr.read(), crowd()
        assert run.returncode == 0, told
        [(matches, seconds)] = re.findall(r"(\d+) matches played in ([\d.]+) s", told)
        return int(matches) / float(seconds), megabytes


@contextmanager
def nobody() -> Iterator[Callable[[], float]]:
    yield lambda: 0.0


@contextmanager
def audience(stderr: IO[str]) -> Iterator[Callable[[], float]]:
    """The spectators of the run that tells its address here; afterwards, how many megabytes they were told."""
    address = next(line.split()[1] for line in stderr if line.startswith("spectators: "))
    command = [sys.executable, "-m", "tests.bench.serve", address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as crowd:
        yield lambda: float(crowd.communicate()[0])


def look_on(address: str) -> None:
    os.nice(10)
    print(trio.run(crowded, address.removeprefix("http://").rstrip("/")) / 1e6)


async def crowded(place: str) -> int:
    """Everybody listens until the site is gone."""
    host, _, port = place.rpartition(":")
    heard = [0]

    async def listen() -> None:
        with suppress(trio.BrokenResourceError, OSError):  # the run may be over before all have come
            async with await trio.open_tcp_stream(host, int(port)) as stream:
                await stream.send_all(b"GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
                async for data in stream:
                    heard[0] += len(data)

    async with trio.open_nursery() as nursery:
        for _ in range(SPECTATORS):
            nursery.start_soon(listen)
    return heard[0]


if __name__ == "__main__":
    if sys.argv[1:]:
        look_on(sys.argv[1])
    else:
        main()
