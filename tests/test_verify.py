"""`dalang verify` against forgers who may write to the file as they like."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import sqlite3
import termios
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import reduce
from operator import getitem
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import Plain, SetupError
from dalang.engine.record import same
from dalang.harness.blocks import Block, MatchKey
from dalang.harness.cli.main import answered, cli
from dalang.harness.cli.progress import with_progress
from dalang.harness.league.submission_table import begin_season
from dalang.harness.match.played import Played, final_ranks
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.proof import matches_checked
from dalang.harness.tournament.standings import FINAL, LIVE, standings
from dalang.harness.tournament.store import Span
from dalang.harness.tournament.stored import (
    UNREADABLE,
    StoredMatch,
    lineup_of,
    match_row,
    packed,
    seat_rows,
    unpacked,
)
from dalang.harness.tournament.verifiers import WORTH_IT, answer, verifier
from dalang.harness.tournament.verify import LONGEST_GAP, Walk, everything_checked
from tests.refereed import made

Forger = Callable[[Path], None]
HONEST, FAULTY = "honest", "faulty"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("files")
    return {
        HONEST: made(folder / "honest.db", "a", "b", blocks=12),
        FAULTY: made(folder / "faulty.db", "a", "crasher", "sleeper", "cheat", "absent", blocks=2),
    }


@pytest.fixture
def honest(files: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(files[HONEST], tmp_path / "t.db"))


@pytest.fixture
def faulty(files: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(files[FAULTY], tmp_path / "t.db"))


def found(db: Path, jobs: int = 1) -> list[str]:
    with open_to_read(db) as store:
        checked = everything_checked(store, jobs)
        return [f"{each.what}: {problem}" for each in checked for problem in each.problems]


def query(db: Path, sql: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(db)) as connection, connection:
        return connection.execute(sql, values).fetchall()


# ---- The forger's tools


def story(db: Path, block: int, rotation: int) -> Plain:
    [(blob,)] = query(db, "select record from match where block = ? and rotation = ?", block, rotation)
    return unpacked(blob)


def rewrite_record(db: Path, block: int, rotation: int, data: Plain) -> None:
    """Only the record; the tables stay as they are."""
    query(db, "update match set record = ? where block = ? and rotation = ?", packed(data), block, rotation)


def rewrite(db: Path, block: int, rotation: int, data: Plain, deal: int | None = None) -> None:
    """The record, and all that the tables say of it."""
    played = Played.of_data(unpacked(packed(data)))
    where = "where block = ? and rotation = ?"
    [(round_, old)] = query(db, f"select round, deal from match {where}", block, rotation)
    lineup = lineup_of(played.names, rotation)
    match = StoredMatch.of(Block(block, round_, lineup, old if deal is None else deal), rotation, played)
    for table in ("match", "seat"):
        query(db, f"delete from {table} {where}", block, rotation)
    query(db, "insert into match values (?, ?, ?, ?, ?, ?, ?)", *match_row(match))
    for row in seat_rows(match):
        query(db, "insert into seat values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)


def forge(db: Path, block: int, rotation: int, change: Callable[[Plain], None]) -> None:
    data = story(db, block, rotation)
    change(data)
    rewrite(db, block, rotation, data)


def asked(data: Plain) -> list[int]:
    """By decision, how many moves could be chosen from."""
    record = data["record"]
    state = find_game(record["game"]).start(
        record["seats"], SeededChance(record["seed"]), **record["options"]
    )
    numbers = []
    for _, _, move in record["turns"]:
        numbers.append(len(state.moves()))
        state.play(tuple(move))
    return numbers


def accuse(data: Plain, seat: int, turn: int, kind: str = "crash") -> None:
    """Add a fault, and put the places where it says."""
    fault = {"seat": seat, "kind": kind, "detail": "it died", "turn": turn, "stderr": []}
    data["faults"] = [*data["faults"], fault]
    place(data)


def place(data: Plain) -> None:
    faulters = [fault["seat"] for fault in data["faults"]]
    data["ranks"] = list(final_ranks(data["record"]["outcome"]["ranks"], faulters))


# ---- What honest files say


def test_honest_files_prove_themselves(files: dict[str, Path]) -> None:
    for file in files.values():
        assert found(file) == []
        assert query(file, "select count(*) from match")[0][0] >= 24
    faults = query(files[FAULTY], "select distinct fault from seat order by 1")
    assert [fault for [fault] in faults] == ["", "crash", "illegal", "start", "timeout"]


@pytest.mark.parametrize("format_", ["gauntlet", "swiss", "knockout", "ladder"])
def test_every_format_proves_itself(format_: str, tmp_path: Path) -> None:
    db = made(tmp_path / "t.db", "a", "b", "c", "crasher", format=format_, blocks=4, max_faults=3)
    assert found(db) == []


@pytest.mark.parametrize("game", ["bali_wrede", "bali_rosenberg"])
@pytest.mark.parametrize("ask_forced", [False, True])
def test_every_game_proves_itself(game: str, ask_forced: bool, tmp_path: Path) -> None:
    bots = ["a", "crasher", "sleeper"]
    db = made(tmp_path / "t.db", *bots, game=game, seats=3, blocks=1, ask_forced=ask_forced)
    assert found(db) == []


@pytest.mark.parametrize("typed", ["", "  ", "xyz", "0" * 63, "0" * 65])
def test_a_commitment_that_is_none_is_refused(
    typed: str, honest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty one comes of a command that failed, and must not pass for one that was proved."""
    assert answered(["verify", str(honest), "--commitment", typed]) == 2
    said = capsys.readouterr()
    assert "a commitment is 64 hexadecimal digits" in said.err and said.err.count("\n") == 1
    assert said.out == ""


