"""Files that an earlier dalang wrote: they are read, proved, shown and gone on with."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dalang.harness.entrants.finding import find_entrant
from dalang.harness.entrants.fingerprint import named_files, print_of
from tests.test_tournament import dalang, query

pytestmark = pytest.mark.slow

OLD = Path(__file__).parent / "old"
BOTS = ["first", "random", "bold"]
ISOLATION = ["--isolate", "none"]
"""There was no other when the file was made, and it says nothing of it."""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return Path(shutil.copy(OLD / "kali-0.1.0.sqlite", tmp_path / "old.db"))


def go_on(db: Path, *more: str) -> str:
    return dalang("run", "kali", *BOTS, "--seed", "an old seed", "--db", str(db), *ISOLATION, "--json", *more)


def test_its_standings_are_told_in_the_way_of_today(db: Path) -> None:
    assert dalang("standings", str(db), "--json") == (OLD / "kali-0.1.0.json").read_text(encoding="utf-8")


def test_a_bundled_bot_is_not_taken_for_another_program_of_its_name(db: Path) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("update bot set command = './first' where name = 'first'")
    done = dalang("run", "kali", *BOTS, "--seed", "an old seed", "--db", str(db), code=2)
    assert "the files of first have changed" in done


def test_from_now_on_its_bundled_bots_are_watched_like_all_others(db: Path) -> None:
    go_on(db, "--blocks", "2")
    with closing(sqlite3.connect(db)) as connection, connection:
        prints = [row[0] for row in connection.execute("select fingerprint from bot")]
        assert all(each.startswith("bundled:") for each in prints)
        connection.execute("update bot set fingerprint = 'bundled:other' where name = 'first'")
    done = dalang("run", "kali", *BOTS, "--seed", "an old seed", "--blocks", "2", "--db", str(db), code=2)
    assert "the files of first have changed" in done


@pytest.mark.parametrize("change", ["", "# other"])
def test_a_bot_that_entered_before_its_helpers_were_watched_is_still_known(change: str, db: Path) -> None:
    """Its own script was watched then already."""
    folder = db.parent
    (folder / "helper.py").write_text("MOVE = 0\n", encoding="utf-8")
    bot = folder / "mine.py"
    bot.write_text(
        "import helper\nfrom dalang.kit import run\nrun(lambda request: helper.MOVE, name='mine')\n",
        encoding="utf-8",
    )
    command = [
        "run",
        "kali",
        str(bot),
        "random",
        "--blocks",
        "1",
        "--seed",
        "1",
        "--db",
        str(folder / "t.db"),
    ]
    dalang(*command)
    entrant = find_entrant(str(bot))
    [[now]] = query(folder / "t.db", "select fingerprint from bot where name = 'mine'")
    before = print_of(entrant, named_files(entrant))
    with closing(sqlite3.connect(folder / "t.db")) as connection, connection:
        connection.execute("update bot set fingerprint = ? where name = 'mine'", [before])
    bot.write_text(bot.read_text(encoding="utf-8") + change, encoding="utf-8")
    dalang(*command, code=2 if change else 0)
    [[after]] = query(folder / "t.db", "select fingerprint from bot where name = 'mine'")
    assert after == (before if change else now)


def test_it_proves_itself(db: Path) -> None:
    assert dalang("verify", str(db)).startswith("✓ 12 matches")


def test_it_can_be_shown_and_its_matches_replayed(db: Path) -> None:
    dalang("report", str(db), "-o", str(db.with_suffix(".html")))
    assert "Kali" in dalang("replay", str(db), "0.1", "--text")


def test_it_is_gone_on_with(db: Path) -> None:
    """Its matches stay as they are, and the new ones count with them."""
    before = query(db, "select * from seat order by block, rotation, seat")
    go_on(db, "--blocks", "3")
    after = query(db, "select * from seat order by block, rotation, seat")
    assert after[: len(before)] == before
    assert query(db, "select count(distinct block), count(distinct deal) from match") == [(9, 3)]
    assert dalang("verify", str(db)).startswith("✓ 18 matches")
    assert go_on(db, "--blocks", "3") == dalang("standings", str(db), "--json")
