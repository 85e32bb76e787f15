"""Results are bound to the worker that was asked for them: nobody else can speak in its name."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest
import trio
import trio.testing

from dalang.engine.catalogue import find_game
from dalang.harness.blocks import Block
from dalang.harness.match.referee import Match
from dalang.harness.tournament.config import terms_for
from dalang.harness.tournament.crew import TURNS
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import (
    ALIVE,
    MOST_SAID_BYTES,
    Assignment,
    Forged,
    InProgress,
    Job,
    incoming,
)
from dalang.harness.tournament.workers import Worker, Workers
from tests.refereed import play
from tests.test_tournament import STRANGE, command, dalang, query

BLOCK = Block(0, 0, ("a", "b"), 0)
HEAD_OF_A_LONG_ONE = b"\xc6" + (MOST_SAID_BYTES - 1).to_bytes(4, "big")
JOBS = [Job(BLOCK, rotation, "seed") for rotation in (0, 1)]


@pytest.fixture
def worker() -> Iterator[Worker]:
    """A worker that has two jobs and plays the first."""
    waiting = [sys.executable, "-c", "input()"]
    with (
        subprocess.Popen(waiting, stdin=subprocess.PIPE) as process,
        tempfile.TemporaryFile() as stderr,
        tempfile.TemporaryFile() as notes,
    ):
        InProgress.begin(notes.fileno(), 1)
        InProgress(notes.fileno()).note(0, JOBS[0].key)
        worker = Worker(process, stderr, notes, 3)
        worker.given(JOBS)
        yield worker


class Office(Workers):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.kept: list[StoredMatch] = []
        self.said: list[str] = []
        assignment = Assignment(terms_for(find_game("kali"), {}, 2), ())
        self.given_up: list[tuple[int, str]] = []
        super().__init__(assignment, 1, self.kept.extend, self.give_one_up, self.said.append)

    def give_one_up(self, job: Job, reason: str) -> None:
        self.given_up.append((job.rotation, reason))


def result(worker: Worker, number: int) -> Any:
    """What the worker says of its job of this number."""
    ticket, job = list(worker.jobs.items())[number]
    played = play(Match(find_game("kali"), job.seed, job.seating()))
    match = StoredMatch.of(job.block, job.rotation, played).data()
    said = {"ticket": ticket, "match": match, "told": []}
    return msgpack.unpackb(msgpack.packb(said))


def test_a_result_is_kept_for_its_ticket(worker: Worker) -> None:
    office = Office()
    office.hear(worker, [ALIVE, result(worker, 0), ALIVE])
    assert [match.rotation for match in office.kept] == [0]
    assert [job.rotation for job in worker.jobs.values()] == [1]


def test_a_ticket_is_good_for_one_result(worker: Worker) -> None:
    office = Office()
    first = result(worker, 0)
    with pytest.raises(Forged) as forged:
        office.hear(worker, [first, first])
    assert [job.rotation for job in forged.value.playing] == [0]
    assert len(office.kept) == 1
    with pytest.raises(Forged):
        office.hear(worker, [first])
    assert len(office.kept) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda said: {**said, "ticket": b"8 letters"},
        lambda said: {**said, "ticket": [1]},
        lambda said: {"key": [0, 0], "match": said["match"]},
        lambda said: {"error": "the run must end"},
        lambda said: {"alive": 1, "or": "not"},
        lambda said: 7,
        lambda said: [said],
    ],
)
def test_what_carries_no_ticket_is_not_the_workers_own(change: Any, worker: Worker) -> None:
    """What the worker itself says beside it is kept."""
    office = Office()
    own, forged = result(worker, 1), change(result(worker, 0))
    with pytest.raises(Forged):
        office.hear(worker, [own, forged])
    assert [match.rotation for match in office.kept] == [1]


def test_a_worker_in_whose_name_somebody_spoke_ends_and_it_is_told_who_sat_there(worker: Worker) -> None:
    office = Office()
    with office.blaming(worker):
        office.hear(worker, [7])
    assert worker.process.wait(timeout=60) < 0
    assert office.said == [
        "somebody wrote results in the name of a worker while it played block 0, rotation 0 (a, b); none of them is "
        "kept, and another worker goes on"
    ]
    office.account_for_death(worker)
    assert office.deaths == {"block 0, rotation 0 (a, b)": 1}
    assert [job.rotation for job in office.board.jobs] == [0, 1]


def test_bytes_that_are_no_message_are_not_the_workers_own() -> None:
    async def hear() -> None:
        send, receive = trio.testing.memory_stream_one_way_pair()
        await send.send_all(msgpack.packb(ALIVE) + b"\xc1")
        with pytest.raises(Forged):
            await anext(incoming(receive))

    trio.run(hear)


def test_a_message_that_somebody_else_has_begun_is_not_waited_for_however_lively_the_worker_is() -> None:
    """Whatever the worker itself says would be taken for the inside of it."""

    async def speak(send: trio.abc.SendStream) -> None:
        await send.send_all(HEAD_OF_A_LONG_ONE)
        while True:
            await trio.sleep(1)
            await send.send_all(msgpack.packb(ALIVE))

    async def hear() -> None:
        send, receive = trio.testing.memory_stream_one_way_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(speak, send)
            with pytest.raises(trio.TooSlowError):
                await anext(incoming(receive, silence=20))
            nursery.cancel_scope.cancel()

    trio.run(hear, clock=trio.testing.MockClock(autojump_threshold=0))


# ---- A machine that is too busy


def test_a_match_that_the_machine_is_too_busy_for_has_another_turn_after_all_others_and_is_given_up_then(
    worker: Worker,
) -> None:
    office = Office()
    [(ticket, late), (_, other)] = worker.jobs.items()
    office.board.jobs.append(other)
    for turn in range(1, TURNS):
        office.hear(worker, [{"ticket": ticket, "too_busy": "a storm", "told": []}])
        assert list(office.board.jobs) == [other, *[late] * turn]
        worker.jobs[ticket] = late
    assert office.given_up == []
    office.hear(worker, [{"ticket": ticket, "too_busy": "a storm", "told": []}])
    assert office.given_up == [(late.rotation, "a storm")]
    assert ticket not in worker.jobs


# ---- For real

as_root = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can still open the files of a worker"
)


def run_with(forger: str, db: Path, code: int) -> tuple[str, str]:
    settings = [
        "--blocks",
        "3",
        "--jobs",
        "1",
        "--isolate",
        "none",
        "--seed",
        "1",
        "--move-time",
        "60",
        "--json",
    ]
    done = subprocess.run(
        command("run", "kali", "first", f"forger={forger}", *settings, "--db", str(db)),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@as_root
@pytest.mark.slow
def test_a_bot_that_forges_results_is_told_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    bot, once = STRANGE / "speaks_for_its_worker.py", tmp_path / "once"
    db = tmp_path / "t.db"
    out, err = run_with(shlex.join(["python", str(bot), str(once)]), db, code=0)
    lines = [line for line in err.splitlines() if "in the name of a worker" in line]
    assert len(lines) == 1
    assert "first, forger)" in lines[0] or "forger, first)" in lines[0]
    assert json.loads(out)["matches"] == 6
    assert "99" not in {str(score) for [score] in query(db, "select score from seat")}
    assert dalang("verify", str(db)).startswith("✓ 6 matches")


@as_root
@pytest.mark.slow
def test_a_bot_that_forges_results_again_and_again_ends_the_run_and_nothing_of_it_is_kept(
    tmp_path: Path,
) -> None:
    db = tmp_path / "t.db"
    _, err = run_with(str(STRANGE / "speaks_for_its_worker.py"), db, code=2)
    assert "3 workers died at block 0, rotation 0 (" in err
    assert "the last one said: what somebody else wrote in its name" in err
    assert query(db, "select count(*) from match") == [(0,)]