def test_a_commitment_that_was_published_is_proved(honest: Path) -> None:
    with open_to_read(honest) as store:
        published = store.terms().commitment
    assert shown(honest, "--commitment", f" {published.upper()} ").startswith("✓")
    assert shown(honest, "--commitment", "0" * 64, code=1).startswith("✗ the seed is not the one")


# ---- Deals and seats


def repeat_a_deal(db: Path, block: int, of: int, told_as: int) -> None:
    """Everybody in a block plays another once more, and the table tells it as this deal."""
    stories = [story(db, of, rotation) for rotation in (0, 1)]
    for rotation in (0, 1):
        names = story(db, block, rotation)["names"]
        [again] = [each for each in stories if each["names"] == names]
        rewrite(db, block, rotation, again, deal=told_as)


def test_a_deal_that_is_repeated_is_found(honest: Path) -> None:
    repeat_a_deal(honest, block=10, of=1, told_as=1)
    assert found(honest) == [
        "the schedule: block 10 is told as deal 1 of round 10, but it is deal 10 of round 10"
    ]


def test_a_deal_that_is_repeated_and_told_as_another_is_found(honest: Path) -> None:
    repeat_a_deal(honest, block=10, of=1, told_as=10)
    assert [problem.partition(": ")[2] for problem in found(honest)] == [
        "its luck is not that of deal 10"
    ] * 2


def test_a_round_that_is_another_is_found(honest: Path) -> None:
    query(honest, "update match set round = 1 where block = 10 and rotation = 1")
    assert found(honest) == [
        "the schedule: block 10 is told as deal 10 of round 1, but it is deal 10 of round 10"
    ]


def test_seats_that_are_exchanged_are_found(honest: Path) -> None:
    stories = [story(honest, 3, rotation) for rotation in (0, 1)]
    for rotation in (0, 1):
        rewrite(honest, 3, rotation, stories[1 - rotation])
    assert "but others played it" in " ".join(found(honest))


def test_a_later_round_that_was_played_before_the_earlier_was_complete_is_found(tmp_path: Path) -> None:
    db = made(tmp_path / "t.db", "a", "b", "c", "d", format="swiss", blocks=3)
    for table in ("match", "seat"):
        query(db, f"delete from {table} where block = 1 and rotation = 0")
    assert found(db) == [
        "the schedule: block 2 was played, but its round waits for block 1, which is not complete"
    ]


def test_matches_that_were_taken_out_are_counted(honest: Path) -> None:
    for table in ("match", "seat"):
        query(honest, f"delete from {table} where block = 4 or (block = 7 and rotation = 1)")
    with open_to_read(honest) as store:
        assert sum(each.missing for each in everything_checked(store)) == 3
    assert found(honest) == []


