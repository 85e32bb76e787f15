"""A league: bots come and go as folders, and what comes out follows from its file alone."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.game import SetupError
from dalang.harness.blocks import Block
from dalang.harness.entrants.entrant import CannotPlay, Entrant
from dalang.harness.isolation.prctl import DIE_WITH_US
from dalang.harness.league import final
from dalang.harness.league.season import Season
from dalang.harness.league.settings import LEAGUE_EXAMPLE, read_settings
from dalang.harness.league.status import division_size, league_state, state_text
from dalang.harness.league.story import (
    Change,
    Examine,
    LookAround,
    Members,
    PlayOn,
    Submission,
    Version,
    Wait,
    league_story,
)
from dalang.harness.league.submission_table import happenings
from dalang.harness.league.submissions import Entrances, digest_of, submission
from dalang.harness.match import check_apart
from dalang.harness.match.check_apart import EXAMINER, examined_apart
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.machine import Tournament
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.schedule import Entry
from dalang.harness.tournament.schedule.league import FOR_ALL, PLACEMENT
from dalang.harness.tournament.terms import Terms
from tests.browser import Page
from tests.leftovers import commands_naming, until
from tests.simulated import planned, simulate
from tests.test_tournament import command, dalang, query, standings

# ---- The story, without a world


def sent(**digests: str) -> dict[str, Submission]:
    return {name: Submission(name, digest) for name, digest in digests.items()}


class Told:
    """A league of which a test says what lies in its folders, and what becomes of it."""

    def __init__(self, seats: int = 2) -> None:
        self.members = Members(seats)
        self.story = league_story(self.members)
        assert isinstance(next(self.story), LookAround)

    def round(self, there: Mapping[str, Submission], **reasons: str) -> tuple[Change | None, list[str], type]:
        """What changes, who is examined, and whether there is something to play."""
        step, examined, change = self.story.send(there), list[str](), None
        if isinstance(step, Examine):
            examined = [each.name for each in step.submissions]
            step = self.story.send({name: reasons.get(name, "") for name in examined})
        if isinstance(step, Change):
            change = step
            step = self.story.send(None)
        assert isinstance(self.story.send(None), LookAround)
        return change, examined, type(step)


def test_who_is_good_joins_and_with_a_full_table_there_is_play() -> None:
    league = Told()
    change, examined, then = league.round(sent(ann="1"))
    assert change and change.joined["ann"].bot == "ann" and examined == ["ann"] and then is Wait
    change, examined, then = league.round(sent(ann="1", bob="1"))
    assert change and list(change.joined) == examined == ["bob"] and then is PlayOn
    assert league.round(sent(ann="1", bob="1")) == (None, [], PlayOn)


def test_who_changes_joins_as_a_new_version_in_place_of_the_old() -> None:
    league = Told()
    league.round(sent(ann="1", bob="1"))
    change, _, _ = league.round(sent(ann="2", bob="1"))
    assert change and change.replaced == {"ann": "ann@2"} and change.joined["ann"].bot == "ann@2"
    change, _, _ = league.round(sent(ann="1", bob="1"))
    assert change and change.replaced == {"ann@2": "ann@3"}


def test_a_refused_change_leaves_the_old_version_in_and_is_not_tried_again() -> None:
    league = Told()
    league.round(sent(ann="1", bob="1"))
    change, examined, then = league.round(sent(ann="bad", bob="1"), ann="it crashes")
    assert (
        change and change.refused == {"ann": ("bad", "it crashes")} and not change.joined and then is PlayOn
    )
    assert league.members.current["ann"].bot == "ann"
    assert league.round(sent(ann="bad", bob="1")) == (None, [], PlayOn)
    change, examined, _ = league.round(sent(ann="good", bob="1"))
    assert examined == ["ann"] and change and change.joined["ann"].bot == "ann@2"


def test_what_cannot_even_be_tried_is_refused_without_being_run() -> None:
    there = {"ann": Submission("ann", "x", "it is no folder")}
    change, examined, _ = Told().round(there)
    assert examined == [] and change and change.refused == {"ann": ("x", "it is no folder")}


def test_who_takes_the_folder_away_leaves_and_may_come_back_as_a_new_version() -> None:
    league = Told()
    league.round(sent(ann="1", bob="1"))
    change, _, then = league.round(sent(bob="1"))
    assert change and change.left == {"ann": "ann"} and then is Wait
    change, _, then = league.round(sent(ann="1", bob="1"))
    assert change and change.joined["ann"].bot == "ann@2" and not change.replaced and then is PlayOn


@pytest.mark.parametrize("after", [{}, {"ann": "1"}], ids=["gone", "as it was when it joined"])
def test_what_was_refused_is_forgotten_when_it_is_taken_back(after: dict[str, str]) -> None:
    league = Told()
    league.round(sent(**after, bob="1"))
    league.round(sent(ann="bad", bob="1"), ann="it crashes")
    change, examined, _ = league.round(sent(**after, bob="1"))
    assert change and list(change.taken_back) == ["ann"] and examined == [] and not change.left
    assert league.round(sent(**after, bob="1"))[0] is None
    assert league.round(sent(ann="bad", bob="1"), ann="it crashes")[1] == ["ann"]


def test_who_cannot_be_played_with_any_more_leaves_and_is_refused_until_it_changes() -> None:
    members = Members(2, {name: Version(name, "1") for name in ("ann", "bob", "eve")}, {"ann": 1})
    story, there = league_story(members), sent(ann="1", bob="1", eve="1")
    next(story)
    assert isinstance(story.send(there), PlayOn)
    change = story.send({"ann": "make fails and says:\n  no compiler\n  at all"})
    assert isinstance(change, Change) and change.left == {"ann": "ann"}
    assert change.why_left("ann") == "make fails and says: no compiler"
    assert isinstance(story.send(None), LookAround) and isinstance(story.send(there), PlayOn)
    assert isinstance(story.send({}), LookAround)
    assert isinstance(story.send(there | sent(ann="2")), Examine)


# ---- The schedule


def held(
    entries: list[Entry], rounds: int, seats: int = 2, retired: Mapping[str, int] | None = None
) -> list[list[Block]]:
    plan = planned("league", entries, seats, 1, "league")
    tournament = Tournament(plan, retired or {})
    played: list[list[Block]] = []
    while (block := tournament.next_block()) and block.round < rounds:
        if block.round == len(played):
            played.append([])
        played[-1].append(block)
        tournament.open(block, dict(enumerate(simulate(block).matches)))
    return played


def names(blocks: list[Block]) -> Counter[str]:
    return Counter(name for block in blocks for name in block.lineup)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 9), st.integers(2, 4), st.integers(1, 30))
def test_everybody_plays_about_as_often(bots: int, seats: int, rounds: int) -> None:
    entries = [Entry(f"b{number}", 0) for number in range(max(bots, seats))]
    played = held(entries, rounds, seats)
    assert len(played) == rounds
    counts = sum(map(names, played), Counter())
    assert max(counts.values()) <= min(counts[entry.name] for entry in entries) + 2


def test_newcomers_are_placed_first_and_every_third_round_is_for_all() -> None:
    entries = [*(Entry(f"b{number}", 0) for number in range(8)), Entry("b9", 30), Entry("b10", 30)]
    played = held(entries, 60)
    assert not any("b9" in names(blocks) for blocks in played[:30])
    placing = played[30 : 30 + PLACEMENT]
    for turn, blocks in enumerate(placing, start=30):
        if turn % FOR_ALL == FOR_ALL - 1:
            assert len(blocks) == 5
        else:
            assert all({"b9", "b10"} & {*block.lineup} for block in blocks) and len(blocks) <= 2
    assert sum(map(names, placing), Counter())["b9"] == PLACEMENT
    assert all(len(blocks) == 5 for blocks in played[30 + PLACEMENT :])


def test_who_is_retired_plays_no_more_and_too_few_end_the_rounds() -> None:
    entries = [Entry(f"b{number}", 0) for number in range(3)]
    played = held(entries, 50, retired={"b0": 10})
    assert not any("b0" in names(blocks) for blocks in played[10:]) and len(played) == 50
    assert len(held(entries, 50, retired={"b0": 10, "b1": 10})) == 10


def test_a_few_bots_are_one_division_and_many_are_several() -> None:
    assert [division_size(bots, 10) for bots in (0, 5, 15, 16, 40)] == [1, 5, 15, 10, 10]


# ---- Folders of strangers


def test_a_change_of_any_file_is_seen(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.py").write_text("1")
    before = digest_of(folder)
    assert digest_of(folder) == before
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.pyc").write_text("made")
    assert digest_of(folder) == before
    (folder / "deep" / "a.py").chmod(0o755)
    executable = digest_of(folder)
    assert executable != before
    (folder / "deep" / "a.py").rename(folder / "deep" / "b.py")
    assert digest_of(folder) not in (before, executable)


def test_a_folder_that_cannot_be_looked_into_does_not_hide_what_others_send(tmp_path: Path) -> None:
    entrances = Entrances(tmp_path, tmp_path / "versions", {})
    (tmp_path / "bad").mkdir()
    deep(tmp_path / "bad")
    before = entrances.glance()
    assert entrances.glance() == before
    bot(tmp_path / "good", "0")
    assert entrances.glance() != before


def large(folder: Path) -> None:
    (folder / "big").touch()
    os.truncate(folder / "big", 2**40)


def deep(folder: Path) -> None:
    for _ in range(70):
        folder /= "d"
        folder.mkdir()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: os.mkfifo(folder / "pipe"), "pipe is neither a file nor a folder"),
        (large, "256 MB"),
        (deep, "60 folders in each other"),
        (lambda folder: (folder / os.fsdecode(b"\xff")).touch(), "is no name in UTF-8"),
        (lambda folder: (folder / "x").symlink_to("/proc/self/mem"), "x is a link that leads out"),
        (lambda folder: (folder / "x").symlink_to("../mine/bot.py"), "x is a link that leads out"),
        (lambda folder: (folder / "x").symlink_to(folder / "bot.py"), "x is a link that leads out"),
        (lambda folder: (folder / "x").symlink_to("x"), "x is a link that leads nowhere"),
        (lambda folder: (folder / "x").symlink_to("a" * 300), "x is a link that leads nowhere"),
    ],
    ids=[
        "a pipe",
        "too large",
        "too deep",
        "no text",
        "the kernel",
        "through its name",
        "from the root",
        "a circle",
        "a long name",
    ],
)
def test_what_a_bot_has_no_use_for_is_refused_before_it_is_copied(
    tmp_path: Path, spoil: Any, said: str
) -> None:
    folder = tmp_path / "mine"
    bot(folder, "0")
    spoil(folder)
    assert said in submission(folder).problem


def test_a_link_within_a_submission_is_copied_with_it(tmp_path: Path) -> None:
    entrances = Entrances(tmp_path / "entrants", tmp_path / "versions", {})
    bot(tmp_path / "entrants" / "mine", "0")
    (tmp_path / "entrants" / "mine" / "data").mkdir()
    (tmp_path / "entrants" / "mine" / "data" / "same.py").symlink_to("../bot.py")
    assert entrances.copied(entrances.look()["mine"], "mine@2") == str(tmp_path / "versions" / "mine@2")


def test_a_link_with_a_name_that_is_too_long_is_none_of_the_entrants(tmp_path: Path) -> None:
    (tmp_path / "mine").symlink_to("a" * 300)
    assert Entrances(tmp_path, tmp_path / "versions", {}).look() == {}


@pytest.mark.parametrize(
    "name",
    ["mine@2", "a b", "*random", "x" * 250, "-rf", "new\nline", "mine.refused.txt", os.fsdecode(b"\xff")],
)
def test_a_name_that_could_be_mistaken_is_refused_in_words_that_can_be_kept(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    found = submission(tmp_path / name)
    assert "rename the folder" in found.problem and found.name.isprintable() and "*" not in found.name
    Entrances(tmp_path, tmp_path, {}).tell_refused(found.name, found.problem)


def test_a_link_is_no_submission(tmp_path: Path) -> None:
    (tmp_path / "mine").symlink_to("/etc")
    assert submission(tmp_path / "mine").problem == "it is a link; send in the folder itself"


def test_a_reason_is_not_written_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "ours").write_text("keep")
    (tmp_path / "mine.refused.txt").symlink_to(tmp_path / "ours")
    Entrances(tmp_path, tmp_path, {}).tell_refused("mine", "no")
    assert (tmp_path / "ours").read_text() == "keep"
    assert (tmp_path / "mine.refused.txt").read_text() == "no\n"


# ---- A whole season


def bot(folder: Path, move: str, more: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(f'command = "python bot.py"\n{more}')
    (folder / "bot.py").write_text(f"from dalang.kit import run\nrun(lambda request: {move}, name='x')\n")


def begun(folder: Path) -> Path:
    """A league with three entrants, one of whom is refused."""
    folder.parent.mkdir(exist_ok=True)
    dalang("league", "init", str(folder))
    config = folder / "league.toml"
    text = (
        config.read_text()
        .replace('# seed = "any text"', 'seed = "one"')
        .replace("# startup = 10.0", "startup = 30.0")
    )
    config.write_text(text.replace("move = 1.0", "move = 20.0"))
    bot(folder / "entrants" / "ann", "0")
    bot(folder / "entrants" / "bob", "len(request.moves) - 1")
    bot(folder / "entrants" / "eve", "0", 'build = "false"\n')
    return folder


def run(folder: Path, rounds: int) -> str:
    done = subprocess.run(
        command("league", "run", str(folder), "--rounds", str(rounds)),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def happened(folder: Path) -> list[tuple[str, str]]:
    with open_to_read(read_settings(folder).season()) as store:
        return [(each.what, each.bot or each.name) for each in happenings(store)]


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A season in which a bot was refused and sent in anew, one was changed, and one has left."""
    folder = begun(tmp_path_factory.mktemp("season") / "league")
    run(folder, 2)
    assert "eve cannot be built; `false` fails" in (folder / "entrants" / "eve.refused.txt").read_text()
    bot(folder / "entrants" / "eve", "0")
    bot(folder / "entrants" / "ann", "min(1, len(request.moves) - 1)")
    run(folder, 2)
    shutil.rmtree(folder / "entrants" / "bob")
    run(folder, 3)
    return folder


