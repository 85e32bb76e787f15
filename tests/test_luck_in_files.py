"""`--luck` as a user asks for it: beside the plain figures, and the same for any number of jobs."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.engine.luck import MOST_LUCK
from dalang.engine.value import EVEN, Value
from dalang.harness.blocks import BlockResult
from dalang.harness.compare import pages
from dalang.harness.compare.sprt import Sprt
from dalang.harness.compare.verdict import LESSONS, Comparison, Rule
from dalang.harness.statistics.luck import SeatLuck
from dalang.harness.tournament import luck
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.standings import LUCK_REMOVED
from dalang.harness.tournament.store import Store
from tests.duels import BASELINE, CANDIDATE, dealt, plan_for
from tests.simulated import flat, rounds
from tests.test_tournament import ILLEGAL, dalang, play, query

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament with a bot that breaks the contract."""
    db = tmp_path_factory.mktemp("luck") / "t.db"
    play(db, "--blocks", "6", "--jobs", "1", bots=["first", "random", ILLEGAL])
    return db


def without_luck(db: Path, *more: str) -> Any:
    return json.loads(dalang("standings", str(db), "--luck", "--json", *more))


def test_standings_show_both_figures_with_their_intervals(played: Path) -> None:
    text = dalang("standings", str(played), "--luck")
    assert LUCK_REMOVED in text
    assert "Luck removed: " in text
    found = without_luck(played)
    assert found["luck"]["value_version"] == 3
    for line in found["standings"]:
        assert line["beats"].keys() == line["beats_luck_removed"].keys() == {"mean", "low", "high"}
    head = dalang("standings", str(played), "--luck", "--format", "csv").splitlines()[0]
    assert "beats_mean" in head
    assert "beats_luck_removed_low" in head


def test_who_has_no_complete_block_has_no_luck_in_any_format(played: Path) -> None:
    assert len(without_luck(played, "--void", "illegal")["standings"]) == 3
    for style in ("csv", "markdown", "table"):
        shown = dalang("standings", str(played), "--luck", "--void", "illegal", "--format", style)
        assert "random" in shown and "nan" not in shown


def test_what_does_not_count_is_not_read_either(played: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(played, tmp_path))
    with sqlite3.connect(db) as connection:
        connection.execute(
            "update match set record = 'x' where (block, rotation) in "
            "(select block, rotation from seat where bot = 'always_illegal')"
        )
    connection.close()
    assert without_luck(db, "--exclude", "always_illegal")["luck"]["bots"].keys() == {"first", "random"}


def test_blocks_that_come_while_luck_is_told_do_not_count_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, bots, told = tmp_path / "t.db", ["first", "random"], luck.luck_in_blocks

    def meanwhile(store: Store, *more: Any) -> Iterator[list[SeatLuck]]:
        play(db, "--blocks", "3", bots=bots)
        return told(store, *more)

    play(db, "--blocks", "2", bots=bots)
    monkeypatch.setattr(luck, "luck_in_blocks", meanwhile)
    with open_to_read(db) as store:
        assert luck.standings_without_luck(store).statistics.blocks == 2
        assert store.number_of_matches() == 6


def test_who_does_not_ask_is_told_nothing_of_luck(played: Path) -> None:
    assert "luck" not in dalang("standings", str(played)).lower()
    assert "luck" not in json.loads(dalang("standings", str(played), "--json"))


def test_a_block_that_has_lost_a_record_is_one_line(played: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(played, tmp_path / "t.db"))
    query(db, "update match set rotation = 7 where block = 2 and rotation = 1")
    assert "t.db is damaged: block 2 has lost a record" in dalang("standings", str(db), "--luck", code=2)


