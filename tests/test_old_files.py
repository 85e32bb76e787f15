"""Files that an earlier dalang wrote: they are read, proved, shown and gone on with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.test_tournament import dalang

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


def test_its_standings_are_those_that_were_shown_when_it_was_played(db: Path) -> None:
    assert dalang("standings", str(db), "--json") == (OLD / "kali-0.1.0.json").read_text(encoding="utf-8")


def test_it_proves_itself(db: Path) -> None:
    assert dalang("verify", str(db)).startswith("✓ 12 matches")


def test_it_can_be_shown_and_its_matches_replayed(db: Path) -> None:
    dalang("report", str(db), "-o", str(db.with_suffix(".html")))
    assert "Kali" in dalang("replay", str(db), "0.1", "--text")


def test_it_is_gone_on_with_as_if_it_had_been_begun_now(db: Path, tmp_path: Path) -> None:
    assert go_on(db, "--blocks", "3") == go_on(tmp_path / "new.db", "--blocks", "3")
    assert go_on(db, "--blocks", "3") == go_on(tmp_path / "new.db", "--blocks", "3")