def test_a_match_that_is_missing_does_not_make_the_walk_remember_all_that_follows(honest: Path) -> None:
    for table in ("match", "seat"):
        query(honest, f"delete from {table} where block = 0 and rotation = 0")
    with open_to_read(honest) as store:
        walk = Walk(store, store.terms())
        assert list(walk.problems()) == []
    assert len(walk.tournament.queue) <= 1
    assert walk.missing == 1


def finished(db: Path, blocks: int = 12) -> None:
    with create_or_open(db) as store:
        store.finish(blocks)


def taken_out(db: Path, where: str) -> None:
    for table in ("match", "seat"):
        query(db, f"delete from {table} where {where}")


def table_of(db: Path) -> str:
    with open_to_read(db) as store:
        return standings(store).text()


def test_a_tournament_that_is_told_as_finished_has_its_end(honest: Path) -> None:
    finished(honest)
    assert found(honest) == []
    assert FINAL in table_of(honest)
    taken_out(honest, "block >= 8")
    assert found(honest) == ["the schedule: it is told as finished, but from block 8 on its end is not there"]
    assert LIVE in table_of(honest)


def test_a_tournament_that_is_told_as_finished_has_all_before_its_end(honest: Path) -> None:
    finished(honest)
    taken_out(honest, "block = 4 or (block = 11 and rotation = 1)")
    assert found(honest) == ["the schedule: it is told as finished, but 3 of its matches are not there"]
    assert LIVE in table_of(honest)


def test_a_swiss_that_is_told_as_finished_has_its_last_round(tmp_path: Path) -> None:
    db = made(tmp_path / "t.db", "a", "b", "c", "d", format="swiss", blocks=3)
    finished(db, 3)
    assert found(db) == []
    taken_out(db, "block >= 4")
    assert found(db) == ["the schedule: it is told as finished, but from block 4 on its end is not there"]


def test_who_was_withdrawn_is_not_missed_in_a_tournament_that_is_told_as_finished(tmp_path: Path) -> None:
    db = made(tmp_path / "t.db", "a", "b", "c", blocks=4)
    finished(db, 4)
    of_c = "block in (select block from seat where bot = 'c' and block >= 6)"
    query(db, f"delete from match where {of_c}")
    query(db, f"delete from seat where {of_c}")
    assert "it is told as finished, but" in " ".join(found(db))
    query(db, "update bot set withdrawn = 'by hand', withdrawn_from = 2 where name = 'c'")
    assert found(db) == []
    assert FINAL in table_of(db)


def test_a_block_behind_one_that_is_not_in_the_schedule_is_not_missed(honest: Path) -> None:
    for table in ("match", "seat"):
        query(honest, f"update {table} set block = -1 where block = 3")
    with open_to_read(honest) as store:
        walk = Walk(store, store.terms())
        assert list(walk.problems()) == ["block -1 is not in the schedule"]
        assert walk.missing == 2


def test_a_schedule_that_is_stretched_is_not_walked_to_its_end(honest: Path) -> None:
    """A hundred thousand blocks are looked for in vain, and no more."""
    for table in ("match", "seat"):
        query(honest, f"update {table} set block = 9999990 where block = 11")
    query(honest, "update tournament set value = '9999999' where key = 'blocks'")
    assert found(honest)[0] == (
        f"the schedule: block 9999990 was played, but nothing of more than {LONGEST_GAP} blocks before it"
    )


# ---- The file itself


def with_a_lying_index(db: Path, name: str, lie: str) -> None:
    """An index that leaves rows out, and does not say so."""
    [(honest,)] = query(db, "select sql from sqlite_master where name = ?", name)
    query(db, f"drop index {name}")
    query(db, f"create index {name} {lie}")
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("pragma writable_schema = on")
        connection.execute("update sqlite_master set sql = ? where name = ?", [honest, name])


def test_an_index_that_leaves_matches_out_is_found(honest: Path) -> None:
    with_a_lying_index(honest, "match_deal", "on match (block, rotation, round, deal) where block < 5")
    assert "missing from index match_deal" in " ".join(found(honest))