def test_luck_is_the_same_for_any_number_of_jobs(played: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    play(other, "--blocks", "6", "--jobs", "3", bots=["first", "random", ILLEGAL])
    first, second = (dalang("standings", str(db), "--luck", "--json") for db in (played, other))
    assert first == second


def test_luck_is_the_same_by_however_many_processes_it_is_told(
    played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(luck, "FEW_MATCHES", 0)
    monkeypatch.setattr(luck, "MATCHES_AT_ONCE", 5)
    with open_to_read(played) as store:
        results = list(store.results())
        alone, together = (list(luck.luck_in_blocks(store, results, jobs)) for jobs in (1, 2))
        assert alone == together
        assert list(map(len, alone)) == [len(result.matches) for result in results]


def test_a_comparison_without_luck_is_the_same_to_the_byte(tmp_path: Path) -> None:
    asked = [
        "compare",
        "kali",
        "random",
        "a=random",
        "--luck",
        "--max-blocks",
        "10",
        "--no-clock",
        "--seed",
        "1",
    ]
    one, two = (dalang(*asked, "--json", "--jobs", jobs, code=3) for jobs in "12")
    assert one == two
    found = json.loads(one)
    assert found["luck_removed"]["value_version"] == 3
    assert found["luck_removed"]["low"] < found["luck_removed"]["high"]


def test_luck_is_told_in_places_and_has_a_bound_for_a_test_that_needs_one() -> None:
    with pytest.raises(SetupError, match="goes with --by place"):
        Rule(10, by="score", luck=True)
    assert Rule(10, sprt=Sprt(-0.1, 0.1), luck=True).bound() is None
    assert Rule(10, sprt=Sprt(0.0, 0.2), luck=True).bound() == 1 + 2 * MOST_LUCK


def compared(luck_of: Any, rule: Rule, value: Value = EVEN) -> Comparison:
    """A comparison of equal bots in which luck is known."""
    plan = plan_for(2, blocks=60)
    comparison = Comparison(plan, rule, value=value)
    for block in flat(list(rounds(plan, []))):
        result = dealt(block, skill=0.0, seed="luck")
        told = [luck_of(result, match) for match in result.matches]
        comparison.add(result, [SeatLuck(each, bounded=each) for each in told])
    return comparison


@pytest.mark.parametrize(
    ("value", "sprt", "lessons"),
    [
        (find_game("kali").value, Sprt(-0.01, 0.01), LESSONS),
        (find_game("kali").value, Sprt(0.0, 0.01), 0),
        (EVEN, Sprt(-0.01, 0.01), 0),
    ],
    ids=["manners", "with a bound they are left alone", "no manners"],
)
def test_from_the_first_blocks_a_test_only_learns_manners(value: Value, sprt: Sprt, lessons: int) -> None:
    comparison = compared(lucky, Rule(60, sprt=sprt, luck=True), value)
    assert comparison.trial
    assert (len(comparison.blocks), comparison.trial.number) == (60, 60 - lessons)


def lucky(result: BlockResult, match: Any) -> list[float]:
    """All of the result was luck."""
    return [(match.ranks[1] > match.ranks[0]) - 0.5, (match.ranks[1] < match.ranks[0]) - 0.5]


def test_a_comparison_takes_luck_out_before_it_decides() -> None:
    rule = Rule(60, luck=True)
    comparison = compared(lucky, rule)
    plain, without = comparison.difference(), comparison.deciding()
    assert without.high - without.low < (plain.high - plain.low) / 2
    assert comparison.deviation() < Comparison(comparison.plan, Rule(60)).deviation() + 0.3
    assert rule.terms()["luck"] is True
    assert "luck" not in Rule(60).terms()


def test_luck_that_says_nothing_leaves_a_comparison_as_it_was() -> None:
    comparison = compared(lambda result, match: [0.0, 0.0], Rule(60, luck=True))
    assert list(comparison.deciding_values()) == comparison.differences
    assert comparison.deciding() == comparison.difference()
    assert "nothing was taken out" in pages.without_luck(comparison)
    assert {CANDIDATE, BASELINE} == set(comparison.means)
