"""The Python kit as an author meets it: what a request has, and what is told of an answer that is none."""

from __future__ import annotations

import inspect
import pydoc
import re
import typing
from pathlib import Path
from textwrap import dedent

import pytest
import trio

import dalang.kit
from dalang.bots.kit import LETTERS_SHOWN, answer
from dalang.engine.catalogue import find_game
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.match.arena import open_arena
from dalang.harness.match.played import Fault
from dalang.harness.match.referee import Match
from dalang.kit import Request
from tests.roomy import ROOMY

START = {"game": "kali", "seats": 2, "seat": 0, "options": {}, "limits": {}, "seed": "any text"}
MOVES = [["draw"], ["stop"], ["buy", 3]]
BOT = "from dalang.kit import run\n\n\ndef choose(request):\n    {}\n\n\nrun(choose, name='bot')\n"


def asked() -> Request:
    request = Request(START)
    request.take({"id": 5, "decision": "go_on", "moves": MOVES})
    return request


def test_every_field_of_a_request_is_in_the_help_with_its_type() -> None:
    page = pydoc.plain(pydoc.render_doc(dalang.kit))
    told = dict(re.findall(r"^ +\|  - `(\w+): ([^`]+)`: \S", page, re.MULTILINE))
    assert told.pop("rng") == "random.Random"
    assert told == Request.__annotations__
    assert set(told) == set(vars(asked())), "every field is there from the beginning"
    assert typing.get_type_hints(Request).keys() == told.keys()


def test_every_field_of_a_request_is_in_the_docs_with_its_type() -> None:
    page = (Path(__file__).parent.parent / "docs" / "debugging.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `(.+?)` \| \S", page, re.MULTILINE)
    told = {name: kind.replace("` or `", " | ") for name, kind in rows}
    assert told == {**Request.__annotations__, "rng": "random.Random"}


def test_what_a_request_tells_of_its_memory_and_note_can_be_run() -> None:
    page = inspect.getdoc(Request) or ""  # without the margin, which Python 3.13 does not keep anyway
    [code] = re.findall(r"^ +def choose.*?return request.moves\[0\]$", page, re.S | re.M)
    names: dict[str, typing.Any] = {}
    exec(dedent(code), names)
    request = asked()
    for number in (1, 2):
        request.take({"id": number, "decision": "go_on", "moves": MOVES, "events": [{"event": "card"}]})
        assert answer(names["choose"], request)["note"] == f"{number} events so far"


@pytest.mark.parametrize(
    ("returned", "number"),
    [
        (["stop"], 1),
        (("buy", 3), 2),
        (0, 0),
        (2, 2),
        (3, None),
        (-1, None),
        (True, None),
        (None, None),
        (1.0, None),
        ("stop", None),
        (["sell"], None),
        ([], None),
    ],
)
def test_a_move_is_one_of_the_list_or_its_number(returned: object, number: int | None) -> None:
    assert asked().number_of(returned) == number


def test_what_is_no_move_is_told_in_few_words() -> None:
    told = answer(lambda request: ["x" * 10000], asked())["error"]  # type: ignore[arg-type]
    assert len(told) < LETTERS_SHOWN + 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "kind", "detail"),
    [
        ("pass", "illegal", "choose returned None; return one of request.moves, or its number from 0"),
        ("return 'stop\\x1b[2J'", "illegal", r"choose returned 'stop\x1b[2J'; return one of request.moves"),
        ("raise KeyError(1)", "crash", "ended with exit code 1"),
    ],
)
def test_an_author_is_told_why_his_answer_is_none(line: str, kind: str, detail: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT.format(line), encoding="utf-8")
    fault = fault_of(tmp_path / "bot.py")
    assert fault.kind == kind
    assert fault.detail.startswith(detail)
    assert kind == "crash" or not fault.stderr
    assert kind != "crash" or fault.stderr[-1].startswith("... at question 1, deciding ")


def fault_of(bot: Path) -> Fault:
    async def play() -> Fault:
        entrants = find_entrants([str(bot), "first"])
        async with open_arena(ROOMY) as arena:
            played = await arena.play(Match(find_game("kali"), "kit", ("bot", "first")), entrants)
        [fault] = played.faults
        return fault

    return trio.run(play)
