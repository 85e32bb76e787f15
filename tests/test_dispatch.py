"""What is sent to whom in a cluster, and what comes back: without Dask, and without games."""

from __future__ import annotations

import threading
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.engine.game import SetupError
from dalang.harness.blocks import Block
from dalang.harness.cluster import batches, remote
from dalang.harness.cluster.batches import (
    BATCHES_PER_SLOT,
    LONGEST_BATCH,
    note_pace,
    seconds_of_batch,
    wanted_jobs,
)
from dalang.harness.cluster.member import Host, Member
from dalang.harness.match.game_errors import GameBroke
from dalang.harness.tournament.crew import DEATHS, TURNS
from dalang.harness.tournament.worker import Job
from tests.clusters import SEED, PretendedMachine, Tournament, all_of, found_on

# ---- What is sent


def test_every_job_comes_back_once_and_the_file_knows_from_where(tmp_path: Path) -> None:
    slow = PretendedMachine(found_on("slow"), seconds=lambda job: 0.1)
    quick = PretendedMachine(found_on("quick"), slots=2, seconds=lambda job: 0.01)
    played = Tournament(tmp_path, slow, quick)
    played.play(1000)
    assert played.keys() == all_of(1000)
    assert played.machines["quick"] > 5 * played.machines["slow"] > 0
    assert sum(played.machines.values()) == 2000
    assert slow.most_waiting <= BATCHES_PER_SLOT and quick.most_waiting <= 2 * BATCHES_PER_SLOT


def test_batches_come_to_take_as_long_as_they_should(tmp_path: Path) -> None:
    machine = PretendedMachine(found_on("one"), seconds=lambda job: 0.01)
    Tournament(tmp_path, machine).play(3000)
    sizes = [len(batch) for batch in machine.batches]
    assert sizes[0] == batches.FIRST_BATCH
    assert max(sizes) == pytest.approx(batches.SHORTEST_BATCH / 0.01, rel=0.1)


@given(st.floats(1e-6, 1e4), st.integers(1, 10**5), st.integers(1, 10**4))
def test_a_batch_is_neither_too_long_nor_too_much_to_remember(pace: float, slots: int, before: int) -> None:
    member = Member("", 1, Host("", {}))
    note_pace(member, before, pace * before)
    jobs = wanted_jobs(member, slots)
    assert 1 <= jobs <= batches.MOST_IN_A_BATCH
    assert jobs == 1 or jobs * pace <= seconds_of_batch(slots) + pace <= LONGEST_BATCH + pace
    assert jobs == 1 or jobs * slots * BATCHES_PER_SLOT <= batches.MOST_IN_THE_AIR


# ---- Those who are lost


def test_what_a_lost_machine_had_is_played_by_others(tmp_path: Path) -> None:
    lost, other = (PretendedMachine(found_on(name), seconds=lambda job: 0.5) for name in ("lost", "other"))
    played = Tournament(tmp_path, lost, other)

    def lose() -> None:
        lost.is_there = False

    played.play(100, meanwhile=lose)
    assert played.keys() == all_of(100)
    assert (
        "lost has lost a worker (it has left the cluster); what it was playing is played by others"
        in played.said
    )


def test_a_machine_in_trouble_gets_no_more_and_says_why(tmp_path: Path) -> None:
    """It stays in the cluster; what it had finished before counts."""
    full = PretendedMachine(found_on("full"), trouble="OSError: no space left")
    usual = full.outcome
    full.outcome = lambda job: usual(job) if job.rotation else None
    played = Tournament(tmp_path, full, PretendedMachine(found_on("other")))
    played.play(200)
    assert played.keys() == all_of(200)
    assert played.machines["full"] > 0 and len(full.batches) <= BATCHES_PER_SLOT
    assert [line for line in played.said if "full" in line] == [
        "full has lost a worker (OSError: no space left); what it was playing is played by others"
    ]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # it goes into Dask's log
