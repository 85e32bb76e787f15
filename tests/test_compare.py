"""Candidate against baseline: fair chairs, blocks that count in order, verdicts, and the command as CI runs it."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
import xmlschema

from dalang.engine.game import SetupError
from dalang.harness.blocks import BlockResult, MatchResult
from dalang.harness.cli.compare import CODES
from dalang.harness.cli.main import cli
from dalang.harness.compare.pages import Report
from dalang.harness.compare.sprt import Sprt
from dalang.harness.compare.verdict import Comparison, PairedBlock, Rule
from dalang.harness.junit import Case, junit
from dalang.harness.match.check import Finding, cases
from dalang.harness.tournament.schedule.paired import lineups
from tests.duels import BASELINE, CANDIDATE, dealt, plan_for
from tests.simulated import rounds
from tests.terminal import LONGEST_WAIT

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
CI = ROOT / "examples" / "ci"
SCHEMA = xmlschema.XMLSchema(ROOT / "tests" / "junit.xsd")
ILLEGAL = str(ROOT / "tests" / "strange" / "always_illegal.py")
RAISES = str(ROOT / "tests" / "strange" / "raises.py")
TABLES = [(2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (2, 1), (2, 3), (3, 1), (4, 2), (4, 5), (6, 3)]


# ---- Chairs


@pytest.mark.parametrize(("seats", "opponents"), TABLES)
def test_both_sit_in_every_chair_equally_often(seats: int, opponents: int) -> None:
    for blocks in rounds(plan_for(seats, opponents, blocks=5), []):
        sat = Counter(
            (name, chair)
            for block in blocks
            for names in block.seatings()
            for chair, name in enumerate(names)
            if name in (CANDIDATE, BASELINE)
        )
        assert len({sat[name, chair] for name in (CANDIDATE, BASELINE) for chair in range(seats)}) == 1
        assert len({block.deal for block in blocks}) == 1


@pytest.mark.parametrize(("seats", "opponents"), TABLES)
def test_the_company_is_the_same_or_the_mirror_image(seats: int, opponents: int) -> None:
    for blocks in rounds(plan_for(seats, opponents, blocks=5), []):
        if len(blocks) == 2:
            one, other = (block.seatings() for block in blocks)
            for turn, (mine, theirs) in enumerate(zip(one, other, strict=True)):
                differing = [chair for chair in range(seats) if mine[chair] != theirs[chair]]
                assert differing == [(-turn) % seats]
                assert (mine[differing[0]], theirs[differing[0]]) == (CANDIDATE, BASELINE)
        else:
            [block] = blocks
            swap = {CANDIDATE: BASELINE, BASELINE: CANDIDATE}
            turned = block.seatings()
            for names, mirrored in zip(turned, turned[seats // 2 :] + turned[: seats // 2], strict=True):
                assert tuple(swap[name] for name in names) == mirrored


@pytest.mark.parametrize(("seats", "opponents"), TABLES)
def test_the_company_is_even(seats: int, opponents: int) -> None:
    plan = plan_for(seats, opponents, blocks=2 * max(1, opponents))
    seen = Counter(name for turn in range(plan.blocks) for lineup in lineups(plan, turn) for name in lineup)
    assert seen[CANDIDATE] == seen[BASELINE]
    others = [seen[name] for name in plan.names[2:]]
    assert len(set(others)) <= 1
    if opponents:
        assert seen[CANDIDATE] == plan.blocks


def test_who_sits_beside_whom_is_drawn_anew() -> None:
    plan = plan_for(6, 5, blocks=10)
    assert len({lineups(plan, turn)[0] for turn in range(10)}) > 5


# ---- Counting


def results(seats: int, opponents: int, skill: float, blocks: int, seed: str = "") -> list[BlockResult]:
    plan = plan_for(seats, opponents, blocks)
    return [dealt(block, skill, seed=seed) for turn in rounds(plan, []) for block in turn]


def compared(
    rule: Rule, seats: int = 2, opponents: int = 0, skill: float = 0.0, seed: str = ""
) -> Comparison:
    comparison = Comparison(plan_for(seats, opponents, rule.blocks), rule)
    for result in results(seats, opponents, skill, rule.blocks, seed):
        comparison.add(result)
    return comparison


@pytest.mark.parametrize(("seats", "opponents"), [(2, 0), (3, 0), (4, 0), (6, 0), (3, 2), (2, 1)])
def test_a_clear_difference_is_seen_and_none_is_invented(seats: int, opponents: int) -> None:
    rule = Rule(400, sprt=Sprt(-0.2, 0.2))
    for seed in "abcde":
        better, worse = (compared(rule, seats, opponents, skill, seed) for skill in (0.8, -0.8))
        assert (better.verdict(), worse.verdict()) == ("good", "worse")
        assert len(better.blocks) < 100
        assert better.is_biased()


def test_equals_are_seldom_told_apart_by_the_interval() -> None:
    """Five of 100 may be; of these 160 comparisons 4 are."""
    verdicts = Counter(
        compared(Rule(30), seats, 0, 0.0, f"{seed}").verdict() for seats in (2, 3, 4, 6) for seed in range(40)
    )
    assert verdicts["good"] + verdicts["worse"] <= 12


def test_luck_of_the_chairs_cancels_to_the_last_bit() -> None:
    for seats, opponents in TABLES:
        comparison = Comparison(plan_for(seats, opponents, 8), Rule(8))
        for turn in rounds(comparison.plan, []):
            for block in turn:
                comparison.add(dealt(block, 0.0, noise=0.0))
        assert comparison.differences == [0.0] * 8
        assert (comparison.effect(), comparison.deviation()) == (None, 0.0)
        assert comparison.verdict() == "undecided"


def test_identical_bots_are_good_enough_within_a_margin() -> None:
    comparison = identical(Rule(50, margin=0.2))
    assert comparison.verdict() == "good"
    assert comparison.difference().low < 0 < comparison.difference().high


def test_what_comes_after_the_decision_does_not_count() -> None:
    rule = Rule(400, sprt=Sprt(0, 0.2))
    comparison = Comparison(plan_for(3, 0, 400), rule)
    counted = [result for result in results(3, 0, 0.7, 400) if comparison.add(result)]
    assert len(comparison.blocks) == len(counted) < 400
    assert comparison.verdict() == "good"


def test_the_difference_by_score_is_that_of_the_scores() -> None:
    one = compared(Rule(30, by="score"), 3, 2, 0.5)
    block = one.blocks[0]
    mine, theirs = (
        [match.scores[match.names.index(name)] for match in block.matches() if name in match.names]
        for name in (CANDIDATE, BASELINE)
    )
    assert one.differences[0] == pytest.approx(sum(mine) / 3 - sum(theirs) / 3)
    low, high = one.span()
    assert low <= one.difference().low <= one.difference().high <= high


def test_one_block_cannot_be_compared_with_others() -> None:
    with pytest.raises(SetupError, match="--max-blocks must be at least 2"):
        Rule(1, sprt=Sprt(0, 0.2))


def test_by_score_an_effect_of_0_is_not_tested() -> None:
    with pytest.raises(SetupError, match="--by score --sprt needs LOW below 0 and HIGH above it") as refusal:
        Rule(100, by="score", sprt=Sprt(0, 0.2))
    assert "\n" not in str(refusal.value)
    better, worse = (compared(Rule(400, by="score", sprt=Sprt(-0.3, 0.3)), skill=skill) for skill in (1, -1))
    assert (better.verdict(), worse.verdict()) == ("good", "worse")


def identical(rule: Rule) -> Comparison:
    """Two bots that tie in all matches."""
    comparison = Comparison(plan_for(2, 0, rule.blocks), rule)
    for result in results(2, 0, 0.0, rule.blocks):
        matches = tuple(MatchResult(match.names, (1, 1), (0, 0), ("", "")) for match in result.matches)
        comparison.add(BlockResult(result.block, matches))
    return comparison


def test_who_is_as_good_as_the_baseline_is_not_better_but_not_worse() -> None:
    comparison = identical(Rule(400, sprt=Sprt(0, 0.2)))
    report = report_of(comparison)
    assert comparison.verdict() == report.data()["verdict"] == "not better"
    assert CODES["not better"] == CODES["worse"] == 1
    assert "verdict     not better: LOW is accepted" in click.unstyle(report.text())
    assert report.markdown().startswith("### not better: LOW is accepted")
    assert "<failure" in report.junit() and "not better" in report.junit()
    assert identical(Rule(400, sprt=Sprt(-0.2, 0))).verdict() == "good"


def test_blocks_that_end_alike_have_no_effect_to_be_told() -> None:
    comparison = compared(Rule(8), 2, 0, 50.0)
    assert comparison.differences == [1.0] * 8
    difference = comparison.difference()
    assert (difference.mean, difference.high) == (1, 1)
    assert difference.low == pytest.approx(1 - 2 * (1 - 0.0225 ** (1 / 8)))
    assert "effect      cannot be told, for all blocks ended alike" in report_of(comparison).text()
    assert report_of(comparison).data()["effect"] is None


def test_who_wins_all_of_a_few_blocks_is_told_how_many_more_will_tell() -> None:
    """Four blocks are eight matches, all of them won."""
    for rule in (Rule(4), Rule(4, by="score"), Rule(4, sprt=Sprt(-0.2, 0.2))):
        comparison = compared(rule, 2, 0, 50.0)
        assert len(set(comparison.differences)) == 1 or rule.by == "score"
        page = report_of(comparison).text()
        assert "+0.000" not in page.partition("effect")[2].partition("\n")[0]
        assert "looks       one, after 4 blocks" in page or rule.by == "place"
        if comparison.verdict() == "undecided" and rule.by == "place":
            [needed] = re.findall(r"if all blocks go on to end alike, (\d+) will tell", page)
            enough, fewer = (
                compared(replace(rule, blocks=int(needed) - less), 2, 0, 50.0) for less in (0, 1)
            )
            assert (enough.verdict(), fewer.verdict()) == ("good", "undecided")


def test_who_is_undecided_is_told_how_many_blocks_may_do() -> None:
    comparison = compared(Rule(20), 2, 0, 0.1)
    assert comparison.verdict() == "undecided"
    told = re.search(
        r"if the difference stays what it is, (\d+) blocks will tell", report_of(comparison).reason()
    )
    assert told and int(told[1]) > 20


# ---- Faults


def faulting(
    number: int, blocks: int = 10, rate: float = 0.0, who: str = CANDIDATE, opponents: int = 0
) -> Comparison:
    """The bot faults in its first so many matches."""
    comparison = Comparison(plan_for(2, opponents, blocks), Rule(blocks, max_fault_rate=rate))
    for result in results(2, opponents, 2.0, blocks):
        matches = []
        for match in result.matches:
            faults = tuple("crash" if number > 0 and name == who else "" for name in match.names)
            number -= "crash" in faults
            matches.append(MatchResult(match.names, match.ranks, match.scores, faults))
        comparison.add(BlockResult(result.block, tuple(matches)))
    return comparison


def test_one_fault_is_one_too_many_unless_a_rate_is_allowed() -> None:
    one = faulting(1)
    assert (one.verdict(), len(one.blocks)) == ("faulty", 1)
    assert faulting(2, rate=0.1).verdict() != "faulty"
    assert faulting(2, rate=0.1).fault_rate(CANDIDATE) == 0.1
    three = faulting(3, rate=0.1)
    assert (three.verdict(), len(three.blocks)) == ("faulty", 2)


@pytest.mark.parametrize(("role", "opponents"), [(0, 0), (1, 1)], ids=["the baseline", "an opponent"])
def test_who_beats_a_broken_bot_is_not_good_for_that(role: int, opponents: int) -> None:
    name = plan_for(2, opponents).names[1 + role]
    comparison = faulting(8, rate=0.1, who=name, opponents=opponents)
    told = f"the {'opponent ' * role}{name} broke the contract in"
    assert (comparison.verdict(), comparison.is_biased()) == ("undecided", True)
    report = report_of(comparison)
    pages = [report.text(), report.markdown(), report.junit(), report.data()["reason"]]
    assert all(told in page for page in pages)
    assert f"{name}: " in report.faults()


def test_the_others_may_fault_as_often_as_the_candidate() -> None:
    comparison = faulting(2, rate=0.1, who=BASELINE)
    assert (comparison.verdict(), len(comparison.blocks)) == ("good", 10)
    assert "baseline: 2 crash" in report_of(comparison).text()


# ---- Pages


def report_of(comparison: Comparison, seconds: float | None = 1.5) -> Report:
    return Report(comparison, "kali", {name: name for name in comparison.plan.names}, [], seconds)


def every_verdict() -> list[Comparison]:
    return [
        compared(Rule(100, sprt=Sprt(-0.2, 0.2)), 2, 0, 0.8),
        compared(Rule(100, sprt=Sprt(-0.2, 0.2)), 4, 0, -0.8),
        compared(Rule(20, sprt=Sprt(-0.01, 0.01)), 3, 1),
        compared(Rule(20)),
        compared(Rule(20), 2, 0, 2.0),
        faulting(3),
        faulting(3, who=BASELINE),
        Comparison(plan_for(2), Rule(20)),
    ]


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("seconds", [1.5, None])
def test_junit_keeps_to_the_schema_and_names_the_verdict(number: int, seconds: float | None) -> None:
    comparison = every_verdict()[number]
    page = report_of(comparison, seconds).junit()
    assert list(SCHEMA.iter_errors(page)) == []
    verdict = comparison.verdict()
    assert ("<failure" in page) == (verdict in ("worse", "faulty"))
    assert ("<skipped" in page) == (verdict in ("undecided", "faulty"))
    assert ("time=" in page) == (seconds is not None)


def test_junit_of_a_check_keeps_to_the_schema() -> None:
    findings = [
        Finding("It starts", True, "at once"),
        Finding("It plays", False, "no\x00\x1b[1m", "why?", 0.1),
    ]
    page = junit("dalang check mine", "mine", cases(findings))
    assert list(SCHEMA.iter_errors(page)) == []
    assert "\x00" not in page
    assert 'failures="1"' in page


def test_the_schema_finds_mistakes() -> None:
    good = junit("a", "b", [Case("c")])
    for wrong in (
        good.replace('tests="1"', ""),
        good.replace("testcase", "test"),
        good.replace("<testsuite ", "<x "),
    ):
        assert not is_valid(wrong)


def is_valid(page: str) -> bool:
    try:
        return SCHEMA.is_valid(page)
    except SyntaxError:
        return False


@pytest.mark.parametrize("number", range(8))
def test_all_pages_tell_the_same(number: int) -> None:
    comparison = every_verdict()[number]
    report = report_of(comparison)
    text, markdown, data = report.text(), report.markdown(), report.data()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["verdict"] == comparison.verdict()
    for page in (text, markdown):
        assert comparison.verdict() in page
        assert f"{data['difference']['mean']:+.3f}" in page
        assert ("biased" in page) == data["difference"]["biased"]
        assert all(each["command"] in page for each in data["worst"] + data["faulty"])
        assert ("against HIGH" in page) == (data["sprt"] is not None)
    assert text.count("\n") < 24


def test_the_worst_blocks_come_first_and_the_worst_match_of_each() -> None:
    comparison = compared(Rule(60), 3, 2)
    blocks = [block.number for block, _ in comparison.worst(3)]
    by_difference = sorted(range(60), key=lambda number: comparison.differences[number])
    assert blocks == by_difference[:3]
    block = comparison.blocks[blocks[0]]
    match = comparison.worst_match(block)
    places = [m.ranks[m.names.index(CANDIDATE)] for m in block.matches() if CANDIDATE in m.names]
    assert match.ranks[match.names.index(CANDIDATE)] == max(places)


def test_a_block_knows_its_number() -> None:
    block = compared(Rule(3), 3).blocks[2]
    assert isinstance(block, PairedBlock)
    assert (block.number, len(block.merged().matches)) == (2, 6)


# ---- The command


def dalang(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dalang", *arguments], capture_output=True, text=True, timeout=300, cwd=cwd
    )


def compare(*arguments: str, code: int = 0) -> str:
    done = dalang("compare", *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout


def pages(folder: Path, *arguments: str) -> list[str]:
    """Everything a comparison writes: text, JUnit, Markdown, and JSON."""
    folder.mkdir()
    files = [folder / "junit.xml", folder / "comment.md"]
    done = dalang("compare", *arguments, "--junit", str(files[0]), "--markdown", str(files[1]))
    assert done.returncode in (0, 1, 3), done.stderr
    data = dalang("compare", *arguments, "--json")
    assert data.returncode == done.returncode
    return [done.stdout, *(file.read_text(encoding="utf-8") for file in files), data.stdout]


@pytest.mark.usefixtures("all_cores")
def test_without_a_clock_two_runs_are_the_same_to_the_byte_for_any_number_of_jobs(tmp_path: Path) -> None:
    arguments = ["kali", "random", "first", "--seats", "3", "--sprt", "0,1", "--max-blocks", "50"]
    arguments += ["--seed", "x", "--no-clock"]
    one, three = (pages(tmp_path / jobs, *arguments, "--jobs", jobs) for jobs in "13")
    assert one == three
    assert json.loads(one[3])["blocks"] < 50
    assert "seconds" not in json.loads(one[3])


def test_it_can_be_kept_resumed_continued_verified_and_ranked(tmp_path: Path) -> None:
    db = str(tmp_path / "t.db")
    arguments = ["kali", "first", "random", "--seats", "3", "--seed", "x", "--db", db, "--json"]
    test = ["--sprt", "-0.001,0.001"]
    short = compare(*arguments, *test, "--max-blocks", "20", "--jobs", "2", code=3)
    again = compare(*arguments, *test, "--max-blocks", "20", "--jobs", "1", code=3)
    assert without_time(again) == without_time(short)
    longer = compare(*arguments, *test, "--max-blocks", "25", code=3)
    assert json.loads(longer)["blocks"] == 25
    other = dalang("compare", *arguments, "--max-blocks", "25")
    assert other.returncode == 2
    assert "on other terms: compare." in other.stderr
    assert "{" not in other.stderr
    assert "as they should be" in dalang("verify", db).stdout
    standings = json.loads(dalang("standings", db, "--format", "json").stdout)
    means = json.loads(longer)["means"]
    assert standings["order"] == "mean"
    assert [line["name"] for line in standings["standings"]] == sorted(means, key=lambda name: -means[name])
    assert [(line["place"], line["rating"]) for line in standings["standings"]] == [(1, None), (2, None)]
    table = dalang("standings", db).stdout
    assert table.split()[:3] == ["place", "bot", "strength"]
    assert "Not rated: a bot sits at a table more than once." in table
    refused = dalang("standings", db, "--by", "trueskill")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    with sqlite3.connect(db) as connection:
        assert connection.execute("select count(*) from match").fetchone() == (25 * 6,)
    connection.close()


def without_time(page: str) -> Any:
    return {key: value for key, value in json.loads(page).items() if key != "seconds"}


def test_a_comparison_by_interval_is_looked_at_once(tmp_path: Path) -> None:
    arguments = ["kali", "first", "random", "--db", str(tmp_path / "t.db"), "--max-blocks"]
    compare(*arguments, "2", code=3)
    assert dalang("compare", *arguments, "3").returncode == 2


def test_the_command_it_prints_shows_the_same_match_again() -> None:
    arguments = ["kali", "random", "me=first", "--opponents", "random", "--seats", "3", "--no-clock"]
    options = ["--option", "fine_rounding=up", "--max-blocks", "6", "--seed", "y"]
    found = json.loads(dalang("compare", *arguments, *options, "--json").stdout)
    assert found["opponents"] == ["random-2"]
    assert found["worst"]
    for match in found["worst"]:
        words = shlex.split(match["command"])
        again = json.loads(dalang(*words[1:], "--json").stdout)
        assert again["ranks"] == match["places"]
        assert again["record"]["outcome"]["scores"] == match["scores"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("first random --max-blocks 4 --margin 3", 0),
        ("first random --max-blocks 4 --by score --margin 0", 3),
        ("first first --max-blocks 4", 3),
        (f"{ILLEGAL} random --max-blocks 6 --max-fault-rate 1", 1),
        (f"{ILLEGAL} random --max-blocks 4", 4),
        (f"random {ILLEGAL} --sprt 0,1 --max-blocks 25", 3),
        (f"random {ILLEGAL} --sprt 0,1 --max-blocks 25 --max-fault-rate 1", 0),
        (f"first random --opponents {ILLEGAL} --max-blocks 4 --margin 3", 3),
    ],
)
def test_exit_codes(arguments: str, code: int) -> None:
    compare("kali", *arguments.split(), "--seed", "1", "--jobs", "1", code=code)


def test_a_fault_is_shown_with_the_command_that_shows_it_again() -> None:
    page = compare("kali", RAISES, "random", "--max-blocks", "4", "--seed", "1", code=4)
    assert "verdict     faulty: the candidate broke the contract" in page
    assert "raises: 1 crash" in page or "raises: 2 crash" in page
    command = next(line for line in page.splitlines() if "dalang match" in line)
    done = dalang(*shlex.split(command)[1:], "--strict")
    assert done.returncode == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("first random --sprt 0.2", "--sprt is LOW,HIGH, two numbers as in 0,0.2; not '0.2'"),
        ("first random --sprt 0.2,0", "with LOW below HIGH"),
        ("first random --sprt 0,0.2 --margin 0.1", "--margin goes without --sprt"),
        ("first random --alpha 0.1", "--alpha goes with --sprt"),
        ("first random --sprt 0,0.2 --alpha 0.7", "--alpha must be between 0 and 0.5"),
        ("first random --sprt 0,0.2 --max-blocks 1", "--max-blocks must be at least 2"),
        ("first random --sprt 0,0.2 --by score", "--by score --sprt needs LOW below 0 and HIGH above it"),
        ("first random --seats 7", "kali is for 2 to 6 players, not for 7"),
        ("first", "Missing parameter: baseline"),
        ("first random --junit /no/where", "/no/where cannot be written"),
        ("first frist", "did you mean 'first'?"),
    ],
)
def test_wrong_usage_is_one_line(arguments: str, message: str) -> None:
    with pytest.raises((SetupError, click.UsageError)) as error:
        cli.main(["compare", "kali", *arguments.split()], standalone_mode=False)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    pipe, bot = tmp_path / "pipe", tmp_path / "tells.py"
    os.mkfifo(pipe)
    bot.write_text(TELLS_THAT_IT_IS_ASKED.format(pipe=str(pipe)), encoding="utf-8")
    arguments = ["kali", str(bot), "random", "--jobs", "1", "--db", str(tmp_path / "t.db")]
    arguments += ["--max-blocks", "100000", "--isolate", "none"]
    with (
        os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as told,
        subprocess.Popen(
            [sys.executable, "-m", "dalang", "compare", *arguments], stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        try:
            assert select.select([told], [], [], LONGEST_WAIT)[0], "nobody was asked"
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=LONGEST_WAIT)
        finally:
            process.kill()
    assert process.returncode == 130
    assert f"what is finished is kept; go on with: dalang compare kali {bot} random" in err
    assert "Traceback" not in err


TELLS_THAT_IT_IS_ASKED = """
from dalang.kit import run
from pathlib import Path

