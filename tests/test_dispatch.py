"""Who plays in a cluster, and what is sent to whom: without Dask, and without games."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from errno import ENOSPC
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
from dalang.harness.cluster import batches, remote
from dalang.harness.cluster.batches import (
    BATCHES_PER_SLOT,
    LONGEST_BATCH,
    note_pace,
    seconds_of_batch,
    wanted_jobs,
)
from dalang.harness.cluster.cluster import Cluster, cluster_at
from dalang.harness.cluster.link import check_installed, in_time, security_of
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
EXAMPLES = Path(__file__).parent.parent / "examples"


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
        self.tell: Callable[[str], None] = self.said.append
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
                store, report, lambda job, reason: self.given_up.append((job, reason)), self.tell
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


def test_a_machine_in_trouble_gets_no_more_and_says_why(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    """It stays in the cluster; what it had finished before counts."""
    full = PretendedMachine(found_on("full"), trouble="OSError: no space left")
    usual = full.outcome
    full.outcome = lambda job: usual(job) if job.rotation else None
    played = Tournament(tmp_path, full, PretendedMachine(found_on("other")))
    played.play(200, autojump_clock)
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


def test_it_is_told_for_which_bot_nobody_is_left(tmp_path: Path, autojump_clock: trio.abc.Clock) -> None:
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
    played.play(50, autojump_clock, meanwhile=look_around)
    assert played.keys() == all_of(50)
    assert missing in played.said and played.machines["late"] > 0


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
        return {"seconds": 1.0, "outcomes": [None] * len(jobs), "told": [], "error": error, "trouble": ""}

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
    assert raised.group_contains(Unlike, match=f"^other {complaint}", depth=2)


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
    assert raised.group_contains(Unlike, match=f"^{said}", depth=2)
    with pytest.raises(Unusable, match=said):
        Tournament(tmp_path, PretendedMachine(unable), isolate="auto").examine()


def test_a_bot_that_no_machine_can_play_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    machines = [PretendedMachine(found_on(name), problems={"b": f"{name} has no Go"}) for name in ("x", "y")]
    with pytest.raises(
        SetupError, match="no machine of the cluster can play b: x: x has no Go; y: y has no Go"
    ):
        Tournament(tmp_path, *machines).examine()


@pytest.mark.parametrize("at", [remote.look, remote.measure, remote.settle])
def test_a_worker_that_leaves_while_it_is_examined_is_not_waited_for(
    at: Callable[..., bytes], tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    """As one does that has no dalang: it cannot even read what it is asked."""
    leaves, stays = (PretendedMachine(found_on(name)) for name in ("leaves", "stays"))
    usual = leaves.answer

    async def leave(task: Callable[..., Any], *arguments: Any) -> Any:
        if task is at:
            leaves.is_there = False
            await trio.sleep_forever()
        return await usual(task, *arguments)

    leaves.answer = leave  # type: ignore[method-assign]
    played = Tournament(tmp_path, leaves, stays)
    played.play(3, autojump_clock)
    assert played.machines == {"stays": 6}
    assert played.said == [
        f"the worker at tcp://0 has left the cluster while it was examined; it needs dalang {dalang.__version__}"
    ]


def test_a_machine_is_greeted_by_the_next_worker_if_the_first_one_left(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    machines = [PretendedMachine(found_on("shared", missing=["whole-1"])) for _ in range(2)]

    def leaving(machine: PretendedMachine) -> Callable[..., Any]:
        usual = machine.answer

        async def answer(task: Callable[..., Any], *arguments: Any) -> Any:
            answer = await usual(task, *arguments)
            if task is remote.settle and all(each.is_there for each in machines):
                machine.is_there = False
                await trio.sleep_forever()
            return answer

        return answer

    for machine in machines:
        machine.answer = leaving(machine)  # type: ignore[method-assign]
    played = Tournament(tmp_path, *machines)
    played.members.archives["whole-1"] = b"content"
    played.play(3, autojump_clock)
    assert [order["is_first"] for machine in machines for order in machine.orders] == [True, True]


def test_a_machine_that_has_no_room_for_bots_plays_nothing(tmp_path: Path) -> None:
    full = PretendedMachine(found_on("full", missing=["whole-1"]), refusal="No space left on device")
    played = Tournament(tmp_path, full, PretendedMachine(found_on("roomy")))
    played.members.archives["whole-1"] = b"content"
    played.examine()
    assert [member.host.name for member in played.members] == ["roomy"]
    assert played.said == ["full cannot keep bots, and plays nothing: No space left on device"]


def test_a_machine_that_can_take_no_part_is_told_of_once(
    tmp_path: Path, autojump_clock: trio.abc.Clock
) -> None:
    plays, unable = (
        PretendedMachine(found_on(name), seconds=lambda job: 1.0) for name in ("plays", "unable")
    )
    unable.slots = 0
    played = Tournament(tmp_path, plays, unable)
    played.play(5, autojump_clock)
    assert played.keys() == all_of(5) and len(played.said) == 1


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
    assert sorted(machine.archives for machine in machines) == [[], ["whole-1"]]
    assert sorted(order["is_first"] for order in orders) == [False, True]
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
    ("address", "listens_at", "told"),
    [
        ("tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786", ["tcp://10.0.0.1:8786"]),
        ("tls://10.0.0.1:8786", "tls://10.0.0.1:8786", []),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786", []),
        ("tcp://127.0.0.1:8786", "tcp://10.0.0.1:8786", ["tcp://10.0.0.1:8786"]),
        ("tcp://[::1]:8786", "tcp://[::1]:8786", []),
        ("tcp://localhost:8786", "tcp://127.0.0.1:8786", []),
        ("tcp://localhost.evil:8786", "tcp://127.0.0.1:8786", ["tcp://localhost.evil:8786"]),
    ],
)
def test_a_scheduler_that_strangers_may_reach_is_told_of(
    address: str, listens_at: str, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that we reach by the loopback, while it listens to all."""
    link = PretendedLink({})
    link.address = address
    monkeypatch.setattr(link, "listens_at", lambda: listens_at)
    monkeypatch.setattr("dalang.harness.cluster.cluster.linked", lambda place: nullcontext(link))
    said: list[str] = []
    config = Config(terms_for(find_game("kali"), {}, 2), ())
    with cluster_at(ClusterPlace(address), config, said.append):
        pass
    assert [line.split(" is reached without TLS")[0] for line in said] == [
        f"the scheduler at {each}" for each in told
    ]