def test_an_index_that_leaves_faults_out_is_found(faulty: Path) -> None:
    with_a_lying_index(faulty, "seat_fault", "on seat (block, rotation) where fault <> '' and block > 1000")
    with open_to_read(faulty) as store:
        assert store.faulted() == []  # so do all who are told of faults
    assert "missing from index seat_fault" in " ".join(found(faulty))


ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"


@pytest.mark.parametrize(
    ("added", "named"),
    [
        (
            "alter table seat rename to seat_; create view seat as select block, rotation, seat, bot, "
            "case when strftime('%s', 'now') > '1' then 3 - place else place end as place, score, fault, "
            "decisions, seconds, times from seat_",
            "its 'table' 'seat_'",
        ),
        (f"drop table bot; create view bot as {ENDLESS}", "its 'view' 'bot'"),
        (
            "create trigger luck after insert on match begin update bot set withdrawn = 'x'; end",
            "its 'trigger' 'luck'",
        ),
        ("create table mine (note text)", "its 'table' 'mine'"),
        ("create index mine on seat (bot)", "its 'index' 'mine'"),
        (
            "drop index match_late; create index match_late on match (block, rotation) where voided > 7",
            "its 'index' 'match_late'",
        ),
        ("alter table bot add column note text", "its 'table' 'bot'"),
    ],
)
def test_a_file_with_what_dalang_does_not_make_is_not_asked_for_anything(
    added: str, named: str, honest: Path
) -> None:
    with closing(sqlite3.connect(honest)) as connection:
        connection.executescript(f"pragma legacy_alter_table = on; {added};")
    for open_ in (open_to_read, create_or_open):
        with pytest.raises(SetupError, match=f"t.db: {named} is none that dalang makes; "), open_(honest):
            pass


def test_a_file_whose_tables_are_laid_out_otherwise_or_that_lacks_an_index_is_asked(honest: Path) -> None:
    query(honest, "drop index match_deal")
    query(honest, "drop index match_late")
    query(honest, "create index match_late  on match (block,\n rotation) where\tvoided > 0")
    assert found(honest) == []


def test_a_match_that_is_told_of_a_machine_that_is_not_there_is_found(honest: Path) -> None:
    query(honest, "insert into machine values (1, 'far', 1.0, '{}')")
    query(honest, "insert into match_machine values (3, 0, 1)")
    assert found(honest) == []
    for block, machine in ((3, 2), (77, 1)):
        query(honest, "update match_machine set block = ?, machine = ?", block, machine)
        assert found(honest) == [
            f"the schedule: block {block}, rotation 0 is told of a machine, but the match or the machine is not there"
        ]


def test_a_match_that_was_given_up_by_a_stranger_is_found(honest: Path) -> None:
    with create_or_open(honest) as store:
        store.give_up(["a", "b"])
        assert found(honest) == []
        store.give_up(["a", "nobody"])
    assert found(honest) == [
        "the schedule: a match of 'nobody' is told as given up, who is no bot of this tournament"
    ]


@pytest.mark.parametrize(
    ("table", "key", "value", "problem"),
    [
        ("tournament", "blessed", "true", "is a key of the tournament that dalang does not write"),
        ("bot_limits", "nobody", "{}", "has limits of its own, who is no bot of this tournament"),
    ],
)
def test_what_belongs_to_nothing_is_found(
    table: str, key: str, value: str, problem: str, honest: Path
) -> None:
    query(honest, f"insert into {table} values (?, ?)", key, value)
    assert found(honest) == [f"the schedule: {key!r} {problem}"]


def test_a_season_tells_how_large_its_divisions_are(honest: Path) -> None:
    with create_or_open(honest) as store:
        begin_season(store, store.terms(), 4)
    assert found(honest) == []


# ---- Faults


def after_the_end(data: Plain) -> None:
    accuse(data, data["ranks"].index(1), len(data["record"]["turns"]))


def at_the_decision_of_another(data: Plain) -> None:
    winner, moves = data["ranks"].index(1), asked(data)
    turns = data["record"]["turns"]
    others = [number for number, turn in enumerate(turns) if turn[0] != winner and moves[number] > 1]
    accuse(data, winner, others[-1])


def where_nobody_was_asked(data: Plain) -> None:
    forced = max(number for number, moves in enumerate(asked(data)) if moves == 1)
    accuse(data, data["record"]["turns"][forced][0], forced)


