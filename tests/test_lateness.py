"""Who makes the host late is found out; who only happens to sit there is not."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
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
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.run import Run
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.suspicion import Suspicion
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.verify import everything_checked
from tests.test_tournament import command

STOPPER = Path(__file__).parent / "strange" / "stops_every_match.py"
STOPS_ALWAYS = Path(__file__).parent / "strange" / "stops_always.py"
PAIRS = list(combinations("abcdef", 2))
MATCHES = 60
"""That are enough to find out who slows a host down."""


def match_of(names: tuple[str, ...], late: bool, number: int = 0) -> StoredMatch:
    seats = len(names)
    result = MatchResult(names, tuple(range(1, seats + 1)), (0,) * seats, ("",) * seats)
    block = Block(number, 0, names, number)
    return StoredMatch(block, 0, result, "end", int(late), [0] * seats, [0.0] * seats, [b""] * seats, b"")


def watched(random: Random, matches: int, guilt: float, bad_luck: float) -> tuple[list[str], list[str]]:
    """Who was told of and who was taken out, when matches with `a` are late with this chance, and others with that."""
    told: list[str] = []
    out: list[str] = []
    judge = Suspicion(told.append, lambda name, reason: out.append(name), Lateness())
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


def late_now_and_then(random: Random) -> tuple[tuple[str, ...], bool]:
    """A match, and whether the host was late in it: mostly if `a` was there."""
    names = random.choice(PAIRS)
    return names, random.random() < (0.8 if "a" in names else 0.02)


def judged(db: Path, at_once: int) -> tuple[list[str], list[str]]:
    """What is told if the file is resumed after so many matches each time, and who goes after which match.

    Of the matches in which the host is late every third is given up.
    """
    random, told, out = Random("resumed"), list[str](), list[str]()
    with create_or_open(db) as store:
        store.begin(Terms("kali", 2).with_seed("any"), [BotRow(name, 0, "", "") for name in "abcdef"])
    for first in range(0, MATCHES, at_once):
        with create_or_open(db) as store:
            judge = Suspicion(told.append, store.withdraw, store.lateness(), store.retired())
            for number in range(first, min(first + at_once, MATCHES)):
                names, late = late_now_and_then(random)
                judge_one(store, judge, match_of(names, late, number))
                out += [f"{name} {number}" for name in store.retired() if not out]
    return told, out


def judge_one(store: Store, judge: Suspicion, match: StoredMatch) -> None:
    if match.voided and match.block.number % 3 == 0:
        store.give_up(match.result.names)
        judge.too_busy(match.result.names)
    else:
        store.save([match])
        judge.finished([match])


def test_a_run_that_is_resumed_goes_on_counting(tmp_path: Path) -> None:
    told, out = judged(tmp_path / "whole.db", MATCHES)
    assert [line.split(":")[0] for line in told] == ["a may be slowing this machine down", "a is withdrawn"]
    for at_once in (1, 7):
        again, out_again = judged(tmp_path / f"{at_once}.db", at_once)
        assert out_again == out
        assert [again[0], again[-1]] == told


def test_copies_of_a_bot_at_one_table_are_late_together(tmp_path: Path) -> None:
    lateness = Lateness()
    with create_or_open(tmp_path / "compared.db") as store:
        store.begin(Terms("kali", 4).with_seed("any"), [BotRow(name, 0, "", "") for name in "ab"])
        for number in range(20):
            match = match_of(("a", "a", "b", "b"), number % 4 == 0, number)
            store.save([match])
            lateness.add(match.result.names, match.voided > 0)
        assert vars(store.lateness()) == vars(lateness)
    assert lateness.chance("a") == 1.0


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
        "--ask-forced",
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
        assert store.lateness().late_of["stopper"] == len(left_out)
    assert not [names for names in played if "stopper" in names]
    assert len(played) == 2
    assert wrong_in(db) == []


def wrong_in(db: Path) -> list[str]:
    with open_to_read(db) as store:
        return [problem for checked in everything_checked(store) for problem in checked.problems]


class TwiceLate(RunListener):
    """Ends a run in which the host was late in two matches."""

    def __init__(self) -> None:
        self.late = 0

    def finished(self, matches: Sequence[StoredMatch]) -> None:
        self.late += sum(match.voided > 0 for match in matches)

    def has_enough(self) -> bool:
        return self.late >= 2


class HearsWhoIsOut(RunListener):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def taken_out(self, name: str) -> None:
        self.heard.append(name)


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suspicion, "FEWEST_LATE", 4)
    monkeypatch.setattr(suspicion, "OUT_BELOW", 0.05)


def play(folder: Path, *listeners: RunListener) -> tuple[str, list[str], list[tuple[str, ...]]]:
    """Why the one that stops its worker is withdrawn, what is told in this run, and who has met whom so far."""
    stopper = shlex.join(["python", str(STOPPER), str(folder)])
    entrants = find_entrants([f"stopper={stopper}", "first", "random", "a=random", "b=first"])
    terms = terms_for(find_game("kali"), {}, 2, blocks=3, limits=Limits(move=5.0))
    told: list[str] = []
    with create_or_open(folder / "t.db") as store:
        ready = prepared(store, Config(terms, tuple(entrants), seed="1", jobs=1), told.append)
        trio.run(Run(store, ready, listeners, told.append).play)
        [reason] = [bot.withdrawn for bot in store.bots() if bot.name == "stopper"]
        return reason, told, [result.names for _, result in store.listing()]


@pytest.mark.slow
@pytest.mark.usefixtures("strict")
def test_a_bot_that_stops_its_worker_is_withdrawn(tmp_path: Path) -> None:
    listener = HearsWhoIsOut()
    reason, told, played = play(tmp_path, listener)
    assert listener.heard == ["stopper"]
    assert reason == "the host was late in its matches"
    assert any(line.startswith("stopper is withdrawn: the host was late in") for line in told)
    assert sum("stopper" in names for names in played) < 3 * 4 * 2
    assert sum("stopper" not in names for names in played) == 3 * 6 * 2


@pytest.mark.slow
@pytest.mark.usefixtures("strict")
def test_a_bot_that_stops_its_worker_is_withdrawn_also_if_no_run_sees_enough_of_it(tmp_path: Path) -> None:
    runs = (play(tmp_path, TwiceLate()) for _ in range(MOST_RUNS))
    reason, told, played = next(run for run in runs if run[0])
    assert reason == "the host was late in its matches"
    assert any(line.startswith("stopper is withdrawn: the host was late in") for line in told)
    assert sum("stopper" in names for names in played) < 3 * 4 * 2


MOST_RUNS = 8
"""That are enough although each of them is ended early."""
