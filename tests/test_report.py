"""The report: what goes into the page, and what a real browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dalang.engine.catalogue import bundled_games, find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import Plain, SetupError, State
from dalang.engine.record import Record, seen
from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.escaping import for_page, printable
from dalang.harness.match.played import Played
from dalang.harness.people.story import event_story
from dalang.harness.report import data as report_data
from dalang.harness.report import page as page_module
from dalang.harness.report.chronicle import MOST_POINTS, Chronicle
from dalang.harness.report.data import gathered
from dalang.harness.report.page import page as page_of
from dalang.harness.report.reenacted import reenacted
from dalang.harness.statistics.rating import Rating
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.stored import unpacked
from dalang.harness.tournament.terms import Terms
from tests.browser import Page
from tests.test_tournament import STRANGE, dalang, query, standings

pytestmark = pytest.mark.slow

TELLS_ALL = STRANGE / "tells_all.py"
TRICKY = "</script><b>&tricky"
SETTINGS = {
    "kali": ["--blocks", "3"],
    "bali_wrede": ["--seats", "3", "--blocks", "1", "--option", "oracle=true", "--option", "demon=true"],
    "bali_rosenberg": ["--seats", "4", "--blocks", "1", "--option", "max_turns=7"],
}
BOTS = {"kali": 3, "bali_wrede": 3, "bali_rosenberg": 4}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tournament files by game, played when first needed."""
    return Files(tmp_path_factory.mktemp("report"))


class Files(dict[str, Path]):
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __missing__(self, game: str) -> Path:
        bot = self.folder / "tricky"
        bot.mkdir(exist_ok=True)
        (bot / "bot.toml").write_text(
            f"name = {json.dumps(TRICKY)}\ncommand = {json.dumps(['python3', str(TELLS_ALL)])}\n"
            f"env = {{ PYTHONPATH = {json.dumps(str(STRANGE.parent.parent))} }}\n"
        )
        self[game] = self.folder / f"{game}.db"
        bots = [str(bot), "first", "random", "other=random"][: BOTS[game]]
        dalang("run", game, *bots, *SETTINGS[game], "--seed", "a report", "--db", str(self[game]))
        return self[game]


@pytest.fixture(scope="session")
def reports(files: dict[str, Path]) -> dict[str, Path]:
    return Written(files)


class Written(dict[str, Path]):
    def __init__(self, files: dict[str, Path]) -> None:
        self.files = files

    def __missing__(self, game: str) -> Path:
        self[game] = self.files[game].with_suffix(".html")
        dalang("report", str(self.files[game]), "-o", str(self[game]))
        return self[game]


def gather(db: Path, matches: int | None = None) -> Plain:
    with open_to_read(db) as store:
        return gathered(store, matches)


def stored(db: Path, block: int = 0, rotation: int = 0) -> Plain:
    sql = f"select record from match where block = {block} and rotation = {rotation}"
    [[blob]] = query(db, sql)
    return unpacked(blob)


def walk(game: str, match: Plain) -> Iterator[State]:
    """The stored match once more, before its first decision and after each."""
    record = Record.of_data(match["record"])
    state = find_game(game).start(record.seats, SeededChance(record.seed), **record.options)
    yield state
    for turn in record.turns:
        state.play(turn.move)
        yield state


def walked_views(game: str, match: Plain) -> Iterator[list[Plain]]:
    for state in walk(game, match):
        yield [state.view(seat) for seat in range(state.seats)]


def embedded(html: str) -> Plain:
    [text] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    found: Plain = json.loads(text)
    return found


# ---- What goes in


def reenacted_match(game: str, match: Plain) -> Plain:
    return reenacted(Terms(game, len(match["names"])), Played.of_data(match))