def of_a_kind_that_does_not_exist(data: Plain) -> None:
    last = max(number for number, moves in enumerate(asked(data)) if moves > 1)
    accuse(data, data["record"]["turns"][last][0], last, "boredom")


def illegal_before_there_was_a_move(data: Plain) -> None:
    accuse(data, 0, -1, "illegal")


def long_before_the_first(data: Plain) -> None:
    accuse(data, 0, -2)


IMPOSSIBLE = [
    after_the_end,
    at_the_decision_of_another,
    where_nobody_was_asked,
    of_a_kind_that_does_not_exist,
    illegal_before_there_was_a_move,
    long_before_the_first,
]


@pytest.mark.parametrize("change", IMPOSSIBLE, ids=lambda change: change.__name__)
def test_a_fault_that_cannot_have_been_is_found(change: Callable[[Plain], None], honest: Path) -> None:
    forge(honest, 5, 1, change)
    [problem] = found(honest)
    assert "cannot have committed a fault" in problem


def with_faults_of(db: Path, *names: str) -> tuple[int, int]:
    """The first match that these bots play."""
    matches = query(db, "select block, rotation from match order by 1, 2")
    return next(key for key in matches if set(story(db, *key)["names"]) == set(names))


def test_a_second_fault_of_a_seat_is_found_and_does_not_hide_the_first(faulty: Path) -> None:
    """The later one would excuse all moves between them from being the stand-in's."""
    key = with_faults_of(faulty, "a", "crasher")

    def change(data: Plain) -> None:
        [fault] = data["faults"]
        accuse(data, fault["seat"], len(data["record"]["turns"]) - 1)

    forge(faulty, *key, change)
    assert "a seat that is out cannot break the contract again" in " ".join(found(faulty))
    played = Played.of_data(story(faulty, *key))
    assert played.out_from() == {played.faults[0].seat: played.faults[0].turn}


def test_faults_in_another_order_are_found(faulty: Path) -> None:
    """Who breaks the contract first is last."""

    def change(data: Plain) -> None:
        data["faults"].reverse()
        place(data)

    forge(faulty, *with_faults_of(faulty, "crasher", "sleeper"), change)
    assert "its faults cannot have happened in this order" in " ".join(found(faulty))


def test_a_fault_at_a_question_of_another_number_is_found(faulty: Path) -> None:
    key = with_faults_of(faulty, "a", "sleeper")
    forge(faulty, *key, lambda data: data["faults"][0].update(question=data["faults"][0]["question"] + 1))
    assert "cannot have committed a fault" in " ".join(found(faulty))


def test_a_bot_that_is_put_back_into_its_seat_is_found(faulty: Path) -> None:
    """Its fault is moved to a later question, so that what the stand-in played becomes its own."""
    key = with_faults_of(faulty, "a", "sleeper")

    def change(data: Plain) -> None:
        [fault] = data["faults"]
        questions = [number for number, moves in enumerate(asked(data)) if moves > 1]
        own = [number for number in questions if data["record"]["turns"][number][0] == fault["seat"]]
        middle = len(own) // 2  # a single choice that is left to the stand-in could be the same by accident
        fault["turn"], fault["question"] = own[middle], middle + 1
        data["microseconds"][fault["seat"]] += [1] * (middle - 1)

    forge(faulty, *key, change)
    assert "of the stand-in recorded as" in " ".join(found(faulty))


def test_a_bot_that_is_declared_dead_earlier_is_found(faulty: Path) -> None:
    key = with_faults_of(faulty, "a", "sleeper")

    def change(data: Plain) -> None:
        data["faults"][0]["turn"] = -1
        data["microseconds"][data["faults"][0]["seat"]] = []

    forge(faulty, *key, change)
    assert found(faulty) != []


# ---- Answers, notes and tables


def test_places_that_are_exchanged_in_record_and_tables_are_found(honest: Path) -> None:
    decided = next(block for block in range(12) if len(set(story(honest, block, 1)["ranks"])) == 2)
    forge(honest, decided, 1, lambda data: data["ranks"].reverse())
    [problem] = found(honest)
    assert "places recorded as" in problem


