"""The file: what is in its tables, and what can go wrong with it, told in one line."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.engine.catalogue import find_game
from dalang.engine.game import Outcome, SetupError
from dalang.harness.blocks import Block
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Match
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.store import SCHEMA, BotRow, Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.terms import Terms
from tests.playing import random_record
from tests.refereed import play
from tests.tables import TABLES

TERMS = Terms("kali", 2, common_deals=False).with_seed("any")
BLOCK = Block(0, 0, ("a", "b"), 0)
RECORD = random_record(next(table for table in TABLES if (table.game.name, table.seats) == ("kali", 2)), 1)


def test_a_file_that_must_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        store.begin(TERMS, [])
    with open_to_read(path) as store, pytest.raises(SetupError, match="readonly database; make it writable"):
        store.begin(replace(TERMS, game="other"), [])
    with open_to_read(path) as store:
        assert store.terms() == TERMS


def test_nothing_is_left_of_a_file_in_which_nothing_was_agreed(tmp_path: Path) -> None:
    with create_or_open(tmp_path / "t.db"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_removed_while_it_is_written_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        store.begin(TERMS, [])
        path.unlink()
        with pytest.raises(SetupError, match=r"was removed, moved or replaced while .* begin anew"):
            store.save([])


def save_a_match(store: Store) -> None:
    store.begin(TERMS, [BotRow(name, 0, "", "") for name in "ab"])
    match = StoredMatch.of(BLOCK, 0, play(Match(find_game("kali"), TERMS.deal_seed(0), BLOCK.lineup)))
    store.save([match])


def test_nothing_of_a_file_that_is_removed_stays_beside_the_one_that_takes_its_place(tmp_path: Path) -> None:
    path, copy = tmp_path / "t.db", tmp_path / "copy.db"
    with create_or_open(copy) as store:
        store.begin(replace(TERMS, name="another"), [])
    with create_or_open(path) as store:
        save_a_match(store)
        path.unlink()
    assert list(tmp_path.iterdir()) == [copy]
    with create_or_open(path) as store:
        save_a_match(store)
        copy.rename(path)
    with open_to_read(path) as store:
        assert store.terms().name == "another"
        assert store.number_of_matches() == 0
        assert store.unsound() == []


def test_a_copy_in_which_another_goes_on_already_is_left_alone(tmp_path: Path) -> None:
    """SQLite finds what it keeps beside a file by name, so the two share it."""
    path, copy = tmp_path / "t.db", tmp_path / "copy.db"
    for each in (copy, path):
        with create_or_open(each) as store:
            store.begin(TERMS, [])
    with subprocess.Popen(
        [sys.executable, "-c", GOES_ON, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdin and other.stdout
        with create_or_open(path) as store:
            store.give_up(["a"])
            copy.rename(path)
            other.stdin.write("begin\n")
            other.stdin.flush()
            assert other.stdout.readline() == "begun\n"
        told, _ = other.communicate("go on\n")
    assert told == "still there\n"


GOES_ON = """
import sys
from pathlib import Path
from dalang.harness.tournament.opening import create_or_open
input()
with create_or_open(Path(sys.argv[1])) as store:
    store.finish(7)
    print("begun", flush=True)
    input()
    print("still there" if store.is_finished(7) else "lost")
