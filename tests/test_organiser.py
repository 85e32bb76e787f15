"""What an organiser looks at: many bots checked at once, tables that fit a terminal, faults, formats, a badge."""

from __future__ import annotations

import csv
import json
import re
import subprocess
from dataclasses import replace
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema

from dalang.harness.cli.progress import Progress, length
from dalang.harness.league.status import LeagueLine, LeagueState, state_text
from dalang.harness.report.badge import badge, drawn
from dalang.harness.tournament.fitting import GIVE_WAY, fitted, on_screen, width
from dalang.harness.tournament.forecast import number_of_matches
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.pace import Pace
from dalang.harness.tournament.schedule import FORMATS, LEAGUE
from dalang.harness.tournament.schedule.league import PLACEMENT
from dalang.harness.tournament.standings import standings
from tests.simulated import entries, planned, play
from tests.terminal import CTRL_C, ESCAPE, terminal
from tests.test_tournament import command, dalang

ROOT = Path(__file__).parent.parent
SCHEMA = xmlschema.XMLSchema(ROOT / "tests" / "junit.xsd")
GOOD = "from dalang.kit import run\nrun(lambda request: 0, name='good')\n"
ROOM = ["--move-time", "20", "--startup-time", "30"]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knockout in which one bot dies in mid-match."""
    db = tmp_path_factory.mktemp("faulty") / "t.db"
    rogue = ROOT / "tests" / "rogues" / "dies_in_mid_match.py"
    bots = ["first", "random", "bold", f"rogue={rogue}"]
    dalang(
        "run", "kali", *bots, "--format", "knockout", "--blocks", "1", "--seed", "1", "--db", str(db), *ROOM
    )
    return db


# ---- Checking many


@pytest.mark.slow
def test_many_bots_are_checked_at_once_and_the_first_failing_sentence_is_shown(tmp_path: Path) -> None:
    entrants = tmp_path / "entrants"
    for name, files in {
        "good": {"bot.toml": 'command = "python bot.py"', "bot.py": GOOD},
        "mute": {"bot.toml": 'command = "python bot.py"', "bot.py": "import sys; sys.exit('no words')"},
        "nothing": {},
        "unbuilt": {"bot.toml": 'command = "python bot.py"\nbuild = "false"'},
    }.items():
        (entrants / name).mkdir(parents=True)
        for file, text in files.items():
            (entrants / name / file).write_text(text)
    (entrants / "nothing.refused.txt").write_text("it has no bot.toml")
    arguments = [
        "check",
        str(entrants / "*"),
        "--game",
        "kali",
        *ROOM,
        "--junit",
        str(tmp_path / "j.xml"),
        "--json",
    ]
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    found = {Path(each["bot"]).name: each for each in json.loads(done.stdout)}
    assert list(found) == ["good", "mute", "nothing", "unbuilt"]
    assert [each["good"] for each in found.values()] == [True, False, False, False]
    assert found["mute"]["findings"][-1]["sentence"] == "It starts and greets in time"
    assert "no words" in found["mute"]["findings"][-1]["remark"]
    assert "it has no bot.toml" in found["nothing"]["findings"][0]["remark"]
    assert "unbuilt cannot be built; `false` fails" in found["unbuilt"]["findings"][0]["remark"]
    SCHEMA.validate(tmp_path / "j.xml")
    suites = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert [suite.get("failures") for suite in suites] == ["0", "1", "1", "1"]


@pytest.mark.slow
def test_the_table_of_many_has_a_line_for_each(tmp_path: Path) -> None:
    shown = dalang("check", "first", "nosuchbot", "--game", "kali", *ROOM, code=1)
    assert re.search(r"✓\s+first\n✗\s+nosuchbot\s+It can be found and built: there is no bot", shown)
    assert shown.endswith("1 of 2 keep the contract\n")


# ---- Tables that fit

ROW = {
    "place": 1,
    "bot": "a" * 30,
    "rating": "12.3",
    "mu": "25",
    "strength": "50 %",
    "wins": "1",
    "faults": "2",
}


def draw(rows: object) -> str:
    [row] = rows  # type: ignore[misc, attr-defined]
    return " ".join(map(str, row.values()))


@pytest.mark.parametrize(
    ("columns", "gone"), [(60, []), (48, ["mu"]), (45, ["mu", "wins"]), (40, ["mu", "wins", "rating"])]
)
def test_columns_give_way_in_their_order(columns: int, gone: list[str]) -> None:
    table, given = fitted([ROW], draw, columns)
    assert given == gone and width(table) <= columns
    assert [column for column in GIVE_WAY if column in gone] == gone


def test_the_order_in_which_columns_give_way_is_in_the_documents() -> None:
    page = " ".join((ROOT / "docs" / "season.md").read_text(encoding="utf-8").split())
    assert (
        f"give way in this order: {', '.join(f'`{column}`' for column in GIVE_WAY)}; then names are cut"
        in page
    )


def test_at_last_names_are_cut() -> None:
    table, _ = fitted([ROW], draw, 20)
    assert width(table) == 20 and "aaa…" in table


def test_leaders_stay_on_the_screen() -> None:
    table = "\n".join(["head", "----", *map(str, range(30))])
    shown = on_screen(table, "380 matches\nmore", 80, 10).splitlines()
    assert shown == ["head", "----", "0", "1", "2", "3", "4", "5", "… and 24 more", "380 matches"]
    assert on_screen("a\nb", "380 matches\nlong " * 3, 80, 6).splitlines()[:4] == [
        "a",
        "b",
        "",
        "380 matches",
    ]


@pytest.mark.slow
def test_watch_has_a_screen_of_its_own_and_leaves_nothing_on_the_other(faulty: Path) -> None:
    with terminal("standings", str(faulty), "--watch", LINES="24") as screen:
        screen.until("\x1b[J")
        screen.type(CTRL_C)
        assert screen.ended() == 130
    before, _, after = screen.shown.partition(f"{ESCAPE}[?1049h")
    shown, _, rest = after.partition(f"{ESCAPE}[?1049l")
    assert before == "" and "rogue" in shown and "rogue" not in rest
    lines = re.sub(r"\x1b\[[?0-9]*[a-zA-Z]", "", shown).splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80


@pytest.mark.slow
def test_watch_leaves_its_screen_when_it_is_told_to_end(faulty: Path) -> None:
    with terminal("standings", str(faulty), "--watch", LINES="24") as screen:
        screen.until("\x1b[J")
        screen.process.terminate()
        assert screen.ended() == 143
    assert screen.shown.endswith(f"{ESCAPE}[?25h{ESCAPE}[?1049l")


def test_the_tables_of_a_league_give_way_as_others_do() -> None:
    line = LeagueLine(
        1,
        1,
        "ann",
        "a" * 40,
        False,
        12,
        False,
        3.5,
        "55.0 % [40.0 %, 70.0 %]",
        2,
        "",
    )
    state = LeagueState(12, 24, [line, replace(line, place=None, division=None)], [])
    assert width(state_text(state)) > 80 and "No room" not in state_text(state)
    narrow = state_text(state, 60)
    assert max(map(len, narrow.splitlines())) <= 60 and "No room for blocks, remark" in narrow


# ---- Progress


def paced(seconds: list[float]) -> Pace:
    """So long it took from each match that is finished to the next."""
    pace, now = Pace(), 0.0
    for each in seconds:
        now += each
        pace.add(1, now)
    return pace


def test_a_stall_does_not_change_what_is_left() -> None:
    assert paced([0.25] * 50 + [60.0] + [0.25] * 49).seconds_per_match() == pytest.approx(0.25)


def test_a_slow_start_is_not_taken_for_the_pace() -> None:
    start = [30.0] + [4.0] * 8
    assert paced(start[:5]).seconds_per_match() is None
    assert paced([*start, *[0.25] * 12]).seconds_per_match() == pytest.approx(0.25)
    assert paced([0.25] * 17).seconds_per_match() is None


def test_matches_that_nobody_wants_any_more_say_nothing_of_the_pace() -> None:
    pace = paced([0.0])
    pace.add(0, 1000.0)
    assert pace.seconds_per_match() is None


def test_of_long_matches_a_few_say_what_is_left() -> None:
    assert paced([600.0]).seconds_per_match() is None
    assert paced([900.0, 600.0, 500.0]).seconds_per_match() == pytest.approx(550.0)


@pytest.mark.parametrize(("seats", "blocks"), [(2, 3), (4, 2)])
def test_of_a_knockout_too_it_is_told_how_many_matches_there_are(seats: int, blocks: int) -> None:
    plan = planned("knockout", entries(13), seats, blocks, "all")
    assert number_of_matches(plan) == sum(len(result.matches) for result in play(plan)[1])
    assert number_of_matches(planned("league", entries(4), 2, 1, "endless")) is None


def test_who_plays_no_more_does_not_lead() -> None:
    plan = planned("round-robin", entries(4), 2, 3, "x", max_faults=2)
    progress = Progress(plan, StringIO(), ["b1", "b2", "b3"])
    for result in play(plan, noise=0.0, faulty=["b1"])[1]:
        progress.counted(result)
    assert progress.leaders() == ["b2", "b3"]
    progress.taken_out("b2")
    assert progress.leaders() == ["b3"]


def test_times_are_said_so_that_they_can_be_read_at_a_glance() -> None:
    assert [length(seconds) for seconds in (9, 75, 7200, 10**6)] == ["9 s", "1 min 15 s", "2.0 h", "12 days"]


# ---- Faults


@pytest.mark.slow
def test_faults_are_listed_with_what_was_on_stderr_and_replay_marks_their_matches(faulty: Path) -> None:
    found = json.loads(dalang("faults", str(faulty), "--json"))
    assert {each["bot"] for each in found} == {"rogue"} and {each["kind"] for each in found} == {"crash"}
    assert all(each["stderr"] for each in found)
    shown = dalang("faults", str(faulty), "--bot", "rogue", "--most", "1")
    assert "rogue broke the contract" in shown and "stderr: " in shown and "dalang replay" in shown
    assert "nobody broke" in dalang("faults", str(faulty), "--kind", "timeout")
    assert "did you mean" in dalang("faults", str(faulty), "--bot", "rouge", code=2)
    listed = dalang("replay", str(faulty))
    marked = [line.split()[0] for line in listed.splitlines() if "✗ rogue crash" in line]
    assert marked == [each["match"] for each in found]


# ---- Results for others


@pytest.mark.slow
def test_a_knockout_tells_its_bracket_and_how_far_everybody_came(faulty: Path) -> None:
    shown = dalang("standings", str(faulty))
    assert "champion" in shown and "Semi-finals:" in shown and ", by points" in shown
    data = json.loads(dalang("standings", str(faulty), "--json"))
    assert [each["name"] for each in data["bracket"]] == ["semi-finals", "final"]
    came = {line["name"]: line["reached"] for line in data["standings"]}
    assert sorted(came.values()) == ["champion", "final", "semi-finals", "semi-finals"]
    rows = csv.DictReader(StringIO(dalang("standings", str(faulty), "--format", "csv")))
    assert {row["name"]: row["reached"] for row in rows} == came
    assert "```\nSemi-finals:" in dalang("standings", str(faulty), "--format", "markdown")


@pytest.mark.slow
def test_a_badge_is_a_picture_of_its_own_that_names_the_leader(faulty: Path, tmp_path: Path) -> None:
    dalang("standings", str(faulty), "--badge", str(tmp_path / "b.svg"))
    root = ElementTree.parse(tmp_path / "b.svg").getroot()
    with open_to_read(faulty) as store:
        first = standings(store).lines[0].line.name
        assert badge(standings(store)) == (tmp_path / "b.svg").read_text(encoding="utf-8")
    assert root.tag.endswith("svg") and f"{first} has won of 4 bots" in "".join(root.itertext())


def test_a_name_cannot_draw_into_a_badge() -> None:
    picture = drawn("<script>&", "\x1b[31m" + "x" * 100)
    texts = [each.text for each in ElementTree.fromstring(picture).iter() if each.tag.endswith("text")]
    assert texts[0] == "<script>&" and texts[1] is not None and len(texts[1]) == 40 and "\x1b" not in texts[1]


# ---- Formats


def test_the_rules_of_every_format_are_in_the_documents_as_they_are_told() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for format in (*FORMATS.values(), LEAGUE):
        assert f"## {format.name}\n\n{format.rules()}\n" in page
        assert format.rules().count("\n\n") >= 2
    assert f"plays {PLACEMENT} blocks first" in LEAGUE.rules()
