"""What so few deals can tell at best, and how many more it takes."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path

import pytest

from dalang.harness.statistics.intervals import OpenEstimate
from dalang.harness.statistics.outlook import NOTABLE, Outlook, fewest_deals, outlook
from dalang.harness.statistics.sample import Sample
from dalang.harness.statistics.strength import strengths
from dalang.harness.statistics.summary import DEALS_FOR_SCORES, Statistics, summary
from dalang.harness.tournament.standings import NO_SCORES, few_deals, score_cell
from tests.fields import EQUAL, drawn, field, told_apart
from tests.simulated import entries, planned, play
from tests.test_tournament import dalang

ROOT = Path(__file__).parent.parent


def seen(bots: int, blocks: int, strong: float = 0.0, live: bool = False) -> Outlook | None:
    plan = field("round-robin", bots, 2, blocks, "outlook")
    skills = {"b0": strong} if strong else EQUAL
    return outlook(strengths(Sample(drawn(plan, skills), plan.names)), live)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("bots", [2, 4])
def test_with_fewer_deals_nobody_can_be_told_apart_and_with_as_many_somebody_can(
    bots: int, live: bool
) -> None:
    fewest = fewest_deals(bots * (bots - 1) // 2, live)
    for blocks in (fewest - 1, fewest):
        plan = field("round-robin", bots, 2, blocks, "fewest", common_deals=True)
        found = drawn(plan, {f"b{number}": 100.0 * number for number in range(bots)})
        assert bool(told_apart(plan, found, live)) == (blocks == fewest)


def test_few_deals_say_how_many_it_takes() -> None:
    assert seen(2, 3) == Outlook(3, None, None, 6)
    assert "with 3 nobody can be told apart, however they end" in few_deals(Outlook(3, None, None, 6))
    assert "it takes 6 of each at least, 3 more." in few_deals(Outlook(3, None, None, 6))


def test_more_deals_say_what_they_can_tell_and_what_more_would() -> None:
    found = seen(2, 40)
    assert found and found.deals == 40 and found.least and found.least > NOTABLE
    assert found.needed == pytest.approx(40 * (found.least / NOTABLE) ** 2, abs=1)
    longer = seen(2, 160)
    assert longer and longer.least and found.least / longer.least == pytest.approx(sqrt(4), rel=0.25)
    words = few_deals(Outlook(40, 0.25, 0.1, 250))
    assert "whose strengths differ by about 25 points" in words
    assert "for 10 points it takes about 250 deals of each, 210 more." in words


def test_who_looks_all_the_time_needs_more() -> None:
    once, always = seen(3, 30), seen(3, 30, live=True)
    assert once and always and always.needed > once.needed


def test_enough_deals_and_nobody_to_compare_need_no_remark() -> None:
    assert seen(2, 900) is None
    assert outlook(strengths(Sample([], ["a", "b"])), live=False) is None


def with_scores(blocks: int, live: bool = False) -> Statistics:
    plan = planned("round-robin", entries(2), 2, blocks, "scores")
    return summary(play(plan)[1], plan.names, "seed", live)


def test_below_twenty_deals_and_before_the_end_a_score_has_no_interval() -> None:
    """Rare great scores need not be among those that were seen."""
    for line in (*with_scores(19).bots, *with_scores(20, live=True).bots):
        assert line.score == OpenEstimate(line.score.mean)
        assert score_cell(line) == f"{line.score.mean:.1f}"
    for line in with_scores(20).bots:
        assert line.score.low < line.score.mean < line.score.high
        assert "[" in score_cell(line)


def test_the_page_knows_from_how_many_deals_on_scores_have_an_interval() -> None:
    script = (ROOT / "harness" / "report" / "assets" / "standings.js").read_text(encoding="utf-8")
    assert f"const DEALS_FOR_SCORES = {DEALS_FOR_SCORES};" in script
    assert f"below {DEALS_FOR_SCORES} deals" in NO_SCORES


def test_the_remark_is_told_wherever_standings_are(tmp_path: Path) -> None:
    db = str(tmp_path / "t.db")
    assert "Few deals: with 2 nobody" in dalang(
        "run", "kali", "first", "random", "--blocks", "2", "--db", db, "--seed", "x"
    )
    assert "Few deals: with 2 nobody" in dalang("standings", db, "--format", "markdown")
    assert NO_SCORES in dalang("standings", db)
    data = json.loads(dalang("standings", db, "--format", "json"))["outlook"]
    assert (data["deals"], data["needed"]) == (2, 6)
    assert data["words"].startswith("Few deals: ")
