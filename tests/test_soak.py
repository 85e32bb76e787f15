"""The soak itself: a small one passes, everybody gets a turn in it, and it signals nobody but its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from itertools import islice
from random import Random

import pytest

from dalang.harness.isolation.levels import AUTO, isolation_that_works
from tests.soak.contests import Contests
from tests.soak.fuzz import enter
from tests.soak.running import end_marked, one_of
from tests.soak.tally import Tally
from tests.soak.watch import Peak, Watch, workers_of
from tests.test_attackers import ATTACKERS
from tests.test_rogues import ZOO

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes as Linux shows them")


@pytest.mark.slow
def test_a_small_soak_passes_and_prints_its_table() -> None:
    command = [sys.executable, "-m", "tests.soak", "--minutes", "0.05", "--seed", "little"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all was well; seed 'little'" in done.stdout
    assert re.search(r"^inputs tried at gates +[1-9]", done.stdout, re.MULTILINE)
    assert re.search(r"^findings at gates +0$", done.stdout, re.MULTILINE)
    for row in ("matches of the long run", "standings compared", "processes left", "MB, last quarter"):
        assert row in done.stdout


def test_everybody_gets_a_turn() -> None:
    drawn = list(islice(Contests(Random(1)), 300))
    words = {word for contest in drawn for word in " ".join(contest.arguments()).split()}
    assert words >= {str(rogue) for rogue in ZOO}
    assert words >= {
        "round-robin",
        "gauntlet",
        "swiss",
        "knockout",
        "ladder",
        "kali",
        "bali_wrede",
        "bali_rosenberg",
    }
    if isolation_that_works(AUTO).hides:
        assert words >= {f"attackers/{name}.py" for name in ATTACKERS}


def test_attackers_never_play_without_isolation() -> None:
    for contest in islice(Contests(Random(2)), 300):
        if contest.kind == "attackers":
            level = contest.settings[contest.settings.index("--isolate") + 1]
            assert level == isolation_that_works(AUTO).level != "none"


def test_who_has_no_mark_of_ours_is_not_ended() -> None:
    mark = {"LC_MARK": "somebody else"}
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=mark) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"!")
        process.stdin.flush()
        assert process.stdout.read(1) == b"!"  # it runs, so its environment can be seen
        end_marked(process.pid, "ours")
        assert process.poll() is None
        end_marked(process.pid, "somebody else")
        assert process.wait(60) == -signal.SIGKILL


def test_who_is_no_worker_of_the_run_gets_no_signal() -> None:
    """A child of ours is not our worker."""
    with subprocess.Popen(["sleep", "60"]) as process:
        with one_of(workers_of, os.getpid(), Random(0)) as send:
            assert not send(signal.SIGKILL)
        process.kill()


def test_a_gate_that_fails_is_a_failure_that_can_be_tried_again() -> None:
    tally = Tally()
    enter("tests/test_fuzz.py::test_a_bot FAILEDcases 7 to 12; the last one again: --fuzz-from 12", 1, tally)
    assert tally.count == {"inputs tried at gates": 5, "findings at gates": 1}
    assert tally.failures[0] == "a gate failed; again: pytest tests/test_fuzz.py -k test_a_bot --fuzz-from 12"
    assert tally.failures[1].startswith("not all gates were tried: ")


def test_growth_is_a_failure() -> None:
    watch, tally = Watch(1.0), Tally()
    watch.peaks["run", 0], watch.peaks["run", 3] = Peak(100.0, 10), Peak(110.0, 12)
    tally.check_growth(watch)
    assert tally.failures == []
    watch.peaks["run", 3] = Peak(200.0, 500)
    tally.check_growth(watch)
    assert tally.failures == ["run: 100 MB became 200 MB", "run: 10 descriptors became 500"]
