"""Tournaments on real clusters: killed, joined late, of other versions, and always the same in the end."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import dask
import distributed  # noqa: F401  with its settings, which stay when those of a test are taken back
import pytest
import trio
from distributed.client import AllExit

from dalang.harness.cluster.link import connected
from dalang.harness.isolation.process_tree import descendants
from dalang.harness.tournament.cluster_place import ClusterPlace
from tests.clusters import scheduler, worker
from tests.events import read_slowly
from tests.leftovers import gone, need_level
from tests.test_tournament import FOUR, ILLEGAL, SETTINGS, STRANGE, command, dalang, query

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("all_cores")]

ROOT = Path(__file__).parent.parent


class Shared(NamedTuple):
    """A cluster of two machines that all tests of this module may use, and the folder of its files."""

    address: str
    folder: Path


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    folder = tmp_path_factory.mktemp("cluster")
    with scheduler() as address, worker(address, folder, "alpha"), worker(address, folder, "beta"):
        yield Shared(address, folder)


def run(db: Path, *more: str, bots: list[str] = FOUR, code: int = 0) -> str:
    return dalang("run", "kali", *bots, *SETTINGS, "--db", str(db), *more, code=code)


def machines(db: Path) -> dict[str, int]:
    """By machine, its matches."""
    rows = json.loads(dalang("standings", str(db), "--machines", "--json"))["machines"]
    return {row["machine"]: row["matches"] for row in rows}


# ---- The same in the end


def test_a_cluster_comes_to_the_same_standings_as_one_worker_here(cluster: Shared, tmp_path: Path) -> None:
    """Also where each round depends on the last, and somebody is withdrawn."""
    settings = ["--format", "swiss", "--blocks", "9", "--max-faults", "3", "--json"]
    bots = [*FOUR, ILLEGAL]
    here = run(tmp_path / "here.db", *settings, "--jobs", "1", bots=bots)
    there = tmp_path / "there.db"
    assert run(there, *settings, "--cluster", cluster.address, bots=bots) == here
    assert "as they should be" in dalang("verify", str(there))
    assert [line["name"] for line in json.loads(here)["standings"] if line["faults"]] == ["always_illegal"]
    played = machines(there)
    assert sum(played.values()) == query(there, "select count(*) from match")[0][0]
    assert played.keys() <= {"alpha", "beta"}
    for name, speed in query(there, "select name, speed from machine"):
        assert name in played and speed > 0


@contextmanager
def playing(
    folder: Path, *more: str, mark: str, bots: list[str] = FOUR
) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A run that nobody waits for, and its events."""
    pipe = folder / "events"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    words = ["run", "kali", *bots, *SETTINGS, "--db", str(folder / "t.db"), "--events", str(pipe), *more]
    with (
        subprocess.Popen(
            command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "LC_MARK": mark},
        ) as process,
        read_slowly(pipe) as events,
    ):
        yield process, events
        process.kill()


def has_word(pid: int, word: str) -> bool:
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def family(process: subprocess.Popen[str], word: str) -> list[int]:
    """What a run has started that has this word in its command line."""
    return [pid for pid in descendants(process.pid) if has_word(pid, word)]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> str:
    return run(tmp_path_factory.mktemp("untouched") / "t.db", "--blocks", "10", "--json", "--jobs", "1")


def test_a_dask_worker_that_is_killed_costs_nothing_but_time(untouched: str, tmp_path: Path) -> None:
    mark = f"cluster-{os.getpid()}-worker"
    with playing(tmp_path, "--blocks", "10", "--json", "--cluster", "local:2", mark=mark) as (
        process,
        events,
    ):
        assert events.readline()
        [victim, _] = family(process, "spawn_main")
        os.kill(victim, signal.SIGKILL)
        for _ in events:
            pass
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert out == untouched
    assert "has lost a worker (it has left the cluster)" in err
    assert "Traceback" not in err
    assert gone(mark), "something outlived the run"


def test_a_scheduler_that_dies_takes_nothing_with_it_and_the_run_goes_on_without_one(
    untouched: str, tmp_path: Path
) -> None:
    """What is half played in a cluster and half here is the same again."""
    mark = f"cluster-{os.getpid()}-scheduler"
    with playing(tmp_path, "--blocks", "10", "--json", "--cluster", "local:2", mark=mark) as (
        process,
        events,
    ):
        assert events.readline()
        [victim] = family(process, "dalang.harness.cluster.local")
        os.kill(victim, signal.SIGKILL)
        kept = 1 + sum(1 for _ in events)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 2, err
    assert "nothing is lost: every finished match is in the file. Run the same command again" in err
    assert "Traceback" not in err
    assert gone(mark), "something outlived the run"
    assert query(tmp_path / "t.db", "select count(*) from match") == [(kept,)]
    assert run(tmp_path / "t.db", "--blocks", "10", "--json", "--jobs", "1") == untouched
    assert query(tmp_path / "t.db", "select count(*) from match_machine") == [(kept,)]