def test_a_machine_that_cannot_start_workers_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spawn_worker(*arguments: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("dalang.harness.tournament.workers.spawn_worker", spawn_worker)
    before = set(threading.enumerate())
    station = remote.Station(Tournament(tmp_path).assignment, 1, 0)
    for _ in range(2):
        answer = station.play([Job(Block(0, 0, ("a", "b"), 0), 0, SEED)])
        assert (answer["outcomes"], answer["error"]) == ([None], None)
        assert answer["trouble"] == "OSError: [Errno 28] No space left on device"
    for thread in set(threading.enumerate()) - before:
        thread.join()


def test_it_is_told_for_which_bot_nobody_is_left(tmp_path: Path) -> None:
    """What the others can play goes on, and one who comes later plays the rest."""
    unable = PretendedMachine(found_on("unable"), problems={"b": "no Go"})
    able = PretendedMachine(found_on("able"), seconds=lambda job: 0.1)
    played = Tournament(tmp_path, unable, able)
    missing = (
        "nobody is left who can play b; waiting for machines to join (Ctrl-C keeps all that is finished)"
    )

    def look_around() -> None:
        able.is_there = False

    def tell(text: str) -> None:
        played.said.append(text)
        if text == missing:
            played.link.machines["tcp://late"] = PretendedMachine(found_on("late"))

    played.tell = tell
    played.play(50, meanwhile=look_around)
    assert played.keys() == all_of(50)
    assert missing in played.said and played.machines["late"] > 0


def test_a_match_at_which_workers_die_again_and_again_ends_the_run(tmp_path: Path) -> None:
    """Each of them dies when it comes to it: the last one had nothing else."""
    machines = [PretendedMachine(found_on(f"m{number}")) for number in range(DEATHS + 1)]

    def deadly(machine: PretendedMachine) -> Callable[[Job], float]:
        def seconds(job: Job) -> float:
            machine.is_there = machine.is_there and job.key != (7, 1)
            return 0.01 if machine.is_there else 1e6

        return seconds

    for machine in machines:
        machine.seconds = deadly(machine)
    played = Tournament(tmp_path, *machines)
    with pytest.raises(ExceptionGroup) as raised:
        played.play(50)
    complaint = (
        f"^{DEATHS} workers died at block 7, rotation 1 \\(b, a\\); the last one said: m., it has left"
    )
    assert raised.group_contains(SetupError, match=complaint, depth=2)
    fatal = [
        batch for machine in machines for batch in machine.batches if (7, 1) in [job.key for job in batch]
    ]
    assert len(fatal) == DEATHS
    assert any([job.key for job in batch] == [(7, 1)] for batch in fatal)


def test_a_match_that_one_machine_is_too_busy_for_gets_another_turn_and_is_given_up_then(
    tmp_path: Path,
) -> None:
    machine = PretendedMachine(found_on("busy"))
    usual = machine.outcome
    machine.outcome = lambda job: {"too_busy": "a storm"} if job.key == (3, 0) else usual(job)
    played = Tournament(tmp_path, machine)
    played.play(10)
    assert [(job.key, reason) for job, reason in played.given_up] == [((3, 0), "busy: a storm")]
    assert sum((3, 0) in [job.key for job in batch] for batch in machine.batches) == TURNS
    assert played.keys() == [key for key in all_of(10) if key != (3, 0)]


def test_what_nothing_came_of_is_sent_again(tmp_path: Path) -> None:
    machine = PretendedMachine(found_on("forgetful"))
    usual, forgotten = machine.outcome, set[object]()

    def forget(job: Job) -> Any:
        if job.key in forgotten:
            return usual(job)
        return forgotten.add(job.key)

    machine.outcome = forget
    played = Tournament(tmp_path, machine)
    played.play(5)
    assert played.keys() == all_of(5)


@pytest.mark.parametrize("broke", [True, False])
def test_an_error_there_ends_the_run_here_and_says_where_it_was(broke: bool, tmp_path: Path) -> None:
    machine = PretendedMachine(found_on("there"))

    async def fail(jobs: list[Job]) -> Any:
        error = {"text": "3 workers died at the start", "game_broke": broke}
        return {"seconds": 1.0, "outcomes": [None] * len(jobs), "told": [], "error": error, "trouble": ""}

    machine.play = fail  # type: ignore[method-assign]
    with pytest.raises(ExceptionGroup) as raised:
        Tournament(tmp_path, machine).play(5)
    kind = GameBroke if broke else SetupError
    assert raised.group_contains(kind, match="^there: 3 workers died at the start", depth=2)


def test_somebody_who_joins_an_empty_cluster_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = PretendedMachine(found_on("late"))
    played = Tournament(tmp_path, machine)
    present, looks = played.link.present, [0]

    async def empty_at_first() -> Any:
        looks[0] += 1
        return await present() if looks[0] > 2 else []

    monkeypatch.setattr(played.link, "present", empty_at_first)
    played.play(3)
    assert played.keys() == all_of(3)
    assert played.said[0].startswith(
        "the cluster is empty; waiting for machines to join it, as by: dask worker "
    )