"""


def test_a_file_into_which_another_is_written_is_noticed(tmp_path: Path) -> None:
    """As `cp` does, which leaves it in its place."""
    path, copy = tmp_path / "t.db", tmp_path / "copy.db"
    with create_or_open(copy) as store:
        save_a_match(store)
    with create_or_open(path) as store:
        store.begin(TERMS, [])
        path.write_bytes(copy.read_bytes())
        with pytest.raises(SetupError, match=r"was removed, moved or replaced while .* begin anew"):
            store.give_up(["a"])


def test_what_another_tournament_left_beside_it_does_not_overwrite_a_copy(tmp_path: Path) -> None:
    path, copy = tmp_path / "t.db", tmp_path / "copy.db"
    with create_or_open(copy) as store:
        store.begin(TERMS.with_seed("another"), [])
    with create_or_open(path) as store:
        store.begin(TERMS, [])
        wal, shm = tmp_path / "t.db-wal", tmp_path / "t.db-shm"
        left = wal.read_bytes()
    shutil.copy(copy, path)
    wal.write_bytes(left)  # as if that run had been killed
    for opening in (create_or_open, open_to_read):
        with (
            pytest.raises(SetupError, match=r"t\.db-wal belongs to another .* remove it and t\.db-shm"),
            opening(path),
        ):
            pass
    assert path.read_bytes() == copy.read_bytes()
    wal.unlink()
    shm.unlink(missing_ok=True)
    with open_to_read(path) as store:
        assert store.terms().seed == "another"


def test_a_file_that_is_moved_while_it_is_written_has_all_that_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        store.begin(TERMS, [])
        path.rename(tmp_path / "moved.db")
        with pytest.raises(SetupError, match="was removed, moved or replaced while it was in use"):
            save_a_match(store)
    with open_to_read(tmp_path / "moved.db") as store:
        assert store.terms() == TERMS
    assert list(tmp_path.iterdir()) == [tmp_path / "moved.db"]


def test_a_file_that_is_replaced_while_it_is_written_is_noticed_and_the_other_is_left_alone(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        (tmp_path / "other").write_text("precious", encoding="utf-8")
        (tmp_path / "other").rename(path)
        with pytest.raises(SetupError, match="was removed, moved or replaced while it was in use"):
            store.begin(TERMS, [])
    assert path.read_text(encoding="utf-8") == "precious"


def test_what_was_left_out_is_known_once_later_rounds_were_drawn_without_it(tmp_path: Path) -> None:
    with create_or_open(tmp_path / "t.db") as store:
        store.begin(TERMS, [BotRow("a", 0, "", ""), BotRow("b", 0, "", "")])
        assert store.left_out() == set()
        store.leave_out(Block(3, 1, ("a", "b"), 0))
        store.leave_out(Block(5, 2, ("a", "b"), 0))
        for round_, left_out in ((1, set()), (2, {3}), (3, {3, 5})):
            store.connection.execute(
                "insert into match values (?, 0, ?, 0, '', 0, x'')", (round_ + 10, round_)
            )
            assert store.left_out() == left_out
        assert store.terms() == TERMS


def test_the_tables_can_be_queried_by_anybody(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        store.begin(TERMS, [])
    with sqlite3.connect(path) as connection:
        tables = {
            name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        }
    connection.close()
    assert tables >= {"tournament", "bot", "match", "seat", "machine", "match_machine"}


def test_who_only_reads_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with create_or_open(path) as store:
        store.begin(TERMS, [])
    with open_to_read(path) as store:
        assert store.terms() == TERMS
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_can_be_read_by_those_who_may_not_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.db"
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with create_or_open(path) as store:
        store.begin(TERMS, [])
        with open_to_read(path) as reader:  # somebody writes meanwhile
            assert reader.terms() == TERMS
    tmp_path.chmod(0o500)
    with open_to_read(path) as store:
        assert store.terms() == TERMS
    assert list(tmp_path.iterdir()) == [path]
    tmp_path.chmod(0o700)


def finished(*times: list[int], rotation: int = 0) -> StoredMatch:
    """A match of two of which only this matters: how long they thought."""
    record = replace(RECORD, outcome=Outcome((40, 30), (1, 2), "kali_wakes"))
    played = Played(record, ("a", "b"), (1, 2), (), {}, times)
    return StoredMatch.of(Block(3, 0, ("a", "b"), 3), rotation, played)


def test_a_row_for_each_seat_has_its_thinking_times(tmp_path: Path) -> None:
    with create_or_open(tmp_path / "t.db") as store:
        store.begin(TERMS, [BotRow(name, 0, "", "") for name in "ab"])
        store.save([finished([250_000, 500_000, 1_000_000], [])])
        query = "select seat, bot, place, score, decisions, seconds, times from seat order by seat"
        rows = [tuple(row) for row in store.rows(query)]
        assert rows[0] == (0, "a", 1, 40, 3, 1.75, array("f", [250_000, 500_000, 1_000_000]).tobytes())
        assert rows[1] == (1, "b", 2, 30, 0, 0.0, b"")
        assert store.thinking_times() == {"a": {0.25: 1, 0.5: 1, 1.0: 1}, "b": {}}


def test_a_match_that_comes_again_does_not_count_twice(tmp_path: Path) -> None:
    first, again = finished([250_000], [500_000]), finished([8_000_000], [8_000_000])
    with create_or_open(tmp_path / "t.db") as store:
        store.begin(TERMS, [])
        store.save([first, again])
        store.save([again, again._replace(rotation=1)])
        assert [tuple(row) for row in store.rows("select rotation, seconds from seat order by 1, seat")] == [
            (0, 0.25), (0, 0.5), (1, 8.0), (1, 8.0)
        ]  # fmt: skip
        assert [row[0] for row in store.rows("select record from match order by rotation")] == [
            first.story,
            again.story,
        ]


@given(st.data())
@settings(deadline=None)
def test_a_record_with_a_byte_changed_or_its_end_missing_is_damaged_or_tells_the_same(
    data: st.DataObject,
) -> None:
    blob = finished([250_000], [500_000]).story
    place = data.draw(st.integers(0, len(blob) - 1))
    flip = data.draw(st.integers(1, 255))
    changed = blob[:place] + bytes([blob[place] ^ flip]) + blob[place + 1 :]
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    rows = [(0, 0, 0, 0, "", 0, blob), (1, 0, 0, 0, "", 0, changed), (2, 0, 0, 0, "", 0, blob[:place])]
    connection.executemany("insert into match values (?, ?, ?, ?, ?, ?, ?)", rows)
    store = Store(Path(), connection)
    [span] = store.spans(3)
    whole, other, part = (story for _, story in store.stories(span))
    connection.close()
    assert isinstance(part, str)
    assert isinstance(other, str) or other.played == whole.played
