"""Who plays in a cluster, and what is sent to whom: without Dask, and without games."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

import dalang
from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.blocks import Block
from dalang.harness.cluster import batches
from dalang.harness.cluster.batches import (
    BATCHES_PER_SLOT,
    LONGEST_BATCH,
    note_pace,
    seconds_of_batch,
    wanted_jobs,
)
from dalang.harness.cluster.cluster import Cluster, cluster_at
from dalang.harness.cluster.link import check_installed
from dalang.harness.cluster.member import Host, Member
from dalang.harness.cluster.members import ClusterMembers, Unlike, Unusable
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.game_errors import GameBroke
from dalang.harness.match.limits import Limits
from dalang.harness.tournament.cluster_place import ClusterPlace
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.crew import DEATHS, TURNS
from dalang.harness.tournament.machine_tables import matches_on
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.worker import Assignment, Job
from tests.clusters import FAST, PretendedLink, PretendedMachine, found_on

SEED = "seed"


@pytest.fixture
def autojump_clock() -> trio.abc.Clock:
    """Nobody waits for anything."""
    return MockClock(autojump_threshold=0)


class Tournament:
    """Jobs that are played by pretended machines, and what is told of it."""

    def __init__(
        self, folder: Path, *machines: PretendedMachine, isolate: str = "none", **terms: Any
    ) -> None:
        self.folder = folder
        self.link = PretendedLink({f"tcp://{number}": each for number, each in enumerate(machines)})
        asked = terms_for(find_game("kali"), {}, 2, isolate=isolate, **terms)
        self.said: list[str] = []
        self.members = ClusterMembers(self.link, Config(asked, ()), self.said.append)  # type: ignore[arg-type]
        settled = (
            asked if isolate != "auto" else terms_for(find_game("kali"), {}, 2, isolate="sandbox", **terms)
        )
        self.assignment = Assignment(settled, tuple(find_entrants(["a=first", "b=random"])))
        self.kept: list[StoredMatch] = []
        self.given_up: list[tuple[Job, str]] = []

    def examine(self) -> None:
        trio.run(self.members.examine, self.assignment)

    def play(self, blocks: int, clock: trio.abc.Clock, meanwhile: Callable[[], None] | None = None) -> None:
        """Examine everybody, then play so many blocks; `meanwhile` is called when some of them are finished."""

        async def offer() -> None:
            for number in range(blocks):
                block = Block(number, 0, ("a", "b"), number)
                await crew.board.put([Job(block, rotation, SEED) for rotation in (0, 1)])
            crew.board.close()

        def report(matches: list[StoredMatch]) -> None:
            self.kept.extend(matches)
            if meanwhile:
                meanwhile()

        async def run() -> None:
            await self.members.examine(self.assignment)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(crew.run)
                nursery.start_soon(offer)

        with create_or_open(self.folder / "t.db") as store:
            store.begin(self.assignment.terms, [])
            crew = Cluster(self.members).hire(
                store, report, lambda job, reason: self.given_up.append((job, reason)), self.said.append
            )
            trio.run(run, clock=clock)
            store.save(self.kept)
            self.machines = {on.machine: on.matches for on in matches_on(store)}

    def keys(self) -> list[tuple[int, int]]:
        return sorted((match.block.number, match.rotation) for match in self.kept)


def all_of(blocks: int) -> list[tuple[int, int]]:
    return [(number, rotation) for number in range(blocks) for rotation in (0, 1)]


# ---- What is sent


def test_every_job_comes_back_once_and_the_file_knows_from_where(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    slow = PretendedMachine(found_on("slow"), seconds=lambda job: 0.1)
    quick = PretendedMachine(found_on("quick"), slots=2, seconds=lambda job: 0.01)
    played = Tournament(tmp_path, slow, quick)
    played.play(1000, autojump_clock)
    assert played.keys() == all_of(1000)
    assert played.machines["quick"] > 5 * played.machines["slow"] > 0
    assert sum(played.machines.values()) == 2000
    assert slow.most_waiting <= BATCHES_PER_SLOT and quick.most_waiting <= 2 * BATCHES_PER_SLOT


def test_batches_come_to_take_as_long_as_they_should(tmp_path: Path, autojump_clock: trio.abc.Clock) -> None:
    machine = PretendedMachine(found_on("one"), seconds=lambda job: 0.01)
    Tournament(tmp_path, machine).play(3000, autojump_clock)
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


def test_what_a_lost_machine_had_is_played_by_others(tmp_path: Path, autojump_clock: trio.abc.Clock) -> None:
    lost, other = (PretendedMachine(found_on(name), seconds=lambda job: 0.5) for name in ("lost", "other"))
    played = Tournament(tmp_path, lost, other)

    def lose() -> None:
        lost.is_there = False

    played.play(100, autojump_clock, meanwhile=lose)
    assert played.keys() == all_of(100)
    assert (
        "lost has lost a worker (it has left the cluster); what it was playing is played by others"
        in played.said
    )


def test_a_match_at_which_workers_die_again_and_again_ends_the_run(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
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
        played.play(50, autojump_clock)
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
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    machine = PretendedMachine(found_on("busy"))
    usual = machine.outcome
    machine.outcome = lambda job: {"too_busy": "a storm"} if job.key == (3, 0) else usual(job)
    played = Tournament(tmp_path, machine)
    played.play(10, autojump_clock)
    assert [(job.key, reason) for job, reason in played.given_up] == [((3, 0), "busy: a storm")]
    assert sum((3, 0) in [job.key for job in batch] for batch in machine.batches) == TURNS
    assert played.keys() == [key for key in all_of(10) if key != (3, 0)]


def test_what_nothing_came_of_is_sent_again(tmp_path: Path, autojump_clock: trio.abc.Clock) -> None:
    machine = PretendedMachine(found_on("forgetful"))
    usual, forgotten = machine.outcome, set[object]()

    def forget(job: Job) -> Any:
        if job.key in forgotten:
            return usual(job)
        return forgotten.add(job.key)

    machine.outcome = forget
    played = Tournament(tmp_path, machine)
    played.play(5, autojump_clock)
    assert played.keys() == all_of(5)


@pytest.mark.parametrize("broke", [True, False])
def test_an_error_there_ends_the_run_here_and_says_where_it_was(
    broke: bool, tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    machine = PretendedMachine(found_on("there"))

    async def fail(jobs: list[Job]) -> Any:
        error = {"text": "3 workers died at the start", "game_broke": broke}
        return {"seconds": 1.0, "outcomes": [None] * len(jobs), "told": [], "error": error}

    machine.play = fail  # type: ignore[method-assign]
    with pytest.raises(ExceptionGroup) as raised:
        Tournament(tmp_path, machine).play(5, autojump_clock)
    kind = GameBroke if broke else SetupError
    assert raised.group_contains(kind, match="^there: 3 workers died at the start", depth=2)


def test_somebody_who_joins_an_empty_cluster_is_waited_for(
    tmp_path: Path, autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = PretendedMachine(found_on("late"))
    played = Tournament(tmp_path, machine)
    present, looks = played.link.present, [0]

    async def empty_at_first() -> Any:
        looks[0] += 1
        return await present() if looks[0] > 2 else []

    monkeypatch.setattr(played.link, "present", empty_at_first)
    played.play(3, autojump_clock)
    assert played.keys() == all_of(3)
    assert played.said[0].startswith(
        "the cluster is empty; waiting for machines to join it, as by: dask worker "
    )


# ---- Before the first match


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"dalang": "0.0.1"}, f"has dalang 0.0.1, this machine dalang {dalang.__version__};"),
        ({"rules": 99}, "has the rules of kali in version 99, this machine the rules of kali in version"),
        ({"rules": None}, "has no game kali, this machine"),
        ({"python": "3.4.5"}, "has Python 3.4, this machine Python 3."),
    ],
)
def test_a_machine_that_is_unlike_the_others_is_refused_with_both_versions(
    changes: Any, complaint: str, tmp_path: Path
) -> None:
    played = Tournament(tmp_path, PretendedMachine(found_on("other", **changes)))
    with pytest.raises(ExceptionGroup) as raised:
        played.examine()
    assert raised.group_contains(Unlike, match=f"^other {complaint}", depth=1)


def test_a_machine_that_cannot_isolate_is_played_without_unless_that_was_demanded(tmp_path: Path) -> None:
    able, unable = found_on("able"), found_on("unable", levels={"sandbox": "no bubblewrap"})
    said = "unable cannot isolate bots by sandbox, and plays nothing: no bubblewrap"
    played = Tournament(tmp_path, PretendedMachine(able), PretendedMachine(unable), isolate="auto")
    played.examine()
    assert [member.host.name for member in played.members] == ["able"]
    assert played.said == [said]
    demanding = Tournament(tmp_path, PretendedMachine(able), PretendedMachine(unable), isolate="sandbox")
    with pytest.raises(ExceptionGroup) as raised:
        demanding.examine()
    assert raised.group_contains(Unlike, match=f"^{said}", depth=1)
    with pytest.raises(Unusable, match=said):
        Tournament(tmp_path, PretendedMachine(unable), isolate="auto").examine()


def test_a_bot_that_no_machine_can_play_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    machines = [PretendedMachine(found_on(name), problems={"b": f"{name} has no Go"}) for name in ("x", "y")]
    with pytest.raises(
        SetupError, match="no machine of the cluster can play b: x: x has no Go; y: y has no Go"
    ):
        Tournament(tmp_path, *machines).examine()


def test_a_worker_that_has_no_core_for_matches_hears_how_to_get_one(tmp_path: Path) -> None:
    machine = PretendedMachine(found_on("plain"))
    machine.slots = 0
    with pytest.raises(
        Unusable, match=r'start it as: dask worker tcp://\S+ --nthreads 1 --resources "core=1"'
    ):
        Tournament(tmp_path, machine).examine()


def test_two_workers_of_a_machine_have_different_cores_and_get_bots_once(tmp_path: Path) -> None:
    shared = found_on("shared", missing=["whole-1"])
    machines = [PretendedMachine(shared, slots=2) for _ in range(2)]
    played = Tournament(tmp_path, *machines)
    played.members.archives["whole-1"] = b"content"
    played.examine()
    orders = [order for machine in machines for order in machine.orders]
    assert sorted(order["first_place"] for order in orders) == [0, 2]
    assert sorted(bool(order["archives"]) for order in orders) == [False, True]
    assert sorted(order["greet"] for order in orders) == [False, True]
    [first, _] = played.members
    played.members.forget(first)
    with played.members.placed(first.host, 2) as place:
        assert place == first.first_place


def test_more_matches_at_once_than_cores_are_told(tmp_path: Path) -> None:
    played = Tournament(tmp_path, PretendedMachine(found_on("small", cores=2), slots=3))
    played.examine()
    assert played.said == [
        "small is to play 3 matches at once, but has 2 cores: bots will wait for each other there"
    ]


@pytest.mark.parametrize(("reference", "move"), [(None, 1.0), (FAST, 2.0), (FAST / 4, 0.5)])
def test_a_machine_of_half_the_speed_gives_twice_the_time_if_clocks_are_scaled(
    reference: float | None, move: float, tmp_path: Path
) -> None:
    machine = PretendedMachine(found_on("slow"), speed=FAST / 2)
    limits = Limits(startup=10, prepare=10, move=1, bank=10, memory=2**30)
    played = Tournament(tmp_path, machine, limits=limits, reference_speed=reference)
    first, second = played.assignment.entrants
    played.assignment = replace(played.assignment, entrants=(first, replace(second, limits={"move": 3.0})))
    played.examine()
    [order] = machine.orders
    assert [parcel["limits"] for parcel in order["parcels"]] == [{}, {"move": 3 * move}]
    terms = order["assignment"]["terms"]
    assert terms["limits"] == {
        "startup": 10 * move, "prepare": 10 * move, "move": move, "bank": 10 * move, "memory": 2**30,
    }  # fmt: skip
    assert terms["seed"] == ""


# ---- The line


def test_without_dask_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        SetupError, match=r"a cluster needs Dask; install it with: pip install 'dalang\[cluster\]'"
    ):
        check_installed()


@pytest.mark.parametrize(
    ("address", "is_told"),
    [("tcp://10.0.0.1:8786", True), ("tls://10.0.0.1:8786", False), ("tcp://127.0.0.1:8786", False),
     ("tcp://[::1]:8786", False), ("tcp://localhost:8786", False), ("tcp://localhost.evil:8786", True)],
)  # fmt: skip
def test_a_scheduler_that_strangers_may_reach_is_told_of(
    address: str, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dalang.harness.cluster.cluster.linked", lambda place: nullcontext())
    said: list[str] = []
    config = Config(terms_for(find_game("kali"), {}, 2), ())
    with cluster_at(ClusterPlace(address), config, said.append):
        pass
    assert [line.startswith(f"the scheduler at {address} is reached without TLS") for line in said] == [
        True
    ] * is_told