@pytest.mark.parametrize("game", bundled_games())
def test_every_step_holds_what_every_seat_saw_and_what_there_was(game: str, files: dict[str, Path]) -> None:
    match = stored(files[game])
    views: list[Plain] = [{} for _ in match["names"]]
    table: Plain = {}
    steps = reenacted_match(game, match)["steps"]
    for step, state in zip(steps, walk(game, match), strict=True):
        views = [{**view, **step["all"], **own} for view, own in zip(views, step["own"], strict=True)]
        table |= step["table"]
        assert views == [state.view(seat) for seat in range(state.seats)]
        assert table == state.dump()


@pytest.mark.parametrize("game", bundled_games())
def test_every_seat_is_told_what_it_was_told(game: str, files: dict[str, Path]) -> None:
    match = stored(files[game])
    steps = reenacted_match(game, match)["steps"]
    events = list(walk(game, match))[-1].events or []
    for seat in range(len(match["names"])):
        sentences = [event_story(find_game(game), event, match["names"]) for event in seen(events, seat)]
        versions = [
            event if isinstance(event, str) else event[seat + 1] for step in steps for event in step["events"]
        ]
        assert [version for version in versions if version is not None] == sentences


def test_times_and_notes_belong_to_the_decisions_that_were_asked(files: dict[str, Path]) -> None:
    match = stored(files["kali"])
    steps = reenacted_match("kali", match)["steps"][1:]
    for seat, times in enumerate(match["microseconds"]):
        asked = [step["ms"] for step in steps if step["seat"] == seat and "ms" in step]
        assert asked == [time / 1000 for time in times[: len(asked)]]
        assert len(times) - len(asked) in (0, 1)  # an answer that was itself the fault is no decision
    assert {str(number): step["note"] for number, step in enumerate(steps) if "note" in step} == match[
        "notes"
    ]
    assert any("stand_in" in step for step in steps)


def test_what_luck_did_is_told_in_places_step_by_step(files: dict[str, Path]) -> None:
    match = stored(files["kali"])
    luck = reenacted_match("kali", match)["luck"]
    shown = gather(files["kali"])["matches"][0]["luck"]
    assert [round(sum(seat), 1) for seat in zip(*luck.values(), strict=True)] == [
        round(each, 1) for each in shown
    ]
    assert "luck" not in gather(files["bali_wrede"])["matches"][0]  # which has no value


def test_a_match_under_other_rules_says_why_it_cannot_be_shown(files: dict[str, Path]) -> None:
    match = stored(files["kali"])
    match["record"]["rules_version"] = 99
    assert "version 99 of the rules" in reenacted_match("kali", match)["problem"]
    match["record"] |= {"rules_version": 1, "turns": match["record"]["turns"][1:]}
    assert "move 0 is recorded as" in reenacted_match("kali", match)["problem"]


def test_the_same_file_gives_the_same_bytes(files: dict[str, Path]) -> None:
    assert page_of(gather(files["kali"])) == page_of(gather(files["kali"]))


def test_the_last_rating_of_the_chart_is_that_of_the_standings(files: dict[str, Path]) -> None:
    data = gather(files["kali"])
    for line in data["standings"]["standings"]:
        assert data["history"]["ratings"][line["name"]][-1] == round(line["mu"], 2)
    assert data["history"]["blocks"][0] == 0
    assert data["history"]["blocks"][-1] == data["standings"]["blocks"]


