"""Files that grow large: what is read again, what is passed over and what is kept changes no figure."""

from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import Plain, SetupError
from dalang.harness.blocks import Block, BlockResult, MatchKey, MatchResult
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.arena import interruptible
from dalang.harness.statistics import skills
from dalang.harness.statistics.summary import figures_of, percentiles
from dalang.harness.tournament import run, tally
from dalang.harness.tournament.config import Config, terms_for
from dalang.harness.tournament.entry import Prepared, prepared
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.machine import Count, Tournament
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.standings import standings
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.tally import Follower, Tally
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.worker import Assignment
from tests.roomy import ROOMY
from tests.simulated import simulate

ROOT = Path(__file__).parent
NAMES = ["b0", "b1", "b2"]
TERMS = Terms("kali", 2, blocks=30, max_faults=4).with_seed("growth")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with create_or_open(tmp_path / "t.db") as store:
        store.begin(TERMS, [BotRow(name, 0, "", "") for name in NAMES])
        yield store


def blocks(store: Store) -> list[Block]:
    return list(iter(Tournament(store.plan(TERMS)).next_block, None))


def stored(block: Block) -> list[StoredMatch]:
    """The matches of a block; b2 faults all the time from block 60 on, and now and then before."""
    faulty = {"b2"} if block.number >= 60 or block.number % 7 == 0 else set()
    matches = simulate(block, faulty=faulty).matches
    return [kept(block, rotation, match) for rotation, match in enumerate(matches)]


def kept(block: Block, rotation: int, match: MatchResult) -> StoredMatch:
    return StoredMatch(block, rotation, match, "end", 0, [0, 0], [0.0, 0.0], [b"", b""], b"")


# ---- Standings that are shown again