def choose(request):
    Path({pipe!r}).write_text("asked")
    return 0

run(choose, name="tells")
"""


# ---- Planning


def test_a_plan_follows_from_the_pilot() -> None:
    done = dalang("plan", "kali", "first", "random", "--effect", "0.1", "--seed", "1", "--json")
    assert done.returncode == 0
    plan = json.loads(done.stdout)
    assert 20 <= plan["blocks"] < 50, "it is as long as it must be"
    seen = 0.1 / plan["deviation"]
    assert seen / 2 < plan["effect"] < seen, "a pilot may have been too calm"
    low, halfway, high, interval = plan["needs"]
    assert low["blocks"] == pytest.approx(1.3 * 5.42 / plan["effect"] ** 2, rel=0.02)
    assert high["blocks"] < low["blocks"] < halfway["blocks"]
    assert low["flags"] == halfway["flags"] == high["flags"]
    effect, at_most = re.fullmatch(r"--sprt 0,(\S+) --max-blocks (\d+)", low["flags"]).groups()
    assert float(effect) == plan["effect"] and int(at_most) > halfway["most"]
    assert interval["flags"] == f"--max-blocks {interval['most']}"
    assert all(
        need["fewest"] < need["blocks"] < need["most"] and need["seconds"] > 0 for need in plan["needs"]
    )


def test_a_pilot_without_differences_plans_nothing() -> None:
    done = dalang("plan", "kali", "first", "twin=first", "--effect", "0.1", "--seed", "1", "--blocks", "5")
    assert done.returncode == 3
    assert "All blocks ended alike" in done.stdout
