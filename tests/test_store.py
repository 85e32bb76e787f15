"""What can go wrong with a file, told in one line."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from engine.game import SetupError
from harness.store import create_or_open, open_to_read


def test_a_file_that_must_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        store.begin({"game": "kali"}, [], {})
    with open_to_read(path) as store, pytest.raises(SetupError, match="readonly database; make it writable"):
        store.begin({"game": "other"}, [], {})
    with open_to_read(path) as store:
        assert store.terms() == {"game": "kali"}


def test_nothing_is_left_of_a_file_in_which_nothing_was_agreed(tmp_path: Path) -> None:
    with create_or_open(tmp_path / "t.db"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_tables_can_be_queried_by_anybody(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        store.begin({"game": "kali"}, [], {})
    with sqlite3.connect(path) as connection:
        tables = {
            name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        }
    connection.close()
    assert tables == {"tournament", "bot", "match", "seat"}