@pytest.mark.parametrize("late", [1, pytest.param(8, marks=pytest.mark.slow), 200])
def test_who_follows_a_file_sees_what_somebody_sees_who_reads_it_all(
    store: Store, late: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matches come late by so many others: of blocks that were read before, too."""
    monkeypatch.setattr(tally, "UNSETTLED", 4)
    matches, random = [match for block in blocks(store) for match in stored(block)], Random(late)
    order = sorted(range(len(matches)), key=lambda at: at + random.random() * late)
    follower = Follower()
    while order:
        count = random.randrange(1, 30)
        store.save([matches[at] for at in order[:count]])
        del order[:count]
        assert standings(store, tallied=follower.tallied).data() == standings(store).data()


@pytest.mark.parametrize(("gap", "read_again"), [(None, 50), (48, 48), (20, 45)])
def test_who_follows_a_file_reads_only_its_end_again(
    gap: int | None, read_again: int, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first block that is not complete, unless that has been so for long."""
    monkeypatch.setattr(tally, "UNSETTLED", 4)
    store.save([match for block in blocks(store)[:50] for match in stored(block) if block.number != gap])
    follower = Follower()
    follower.tallied(store)
    asked: list[str] = []
    store.connection.set_trace_callback(asked.append)
    store.save([match for block in blocks(store)[50:52] for match in stored(block)])
    follower.tallied(store)
    assert [text.partition("where ")[2].split(" order")[0] for text in asked if "place" in text] == [
        f"block >= {read_again}"
    ]


def test_who_follows_a_file_goes_on_from_the_last_fixed_point(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However little of it is settled: sweeps over all matches are what skills cost."""
    sweeps: list[float] = []

    def counted(before: list[float], after: list[float], moved=skills.moved) -> float:
        sweeps.append(moved(before, after))
        return sweeps[-1]

    monkeypatch.setattr(skills, "moved", counted)
    store.save([match for block in blocks(store)[:50] for match in stored(block)])
    follower, looks = Follower(), []
    for _ in range(2):
        sweeps.clear()
        standings(store, tallied=follower.tallied)
        looks.append(len(sweeps))
    assert looks[0] > 5 and looks[1] <= 2
    sweeps.clear()
    standings(store)
    assert len(sweeps) == looks[0]


@pytest.mark.parametrize(("schedule", "doubt"), [(1, 2.0), (2, 1.1)])
def test_strengths_of_a_ladder_are_told_with_doubt(tmp_path: Path, schedule: int, doubt: float) -> None:
    """Luck decides who meets whom on it, above all as it was at first."""
    terms = replace(TERMS, format="ladder", schedule=schedule)
    with create_or_open(tmp_path / "ladder.db") as store:
        store.begin(terms, [BotRow(name, 0, "", "") for name in NAMES])
        for number in range(90):
            lineup = (NAMES[number % 3], NAMES[(number + 1) % 3])
            store.save(stored(Block(number, number, lineup, number)))
        shown = {line.line.name: line.line.strength for line in standings(store).lines}
        plain = figures_of(tally.tallied(store).sample, "seed", live=True)
    for line in plain.bots:
        wide, narrow = shown[line.name], line.strength
        assert wide.mean == narrow.mean
        assert wide.high - wide.mean == pytest.approx(doubt * (narrow.high - narrow.mean), rel=0.01)


def test_who_follows_a_file_notices_a_new_bot(store: Store) -> None:
    follower = Follower()
    standings(store, tallied=follower.tallied)
    with store.writing():
        store.add_bots([BotRow("b3", 1, "", "")])
    assert len(standings(store, tallied=follower.tallied).lines) == 4


def test_a_thousand_blocks_more_cost_a_few_bytes_each(store: Store) -> None:
    tally = Tally(TERMS, NAMES)
    few, many = blocks(store)[:20], range(100, 1100)
    for block in few:
        tally.add(simulate(block))
    tracemalloc.start()
    for number in many:
        result = simulate(few[number % 20])
        tally.add(result._replace(block=result.block._replace(number=number, deal=number)))
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert tally.sample.blocks == 20 + len(many)
    assert grown < 300 * len(many)
    assert figures_of(tally.sample, "seed").blocks == 20 + len(many)


def test_percentiles_of_counted_times_are_those_of_the_times() -> None:
    random = Random("times")
    for number in (1, 2, 99, 100, 101, 1000):
        times = [random.randrange(50) / 8 for _ in range(number)]
        ordered = sorted(times)
        assert percentiles(times) == (
            ordered[(number * 50 + 99) // 100 - 1], ordered[(number * 99 + 99) // 100 - 1], ordered[-1],
        )  # fmt: skip


# ---- Reading


def test_a_block_of_which_anything_is_missing_is_not_complete(store: Store) -> None:
    store.save([match for block in blocks(store)[:4] for match in stored(block)])
    with store.writing():
        store.connection.execute("delete from match where block = 0 and rotation = 1")
        store.connection.execute("delete from match where block = 1")
        store.connection.execute("delete from seat where block = 2 and rotation = 0")
    assert [result.block.number for result in store.results()] == [3]


@pytest.mark.parametrize(
    "damage",
    [
        "update match set round = 'first' where block = 2",
        "update seat set block = 'two' where block = 2",
        "update seat set block = 2.5 where block = 2",
        "update seat set rotation = 'second' where block = 2 and rotation = 1",
        "update seat set bot = 'nobody' where block = 2 and seat = 0",
        "update seat set bot = 'b0' where block = 2 and rotation = 1",
        "update seat set place = x'00' where block = 2",
        "update seat set score = 1.5 where block = 2 and seat = 1",
        "update seat set fault = x'00' where block = 2",
        "delete from seat where block = 2 and seat = 1",
    ],
)
def test_a_table_that_cannot_be_is_damage_wherever_it_is_read_from(store: Store, damage: str) -> None:
    store.save([match for block in blocks(store)[:4] for match in stored(block)])
    with store.writing():
        assert store.connection.execute(damage).rowcount > 0
    for begin in (0, 2):
        with pytest.raises(SetupError, match=r"is damaged: .*restore a copy"):
            list(store.results(begin))
    with pytest.raises(SetupError, match="is damaged"):
        standings(store, tallied=Follower().tallied)


def test_a_file_of_an_earlier_version_is_given_what_makes_it_quick_to_read(tmp_path: Path) -> None:
    path = Path(shutil.copy(ROOT / "old" / "kali-0.1.0.sqlite", tmp_path / "old.db"))
    query = "explain query plan select block, count(*), round, deal from match group by block"
    with open_to_read(path) as store:
        before = standings(store).data()
        assert "COVERING" not in next(store.rows(query))["detail"]
    with create_or_open(path) as store:
        assert "COVERING INDEX match_deal" in next(store.rows(query))["detail"]
        assert standings(store).data() == before


# ---- Going on


class Heard(RunListener):
    """How many blocks were passed over, and which ones counted after that."""

    def __init__(self) -> None:
        self.blocks, self.results = 0, list[BlockResult]()

    def passed(self, blocks: int) -> None:
        self.blocks += blocks

    def counted(self, result: BlockResult) -> None:
        self.results.append(result)


def played(path: Path) -> tuple[Plain, Heard]:
    """The standings when all is played, and what was heard of it in this run."""
    bots = ["first", "random", str(ROOT / "strange" / "always_illegal.py")]
    terms = terms_for(find_game("kali"), {}, 2, blocks=9, max_faults=7, limits=ROOMY, isolate="none")
    with create_or_open(path) as store:
        ready = prepared(store, Config(terms, tuple(find_entrants(bots)), seed="go on", jobs=1), print)
        heard = Heard()
        trio.run(interruptible, run.Run(store, ready, [heard]).play)
        return standings(store).data(), heard


def cut_off(path: Path, last: MatchKey) -> None:
    """As if the run had been ended after this match: which ones an early end really leaves, depends on the time."""
    with create_or_open(path) as store, store.writing():
        for table in ("match", "seat"):
            store.connection.execute(f"delete from {table} where (block, rotation) > (?, ?)", last)
        store.connection.execute("delete from tournament where key = 'finished'")


@pytest.fixture
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that can be passed over is, and every round is looked at."""
    monkeypatch.setattr(run, "NOT_PASSED", 0)
    monkeypatch.setattr(run, "LOOKED_AT", 1)


@pytest.mark.usefixtures("in_a_hurry")
@pytest.mark.parametrize("number", [6, 30, 63, 80])
def test_what_is_passed_over_is_counted(store: Store, number: int) -> None:
    store.save([match for block in blocks(store)[:number] for match in stored(block)])
    heard = Heard()
    ready = Prepared(store.plan(TERMS), Assignment(TERMS, (), 1), 1)
    hurried = run.Run(store, ready, [heard])
    trio.run(hurried.pass_over)
    passed, expected = number // 3 * 3, Count(TERMS.max_faults)
    counted = [expected.add(result) for result in store.results() if result.block.number < passed]
    assert hurried.tournament.count == expected
    assert heard.blocks == sum(counted)
    assert ("b2" in expected.withdrawn) == (number > 60)


@pytest.mark.usefixtures("in_a_hurry")
def test_a_block_that_was_left_out_is_not_passed_over(store: Store) -> None:
    store.save([match for block in blocks(store) if block.number != 40 for match in stored(block)])
    resumed = run.Run(store, Prepared(store.plan(TERMS), Assignment(TERMS, (), 1), 1))
    trio.run(resumed.pass_over)
    assert resumed.tournament.next_block() == blocks(store)[39]


@pytest.mark.slow
@pytest.mark.usefixtures("in_a_hurry")
def test_what_is_passed_over_counts_also_towards_a_withdrawal(tmp_path: Path) -> None:
    """Of the faults in a row that are too many, some are in the round that is passed over, some in the next one."""
    path = tmp_path / "t.db"
    whole, at_once = played(path)
    cut_off(path, MatchKey(4, 0))
    in_parts, resumed = played(path)
    assert (at_once.blocks, resumed.blocks) == (0, 3)
    assert resumed.results == at_once.results[3:]
    assert in_parts == whole
    assert whole["standings"][-1]["withdrawn"] == "too many faults in a row"


@pytest.mark.slow
@pytest.mark.usefixtures("in_a_hurry")
def test_rounds_that_are_passed_over_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    played(path)
    cut_off(path, MatchKey(4, 0))
    with create_or_open(path) as store, store.writing():
        store.connection.execute("update seat set bot = 'random' where block = 0")
    with pytest.raises(SetupError, match="has other players in block 0"):
        played(path)
