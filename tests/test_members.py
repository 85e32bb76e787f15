"""Who plays in a cluster, and what is told of those who do not: without Dask, and without games."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

import dalang
from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.cluster import remote
from dalang.harness.cluster.cluster import Cluster, cluster_at
from dalang.harness.cluster.link import Link, check_installed, in_time, security_of
from dalang.harness.cluster.members import Unlike, Unusable
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.limits import Limits
from dalang.harness.tournament.cluster_place import ClusterPlace
from dalang.harness.tournament.config import Config, terms_for
from tests.clusters import FAST, PretendedLink, PretendedMachine, Tournament, all_of, found_on

EXAMPLES = Path(__file__).parent.parent / "examples"

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
    at: Callable[..., bytes], tmp_path: Path
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
    played.play(3)
    assert played.machines == {"stays": 6}
    assert played.said == [
        f"the worker at tcp://0 has left the cluster while it was examined; it needs dalang {dalang.__version__}"
    ]


def test_a_machine_is_greeted_by_the_next_worker_if_the_first_one_left(tmp_path: Path) -> None:
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
    played.play(3)
    assert [order["is_first"] for machine in machines for order in machine.orders] == [True, True]


def test_a_machine_that_has_no_room_for_bots_plays_nothing(tmp_path: Path) -> None:
    full = PretendedMachine(found_on("full", missing=["whole-1"]), refusal="No space left on device")
    played = Tournament(tmp_path, full, PretendedMachine(found_on("roomy")))
    played.members.archives["whole-1"] = b"content"
    played.examine()
    assert [member.host.name for member in played.members] == ["roomy"]
    assert played.said == ["full cannot keep bots, and plays nothing: No space left on device"]


def test_a_worker_that_is_busy_elsewhere_is_asked_again(tmp_path: Path) -> None:
    """As it is with the tasks of somebody else's run."""
    busy, plays = (PretendedMachine(found_on(name), seconds=lambda job: 1.0) for name in ("busy", "plays"))
    usual, asked = busy.answer, []

    async def answer(task: Callable[..., Any], *arguments: Any) -> Any:
        asked.append(task)
        if len(asked) == 1:
            await trio.sleep_forever()
        return await usual(task, *arguments)

    busy.answer = answer  # type: ignore[method-assign]
    played = Tournament(tmp_path, busy, plays)
    played.play(20)
    assert played.keys() == all_of(20) and played.machines.keys() == {"busy", "plays"}
    assert played.said[0] == "the worker at tcp://0 did not answer within 60 s"


def test_a_machine_that_can_take_no_part_is_told_of_once(tmp_path: Path) -> None:
    plays, unable = (
        PretendedMachine(found_on(name), seconds=lambda job: 1.0) for name in ("plays", "unable")
    )
    unable.slots = 0
    played = Tournament(tmp_path, plays, unable)
    played.play(5)
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


def test_machines_that_share_a_kernel_are_told_of_together_if_they_are_too_many(tmp_path: Path) -> None:
    played = Tournament(
        tmp_path, *(PretendedMachine(found_on(name, cores=2), slots=2) for name in ("a", "b"))
    )
    played.examine()
    [said] = played.said
    assert said.removeprefix(said[0]).startswith(
        " and those that share its kernel are to play 4 matches at once, but "
    )
    assert said.endswith(f" but {said[0]} has 2 cores: bots may wait for each other there")


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


class PretendedClient:
    """Of Dask's, with a scheduler that calls itself by one address and listens to others.

    Where these are None, it lacks dalang.
    """

    def __init__(self, named: str, listeners: list[str] | None) -> None:
        self.named = named
        self.dask_scheduler = SimpleNamespace(
            listeners=[SimpleNamespace(listen_address=each) for each in listeners or []]
        )
        self.has_dalang = listeners is not None

    def scheduler_info(self, n_workers: int) -> Any:
        return {"address": self.named}

    def run_on_scheduler(self, task: Callable[..., Any], callback_timeout: float) -> Any:
        if not self.has_dalang:
            raise ModuleNotFoundError
        return task(dask_scheduler=self.dask_scheduler)


@pytest.mark.parametrize(
    ("named", "listeners", "listens_at"),
    [
        ("tcp://127.0.0.1:8786", ["tcp://127.0.0.1:8786"], "tcp://127.0.0.1:8786"),
        ("tcp://127.0.0.1:8786", ["tcp://0.0.0.0:8786"], "tcp://0.0.0.0:8786"),
        ("tcp://127.0.0.1:8786", ["tcp://127.0.0.1:8786", "tcp://[::]:8786"], "tcp://[::]:8786"),
        ("tcp://10.0.0.1:8786", ["tcp://0.0.0.0:8786"], "tcp://10.0.0.1:8786"),
        ("tls://127.0.0.1:8786", ["tls://0.0.0.0:8786"], "tls://127.0.0.1:8786"),
        ("tcp://127.0.0.1:8786", None, "tcp://127.0.0.1:8786"),
    ],
)
def test_a_scheduler_that_listens_to_all_does_not_hide_behind_its_name(
    named: str, listeners: list[str] | None, listens_at: str
) -> None:
    client: Any = PretendedClient(named, listeners)
    assert Link(client, named).listens_at() == listens_at


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