@pytest.mark.parametrize(
    ("isolate", "bot", "is_told"),
    [("none", "mine.py", True), ("none", "first", False), ("sandbox", "mine.py", False)],
)
def test_bots_of_others_that_are_not_isolated_are_told_of(
    isolate: str, bot: str, is_told: bool, tmp_path: Path
) -> None:
    played = Tournament(tmp_path, PretendedMachine(found_on("one")), isolate=isolate)
    named = bot if bot == "first" else str(EXAMPLES / bot)
    assignment = replace(played.assignment, entrants=tuple(find_entrants([f"a={named}", "b=random"])))
    trio.run(Cluster(played.members).examine, assignment)
    assert [
        line.startswith("bots that are not isolated can reach the scheduler") for line in played.said
    ] == [True] * is_told


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalang.harness.cluster.link.CONNECT_SECONDS", 0.01)
    said_something = threading.Event()
    with pytest.raises(TimeoutError):
        in_time(said_something.wait)
    said_something.set()
    assert in_time(lambda: "a client") == "a client"
    with pytest.raises(ValueError, match="not so"):
        in_time(lambda: int("not so"))


def test_without_certificates_a_scheduler_that_wants_them_is_not_called(tmp_path: Path) -> None:
    (tmp_path / "bad.pem").write_text("no certificate")
    for files, complaint in (
        ({}, "needs certificates: name tls_ca, tls_cert and tls_key"),
        ({"tls_key": tmp_path / "bad.pem"}, "needs certificates"),
        ({"tls_ca": tmp_path / "bad.pem", "tls_cert": tmp_path / "bad.pem"}, "cannot be used"),
    ):
        with pytest.raises(SetupError, match=complaint):
            security_of(ClusterPlace("tls://127.0.0.1:1", **files))
