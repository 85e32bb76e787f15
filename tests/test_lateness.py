"""Who makes the host late is found out; who only happens to sit there is not."""

from __future__ import annotations

import shlex
import subprocess
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
import trio

from dalang.engine.catalogue import find_game
from dalang.harness.blocks import Block, MatchResult
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.limits import Limits
from dalang.harness.statistics.lateness import Lateness
from dalang.harness.tournament import suspicion
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import prepared
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.suspicion import Suspicion
from dalang.harness.tournament.verify import everything_checked
from tests.test_tournament import command

STOPPER = Path(__file__).parent / "strange" / "stops_every_match.py"
STOPS_ALWAYS = Path(__file__).parent / "strange" / "stops_always.py"
PAIRS = list(combinations("abcdef", 2))


def match_of(names: tuple[str, str], late: bool) -> StoredMatch:
    result = MatchResult(names, (1, 2), (1, 0), ("", ""))
    return StoredMatch(Block(0, 0, names, 0), 0, result, "end", int(late), [], [], [], b"")


def watched(random: Random, matches: int, guilt: float, bad_luck: float) -> tuple[list[str], list[str]]:
    """Who was told of and who was taken out, when matches with `a` are late with this chance, and others with that."""
    told: list[str] = []
    out: list[str] = []
    judge = Suspicion(told.append, lambda name, reason: out.append(name))
    for _ in range(matches):
        names = random.choice(PAIRS)
        judge.finished([match_of(names, random.random() < (guilt if "a" in names else bad_luck))])
    return told, out


def test_a_host_that_is_late_by_chance_is_held_against_nobody() -> None:
    random = Random("innocent")
    tried = [watched(random, 300, 0.1, 0.1) for _ in range(100)]
    assert sum(bool(told) for told, _ in tried) <= 5  # looked at after every late match, which is often
    assert not any(out for _, out in tried)


def test_who_makes_it_late_is_told_and_taken_out_and_nobody_else_is() -> None:
    random = Random("guilty")
    for _ in range(20):
        told, out = watched(random, 200, 0.7, 0.02)
        assert out == ["a"]
        assert told[0].startswith("a may be slowing this machine down: the host was late in ")
        assert told[-1].startswith("a is withdrawn: ")


def test_who_is_in_all_matches_cannot_be_told_from_the_others() -> None:
    lateness = Lateness()
    for number in range(30):
        lateness.add(("a", "b"), number % 2 == 0)
    assert lateness.chance("a") == lateness.chance("b") == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["round-robin", "swiss"])
def test_a_match_that_the_host_is_always_late_in_is_left_out_and_the_rest_is_played(
    format_: str, tmp_path: Path
) -> None:
    db = tmp_path / "t.db"
    bots = [f"stopper={STOPS_ALWAYS}", "first", "random", *["a=random"] * (format_ == "swiss")]
    settings = [
        "--move-time",
        "7",
        "--seed",
        "1",
        "--format",
        format_,
        "--blocks",
        "1",
        "--jobs",
        "1",
        "--isolate",
        "none",
    ]
    done = subprocess.run(
        command("run", "kali", *bots, *settings, "--db", str(db)), capture_output=True, text=True
    )
    assert done.returncode == 3, done.stderr
    lines = done.stderr.splitlines()
    left_out = [line for line in lines if "is left out of the standings: this machine is too busy" in line]
    assert left_out
    assert all("stopper" in line for line in left_out)
    assert lines[-1] == f"{len(left_out)} of the blocks could not be played on this machine and do not count"
    with open_to_read(db) as store:
        played = [result.names for _, result in store.listing()]
    assert not [names for names in played if "stopper" in names]
    assert len(played) == 2
    assert wrong_in(db) == []


def wrong_in(db: Path) -> list[str]:
    with open_to_read(db) as store:
        return [problem for checked in everything_checked(store) for problem in checked.problems]


@pytest.mark.slow
def test_a_bot_that_stops_its_worker_is_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspicion, "FEWEST_LATE", 4)
    monkeypatch.setattr(suspicion, "OUT_BELOW", 0.05)
    stopper = shlex.join(["python", str(STOPPER), str(tmp_path)])
    entrants = find_entrants([f"stopper={stopper}", "first", "random", "a=random", "b=first"])
    terms = terms_for(find_game("kali"), {}, 2, blocks=3, limits=Limits(move=5.0))
    told: list[str] = []
    with create_or_open(tmp_path / "t.db") as store:
        ready = prepared(store, Config(terms, tuple(entrants), seed="1", jobs=1), told.append)
        trio.run(Run(store, ready, tell=told.append).play)
        [reason] = [bot.withdrawn for bot in store.bots() if bot.name == "stopper"]
        played = [names for _, names in ((key, result.names) for key, result in store.listing())]
    assert reason == "the host was late in its matches"
    assert any(line.startswith("stopper is withdrawn: the host was late in") for line in told)
    assert sum("stopper" in names for names in played) < 3 * 4 * 2
    assert sum("stopper" not in names for names in played) == 3 * 6 * 2
