"""A host that lacks something: it says so itself, and no bot is blamed."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio

from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrant, find_entrants
from dalang.harness.isolation.levels import LEVELS
from dalang.harness.match.arena import Arena, open_arena
from dalang.harness.match.check import examine
from dalang.harness.match.faults import HostTooBusy
from dalang.harness.match.referee import Match
from tests.leftovers import descriptors, gone, need_level
from tests.roomy import ROOMY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="what is counted here Linux tells"),
]

NEEDED = 60
"""Open files with which a match of two bots can be played beside what is open already, at every level."""
NOSY = """\
import resource
from dalang.kit import run

def choose(request):
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == ({}, {})
    return 0

run(choose, name="nosy")
"""


@contextmanager
def only(files: int) -> Iterator[None]:
    """So many may be opened besides those that are; the system takes the lowest numbers that are free."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = [os.open(os.devnull, os.O_RDONLY) for _ in range(files)]
    for descriptor in free:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(free) + 1, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def faults_with(files: int, arena: Arena, match: Match, mark: str) -> bool:
    """Whether the match was played; nobody has broken the contract in it, whether it was or not."""
    entrants = [replace(each, env={"LC_MARK": mark}) for each in find_entrants(match.names)]
    try:
        with only(files):
            played = await arena.play(match, entrants)
    except HostTooBusy as error:
        assert "Too many open files" in str(error)
        return False
    assert played.faults == ()
    return True


@pytest.mark.parametrize("level", LEVELS)
def test_whatever_number_of_files_may_be_opened_no_bot_is_blamed(level: str) -> None:
    need_level(level)
    mark = uuid.uuid4().hex
    match = Match(find_game("kali"), "few", ("first", "random"))

    async def with_more_and_more() -> list[bool]:
        async with open_arena(ROOMY, fresh=True, isolation=LEVELS[level]) as arena:
            return [await faults_with(files, arena, match, mark) for files in (*range(1, 24), NEEDED)]

    before = descriptors()
    could = trio.run(with_more_and_more)
    assert not could[0]
    assert could[-1]
    assert descriptors() == before
    assert gone(mark)


def test_an_examination_blames_no_bot_for_what_the_host_lacks() -> None:
    async def examined() -> None:
        with only(3):
            await examine(find_entrant("first"), ROOMY)

    with pytest.raises(HostTooBusy, match="Too many open files"):
        trio.run(examined)


def run(db: Path, files: tuple[int, int], *words: str) -> subprocess.CompletedProcess[str]:
    few = partial(resource.setrlimit, resource.RLIMIT_NOFILE, files)
    settings = ["--seed", "1", "--jobs", "1"]
    for clock, seconds in (("move-time", 60), ("startup-time", 100), ("prepare-time", 100)):
        settings += [f"--{clock}", str(seconds)]
    command = [sys.executable, "-m", "dalang", "run", "kali", *words, *settings, "--db", str(db), "--json"]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, preexec_fn=few)


def test_a_tournament_that_needs_more_files_than_may_be_opened_is_refused(tmp_path: Path) -> None:
    done = run(
        tmp_path / "t.db", (64, 64), "first", "random", "cautious", "bold", "--seats", "4", "--blocks", "4"
    )
    assert done.returncode == 2
    assert done.stderr.startswith(
        "dalang: a worker needs 80 open files for 1 times 4 bots, and may have 64: "
    )
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("level", LEVELS)
def test_a_worker_opens_more_files_than_usual_and_its_bots_may_not(level: str, tmp_path: Path) -> None:
    need_level(level)
    usual, most = 70, 4096
    nosy = tmp_path / "nosy.py"
    nosy.write_text(NOSY.format(*((usual, most) if level == "none" else (1024, 1024))), encoding="utf-8")
    words = [str(nosy), "first", "--isolate", level, "--matches-per-worker", "12", "--blocks", "12"]
    done = run(tmp_path / "t.db", (usual, most), *words)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [line["faults"] for line in told["standings"]] == [{}, {}]
