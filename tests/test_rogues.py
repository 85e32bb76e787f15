"""The rogue zoo: every bot in tests/rogues ends as the fault it names, isolated or not, and nobody else notices."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgpack
import pytest
import trio

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.engine.record import discrepancies
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, find_entrants
from dalang.harness.isolation.cell import Isolation
from dalang.harness.isolation.levels import LEVELS, NONE
from dalang.harness.match.arena import open_arena
from dalang.harness.match.limits import Limits
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Match
from dalang.protocol.codec import pack
from tests.leftovers import descriptors, marked_processes, need_level
from tests.roomy import ROOMY

pytestmark = pytest.mark.slow

ZOO = sorted(path for path in (Path(__file__).parent / "rogues").glob("*.py") if path.name != "polite.py")
TIGHT = Limits(startup=4.0, prepare=0.5, move=0.3, bank=0.2)
"""For whoever must be waited for in vain; whoever sins at once has all the time."""


def expected(rogue: Path) -> str:
    """The fault that a rogue's first line promises."""
    return (ast.get_docstring(ast.parse(rogue.read_text(encoding="utf-8"))) or "").partition(":")[0]


def limits_for(rogue: Path) -> Limits:
    if rogue.stem == "eats_memory":
        return replace(ROOMY, memory=256 * 1024 * 1024)
    return TIGHT if expected(rogue) == "timeout" or rogue.stem == "silent_from_the_start" else ROOMY


def play(
    rogue: Entrant, limits: Limits = ROOMY, matches: int = 1, isolation: Isolation = NONE
) -> list[Played]:
    """The rogue between two good bots."""

    async def matches_in_one_arena() -> list[Played]:
        entrants = [*find_entrants(["a=first", "b=random"]), rogue]
        names = tuple(entrant.name for entrant in entrants)
        async with open_arena(limits, isolation=isolation) as arena:
            kali = find_game("kali")
            return [await arena.play(Match(kali, f"zoo {n}", names), entrants) for n in range(matches)]

    return trio.run(matches_in_one_arena)


@pytest.mark.parametrize("rogue", ZOO, ids=lambda path: path.stem)
@pytest.mark.parametrize("level", LEVELS)
def test_a_rogue_ends_as_its_fault_and_the_others_finish(level: str, rogue: Path) -> None:
    need_level(level)
    mark = uuid.uuid4().hex
    before = descriptors()
    entrant = replace(find_entrant(str(rogue)), env={"LC_MARK": mark})
    [played] = play(entrant, limits_for(rogue), isolation=LEVELS[level])
    assert [(fault.seat, fault.kind) for fault in played.faults] == [(2, expected(rogue))], played.faults
    assert played.ranks[2] == 3
    assert sorted(played.ranks[:2]) in ([1, 2], [1, 1])
    assert discrepancies(played.record, find_game("kali")) == []
    assert descriptors() == before
    assert marked_processes(mark) == []


def test_the_zoo_is_large_and_knows_every_fault() -> None:
    assert len(ZOO) >= 25
    assert {expected(rogue) for rogue in ZOO} == {"start", "timeout", "crash", "garbage", "illegal", "flood"}


def test_a_bot_that_crashed_is_started_again_for_the_next_match() -> None:
    rogue = find_entrant(str(Path(__file__).parent / "rogues" / "dies_in_mid_match.py"))
    first, second = play(rogue, matches=2)
    for played in (first, second):
        [fault] = played.faults
        assert (fault.kind, fault.detail) == ("crash", "ended with exit code 7")
        assert fault.stderr == ["out of ideas"]


def test_no_such_file_and_not_executable_are_named_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="there is no bot, folder, script or program 'no_such_bot'"):
        find_entrant("no_such_bot")
    plain = tmp_path / "bot"
    plain.write_text("#!/bin/sh\n", encoding="utf-8")
    with pytest.raises(SetupError, match=r"chmod \+x"):
        find_entrant(str(plain))


@pytest.mark.parametrize(
    "command", [("/no/such/bot",), (os.devnull,)], ids=["no such file", "not executable"]
)
def test_a_program_that_vanished_is_a_start_fault(command: tuple[str, ...]) -> None:
    [played] = play(Entrant("ghost", command))
    assert [fault.kind for fault in played.faults] == ["start"]


def in_json(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


@pytest.mark.parametrize(("name", "packed"), [("index_negative", pack), ("half_a_surrogate", in_json)])
def test_a_rogue_that_was_not_asked_in_one_match_is_ready_for_the_next(
    name: str, packed: Callable[[object], bytes]
) -> None:
    """So what it does follows from the match alone, and not from what its process has played before."""
    start, end, question = {"type": "start"}, {"type": "end"}, {"type": "decide", "id": 1}
    heard = b"".join(map(packed, [start, end, start, question]))
    rogue = Path(__file__).parent / "rogues" / f"{name}.py"
    done = subprocess.run([sys.executable, rogue], input=heard, capture_output=True, timeout=60)
    kinds = re.findall(rb"type\W+(\w+)", done.stdout)  # JSON, or msgpack with the length of a word before it
    assert kinds == [b"hello", b"ready", b"ready", b"move"]


@pytest.mark.parametrize("name", ["dies_in_mid_match", "stale_id"])
def test_a_rogue_that_sins_at_its_second_question_begins_to_count_with_each_match(name: str) -> None:
    start, end = {"type": "start"}, {"type": "end"}
    first, second = {"type": "decide", "id": 1}, {"type": "decide", "id": 2}
    rogue = Path(__file__).parent / "rogues" / f"{name}.py"
    heard = b"".join(map(pack, [start, first, end, start, first, second]))
    done = subprocess.run([sys.executable, rogue], input=heard, capture_output=True, timeout=60)
    said = msgpack.Unpacker()
    said.feed(done.stdout)
    answers = [message["id"] for message in said if message["type"] == "move"]
    assert answers == {"dies_in_mid_match": [1, 1], "stale_id": [1, 1, 1]}[name]