@pytest.mark.slow
def test_a_season_lets_in_refuses_replaces_and_lets_go(season: Path) -> None:
    assert happened(season) == [
        ("joined", "*random"), ("joined", "ann"), ("joined", "bob"), ("refused", "eve"),
        ("retired", "ann"), ("joined", "ann@2"), ("joined", "eve"), ("left", "bob"),
    ]  # fmt: skip
    assert not (season / "entrants" / "eve.refused.txt").exists()
    assert (season / "versions" / "ann" / "bot.py").exists() and (
        season / "versions" / "ann@2" / "bot.py"
    ).exists()
    state = json.loads(dalang("league", "status", str(season), "--json"))
    assert {line["bot"] for line in state["lines"]} == {"*random", "ann@2", "eve"}
    [anchor] = [line for line in state["lines"] if line["is_anchor"]]
    assert anchor["rating"] == 0.0 and state["rounds"] == 7 and not state["refused"]
    assert "replaced by ann@2" in dalang("league", "history", str(season))
    assert "7 rounds" in dalang("league", "status", str(season))
    dalang("verify", str(season / "season.db"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="there nothing is hidden from bots")
def test_nothing_that_is_sent_in_or_spoilt_stops_the_league(tmp_path: Path, page: Page) -> None:
    folder = begun(tmp_path / "league")
    bot(folder / "entrants" / "eve", "0", "build = 'sh -c \"echo no compiler; false\"'\n")
    bot(folder / "entrants" / "nosy", "0", f'read = ["{tmp_path}"]\n')
    bot(folder / "entrants" / "sly", "0", "build = 'cp later.toml bot.toml'\n")
    (folder / "entrants" / "sly" / "later.toml").write_text(
        f'command = "python bot.py"\nread = ["{tmp_path}"]'
    )
    bot(folder / "entrants" / "torn", "0", "build = 'cp bot.py bot.toml'\n")
    bot(folder / "entrants" / "lost", "0", f'read = ["{"a" * 300}"]\n')
    bot(folder / "entrants" / "odd", "0", "build = 'ln -sf /proc/self/mem x'\n")
    (folder / "entrants" / os.fsdecode(b"\xff")).mkdir()
    (folder / "entrants" / "void").mkdir()
    (folder / "entrants" / "void.refused.txt").mkdir()
    assert "nothing can be told beside void" in run(folder, 1)
    assert {who for what, who in happened(folder) if what == "refused"} == {
        "eve",
        "lost",
        "nosy",
        "odd",
        "sly",
        "torn",
        "void",
        "void.refused.txt",
        "·",
    }
    for name in ("nosy", "sly"):
        assert f"it asks to read {tmp_path}" in (folder / "entrants" / f"{name}.refused.txt").read_text()
    (folder / "versions" / "bob" / "bot.py").write_text("another bot")
    (folder / "entrants" / "nosy.refused.txt").unlink()
    assert "are not those that joined" in run(folder, 1)
    assert happened(folder)[-2:] == [("left", "bob"), ("refused", "bob")]
    assert (folder / "entrants" / "nosy.refused.txt").exists()
    assert json.loads(dalang("league", "status", str(folder), "--json"))["rounds"] == 2
    dalang("withdraw", str(folder / "season.db"), "*random")
    dalang("report", str(folder / "season.db"), "-o", str(tmp_path / "page.html"))
    page.open(tmp_path / "page.html")
    shown = page.run("document.querySelector('#league').innerText")
    waiting, _, out = shown.partition("Withdrawn")
    assert "Not placed yet" in waiting and "ann" in waiting and "*random" not in waiting
    assert "*random\nby hand" in out and f"nosy\nit asks to read …/{tmp_path.name}" in out
    assert "eve\nIt can be found and built: no\n" in out and "bob\nthe files of bob" in out
    page_text = (tmp_path / "page.html").read_text()
    assert "no compiler" not in page_text and f"{tmp_path}/" not in page_text, "that is for the author"


@pytest.mark.slow
@pytest.mark.skipif(not DIE_WITH_US, reason="the kernel has to end it")
@pytest.mark.parametrize("word", ["guarded", "sleep 1000"], ids=["at its start", "in its build"])
def test_an_examination_ends_with_a_league_that_is_killed(tmp_path: Path, word: str) -> None:
    """Killed as soon as a process is seen that has this word in its command: others are just being started then."""
    dalang("league", "init", str(tmp_path / "league"))
    for name in ("ann", "bob", "eve"):
        bot(tmp_path / "league" / "entrants" / name, "0", f"build = \"sh -c 'sleep 1000; : {tmp_path}/'\"\n")
    words = command("league", "run", str(tmp_path / "league"))
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        try:
            until(lambda: any(word in line for line in commands_naming(tmp_path)), process)
        finally:
            process.kill()
    until(lambda: not commands_naming(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="only there are guardians")
def test_an_examination_whose_league_is_gone_already_ends_at_once(tmp_path: Path) -> None:
    bot(tmp_path / "ann", "0", f'build = "tail -f {tmp_path / "ann" / "bot.py"}"\n')
    stranger = str(os.getppid())
    done = subprocess.run(
        [*EXAMINER, stranger, "check", str(tmp_path / "ann")], capture_output=True, timeout=60
    )
    assert done.returncode and not done.stdout
    until(lambda: not commands_naming(tmp_path))


@pytest.mark.slow
def test_an_examination_that_takes_too_long_is_ended_and_told(tmp_path: Path) -> None:
    bot(tmp_path / "ann", "0", 'build = "sleep 1000"\n')
    found = trio.run(examined_apart, str(tmp_path / "ann"), (), 0.5)
    assert found.first_failing() == "It can be found and built: not built and checked within 0.5 s"


def test_an_examination_that_fails_by_itself_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = "raise ExceptionGroup('several', [KeyError('x')])"
    monkeypatch.setattr(check_apart, "EXAMINER", [sys.executable, "-c", failing])
    found = trio.run(examined_apart, str(tmp_path / "ann"))
    assert found.first_failing() == "It can be found and built: dalang itself failed: KeyError: 'x'"


def matches_in(folder: Path) -> int:
    try:
        return int(query(folder / "season.db", "select count(*) from match")[0][0])
    except sqlite3.Error:  # it is not there yet
        return 0


@pytest.mark.slow
def test_a_season_that_is_killed_and_gone_on_with_is_the_same_to_the_byte(tmp_path: Path) -> None:
    whole, parted = begun(tmp_path / "whole" / "league"), begun(tmp_path / "parted" / "league")
    run(whole, 4)
    with subprocess.Popen(command("league", "run", str(parted)), stderr=subprocess.DEVNULL) as process:
        while matches_in(parted) < 2:
            os.sched_yield()
        process.kill()
    while matches_in(parted) < matches_in(whole):
        run(parted, 1)
    same, other = (standings(folder / "season.db") for folder in (whole, parted))
    assert same == other and same["matches"] > 0


def test_who_is_withdrawn_is_told_with_the_reason_once(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE_EXAMPLE.format(folder="x", name="x"))
    settings = read_settings(tmp_path)
    with create_or_open(settings.season()) as store:
        season = Season(store, settings)
        joined = {name: Version(name, "1") for name in ("ann", "bob", "eve")}
        season.write(Change(joined), {name: Entrant(name, ("true",)) for name in joined})
        store.withdraw("bob", "it computes while others think")
        news = season.note_withdrawn(joined, {"ann"})
        assert {each.bot: each.reason for each in news} == {
            "ann": "too many faults in a row",
            "bob": "it computes while others think",
        }
        assert season.note_withdrawn(joined, {"ann"}) == []
        assert [each.what for each in happenings(store)] == ["joined"] * 3 + ["withdrawn"] * 2
        assert season.members().current == joined
        shown = state_text(league_state(store))
        assert "Withdrawn (until they are sent in anew):\n  bob: it computes while others think" in shown
        assert "bob" not in shown.partition("Withdrawn")[0]


@pytest.mark.slow
def test_the_final_is_played_on_the_seed_that_was_committed_to(season: Path) -> None:
    folder = season.parent / "frozen"
    shutil.copytree(season, folder)
    committed = dalang("seed", str(folder / "final.seed")).strip()
    assert (folder / "final.seed").stat().st_mode & 0o077 == 0
    assert dalang("seed", str(folder / "final.seed"), "--show").strip() == committed
    spoilt = folder / "versions" / "eve" / "bot.py"
    whole = spoilt.read_text()
    spoilt.write_text("another bot")
    assert "are not those that joined" in dalang("league", "freeze", str(folder), code=2)
    spoilt.write_text(whole)
    dalang("league", "freeze", str(folder), "--blocks", "1", "--seed-file", str(folder / "final.seed"))
    final = standings(folder / "final.db")
    assert {line["name"] for line in final["standings"]} == {"ann@2", "eve"}
    assert final["tournament"]["commitment"] == committed and (folder / "final.html").stat().st_size > 10_000
    dalang("verify", str(folder / "final.db"), "--commitment", committed)
    shown = dalang("verify", str(folder / "final.db"), "--commitment", "0" * 64, code=1)
    assert "✗ the seed is not the one whose commitment was published" in shown
    assert "this season is over" in dalang("league", "run", str(folder), code=2)
    with create_or_open(folder / "season.db"):
        assert "is in use" in dalang("league", "freeze", str(folder), code=2)
    assert "is there already" in dalang("seed", str(folder / "final.seed"), code=2)


@pytest.mark.slow
def test_a_final_that_is_over_is_told_again_but_not_played_on(season: Path) -> None:
    folder = season.parent / "over"
    shutil.copytree(season, folder)
    dalang("league", "freeze", str(folder), "--blocks", "1")
    before = standings(folder / "final.db")
    (folder / "final.html").unlink()
    shutil.rmtree(folder / "versions")
    for again in ((), ("--blocks", "1")):
        dalang("league", "freeze", str(folder), *again)
    assert (folder / "final.html").stat().st_size > 10_000
    refused = dalang("league", "freeze", str(folder), "--blocks", "2", code=2)
    assert "this final was agreed on with blocks = 1" in refused
    dalang("seed", str(folder / "other.seed"))
    refused = dalang("league", "freeze", str(folder), "--seed-file", str(folder / "other.seed"), code=2)
    assert "this final was played on another seed" in refused
    assert standings(folder / "final.db") == before


def test_who_cannot_be_started_is_left_out_of_a_final_that_has_not_begun(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def prepared(store: Any, config: Config, tell: Any) -> Any:
        broken = [entrant.name for entrant in config.entrants if entrant.name == "bob"]
        if broken:
            raise CannotPlay("bob cannot be started", broken)
        return [entrant.name for entrant in config.entrants]

    monkeypatch.setattr(final, "prepared", prepared)
    config = Config(Terms("kali", 2), tuple(Entrant(name, ("true",)) for name in ("ann", "bob", "eve")))
    told: list[str] = []
    found: Any = final.prepared_final(SimpleNamespace(agreed=lambda: None), config, told.append)  # type: ignore[arg-type]
    assert found == ["ann", "eve"] and told == ["left out of the final: bob cannot be started"]
    with pytest.raises(CannotPlay):
        final.prepared_final(SimpleNamespace(agreed=lambda: config.terms), config, told.append)  # type: ignore[arg-type]


def test_what_a_league_cannot_be_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="holds no league"):
        read_settings(tmp_path)
    good = LEAGUE_EXAMPLE.format(folder="x", name="x")
    for wrong, said in {
        good.replace("division = 10", "division = 1"): "division must be a whole number, at least 2",
        good.replace('anchors = ["random"]', "anchors = 3"): "anchors must be a list",
        good.replace("division = 10", "placement = 3"): r"key in \[league\]",
        good.replace("division = 10", 'read = "/opt"'): "read must be a list",
        good.replace("division = 10", 'read = ["opt"]'): "read must be a list",
        good.replace("seats = 2", "seats = 2\nblocks = 3"): "bots, format and blocks are not said here",
    }.items():
        (tmp_path / "league.toml").write_text(wrong)
        with pytest.raises(SetupError, match=said):
            read_settings(tmp_path)
    (tmp_path / "league.toml").write_text(good)
    assert read_settings(tmp_path).anchors == {"*random": "random"}
    (tmp_path / "league.toml").write_text(good.replace("# read", "read"))
    assert read_settings(tmp_path).read == (Path("/opt/jdk"),)
