"""What a tournament will take and tell, before it is played."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from dalang.harness.statistics.outlook import resolution
from dalang.harness.statistics.sample import Sample
from dalang.harness.statistics.strength import strengths
from dalang.harness.tournament.forecast import Tried, forecast
from tests.fields import EQUAL, drawn, field
from tests.simulated import entries, planned, play
from tests.test_tournament import command, dalang


@pytest.mark.parametrize(("bots", "seats", "blocks"), [(6, 2, 20), (5, 2, 300), (8, 4, 12)])
def test_equals_are_told_apart_no_worse_than_foretold_and_not_much_better(
    bots: int, seats: int, blocks: int
) -> None:
    plan = field("round-robin", bots, seats, blocks, "foretold")
    told = resolution(strengths(Sample(drawn(plan, EQUAL), plan.names)), live=False)
    found = forecast(plan)
    assert told and found.least and 0.95 < found.least / told.at(told.deals) < 1.5  # here some luck cancels
    assert found.deals == told.deals


@pytest.mark.parametrize("format", ["round-robin", "gauntlet", "swiss", "knockout", "ladder"])
@pytest.mark.parametrize("blocks", [2, 500])
def test_all_matches_are_foretold(format: str, blocks: int) -> None:
    plan = planned(format, entries(9), 2, blocks, "all")
    results = play(plan, noise=100.0)[1]
    found = forecast(plan)
    assert found.blocks == len(results)
    assert found.matches == sum(len(result.matches) for result in results)


def test_too_few_are_called_too_few_and_the_setting_that_is_named_suffices() -> None:
    few = forecast(planned("round-robin", entries(20), 2, 1, "x"))
    assert few.least is not None and "for 10 points it takes about blocks = " in few.in_words()
    assert (forecast(planned("round-robin", entries(20), 2, few.needed, "x")).least or 1) <= 0.105
    none = forecast(planned("swiss", entries(20), 2, 3, "x"))
    assert none.least is None and "too few to tell anybody apart" in none.in_words()
    assert forecast(planned("swiss", entries(20), 2, none.needed, "x")).least is not None


def test_time_is_reckoned_from_matches_that_were_tried() -> None:
    assert Tried(3, 1.5).total(100, 2) == 25.0
    assert Tried(0, 2.0).total(100, 1) == 200.0


CONFIG = """
[tournament]
blocks = 60
seed = "1"
[limits]
move = 20
startup = 30
[game]
name = "kali"
[[bot]]
bot = "first"
[[bot]]
bot = "random"
"""


@pytest.mark.slow
def test_a_plan_is_told_and_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(CONFIG)
    shown = dalang("plan", "t.toml", cwd=tmp_path)
    assert shown.startswith("120 matches in 60 blocks: bots are told apart whose strengths differ by about ")
    assert "matches tried: " in shown
    data = json.loads(dalang("plan", "t.toml", "--json", cwd=tmp_path))
    assert data["matches"] == 120 and data["tried"]["matches"] == 1 and data["seconds"] > 0
    assert [path.name for path in tmp_path.iterdir()] == ["t.toml"]


@pytest.mark.slow
def test_a_run_says_beforehand_what_it_will_take(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(CONFIG)
    done = subprocess.run(command("run", "t.toml"), cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert "120 matches in 60 blocks: bots are told apart" in done.stderr and ". About " in done.stderr
    done = subprocess.run(command("run", "t.toml"), cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "told apart whose" not in done.stderr