def test_what_was_begun_here_ends_in_a_cluster(untouched: str, cluster: Shared, tmp_path: Path) -> None:
    settings = ["--blocks", "10", "--json"]
    with playing(tmp_path, *settings, "--jobs", "1", mark="begun-here") as (process, events):
        for _ in range(3):
            assert events.readline()
        process.kill()
    assert run(tmp_path / "t.db", *settings, "--cluster", cluster.address) == untouched
    assert set(machines(tmp_path / "t.db")) == {"(this file's own)", "alpha", "beta"}


# ---- Those who come late, and those who cannot come


def other_version(folder: Path) -> list[str]:
    """Flags for a Dask worker that has another dalang."""
    preload = folder / "other_version.py"
    preload.write_text("import dalang\ndalang.__version__ = '0.0.1'\n")
    return ["--preload", str(preload)]


def test_a_worker_that_joins_late_gets_its_share_unless_it_is_of_another_version(
    cluster: Shared, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        more = ["--blocks", "100000", "--cluster", cluster.address]
        bots = ["first", str(STRANGE / "dawdles.py")]  # so that it costs little to wait for others
        process, events = stack.enter_context(playing(tmp_path, *more, mark="late", bots=bots))
        assert events.readline()
        stack.enter_context(worker(cluster.address, tmp_path, "other", *other_version(tmp_path)))
        stack.enter_context(worker(cluster.address, tmp_path, "late"))
        late = "select count(*) from match_machine join machine on machine = id where name = 'late'"
        while query(tmp_path / "t.db", late) == [(0,)]:
            assert events.readline(), process.communicate()
        process.send_signal(signal.SIGINT)
        for _ in events:
            pass
        _, err = process.communicate(timeout=300)
        assert process.returncode == 130, err
        assert "late plays from now on, too: 1 match at once more" in err
        assert "other has dalang 0.0.1, this machine dalang" in err
        assert query(tmp_path / "t.db", "select 1 from machine where name = 'other'") == []
        told = run(tmp_path / "anew.db", "--cluster", cluster.address, code=2)
    assert "other has dalang 0.0.1, this machine dalang 0." in told
    assert not (tmp_path / "anew.db").exists()


def test_a_scheduler_that_nobody_has_started_is_one_line(tmp_path: Path) -> None:
    told = run(tmp_path / "t.db", "--cluster", "127.0.0.1:1", code=2)
    assert "no scheduler of Dask's answers at tcp://127.0.0.1:1" in told
    assert told.endswith("start one with: dask scheduler\n")


def test_all_workers_are_there_whenever_they_are_looked_for(cluster: Shared) -> None:
    """Also while Dask's client asks on its own account, for nobody."""
    with (
        dask.config.set({"distributed.client.scheduler-info-interval": "1ms"}),
        connected(ClusterPlace(cluster.address)) as link,
    ):
        for _ in range(100):
            assert len(trio.run(link.present)) == 2


def test_only_a_wait_of_dasks_that_we_gave_up_ends_unheard(
    cluster: Shared, caplog: pytest.LogCaptureFixture
) -> None:
    """A result is lost with its worker, Dask waits for it anew, and we do not: nobody hears how its wait ends."""

    async def leave_alone(error: Exception) -> None:
        async def fail() -> None:
            raise error

        task = asyncio.create_task(fail())
        await asyncio.sleep(0)
        assert task.done()

    with connected(ClusterPlace(cluster.address)) as link:
        for error in (AllExit(), ValueError("a bug")):
            trio.run(link.carried, leave_alone(error))
            del error  # it knows the task by its traceback
            gc.collect()
    told = [record for record in caplog.records if record.name == "asyncio"]
    assert [str(record.exc_info[1]) for record in told if record.exc_info] == ["a bug"]


# ---- Bots that travel


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A bot that is made by a program which only one of two machines has."""
    tools, bot = tmp_path / "tools", tmp_path / "made"
    tools.mkdir()
    bot.mkdir()
    (tools / "make-a-bot").write_text("#!/bin/sh\nmkdir -p out && cp source out/bot.py\n")
    (tools / "make-a-bot").chmod(0o755)
    shutil.copy(ROOT / "examples" / "mine.py", bot / "source")
    (bot / "bot.toml").write_text('command = "python out/bot.py"\nbuild = "make-a-bot"\n')
    return bot


def test_a_bot_is_built_where_it_plays_and_plays_where_it_can_be_built(
    made: Path, cluster: Shared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path / 'tools'}{os.pathsep}{os.environ['PATH']}")
    with worker(cluster.address, tmp_path, "able"):
        done = subprocess.run(
            command("run", "kali", "first", "random", str(made), *SETTINGS, "--blocks", "10",
                    "--db", str(tmp_path / "t.db"), "--cluster", cluster.address, "--json"),
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for unable in ("alpha", "beta"):
        assert f"{unable} plays no match of made: made cannot be built: there is no program" in done.stderr
    assert json.loads(done.stdout)["matches"] == 60
    where = (
        "select distinct name from seat join match_machine using (block, rotation) join machine on machine = id "
        "where bot = 'made'"
    )
    assert query(tmp_path / "t.db", where) == [("able",)]
    [kept] = (tmp_path / "cache-able" / "dalang" / "bots").glob("*/out/bot.py")
    assert kept.read_text() == (ROOT / "examples" / "mine.py").read_text()


def test_a_bot_in_the_sandbox_cannot_reach_the_scheduler(cluster: Shared, tmp_path: Path) -> None:
    """Nor one that is restricted. Without isolation it can, and says so by a move that is none."""
    need_level("sandbox")
    need_level("restricted")
    spy = tmp_path / "spy"
    spy.mkdir()
    shutil.copy(STRANGE / "reaches_out.py", spy)
    host, port = cluster.address.removeprefix("tcp://").split(":")
    (spy / "bot.toml").write_text(
        f'command = "python reaches_out.py"\nenv = {{ HOST = "{host}", PORT = "{port}" }}\n'
    )
    for level, code in (("sandbox", 0), ("restricted", 0), ("none", 4)):
        more = ["--isolate", level, "--blocks", "1", "--strict", "--cluster", cluster.address]
        run(tmp_path / f"{level}.db", *more, bots=["first", str(spy)], code=code)


# ---- Other commands, other ways to name a cluster


def test_a_comparison_and_its_plan_are_played_there_too(cluster: Shared) -> None:
    paired = ["kali", "first", "random", "--seed", "1", "--no-clock", "--json"]
    decided = ["compare", *paired, "--sprt", "0,0.5", "--max-blocks", "60"]
    there, here, plan = (
        subprocess.run(command(*words), capture_output=True, text=True, timeout=300)
        for words in (
            [*decided, "--cluster", cluster.address],
            [*decided, "--jobs", "1"],
            ["plan", *paired, "--effect", "0.3", "--blocks", "8", "--cluster", cluster.address],
        )
    )
    assert there.returncode == here.returncode in (0, 1, 3), there.stderr
    assert there.stdout == here.stdout
    assert json.loads(plan.stdout)["blocks"] == 8, plan.stderr


def test_a_cluster_with_certificates_is_named_in_a_file(tmp_path: Path) -> None:
    files = {key: str(tmp_path / f"{key}.pem") for key in ("ca", "cert", "key")}
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=dalang",
         "-keyout", files["key"], "-out", files["cert"]], check=True, capture_output=True,
    )  # fmt: skip
    shutil.copy(files["cert"], files["ca"])
    tls = ["--tls-ca-file", files["ca"], "--tls-cert", files["cert"], "--tls-key", files["key"]]
    config = tmp_path / "t.toml"
    with (
        scheduler("--protocol", "tls", *tls, "--scheduler-file", str(tmp_path / "file.json")) as address,
        worker(address, tmp_path, "gamma", *tls),
    ):
        config.write_text(
            '[tournament]\nblocks = 2\nseed = "1"\n[limits]\nmove = 20.0\n[game]\nname = "kali"\n'
            '[[bot]]\nbot = "first"\n[[bot]]\nbot = "random"\n'
            '[cluster]\nscheduler_file = "file.json"\ntls_ca = "ca.pem"\ntls_cert = "cert.pem"\ntls_key = "key.pem"\n'
        )
        assert "4 matches in 2 complete blocks" in dalang("run", str(config))
    assert query(tmp_path / "t.db", "select count(*) from match_machine") == [(4,)]
    assert "8 matches in 4 complete blocks" in dalang("run", str(config), "--blocks", "4", "--jobs", "1")
    assert query(tmp_path / "t.db", "select count(*) from match_machine") == [(4,)]