def test_times_of_answers_that_nobody_gave_are_found(honest: Path) -> None:
    forge(honest, 2, 0, lambda data: data["microseconds"][0].append(5))
    [problem] = found(honest)
    assert "block 2, rotation 0: seat 0 gave" in problem
    assert "times of thinking are recorded" in problem


def test_a_fault_whose_kind_is_changed_is_found_where_times_tell(faulty: Path) -> None:
    """A bot that died left no time behind, one that was late did."""
    key = with_faults_of(faulty, "a", "crasher")
    forge(faulty, *key, lambda data: data["faults"][0].update(kind="timeout"))
    assert "times of thinking are recorded" in " ".join(found(faulty))


def test_notes_where_no_bot_answered_are_found(honest: Path, faulty: Path) -> None:
    forge(honest, 2, 0, lambda data: data["notes"].update({"9999": "I was here"}))
    assert found(honest) == [
        "block 2, rotation 0: a note is recorded for decision 9999, where no bot can have made one"
    ]


def test_notes_of_a_bot_that_was_out_and_where_nobody_was_asked_are_found(faulty: Path) -> None:
    key = with_faults_of(faulty, "a", "absent")
    data = story(faulty, *key)
    turns, out = data["record"]["turns"], data["faults"][0]["seat"]
    for number, moves in enumerate(asked(data)):
        if turns[number][0] == out or moves == 1:
            changed = {**data, "notes": {**data["notes"], str(number): "it was me"}}
            rewrite(faulty, *key, changed)
            assert f"a note is recorded for decision {number}," in " ".join(found(faulty))
            return
    pytest.fail("there is no such decision")


@pytest.mark.parametrize("column", ["seconds", "decisions", "score", "place", "seat"])
def test_every_number_of_a_seat_is_compared_with_the_record(column: str, honest: Path) -> None:
    query(honest, f"update seat set {column} = {column} + 7 where block = 3 and rotation = 0 and seat = 1")
    assert "block 3, rotation 0: the table `seat` says something else than the record" in found(honest)


@pytest.mark.parametrize(
    "change",
    [
        "seat set times = x'0000803f' where block = 3",
        "seat set fault = 'crash' where block = 3 and seat = 0",
        "match set voided = voided + 1 where block = 3",
        "match set ending = 'by decree' where block = 3",
    ],
)
def test_what_tables_say_is_compared_with_the_record(change: str, honest: Path) -> None:
    query(honest, f"update {change}")
    assert (
        f"block 3, rotation 0: the table `{change.split()[0]}` says something else than the record"
        in found(honest)
    )


def test_a_record_with_something_added_or_retyped_is_found(honest: Path) -> None:
    data = story(honest, 3, 0)
    for damage in (
        {**data, "blessed": True},
        {**data, "record": {**data["record"], "blessed": True}},
        {**data, "record": {**data["record"], "events": None}},
        {**data, "voided": False},
        {**data, "ranks": [float(rank) for rank in data["ranks"]]},
        {**data, "ranks": [rank == 1 or rank for rank in data["ranks"]]},
        {**data, "notes": {"٣": "three", **data["notes"]}},
    ):
        rewrite_record(honest, 3, 0, damage)
        [problem] = found(honest)
        assert problem.startswith("block 3, rotation 0: the record cannot be read"), damage.keys()


def test_conditions_that_no_match_of_a_tournament_has_are_found(honest: Path) -> None:
    conditions = {"limits": {"move": 0.001}, "key": "", "ask_forced": True, "clock": False}
    rewrite_record(honest, 3, 0, {**story(honest, 3, 0), "conditions": conditions})
    assert found(honest) == [
        "block 3, rotation 0: conditions are told of it, which only a match outside of tournaments has"
    ]


def test_rules_that_were_not_agreed_are_found(honest: Path) -> None:
    query(honest, "update tournament set value = ? where key = 'rules_version'", json.dumps(7))
    assert len(found(honest)) == 24


# ---- Any single value


UNPROVABLE = ("microseconds", "detail", "stderr", "notes", "voided")
"""What stands in a record and cannot be proved: how long an answer took, how a fault is told, what a bot wrote to
stderr and into its notes, and how often the host was late. Of the kind of a fault only that it was possible there."""


