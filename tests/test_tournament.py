"""Whole tournaments as a user runs them: resumed, killed, extended, tampered with, and always the same in the end."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dalang.harness.blocks import Block, MatchResult
from dalang.harness.cli.progress import Progress
from dalang.harness.isolation.levels import LEVELS
from dalang.harness.tournament.schedule import Entry
from dalang.harness.tournament.stored import StoredMatch, packed, unpacked
from tests.events import read_slowly
from tests.leftovers import gone, marked_processes, need_level
from tests.simulated import planned
from tests.terminal import read

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
STRANGE = ROOT / "tests" / "strange"
ROGUES = ROOT / "tests" / "rogues"
ILLEGAL = str(STRANGE / "always_illegal.py")
FOUR = ["first", "random", "a=random", "b=first"]
SETTINGS = ["--seed", "one seed", "--move-time", "20"]
"""With so much time for a move that a busy host is never late."""
FORMATS = {
    "round-robin": ["--blocks", "4"],
    "gauntlet": ["--blocks", "8"],
    "swiss": ["--blocks", "9"],
    "knockout": ["--blocks", "6"],
    "ladder": ["--blocks", "9"],
}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dalang", *arguments]


def dalang(*arguments: str, code: int = 0, cwd: Path | None = None) -> str:
    """Run to its end; stdout where it went well, stderr where an error was expected."""
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=300, cwd=cwd)
    assert done.returncode == code, done.stderr
    return done.stderr if code == 2 else done.stdout


def play(db: Path, *more: str, bots: list[str] = FOUR, code: int = 0) -> str:
    return dalang("run", "kali", *bots, *SETTINGS, "--db", str(db), *more, code=code)


def standings(db: Path, *more: str) -> Any:
    return json.loads(dalang("standings", str(db), "--format", "json", *more))


def query(db: Path, sql: str) -> list[Any]:
    with sqlite3.connect(db) as connection:
        rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


# ---- The same for any number of jobs, and through any number of kills


@pytest.mark.usefixtures("all_cores")
@pytest.mark.parametrize("format_", FORMATS)
def test_a_run_killed_again_and_again_ends_like_one_that_was_never_touched(
    format_: str, tmp_path: Path
) -> None:
    settings = ["--format", format_, *FORMATS[format_], "--json"]
    untouched = play(tmp_path / "untouched.db", *settings, "--jobs", "1")
    rng, kills = Random(format_), 0
    while kills < 3:
        kills += killed_after(rng.randrange(7), tmp_path, settings, jobs=rng.choice("234"))
        assert kills or not finished(tmp_path / "killed.db", untouched), "nothing was left to kill"
        if finished(tmp_path / "killed.db", untouched):
            (tmp_path / "killed.db").unlink()
    assert play(tmp_path / "killed.db", *settings, "--jobs", "3") == untouched
    assert "as they should be" in dalang("verify", str(tmp_path / "killed.db"))


def killed_after(matches: int, folder: Path, settings: list[str], jobs: str) -> bool:
    """Run until this number of matches more are finished, then SIGKILL; whether there was that much left to play."""
    pipe = folder / "events"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    mark = f"kill-{os.getpid()}-{matches}"
    arguments = [
        "run",
        "kali",
        *FOUR,
        *SETTINGS,
        "--db",
        str(folder / "killed.db"),
        "--events",
        str(pipe),
    ]
    with (
        subprocess.Popen(
            command(*arguments, *settings, "--jobs", jobs),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_MARK": mark},
        ) as process,
        read_slowly(pipe) as events,
    ):
        for _ in range(matches):
            if not events.readline():
                break
        process.kill()
    assert gone(mark), "workers or bots outlived the run"
    return process.returncode == -signal.SIGKILL


def finished(db: Path, untouched: str) -> bool:
    """Whether all is played; a run may have been killed before there were any tables."""
    if not db.exists() or not query(db, "select name from sqlite_master where name = 'match'"):
        return False
    return bool(query(db, "select count(*) from match")[0][0] == json.loads(untouched)["matches"])


@pytest.mark.usefixtures("all_cores")
def test_how_matches_are_played_does_not_change_who_wins(tmp_path: Path) -> None:
    plain = json.loads(play(tmp_path / "plain.db", "--blocks", "2", "--json"))
    for more in (["--matches-per-worker", "3"], ["--fresh"], ["--no-clock"]):
        db = tmp_path / f"{more[0]}.db"
        other = json.loads(play(db, "--blocks", "2", "--json", "--jobs", "2", *more))
        assert other["standings"] == plain["standings"], more


def test_the_same_command_again_plays_nothing_and_says_the_same(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    first = play(db, "--blocks", "2", "--json")
    events = tmp_path / "events"
    assert play(db, "--blocks", "2", "--json", "--events", str(events)) == first
    assert events.read_text(encoding="utf-8") == ""


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path: Path) -> None:
    db, pipe = tmp_path / "t.db", tmp_path / "events"
    os.mkfifo(pipe)
    arguments = ["run", "kali", *FOUR, *SETTINGS, "--blocks", "15", "--db", str(db)]
    with subprocess.Popen(
        command(*arguments, "--events", str(pipe)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        with read_slowly(pipe) as events:
            for _ in range(5):
                assert json.loads(events.readline())["names"]
            process.send_signal(signal.SIGINT)
            events.read()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    again = shlex.split(err.partition("go on with: ")[2].splitlines()[0])
    assert again[:3] == ["dalang", "run", "kali"]
    kept = query(db, "select count(*) from match")[0][0]
    assert kept >= 5
    dalang(*[word for word in again[1:] if word not in ("--events", str(pipe))])
    assert query(db, "select count(*) from match")[0][0] == 15 * 6 * 2


# ---- Workers that die


def test_a_worker_that_dies_is_replaced_and_its_matches_are_played_again(tmp_path: Path) -> None:
    once = shlex.join(["python", str(STRANGE / "kills_its_worker.py"), str(tmp_path / "once")])
    settings = ["--blocks", "3", "--isolate", "none", "--json"]
    result = json.loads(play(tmp_path / "t.db", *settings, bots=["first", f"killer={once}"]))
    assert (result["blocks"], result["matches"]) == (3, 6)
    assert all(line["faults"] == {} for line in result["standings"])


@pytest.mark.parametrize("level", LEVELS)
def test_kill_9_of_the_run_leaves_nothing_behind(level: str, tmp_path: Path) -> None:
    """Not even a daemon, nor a bot that does not want to die with its parents and hides behind a shell."""
    need_level(level)
    pipe, mark = tmp_path / "events", f"clings-{level}-{os.getpid()}"
    os.mkfifo(pipe)
    bot = tmp_path / "clinging"
    bot.mkdir()
    shutil.copy(STRANGE / "clings_to_life.py", bot)
    words = ["sh", "-c", f"{sys.executable} clings_to_life.py; true"]
    (bot / "bot.toml").write_text(f"command = {json.dumps(words)}", encoding="utf-8")
    settings = ["--blocks", "100", "--jobs", "2", "--isolate", level, "--db", str(tmp_path / "t.db")]
    with (
        subprocess.Popen(
            command("run", "kali", "random", str(bot), *SETTINGS, *settings, "--events", str(pipe)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_MARK": mark},
        ) as process,
        read_slowly(pipe) as events,
    ):
        assert [events.readline() for _ in range(4)][-1]
        assert any("clings_to_life.py" in line for line in marked_processes(mark))
        process.kill()
    assert gone(mark), marked_processes(mark)


def test_three_deaths_at_one_match_stop_the_run_and_name_it(tmp_path: Path) -> None:
    settings = ["--jobs", "1", "--isolate", "none"]
    err = play(tmp_path / "t.db", *settings, bots=["first", str(STRANGE / "kills_its_worker.py")], code=2)
    assert "3 workers died at block 0, rotation 0 (first, kills_its_worker)" in err
    assert "Traceback" not in err


# ---- Who plays


@pytest.mark.usefixtures("all_cores")
def test_a_bot_that_always_faults_is_withdrawn_at_the_same_point_for_any_number_of_jobs(
    tmp_path: Path,
) -> None:
    bots = ["first", "random", ILLEGAL]
    settings = ["--blocks", "6", "--max-faults", "4", "--json"]
    one, three = (play(tmp_path / f"{jobs}.db", *settings, "--jobs", jobs, bots=bots) for jobs in "13")
    assert one == three
    lines = {line["name"]: line for line in json.loads(one)["standings"]}
    assert lines["always_illegal"]["withdrawn"] == "too many faults in a row"
    assert lines["always_illegal"]["faults"] == {"illegal": 4}
    assert lines["first"]["blocks"] < 12
    assert play(tmp_path / "1.db", *settings, bots=bots) == one


def test_strict_tells_by_its_exit_code_that_a_bot_faulted(tmp_path: Path) -> None:
    play(
        tmp_path / "t.db",
        "--blocks",
        "1",
        "--strict",
        bots=["first", ILLEGAL],
        code=4,
    )
    play(tmp_path / "u.db", "--blocks", "1", "--strict", bots=["first", "random"])


@pytest.mark.parametrize("format_", ["round-robin", "gauntlet", "ladder"])
def test_bots_may_join_later_and_only_what_is_missing_is_played(format_: str, tmp_path: Path) -> None:
    db, settings = tmp_path / "t.db", ["--format", format_, "--blocks", "3"]
    play(db, *settings, bots=FOUR[:3])
    before = query(db, "select block, rotation, record from match order by block, rotation")
    play(db, *settings, bots=FOUR)
    after = query(db, "select block, rotation, record from match order by block, rotation")
    assert after[: len(before)] == before
    fresh = query(
        db, f"select block, group_concat(bot) from seat where block > {before[-1][0]} group by block"
    )
    assert fresh
    assert all("b" in bots.split(",") for _, bots in fresh)
    assert "bots have joined since" in play(db, "--format", format_, "--blocks", "4", bots=FOUR, code=2)


@pytest.mark.parametrize("format_", ["swiss", "knockout"])
def test_other_formats_are_closed_once_they_have_begun(format_: str, tmp_path: Path) -> None:
    play(tmp_path / "t.db", "--format", format_, "--blocks", "1", bots=FOUR[:3])
    err = play(tmp_path / "t.db", "--format", format_, "--blocks", "1", bots=FOUR, code=2)
    assert f"b cannot join: a {format_} is closed" in err


def test_more_blocks_can_be_asked_for_later(tmp_path: Path) -> None:
    play(tmp_path / "t.db", "--blocks", "1")
    play(tmp_path / "t.db", "--blocks", "3")
    play(tmp_path / "u.db", "--blocks", "3")
    grown, at_once = (standings(tmp_path / name) for name in ("t.db", "u.db"))
    assert [(line["name"], line["mu"]) for line in grown["standings"]] == [
        (line["name"], line["mu"]) for line in at_once["standings"]
    ]
    assert grown["live"] and not at_once["live"]  # who goes on after a look might have stopped
    assert grown["standings"][0]["strength"]["low"] < at_once["standings"][0]["strength"]["low"]


def test_deals_can_be_common_and_a_run_goes_on_with_those_it_began_with(tmp_path: Path) -> None:
    play(tmp_path / "t.db", "--blocks", "2", "--common-deals")
    play(tmp_path / "u.db", "--blocks", "2")
    deals = "select count(distinct block), count(distinct deal) from match"
    assert query(tmp_path / "t.db", deals) == [(12, 2)] and query(tmp_path / "u.db", deals) == [(12, 12)]
    play(tmp_path / "t.db", "--blocks", "3")
    assert query(tmp_path / "t.db", deals) == [(18, 3)]
    assert "common_deals was False" in play(tmp_path / "u.db", "--blocks", "2", "--common-deals", code=2)
    for name in ("t.db", "u.db"):
        assert dalang("verify", str(tmp_path / name)).startswith("✓")


def test_a_changed_bot_is_refused_unless_it_enters_as_a_new_version(tmp_path: Path) -> None:
    bot, db = tmp_path / "mine.py", tmp_path / "t.db"
    bot.write_text((ROOT / "bots" / "first_bot.py").read_text(encoding="utf-8"), encoding="utf-8")
    play(db, "--blocks", "1", bots=["random", str(bot)])
    bot.write_text(bot.read_text(encoding="utf-8") + "# better now\n", encoding="utf-8")
    assert "the files of mine have changed" in play(db, "--blocks", "1", bots=["random", str(bot)], code=2)
    play(db, "--blocks", "1", "--accept-changes", bots=["random", str(bot)])
    lines = {line["name"]: line for line in standings(db)["standings"]}
    assert lines["mine"]["withdrawn"] == "replaced by mine@2"
    assert lines["mine@2"]["blocks"] == 1
    play(db, "--blocks", "1", bots=["random", str(bot)])


def test_a_bot_with_the_name_of_a_later_version_is_refused_before_it_has_played(tmp_path: Path) -> None:
    db, refused = tmp_path / "t.db", "mine@2 cannot play beside mine"
    later = str(shutil.copy(ROOT / "bots" / "first_bot.py", tmp_path / "mine@2.py"))
    assert refused in play(db, "--blocks", "1", bots=["mine=first", later], code=2)
    play(db, "--blocks", "1", bots=["random", later])
    assert refused in play(db, "--blocks", "1", bots=["random", later, "mine=first"], code=2)
    play(db, "--blocks", "1", bots=["random", later])


@pytest.mark.parametrize("helper", ["helper.py", "helper/__init__.py"])
def test_a_bot_whose_helper_changed_is_refused(helper: str, tmp_path: Path) -> None:
    bot, db = tmp_path / "mine.py", tmp_path / "t.db"
    (tmp_path / helper).parent.mkdir(exist_ok=True)
    (tmp_path / helper).write_text("MOVE = 0\n", encoding="utf-8")
    bot.write_text(
        "import helper\nfrom dalang.kit import run\nrun(lambda request: helper.MOVE, name='mine')\n",
        encoding="utf-8",
    )
    play(db, "--blocks", "1", bots=["random", str(bot)])
    (tmp_path / helper).write_text("MOVE = 1 - 1\n", encoding="utf-8")
    assert "the files of mine have changed since" in play(
        db, "--blocks", "1", bots=["random", str(bot)], code=2
    )


def test_a_bot_that_rewrites_itself_is_named_at_the_end_of_the_run_and_refused_in_the_next(
    tmp_path: Path,
) -> None:
    bot, db = tmp_path / "mine.py", tmp_path / "t.db"
    bot.write_text(
        "from pathlib import Path\nfrom dalang.kit import run\n"
        "def choose(request):\n"
        "    Path(__file__).write_text('# other')\n"
        "    return 0\n"
        "run(choose, name='mine')\n",
        encoding="utf-8",
    )
    settings = ["--blocks", "1", "--jobs", "1", "--isolate", "none"]
    err = play(db, *settings, bots=["random", str(bot)], code=2)
    assert "the files of mine have changed during this run" in err.splitlines()[-1]
    assert standings(db)["matches"] == 2
    assert "the files of mine have changed since it entered" in play(
        db, *settings, bots=["random", str(bot)], code=2
    )


def test_a_bot_withdrawn_by_hand_keeps_what_it_played_and_plays_no_more(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    play(db, "--blocks", "1")
    assert dalang("withdraw", str(db), "a") == f"a is withdrawn from {db}.\n"
    play(db, "--blocks", "2", bots=["first", "random", "b=first"])
    lines = {line["name"]: line for line in standings(db)["standings"]}
    assert (lines["a"]["blocks"], lines["a"]["withdrawn"]) == (3, "by hand")
    assert lines["first"]["blocks"] == 3 + 2
    assert "there is no bot in" in dalang("withdraw", str(db), "nobody", code=2)


def test_a_bot_that_is_missing_from_the_command_is_named(tmp_path: Path) -> None:
    play(tmp_path / "t.db", "--blocks", "1")
    assert "b is in" in play(tmp_path / "t.db", "--blocks", "1", bots=FOUR[:3], code=2)


def test_a_bot_that_cannot_start_is_named_before_anything_is_played(tmp_path: Path) -> None:
    err = play(tmp_path / "t.db", bots=["first", str(ROGUES / "dies_at_once.py")], code=2)
    assert "dies_at_once cannot be started" in err
    assert not (tmp_path / "t.db").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ["first"],
        ["first", "random", "--format", "swis"],
        ["first", str(ROGUES / "dies_at_once.py")],
        ["first", "random", "--advance", "1"],
        ["first", str(STRANGE / "only_bali.py")],
    ],
    ids=["too few", "format", "cannot start", "advance", "cannot play"],
)
def test_what_fails_before_the_first_match_leaves_nothing_behind(wrong: list[str], tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    dalang("run", "kali", *wrong, "--db", str(db), code=2)
    assert list(tmp_path.iterdir()) == []


def test_changes_are_not_accepted_by_a_closed_format_and_nothing_is_written(tmp_path: Path) -> None:
    bot, db = tmp_path / "mine.py", tmp_path / "t.db"
    bot.write_text((ROOT / "bots" / "first_bot.py").read_text(encoding="utf-8"), encoding="utf-8")
    swiss = ["--format", "swiss", "--blocks", "1"]
    play(db, *swiss, bots=["random", str(bot)])
    bot.write_text(bot.read_text(encoding="utf-8") + "# better now\n", encoding="utf-8")
    assert "cannot join" in play(db, *swiss, "--accept-changes", bots=["random", str(bot)], code=2)
    assert query(db, "select name, withdrawn from bot order by name") == [("mine", ""), ("random", "")]


def test_a_withdrawn_bot_comes_last_in_a_swiss(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    play(db, "--format", "swiss", "--blocks", "3")
    leader = standings(db)["standings"][0]["name"]
    dalang("withdraw", str(db), leader)
    assert standings(db)["standings"][-1]["name"] == leader


# ---- The file


def test_other_terms_are_refused_and_named(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    play(db, "--blocks", "1")
    assert "move" in play(db, "--blocks", "1", "--move-time", "3", code=2)
    assert "format was 'round-robin', now 'swiss'" in play(db, "--blocks", "1", "--format", "swiss", code=2)


def test_a_file_in_use_is_not_touched(tmp_path: Path) -> None:
    db, pipe = tmp_path / "t.db", tmp_path / "events"
    os.mkfifo(pipe)
    arguments = [
        "run",
        "kali",
        *FOUR,
        *SETTINGS,
        "--blocks",
        "100",
        "--db",
        str(db),
        "--events",
        str(pipe),
    ]
    with (
        subprocess.Popen(
            command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process,
        read_slowly(pipe) as events,
    ):
        events.readline()
        assert "is in use by another dalang" in play(db, "--blocks", "100", code=2)
        assert standings(db)["matches"] >= 0
        process.terminate()
        events.read()
    assert process.returncode == 130


def test_a_file_that_is_removed_ends_the_run_with_one_line(tmp_path: Path) -> None:
    db, pipe = tmp_path / "t.db", tmp_path / "events"
    os.mkfifo(pipe)
    arguments = ["run", "kali", *FOUR, *SETTINGS, "--blocks", "100", "--db", str(db), "--events", str(pipe)]
    with (
        subprocess.Popen(
            command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process,
        read_slowly(pipe) as events,
    ):
        events.readline()
        db.unlink()
        events.read()
        _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "t.db was removed, moved or replaced while it was in use" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """A limit on the size of files stands for a disk that is full."""
    db = tmp_path / "t.db"
    arguments = ["run", "kali", *FOUR, *SETTINGS, "--blocks", "30", "--db", str(db), "--json"]
    small = f"""
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (2**18, 2**18))
sys.argv = {["dalang", *arguments]!r}
runpy.run_module("dalang", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", small], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "run the same command again: every finished match is kept" in done.stderr
    assert "Traceback" not in done.stderr
    kept = query(db, "select count(*) from match")[0][0]
    assert kept > 0
    assert dalang(*arguments) == play(tmp_path / "u.db", "--blocks", "30", "--json")


def term(key: str, value: str) -> Callable[[Path], Any]:
    return lambda db: query(db, f"update tournament set value = '{value}' where key = '{key}'")


@pytest.fixture(scope="module")
def finished_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of one block for each pair, for whoever copies it."""
    db = tmp_path_factory.mktemp("finished") / "t.db"
    play(db, "--blocks", "1")
    return db


@pytest.fixture
def broken_file(finished_file: Path, damage: Callable[[Path], None], tmp_path: Path) -> Path:
    db = Path(shutil.copy(finished_file, tmp_path))
    damage(db)
    return db


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda db: db.write_text("no database at all" * 99), "file is not a database"),
        (
            lambda db: query(db, "pragma user_version = 77"),
            "is of file version 77, this dalang knows 2 to 3",
        ),
        (lambda db: query(db, "pragma application_id = 5"), "is no tournament of dalang"),
        (lambda db: db.write_bytes(db.read_bytes()[:5000]), "malformed"),
        (term("blocks", '"ten"'), "its terms cannot be read: 'ten' is no number; restore a copy"),
        (term("seats", "-2"), "its terms cannot be read: -2 is no number of anything; restore a copy"),
        (term("format", "7"), "its terms cannot be read: 7 is no text"),
        (term("seed", r'"\ud800"'), "its terms cannot be read: a value in the terms must be text in UTF-8"),
        (term("limits", '{"move": 1, "sleep": 2}'), "its terms cannot be read: limits are"),
        (
            lambda db: query(db, "delete from tournament where key = 'game'"),
            "cannot be read: game is missing",
        ),
    ],
    ids=[
        "other file",
        "other version",
        "other program",
        "cut off",
        "number",
        "negative",
        "text",
        "half a letter",
        "limit",
        "missing",
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(broken_file: Path, words: str) -> None:
    for err in (play(broken_file, "--blocks", "1", code=2), dalang("standings", str(broken_file), code=2)):
        assert words in err
        assert "Traceback" not in err


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no file" in dalang("standings", str(tmp_path / "none.db"), code=2)
    assert "cannot be written" in play(tmp_path / "no" / "folder.db", code=2)


# ---- Proof


def rewrite_record(db: Path, change: Callable[[Any], None]) -> None:
    with sqlite3.connect(db) as connection:
        [(blob,)] = connection.execute("select record from match where block = 2 and rotation = 1")
        data = unpacked(blob)
        change(data)
        query = "update match set record = ? where block = 2 and rotation = 1"
        connection.execute(query, (packed(data),))
    connection.close()


def set_to(*path: Any, value: Any) -> Callable[[Path], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return lambda db: rewrite_record(db, change)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            set_to("record", "outcome", "scores", 0, value=999),
            "block 2, rotation 1: from the seed: outcome: scores",
        ),
        (set_to("record", "turns", 0, 0, value=1), "block 2, rotation 1: from the seed: move 0"),
        (set_to("record", "seed", value="loaded"), "block 2, rotation 1: its luck is not that of deal 2"),
        (set_to("ranks", value=[1, 1]), "block 2, rotation 1: places recorded as [1, 1]"),
        (
            set_to("faults", value=[{"seat": 0, "kind": "crash", "turn": 0}]),
            "block 2, rotation 1: ",
        ),
        (set_to("record", value={}), "block 2, rotation 1: the record cannot be read"),
        (
            lambda db: query(db, "update seat set score = 5 where block = 2"),
            "the table `seat` says something else",
        ),
        (lambda db: query(db, "update match set deal = 3 where block = 2"), "its luck is not that of deal 3"),
        (
            lambda db: query(db, "update tournament set value = '\"x\"' where key = 'seed'"),
            "✗ the master seed: it is not",
        ),
    ],
)
def test_a_planted_change_is_found_and_named(broken_file: Path, words: str) -> None:
    assert words in dalang("verify", str(broken_file), code=1)
    assert json.loads(dalang("verify", str(broken_file), "--json", code=1))["problems"]


def swap_players(db: Path) -> None:
    """Everybody in block 2 becomes somebody else, in the tables and in the records."""
    names = {"first": "random", "random": "first"}
    with sqlite3.connect(db) as connection:
        for rotation, blob in connection.execute(
            "select rotation, record from match where block = 2"
        ).fetchall():
            data = unpacked(blob)
            data["names"] = [names.get(name, name) for name in data["names"]]
            query = "update match set record = ? where block = 2 and rotation = ?"
            connection.execute(query, (packed(data), rotation))
            for seat, name in enumerate(data["names"]):
                where = (name, rotation, seat)
                connection.execute(
                    "update seat set bot = ? where block = 2 and rotation = ? and seat = ?", where
                )
    connection.close()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (swap_players, "✗ the schedule: block 2 is for"),
        (
            lambda db: query(db, "delete from match where block = 2"),
            "block 2, rotation 0 has lost its record",
        ),
        (
            lambda db: query(db, "update match set record = x'00' where block = 2"),
            "the record cannot be read",
        ),
        (
            lambda db: query(db, "update match set ending = 'x' where block = 2"),
            "the table `match` says something else",
        ),
        (lambda db: query(db, "update match set block = 99 where block = 2"), "the schedule: block"),
    ],
    ids=["other players", "lost", "unreadable", "ending", "no such block"],
)
def test_who_played_what_is_proved_too(broken_file: Path, words: str) -> None:
    assert words in dalang("verify", str(broken_file), code=1)


def test_records_with_faults_are_proved_too(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    play(db, "--blocks", "2", bots=["first", "random", str(ROGUES / "dies_in_mid_match.py")])
    assert dalang("verify", str(db)).startswith("✓ 12 matches")


# ---- What is shown


def test_standings_in_every_form(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    printed = play(db, "--blocks", "2")
    assert dalang("standings", str(db)) == printed
    assert printed.splitlines()[0].split()[:3] == ["place", "bot", "rating"]
    assert dalang("standings", str(db), "--format", "markdown").startswith("|   place | bot")
    rows = dalang("standings", str(db), "--format", "csv").splitlines()
    assert rows[0].startswith("place,")
    assert len(rows) == 5
    assert "places by wins" in dalang("standings", str(db), "--by", "wins")
    cross = dalang("standings", str(db), "--crosstable", "--times")
    assert "p99 ms" in cross
    assert re.search(r"^\w+ .* -$", cross, re.MULTILINE)


def test_machine_formats_stay_machine_readable(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    play(db, "--blocks", "1")
    assert {line["bot"] for line in standings(db, "--times")["times"]} == {"first", "random", "a", "b"}
    assert "a csv holds one table" in dalang("standings", str(db), "--format", "csv", "--crosstable", code=2)


def test_progress_is_a_live_bar_on_a_terminal_and_watch_follows_the_file(
    tmp_path: Path, from_a_terminal: None
) -> None:
    db = tmp_path / "t.db"
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 120))
    arguments = ["run", "kali", *FOUR, *SETTINGS, "--blocks", "6", "--db", str(db)]
    with subprocess.Popen(command(*arguments), stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        shown = "".join(iter(lambda: read(ours).decode(errors="replace"), ""))
    os.close(ours)
    assert process.returncode == 0
    assert "72/72 matches" in shown
    assert "matches/s" in shown
    assert "leading: " in shown
    with subprocess.Popen(
        command("standings", str(db), "--watch"), stdout=subprocess.PIPE, text=True
    ) as watcher:
        assert watcher.stdout
        tables = (line for line in watcher.stdout if "rating" in line)
        assert next(tables).split() == next(tables).split()
        watcher.send_signal(signal.SIGINT)
        watcher.stdout.read()  # to the end: a pipe that is closed too early would be another reason to end
    assert watcher.returncode == 130


def test_the_bar_is_not_painted_for_every_match(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, painted = [0.0], []
    monkeypatch.setattr("dalang.harness.cli.progress.monotonic", lambda: clock[0])
    ours, theirs = pty.openpty()
    plan = planned("round-robin", (Entry("a"), Entry("b")), 2, 50, "seed")
    result = MatchResult(("a", "b"), (1, 2), (1, 0), ("", ""))
    match = StoredMatch(Block(0, 0, ("a", "b"), 0), 0, result, "end", 0, [], [], [], b"")
    with os.fdopen(theirs, "w") as terminal:
        progress = Progress(plan, terminal)
        monkeypatch.setattr(progress.bar, "set_postfix_str", lambda text, **_: painted.append(text))
        for clock[0] in (0.0, 0.05, 0.09, 0.11, 0.15, 0.3):
            progress.finished([match])
        assert len(painted) == 2
        progress.close()
    os.close(ours)
    assert painted[-1].startswith("20.0 matches/s")


def test_what_if_questions(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    play(db, "--blocks", "2", "--max-faults", "0", bots=["first", "random", ILLEGAL])
    assert standings(db)["blocks"] == 6
    assert standings(db, "--void", "illegal")["blocks"] == 2
    assert standings(db, "--void", "crash,timeout")["blocks"] == 6
    without = standings(db, "--exclude", "always_illegal")
    assert [line["name"] for line in without["standings"]] != []
    assert (without["blocks"], len(without["standings"])) == (2, 2)
    assert "there is no fault 'ilegal'; did you mean 'illegal'" in dalang(
        "standings", str(db), "--void", "ilegal", code=2
    )
    assert "there is no bot 'nobody'" in dalang("standings", str(db), "--exclude", "nobody", code=2)
    everybody = [f"--exclude={name}" for name in ("first", "random", "always_illegal")]
    assert "--exclude leaves nobody" in dalang("standings", str(db), *everybody, code=2)


def test_events_are_one_json_line_per_match(tmp_path: Path) -> None:
    events = tmp_path / "events"
    play(tmp_path / "t.db", "--blocks", "2", "--events", str(events))
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 2 * 6 * 2
    assert {(line["block"], line["rotation"]) for line in lines} == {
        (b, r) for b in range(12) for r in range(2)
    }
    assert set(lines[0]) == {
        "block", "rotation", "round", "deal", "names", "places", "scores", "faults", "seconds", "voided",
    }  # fmt: skip


# ---- Config files


def test_the_example_of_init_runs_and_is_the_same_as_by_flags(tmp_path: Path) -> None:
    dalang("init", "my.toml", cwd=tmp_path)
    assert "my.toml is there already" in dalang("init", "my.toml", cwd=tmp_path, code=2)
    text = (tmp_path / "my.toml").read_text(encoding="utf-8")
    (tmp_path / "my.toml").write_text(
        text.replace('# seed = "any text" ', 'seed = "any text"'), encoding="utf-8"
    )
    by_file = json.loads(dalang("run", "my.toml", "--json", cwd=tmp_path))
    bots = ["random", "first", "random-twin=random"]
    by_flags = json.loads(dalang("run", "kali", *bots, "--seed", "any text", "--json", cwd=tmp_path))
    assert by_file["standings"] == by_flags["standings"]
    assert (tmp_path / "my.db").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tournment]", "there is no section in {path} 'tournment'; did you mean 'tournament'?"),
        ("[game]\nname='kali'\n[tournament]\nblock=3", "'block'; did you mean 'blocks'?"),
        ("[game]\nname='kali'\n[tournament]\nblocks='many'", "blocks must be a whole number"),
        ("[game]\nname='kali'\n[tournament]\nfresh=1", "fresh must be true or false"),
        ("[game]\nname='kali'\n[tournament]\nseed=1", "seed must be text in quotes"),
        ("[game]\nname='kali'\n[limits]\nmove='long'", "move must be a number of seconds"),
        ("[game]\nname='kali'\n[limits]\nmoves=1", "'moves'; did you mean 'move'?"),
        ("[game]\nname='kali'\n[[bot]]\nbto='first'", "'bto'; did you mean 'bot'?"),
        ("[game]\nname='kali'\n[[bot]]\nname='x'", "every [[bot]] needs a line such as"),
        ("[game]\nname='kali'\n[game.options]\nfeilds=1", "'feilds'; did you mean 'fields'?"),
        ("[game]\nname='kalli'", "there is no game 'kalli'"),
        ("[tournament]", "names no game"),
        ("[[[", "cannot be read"),
        (
            "[game]\nname='kali'\n[tournament]\nformat='swis'\n[[bot]]\nbot='first'",
            "there is no format 'swis'",
        ),
        ("[game]\nname='kali'\n[tournament]\nformat='compare'", "a comparison is no tournament"),
        ("[game]\nname='kali'\n[[bot]]\nbot='first'", "cannot fill a table of 2"),
        ("bot=3\n[game]\nname='kali'", "a bot is a section [[bot]]"),
        ("[game]\nname='kali'\noptions=3", "[options] must be a section"),
        ("[game]\nname='kali'\n[[bot]]\nbot='first'\nenv='x'", "env must be a table"),
        ("[game]\nname='kali'\n[limits]\nclock='no'", "clock must be true or false"),
        ("[game]\nname='kali'\n[limits]\nmove=nan", "move must be a number of seconds"),
        ("[game]\nname='kali'\n[tournament]\njobs=9999", "jobs must be at most 256"),
    ],
)
def test_a_wrong_config_is_one_line_with_a_suggestion(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(text, encoding="utf-8")
    err = dalang("run", str(path), "--db", str(tmp_path / "t.db"), code=2)
    assert words.format(path=path) in err
    assert "Traceback" not in err


def test_flags_can_change_the_size_of_a_config(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    bots = "".join(f"[[bot]]\nbot='{bot}'\n" for bot in ("first", "random", "random"))
    path.write_text(f"[game]\nname='kali'\n[tournament]\nseed='1'\n{bots}", encoding="utf-8")
    pairs = json.loads(dalang("run", str(path), "--blocks", "1", "--json"))
    triples = json.loads(dalang("run", str(path), "--blocks", "2", "--seats", "3", "--json"))
    assert [pairs["matches"], triples["matches"]] == [3 * 2, 2 * 3]
    assert {file.name for file in tmp_path.glob("*.db")} == {"t.db", "t-3.db"}


def test_other_flags_beside_a_config_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text("[game]\nname='kali'\n", encoding="utf-8")
    assert "says it all; write fresh into it" in dalang("run", str(path), "--fresh", code=2)
    assert "cannot be read" in dalang("run", str(tmp_path / "none.toml"), code=2)