@pytest.mark.parametrize("number", [0, 1, 7, 119, 120, 121, 999])
def test_lines_have_few_points_and_end_at_the_end(number: int) -> None:
    names = ("a", "b")
    chronicle = Chronicle(Terms("kali", 2), names)
    match = MatchResult(names, (1, 2), (3, 1), ("", ""))
    for block in range(number):
        chronicle.add(BlockResult(Block(block, block, names, block), (match, match)))
    history = chronicle.history({"a": Rating(35.0), "b": Rating(25.0)})
    blocks = history["blocks"]
    assert blocks == sorted(set(blocks)) and len(blocks) <= MOST_POINTS + 1
    assert (blocks[0], blocks[-1]) == (0, number)
    assert len(blocks) >= min(number, MOST_POINTS // 2)
    assert [line[-1] for line in history["ratings"].values()] == ([35.0, 25.0] if number else [25.0, 25.0])
    assert {len(line) for line in history["ratings"].values()} == {len(blocks)}
    assert all(
        a + b == pytest.approx(60, abs=0.02)
        for a, b in list(zip(*history["ratings"].values(), strict=True))[1:]
    )


def test_matches_with_faults_come_first_and_then_the_first_of_each_block(files: dict[str, Path]) -> None:
    with open_to_read(files["kali"]) as store:
        everything = report_data.by_interest(store, 100)
        few = report_data.by_interest(store, 4)
    faulted = query(
        files["kali"], "select distinct block, rotation from seat where fault <> '' order by 1, 2"
    )
    assert len(everything) == 18
    assert everything[: len(faulted)] == faulted
    assert few[:2] == faulted[:2]
    assert all(key.rotation == 0 for key in few[2:])


def test_as_many_matches_as_wanted_are_in_it(files: dict[str, Path]) -> None:
    for wanted in (0, 5, 1000):
        data = gather(files["kali"], wanted)
        assert (len(data["matches"]), data["stored"]) == (min(wanted, 18), 18)
        assert data["matches"] == sorted(
            data["matches"], key=lambda match: (match["block"], match["rotation"])
        )


def test_without_a_wish_the_file_stays_small(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_data, "MOST_REPORT_BYTES", 5000)
    matches = gather(files["kali"])["matches"]
    assert 1 <= len(matches) < 18
    assert sum(len(match["steps"]) for match in matches) <= 5000


def test_faults_are_told_once_with_their_stderr(files: dict[str, Path], reports: dict[str, Path]) -> None:
    faults = gather(files["kali"])["faults"]
    [[number]] = query(files["kali"], "select count(*) from seat where fault <> ''")
    assert sum(fault["times"] for fault in faults) == number > len(faults)
    assert faults[0]["bot"] == TRICKY
    assert faults[0]["stderr"][-1].endswith(" enough")


def test_matches_that_do_not_count_are_told_with_the_reason(
    page: Page, files: dict[str, Path], tmp_path: Path
) -> None:
    copy = Path(shutil.copy(files["kali"], tmp_path))
    query(copy, "update tournament set value = '1' where key = 'max_faults'")
    query(copy, "delete from match where block = 8 and rotation = 1")
    query(copy, "delete from seat where block = 8 and rotation = 1")
    data = gather(copy)
    left_out, table = data["uncounted"], data["standings"]
    assert left_out["unfinished"] == 1
    assert left_out["withdrawn"] > 1
    assert data["stored"] == 17 == left_out["withdrawn"] + left_out["unfinished"] + table["matches"]
    faults = sum(sum(line["faults"].values()) for line in table["standings"])
    assert sum(fault["times"] for fault in data["faults"]) == faults + left_out["faults"] > faults
    open_with(page, data, tmp_path)
    assert f"Of 17 stored matches {left_out['withdrawn'] + 1} do not count" in page.text("#standings")
    assert f"{left_out['faults']} faults happened in matches that do not count" in page.text("#faults")
    assert TRICKY not in page.texts("#ratings polyline title")


def test_of_many_faults_the_most_frequent_are_told_and_the_others_counted(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_data, "MOST_FAULTS", 0)
    data = gather(files["kali"])
    assert (data["faults"], data["untold"]) == ([], 1)


def test_of_very_many_matches_with_faults_only_the_first_are_read_and_the_others_counted(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_to_read(files["kali"]) as store:
        faulted = len(store.faulted())
    assert gather(files["kali"])["unread"] == 0
    monkeypatch.setattr(report_data, "MOST_FAULTED", 1)
    data = gather(files["kali"])
    assert (len(data["faults"]), data["unread"]) == (1, faulted - 1)


def test_a_damaged_record_is_named(files: dict[str, Path], tmp_path: Path) -> None:
    copy = Path(shutil.copy(files["kali"], tmp_path))
    query(copy, "update match set record = x'00' where block = 1 and rotation = 1")
    with pytest.raises(SetupError, match="record of block 1, rotation 1 cannot be read"):
        gather(copy)


def test_nothing_a_bot_says_can_end_the_data(files: dict[str, Path], reports: dict[str, Path]) -> None:
    html = reports["kali"].read_text(encoding="utf-8")
    assert embedded(html) == json.loads(json.dumps(for_page(gather(files["kali"]))))
    assert html.count("</script>") == 2


def test_a_match_is_json_behind_zlib_behind_base64(reports: dict[str, Path]) -> None:
    data = embedded(reports["kali"].read_text(encoding="utf-8"))
    steps = json.loads(zlib.decompress(b64decode(data["matches"][0]["steps"])))["steps"]
    assert steps[0]["all"]["wealth"] == [40, 40]


def test_the_command_says_what_it_has_written_and_what_is_wrong(
    files: dict[str, Path], tmp_path: Path
) -> None:
    written = dalang("report", str(files["kali"]), "-o", str(tmp_path / "a.html"), "--matches", "3")
    assert re.fullmatch(r".*a\.html: 3 of 18 matches to step through, \d+ kB\n", written)
    assert "there is no file" in dalang("report", "nowhere.db", "-o", str(tmp_path / "b.html"), code=2)
    assert not (tmp_path / "b.html").exists()
    wrong = dalang("report", str(files["kali"]), "-o", str(tmp_path / "no" / "c.html"), code=2)
    assert "cannot be written" in wrong


# ---- In a real browser


def look_through(page: Page, seat: int, steps: list[int]) -> list[Any]:
    """Steps of the open match through one seat's eyes: what the data, the words and the panels say."""
    page.click(f".eyes input[value='{seat}']")
    page.run("document.querySelector('.raw').open = true")
    found: list[Any] = page.run(
        f"""{steps}.map((at) => {{
          const slider = document.querySelector(".transport input");
          slider.value = at;
          slider.dispatchEvent(new Event("input"));
          return {{
            view: JSON.parse(document.querySelector(".raw pre").textContent),
            shown: document.querySelector(".board").textContent,
            panels: document.querySelectorAll(".stage svg").length,
            broken: document.querySelector(".stage").innerHTML.match(/undefined|NaN|null/),
          }};
        }})"""
    )
    return found


def some_steps(match: Plain) -> list[int]:
    """The beginning, the end, something of what is between, and every step with a note."""
    last = len(match["record"]["turns"])
    return sorted(
        {*range(0, last, 11), *range(5), last - 1, last, *(int(turn) + 1 for turn in match["notes"])}
    )


def test_the_page_shows_the_numbers_of_the_standings(
    page: Page, files: dict[str, Path], reports: dict[str, Path]
) -> None:
    page.open(reports["kali"])
    table = standings(files["kali"])
    rows = page.run(
        "[...document.querySelectorAll('#standings tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    assert [row[:4] + row[5:9] for row in rows] == [
        [
            str(line["place"]),
            line["name"],
            f"{line['mu']:.2f}",
            f"{100 * line['strength']['mean']:.1f} %",
            f"{100 * line['beats']['mean']:.1f} %",
            f"{line['score']['mean']:.1f}",
            f"{100 * line['wins']:.1f} %",
            str(line["matches"]),
        ]
        for line in table["standings"]
    ]
    cells = page.texts("#crosstable td.ahead, #crosstable td.behind")
    names = [line["name"] for line in table["standings"]]
    pairs = sorted(
        table["crosstable"], key=lambda pair: (names.index(pair["row"]), names.index(pair["column"]))
    )
    assert [cell.rstrip("*") for cell in cells] == [f"{100 * pair['result']:.0f} %" for pair in pairs]
    assert len(page.texts("#seats tbody tr")) == len(table["seats"])
    assert "18 matches in 9 complete blocks" in page.text("#standings")
    assert "for one look at a finished tournament" in page.text("#standings")
    assert page.texts("#ratings polyline title")[-1] == table["standings"][0]["name"]
    assert "a single pass over the matches in schedule order" in page.text("#ratings .hint")


def open_with(page: Page, data: Plain, folder: Path) -> None:
    html = folder / "changed.html"
    html.write_text(page_of(data), encoding="utf-8")
    page.open(html)


def test_the_page_tells_that_a_tournament_goes_on_and_that_it_goes_round(
    page: Page, files: dict[str, Path], tmp_path: Path
) -> None:
    data = gather(files["kali"], 1)
    pairs = data["standings"]["crosstable"]
    data["standings"] |= {"live": True, "cycle": [pairs[0] | {"result": 0.75}]}
    open_with(page, data, tmp_path)
    assert "hold at every look" in page.text("#standings")
    row, column = pairs[0]["row"], pairs[0]["column"]
    assert f"Not transitive, and no accident: {row} beats {column} (75 %)." in page.text("#standings")


def test_a_half_is_rounded_as_on_the_command_line(page: Page, files: dict[str, Path], tmp_path: Path) -> None:
    data = gather(files["kali"], 1)
    lines, pairs = data["standings"]["standings"], data["standings"]["crosstable"]
    scores, shares = [43.25, 43.75, 43.35], [0.525, 0.475, 0.725, 0.735, 0.005, 0.995]
    for line, score in zip(lines, scores, strict=True):
        line["score"]["mean"] = score
    for pair, share in zip(pairs, shares, strict=True):
        pair["result"] = share
    open_with(page, data, tmp_path)
    assert page.texts("#standings td[data-column=Score]") == [f"{score:.1f}" for score in scores]
    cells = page.texts("#crosstable td.ahead, #crosstable td.behind")
    assert sorted(cell.rstrip("*") for cell in cells) == sorted(f"{100 * share:.0f} %" for share in shares)


def test_a_bot_has_one_colour_everywhere(page: Page, reports: dict[str, Path]) -> None:
    page.open(reports["bali_wrede"], "#match=0.1&seat=-1&step=1")
    found = page.run(
        """Object.fromEntries(["#standings tbody th", "#times tbody th", ".result tbody th", ".eyes label"].map(
          (where) => [where, [...document.querySelectorAll(where)].filter((named) => named.querySelector(".dot"))
            .map((named) => `${named.textContent} ${named.querySelector(".dot").style.background}`).sort()]))"""
    )
    first, *others = found.values()
    assert len(first) == 3
    assert others == [first] * 3


def test_the_chart_begins_near_the_ratings_and_keeps_its_labels_apart(
    page: Page, files: dict[str, Path], tmp_path: Path
) -> None:
    data = gather(files["kali"], 1)
    names = [line["name"] for line in data["standings"]["standings"]]
    data["history"] = {
        "blocks": list(range(10)),
        "ratings": {name: [0.0, 15.0, *[20.0 + place / 10] * 8] for place, name in enumerate(names)},
    }
    open_with(page, data, tmp_path)
    page.until("document.querySelector('#ratings .end')")
    marks = page.run(
        "[...document.querySelectorAll('#ratings .axis[text-anchor=end]')].map((mark) => +mark.textContent)"
    )
    assert min(marks) >= 15
    heights = sorted(
        page.run("[...document.querySelectorAll('#ratings .end')].map((end) => +end.getAttribute('y'))")
    )
    assert all(lower - upper >= 14 for upper, lower in pairwise(heights))


@pytest.mark.parametrize(
    ("game", "told"), [("kali", "turned last: none"), ("bali_rosenberg", "discards: none")]
)
def test_where_nothing_lies_the_picture_says_so(
    game: str, told: str, page: Page, reports: dict[str, Path]
) -> None:
    page.open(reports[game])
    assert any(told in text for text in page.texts(".stage text"))


@pytest.mark.parametrize("game", bundled_games())
def test_a_match_can_be_seen_through_the_eyes_of_every_seat_and_no_further(
    game: str, page: Page, files: dict[str, Path], reports: dict[str, Path]
) -> None:
    page.open(reports[game])
    match = stored(files[game])
    at, turns = some_steps(match), match["record"]["turns"]
    views = list(walked_views(game, match))
    for seat in range(len(match["names"])):
        steps = look_through(page, seat, at)
        assert [step["view"] for step in steps] == [views[number][seat] for number in at]
        assert all(step["panels"] > 2 and not step["broken"] for step in steps)
        own = {turn: note for turn, note in match["notes"].items() if turns[int(turn)][0] == seat}
        for number, step in zip(at[1:], steps[1:], strict=True):
            assert ("one of" in step["shown"] or "the only" in step["shown"]) == (
                turns[number - 1][0] == seat
            )
            note = printable(match["notes"].get(str(number - 1), "no note"))
            assert (note in step["shown"]) == (str(number - 1) in own)
        assert page.texts(".log .note") == [f"“{printable(note)}”" for note in own.values()]
        assert len(page.texts(".log .broke")) == sum(fault["seat"] == seat for fault in match["faults"])


@pytest.mark.parametrize("game", bundled_games())
def test_the_dalang_sees_everything(
    game: str, page: Page, files: dict[str, Path], reports: dict[str, Path]
) -> None:
    page.open(reports[game])
    match = stored(files[game])
    at = some_steps(match)
    steps = look_through(page, -1, at)
    tables = [state.dump() for state in walk(game, match)]
    assert [step["view"]["whole"] for step in steps] == [tables[number] for number in at]
    assert all(step["panels"] > 2 and not step["broken"] for step in steps)
    assert len(page.texts(".log .note")) == len(match["notes"]) > 0
    assert len(page.texts(".log .broke")) == len(match["faults"]) > 0


def test_what_a_stranger_wrote_is_text_and_nothing_else(page: Page, reports: dict[str, Path]) -> None:
    page.open(reports["kali"])
    assert page.text("title") != "fooled"
    assert page.run("document.querySelectorAll('main img, main b').length") == 0
    assert TRICKY in page.text("#standings")
    page.run("document.querySelectorAll('#faults details').forEach((fault) => { fault.open = true; })")
    assert "onerror=" in page.text("#faults pre")
    assert "onerror=" in "".join(page.texts(".log .note"))
    page.click("#faults button")
    page.until("document.querySelector('.log li[aria-current].fault')")
    assert f"{TRICKY} broke the contract: crash." in page.text(".log li[aria-current]")


def test_a_comparison_in_which_a_bot_holds_two_seats_shows_no_ratings(page: Page, tmp_path: Path) -> None:
    db, html = str(tmp_path / "t.db"), tmp_path / "t.html"
    terms = ["--seats", "3", "--max-blocks", "2", "--seed", "1"]
    dalang("compare", "kali", "random", "first", *terms, "--db", db, code=3)
    dalang("report", db, "-o", str(html))
    page.open(html)
    assert page.text("#ratings p") == "Not rated: a bot sits at a table more than once."
    assert "Skill" not in page.text("#standings thead")
    assert "Places by mean." in page.text("#standings")


def test_keys_step_and_jump(page: Page, reports: dict[str, Path]) -> None:
    page.open(reports["bali_wrede"])
    last = page.run("Number(document.querySelector('.transport input').max)")
    page.run("document.querySelector('.viewer').focus()")
    for key, step in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", last),
        ("ArrowRight", last),
    ):
        page.press(key)
        assert page.text(".counter") == f"{step} / {last}"
    page.press("Home")
    assert page.texts(".log li[aria-current]") == page.texts(".log li")[:1]
    for label, step in (("Step forward", 1), ("Last step", last), ("Step back", last - 1), ("First step", 0)):
        page.click(f"button[aria-label='{label}']")
        assert page.text(".counter") == f"{step} / {last}"


def test_the_dalang_sees_what_luck_did_and_no_seat_does(page: Page, reports: dict[str, Path]) -> None:
    page.open(reports["kali"], "#match=0.0&seat=-1&step=1")
    assert len(page.texts(".luck li")) == len(page.texts(".result tbody th"))
    assert page.texts(".hint button.moment")
    page.open(reports["kali"], "#match=0.0&seat=0&step=1")
    assert not page.texts(".luck li")


def test_another_match_and_a_moment_can_be_chosen(
    page: Page, files: dict[str, Path], reports: dict[str, Path]
) -> None:
    page.open(reports["bali_wrede"], "#match=0.1&seat=2&step=5")
    assert page.text(".counter").startswith("5 / ")
    assert page.run("document.querySelector('.eyes input:checked').value") == "2"
    names = stored(files["bali_wrede"], rotation=1)["names"]
    assert page.texts(".eyes label")[1:] == names
    assert set(page.texts(".result tbody th")) == set(names)
    page.run("document.querySelector('#match').value = 2")
    page.run("document.querySelector('#match').dispatchEvent(new Event('change'))")
    third = stored(files["bali_wrede"], rotation=2)["names"]
    page.until(f"document.querySelectorAll('.eyes label')[1].textContent === {json.dumps(third[0])}")
    page.click("button[aria-label='Step forward']")
    page.until("location.hash === '#match=0.2&seat=-1&step=1'")


def test_an_address_that_cannot_be_opens_the_match_all_the_same(page: Page, reports: dict[str, Path]) -> None:
    for seat, step in (("-5", "x"), ("1.5", "-3"), ("9", "1.5"), ("x", "")):
        page.open(reports["kali"], f"#match=0.1&seat={seat}&step={step}")
        assert page.run("document.querySelector('.eyes input:checked').value") == "-1"
        assert page.text(".counter").split()[0] in ("0", "1")


def test_the_next_fault_is_one_that_this_seat_may_know(
    page: Page, files: dict[str, Path], reports: dict[str, Path]
) -> None:
    [[block, rotation]] = query(files["kali"], "select block, rotation from seat where fault <> '' limit 1")
    [fault] = stored(files["kali"], block, rotation)["faults"]
    hidden = "document.querySelector(\"button[aria-label='Next fault']\").hidden"
    page.open(reports["kali"], f"#match={block}.{rotation}&seat={1 - fault['seat']}&step=0")
    assert page.run(hidden)
    page.click(f".eyes input[value='{fault['seat']}']")
    assert not page.run(hidden)
    page.click("button[aria-label='Next fault']")
    assert page.text(".counter").startswith(f"{fault['turn'] + 1} / ")
    assert page.texts(".log li[aria-current] .broke")


def test_faults_are_told_with_the_number_of_their_decision(
    page: Page, files: dict[str, Path], reports: dict[str, Path]
) -> None:
    page.open(reports["kali"])
    first = gather(files["kali"])["faults"][0]
    told = f"First at decision {first['turn']}, its question {first['question']}, of block {first['block']},"
    assert told in page.texts("#faults .hint")[0]


def test_light_and_dark_follow_the_system_until_the_button_decides(
    page: Page, reports: dict[str, Path]
) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page.open(reports["kali"])
    light = page.run(ground)
    page.prefer("dark")
    dark = page.run(ground)
    assert dark != light
    page.click("#theme")
    assert page.run(ground) == light
    page.click("#theme")
    assert page.run(ground) == dark


IS_TOLD = "(table) => table.matches('.cut') === table.scrollWidth > table.clientWidth"
"""Whether a table that is cut says so."""


@pytest.mark.parametrize("game", bundled_games())
def test_a_phone_shows_it_without_scrolling_sideways(game: str, page: Page, reports: dict[str, Path]) -> None:
    page.size(390, 844, phone=True)
    page.open(reports[game])
    page.click("button[aria-label='Last step']")
    assert page.run("document.documentElement.scrollWidth") == 390
    assert page.run("innerWidth") == 390
    page.until(f"[...document.querySelectorAll('.scroll')].every({IS_TOLD})")
    page.click("button[aria-label='First step']")
    for whole in ("nav", "#standings .scroll", "#times .scroll", ".happened"):
        shown, there = page.run(
            f"(({{ clientWidth, clientHeight, scrollWidth, scrollHeight }}) =>"
            f" [[clientWidth, clientHeight], [scrollWidth, scrollHeight]])(document.querySelector('{whole}'))"
        )
        assert there == shown, whole
    # A panel is drawn 360 wide; much narrower, its smallest text could not be read.
    assert (
        page.run("Math.min(...[...document.querySelectorAll('.stage svg')].map((svg) => svg.clientWidth))")
        > 300
    )


def test_everything_has_a_name_for_those_who_listen(page: Page, reports: dict[str, Path]) -> None:
    page.open(reports["bali_rosenberg"])
    unnamed = page.run(
        """[...document.querySelectorAll("svg, table, button, input, select, section, [role=region]")]
        .filter((element) => element.getAttribute("aria-hidden") !== "true")
        .filter((element) => !element.getAttribute("aria-label") && !element.getAttribute("aria-labelledby"))
        .filter((element) => !element.caption?.textContent && !element.labels?.length)
        .filter((element) => !(element.matches("button") && element.textContent))
        .map((element) => element.outerHTML)"""
    )
    assert unnamed == []
    assert page.run("document.querySelectorAll('th:not([scope])').length") == 0
    assert page.run("document.querySelector('.happened').getAttribute('aria-live')") == "polite"


def open_without_viewer(page: Page, db: Path, *settings: str) -> None:
    html = db.with_suffix(".html")
    dalang("report", str(db), "-o", str(html), *settings)
    page.send("Page.navigate", url=html.as_uri())
    page.until("document.querySelector('#matches p')")


def test_a_report_without_matches_to_show_is_a_page_too(
    page: Page, files: dict[str, Path], tmp_path: Path
) -> None:
    copy = Path(shutil.copy(files["kali"], tmp_path))
    open_without_viewer(page, copy, "--matches", "0")
    assert "None of the 18 matches is part of this file" in page.text("#matches")
    assert page.texts("#faults summary")
    assert page.texts("#faults button") == []


def test_a_tournament_that_has_hardly_begun_is_a_page_too(
    page: Page, files: dict[str, Path], tmp_path: Path
) -> None:
    copy = Path(shutil.copy(files["kali"], tmp_path))
    query(copy, "delete from match")
    query(copy, "delete from seat")
    open_without_viewer(page, copy)
    assert "Nobody broke the contract." in page.text("#faults")
    assert "No block is complete yet." in page.text("#seats")
    assert page.texts("#standings tbody th") == page.texts("#crosstable tbody th")


def page_with(drawing: str, reports: dict[str, Path], path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The report of Kali, had it another drawing."""
    game = replace(find_game("kali"), drawing=drawing)
    monkeypatch.setattr(page_module, "find_game", lambda name: game)
    path.write_text(page_of(embedded(reports["kali"].read_text(encoding="utf-8"))), encoding="utf-8")
    return path


def test_a_game_that_nobody_has_drawn_is_told_and_shown_as_data(
    page: Page, reports: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.open(page_with("", reports, tmp_path / "undrawn.html", monkeypatch))
    page.click("button[aria-label='Step forward']")
    assert "no picture of this game" in page.text(".stage")
    assert "dares a card" in page.text(".told")


def test_a_drawing_with_a_fault_does_not_take_the_page_along(
    page: Page, reports: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "poorly").mkdir()
    (tmp_path / "poorly" / "__init__.py").touch()
    script = 'const panel = "</script>"; function draw(view) { return view.nothing.there; }'
    (tmp_path / "poorly" / "drawing.js").write_text(script, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    page.open(page_with("poorly:drawing.js", reports, tmp_path / "poorly.html", monkeypatch))
    assert "The drawing of this game has a fault here: " in page.text(".stage")
    assert "Place" in page.text("#matches")


def test_a_drawing_that_is_not_there_is_refused() -> None:
    with pytest.raises(SetupError, match=r"the drawing of kali, 'nowhere:drawing\.js', cannot be read"):
        page_module.table_drawing(replace(find_game("kali"), drawing="nowhere:drawing.js"))