def ways(data: Any, *way: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value in plain data, and to every table and list in it."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*way, key)
        if isinstance(value, dict | list):
            yield from ways(value, *way, key)


def another(value: Any, rng: Random) -> Any:
    """Something else in its place: a neighbour, the same in another type, or nonsense."""
    near = [value + 1, value - 1, float(value), str(value)] if type(value) is int else []
    of_text = [value + "!", value[:-1] + "x"] if isinstance(value, str) else []
    of_many = [value[1:], value * 2] if isinstance(value, list) and value else []
    return rng.choice([*near, *of_text, *of_many, None, True, 7, "", [], {}, 2**63, -1, 0.5, b"\xff"])


def change_somewhere(data: Plain, rng: Random) -> tuple[Any, ...]:
    way = rng.choice(list(ways(data)))
    inner: Any = reduce(getitem, way[:-1], data)
    if rng.random() < 0.1:
        inner.pop(way[-1])
    else:
        inner[way[-1]] = another(inner[way[-1]], rng)
    return way


def claims(data: Plain) -> Plain:
    """What of a record is claimed to be proved."""
    faults = [(fault["seat"], fault["turn"]) for fault in data["faults"]]
    return {key: value for key, value in data.items() if key not in UNPROVABLE} | {"faults": faults}


@pytest.mark.slow
@pytest.mark.parametrize("file", [HONEST, FAULTY])
def test_whatever_is_changed_in_a_record_is_found_or_was_not_claimed(
    file: str, files: dict[str, Path], tmp_path: Path
) -> None:
    """The tables are made to agree with the record where that is possible."""
    db, rng = Path(shutil.copy(files[file], tmp_path / "t.db")), Random(file)
    keys = query(db, "select block, rotation from match")
    with open_to_read(db) as store:
        terms = store.terms()
        for _ in range(150):
            key = rng.choice(keys)
            honest = story(db, *key)
            changed = story(db, *key)
            way = change_somewhere(changed, rng)
            if same(changed, honest):
                continue  # it happened to be that already
            with suppress(*UNREADABLE, OverflowError):
                rewrite(db, *key, changed)
            rewrite_record(db, *key, changed)
            [checked] = matches_checked(store, terms, Span(MatchKey(*key), MatchKey(*key)))
            walked = list(Walk(store, terms).problems())
            if not checked.problems and not walked:
                assert same(claims(changed), claims(honest)), way
                assert way[0] in ("faults", *UNPROVABLE), way
            rewrite(db, *key, honest)


def is_told(db: Path) -> bool:
    """A column of another type is damage, and nothing more can be said of such a file."""
    try:
        return bool(found(db))
    except SetupError as error:
        return "is damaged" in str(error)


@pytest.mark.slow
@pytest.mark.parametrize("table", ["match", "seat"])
def test_whatever_is_changed_in_a_row_is_found(table: str, files: dict[str, Path], tmp_path: Path) -> None:
    """There is nothing in these tables that the schedule or the records do not say."""
    db, rng = Path(shutil.copy(files[FAULTY], tmp_path / "t.db")), Random(table)
    columns = [row[1] for row in query(db, f"pragma table_info({table})") if row[1] != "record"]
    for _ in range(60):
        column = rng.choice(columns)
        [(row, value)] = query(
            db, f"select block || '.' || rotation, {column} from {table} order by random() limit 1"
        )
        new = another(value, rng)
        if isinstance(new, dict | list | None):
            continue
        where = f"where block || '.' || rotation = ? and {column} is ?"
        before = query(db, f"select * from {table}")
        try:
            query(db, f"update {table} set {column} = ? {where}", new, row, value)
        except (sqlite3.IntegrityError, OverflowError):
            continue
        if query(db, f"select * from {table}") != before:
            assert is_told(db), (column, value, new)
        shutil.copy(files[FAULTY], db)


# ---- On all cores, and what is shown


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With something wrong here and there."""
    db = made(tmp_path_factory.mktemp("large") / "t.db", "a", "b", "c", blocks=3 * WORTH_IT // 6)
    for number in (7, 8, 50, 77, 149):
        forge(db, number, number % 2, lambda data: data["microseconds"][0].append(5))
    query(db, "update match set round = 0 where block = 100")
    return db


@pytest.mark.slow
def test_what_is_found_comes_in_the_same_order_for_any_number_of_processes(large: Path) -> None:
    alone = found(large)
    assert len(alone) == 6
    assert found(large, jobs=2) == found(large, jobs=3) == alone
    with open_to_read(large) as store:
        checked = [each.what for each in everything_checked(store, jobs=3)]
    assert checked[:4] == ["the file", "the master seed", "the schedule", "block 0, rotation 0"]
    assert len(checked) == 303


def test_a_small_file_needs_no_other_process(honest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalang.harness.tournament.verifiers.CHILDREN", None)
    assert found(honest, jobs=8) == []


SPAN = Span(MatchKey(0, 0), MatchKey(3, 1))


def test_a_process_that_dies_is_one_line(honest: Path) -> None:
    with verifier(honest) as one:
        one.process.kill()
        one.process.wait()
        one.ask(SPAN)
        with pytest.raises(
            SetupError, match="verified block 0, rotation 0 to block 3, rotation 1 died; try again"
        ):
            list(answer(one, SPAN))


def test_a_file_that_cannot_be_read_any_further_is_one_line_from_any_process(honest: Path) -> None:
    query(honest, "drop table match")
    with open_to_read(honest) as store, pytest.raises(SetupError, match="no such table: match") as alone:
        list(matches_checked(store, store.terms(), SPAN))
    with verifier(honest) as one, pytest.raises(SetupError) as other:
        one.ask(SPAN)
        list(answer(one, SPAN))
    assert str(other.value) == str(alone.value)


def shown(db: Path, *arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["verify", str(db), *arguments])
    assert done.exit_code == code, done.output
    return done.stdout


def test_it_says_what_is_proved_and_what_is_not(honest: Path) -> None:
    good, unproved = shown(honest).splitlines()
    assert good == "✓ 24 matches, the schedule and the master seed are as they should be"
    assert unproved.startswith("not proved: ")
    words = " ".join(CliRunner().invoke(cli, ["verify", "--help"]).output.split())
    assert "Not proved is that the bots chose these moves" in words
    assert "can play honest matches again until he likes them" in words
    assert json.loads(shown(honest, "--json")) == {"matches": 24, "checked": 27, "problems": [], "missing": 0}


def test_it_says_what_is_missing(honest: Path) -> None:
    for table in ("match", "seat"):
        query(honest, f"delete from {table} where block = 4")
    assert "2 matches before the last are not there: " in shown(honest)
    assert json.loads(shown(honest, "--json"))["missing"] == 2


def test_it_says_what_is_wrong_and_its_exit_code_is_no(honest: Path) -> None:
    repeat_a_deal(honest, block=10, of=1, told_as=1)
    assert shown(honest, code=1).startswith("✗ the schedule: block 10 is told as deal 1")
    [problem] = json.loads(shown(honest, "--json", code=1))["problems"]
    assert problem["what"] == "the schedule"


def test_of_a_large_file_it_is_told_that_the_schedule_comes_first_and_only_matches_are_reckoned_with(
    honest: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reckoned: list[int] = []

    def counted(items: Iterator[Any], total: int, unit: str) -> Iterator[Any]:
        found = list(items)
        assert len(found) == total and unit == "match"
        reckoned.append(total)
        yield from found

    monkeypatch.setattr("dalang.harness.cli.tournament.LONG_SCHEDULE", 23)
    monkeypatch.setattr("dalang.harness.cli.tournament.with_progress", counted)
    assert answered(["verify", str(honest)]) == 0
    assert capsys.readouterr().err == "24 matches: the schedule first, then one after the other\n"
    assert reckoned == [24]


def test_where_there_is_no_terminal_a_line_tells_how_far_it_is_and_how_long_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 1000, 3))
    monkeypatch.setattr("dalang.harness.cli.progress.monotonic", lambda: next(clock))
    assert list(with_progress(range(4), 100, "check")) == [0, 1, 2, 3]
    first, *_ = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"check \d of 100, about \d+ min \d+ s left", first)


def test_on_a_terminal_a_bar_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 120))
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        assert list(with_progress(range(3), 3, "check")) == [0, 1, 2]
        painted = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "0/3" in painted
