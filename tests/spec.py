"""Reads protocol/SPEC.md, and watches the games to see whether it tells the truth.

`python -m tests.spec` writes the examples of the page anew: what the referee says in them, and all bytes.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from textwrap import wrap
from typing import Any, NamedTuple

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Move, Plain, State
from dalang.harness.match.limits import Clock, Limits
from dalang.harness.match.referee import Answer, Match, referee
from dalang.protocol import messages
from dalang.protocol.codec import pack
from dalang.protocol.messages import EVERYTHING
from tests.tables import TABLES, Table

SPEC = Path(__file__).parent.parent / "protocol" / "SPEC.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]*)`")

Row = dict[str, str]


# ---- The page


@cache
def text() -> str:
    return SPEC.read_text(encoding="utf-8")


def sections(page: str, level: int) -> dict[str, str]:
    """The parts of a page under headings of this level, by heading; each ends where one as high begins."""
    prose = FENCE.sub(lambda fence: re.sub("^#", " ", fence[0], flags=re.MULTILINE), page)
    heads = [*re.finditer(r"^(#+) (.+)$", prose, re.MULTILINE)]
    found = {}
    for number, head in enumerate(heads):
        if len(head[1]) == level:
            ends = [later.start() for later in heads[number + 1 :] if len(later[1]) <= level]
            found[head[2]] = page[head.end() : min(ends, default=len(page))]
    return found


@cache
def section(*path: str) -> str:
    """The part of the page at this path of headings."""
    page = text()
    for depth, heading in enumerate(path):
        page = sections(page, depth + 2)[heading]
    return page


def table(part: str) -> list[Row]:
    """The only table of this part: its rows by column, code without its marks."""
    before = part.partition("\n#")[0]
    lines = [line for line in FENCE.sub("", before).splitlines() if line.startswith("|")]
    head, _, *rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    assert all(len(row) == len(head) for row in rows), rows
    return [dict(zip(head, map(uncoded, row), strict=True)) for row in rows]


def uncoded(cell: str) -> str:
    whole = CODE.fullmatch(cell)
    return whole[1] if whole else cell


def example(part: str, language: str) -> str:
    (found,) = [body for tongue, body in FENCE.findall(part) if tongue == language]
    return str(found)


# ---- The notation of types


Check = Callable[[Any, int], bool]
"""Does the value, seen at a table of so many seats, have the type?"""

PLAIN: dict[str, Check] = {
    "int": lambda value, seats: type(value) is int,
    "number": lambda value, seats: type(value) in (int, float),
    "text": lambda value, seats: type(value) is str,
    "bool": lambda value, seats: type(value) is bool,
    "seat": lambda value, seats: type(value) is int and 0 <= value < seats,
    "map": lambda value, seats: type(value) is dict,
    "event": lambda value, seats: type(value) is dict and type(value.get("event")) is str,
    "move": lambda value, seats: {*map(type, value)} <= {str, int} and type(value[0]) is str,
}


class Types:
    """Types as the page writes them, which is also Python; the words of a game stand for types of their own."""

    def __init__(self, words: dict[str, str] | None = None) -> None:
        self.checks = PLAIN.copy()
        for word, type_ in (words or {}).items():
            self.checks[word] = self.check(type_)

    def fits(self, value: Any, type_: str, seats: int = 2) -> bool:
        return self.check(type_)(value, seats)

    def check(self, type_: str) -> Check:
        if type_ not in self.checks:
            self.checks[type_] = self.read(ast.parse(type_, mode="eval").body)
        return self.checks[type_]

    def read(self, type_: ast.expr) -> Check:
        match type_:
            case ast.Name(id=word):
                return self.checks[word]
            case ast.BoolOp(op=ast.Or(), values=either):
                return one_of([self.read(one) for one in either])
            case ast.List(elts=[inner, ast.Constant(value=last)]) if last is ...:
                return list_of(self.read(inner))
            case ast.List(elts=parts):
                return exactly([self.read(part) for part in parts])
            case ast.Dict(keys=keys, values=inners) if all(isinstance(key, ast.Constant) for key in keys):
                names = [ast.literal_eval(key) for key in keys if key]
                return fields_of(dict(zip(names, map(self.read, inners), strict=True)))
            case ast.Dict(keys=[key], values=[inner]) if key:
                return map_of(self.read(key), self.read(inner))
            case _:
                literal = ast.literal_eval(type_)
                return lambda value, seats: type(value) is type(literal) and value == literal


def one_of(either: list[Check]) -> Check:
    return lambda value, seats: any(check(value, seats) for check in either)


def list_of(check: Check) -> Check:
    return lambda value, seats: type(value) is list and all(check(item, seats) for item in value)


def exactly(parts: list[Check]) -> Check:
    return lambda value, seats: (
        type(value) is list
        and len(value) == len(parts)
        and all(check(item, seats) for check, item in zip(parts, value, strict=True))
    )


def map_of(key: Check, inner: Check) -> Check:
    return lambda value, seats: (
        type(value) is dict and all(key(name, seats) and inner(item, seats) for name, item in value.items())
    )


def fields_of(known: dict[str, Check]) -> Check:
    needed = {name for name in known if not name.endswith("?")}
    checks = {name.rstrip("?"): check for name, check in known.items()}
    return lambda value, seats: (
        type(value) is dict
        and needed <= set(value) <= set(checks)
        and all(checks[name](item, seats) for name, item in value.items())
    )


# ---- What the games show


class View(NamedTuple):
    fields: Plain
    seats: int


class Sights:
    """What bots are shown of a game: moves by decision, views, and events by name, each as every seat sees it."""

    def __init__(self) -> None:
        self.moves: dict[str, set[tuple[Move, int]]] = {}
        self.views: list[View] = []
        self.events: dict[str, dict[str, list[Plain]]] = {}


def spoken(value: Any) -> set[str]:
    """Every text in this value."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(value, *map(spoken, value.values()))
    return set().union(*map(spoken, value)) if isinstance(value, list | tuple | set) else set()


@cache
def sights(game: str, walks: int = 8) -> Sights:
    """What there is to see of a game, in enough games of bots with a will of their own."""
    found = Sights()
    for at in TABLES:
        if at.game.name == game:
            for seed in range(walks):
                watch(found, at, seed)
    return found


def watch(found: Sights, at: Table, seed: int) -> None:
    rng = Random(f"{at} {seed}")
    state = at.game.start(at.seats, SeededChance(f"spec {seed}"), **at.options)
    for moves in stubborn_play(state, rng):
        found.moves.setdefault(state.decision, set()).update((move, at.seats) for move in moves)
        if not rng.randrange(16):
            found.views.append(View(state.view(rng.randrange(at.seats)), at.seats))
    found.views.append(View(state.view(rng.randrange(at.seats)), at.seats))
    for event in state.events or ():
        told = [seen for seat in range(at.seats) if (seen := event.seen_by(seat))]
        if told:
            found.events.setdefault(event.name, {})[repr(told)] = told


def stubborn_play(state: State, rng: Random) -> Iterator[list[Move]]:
    """A whole game in which some moves are always preferred, which leads into corners that chance does not find."""
    stubbornness = rng.choice((0, 0.5, 0.9, 1))
    taste: dict[Move, float] = {}
    while state.seat != NOBODY:
        moves = state.moves()
        yield moves
        stubborn = rng.random() < stubbornness
        state.apply(
            max(moves, key=lambda m: taste.setdefault(m, rng.random())) if stubborn else rng.choice(moves)
        )


# ---- The match of the examples

SEED = "spec 1021"


def said_by_referee(wants: frozenset[str] = EVERYTHING) -> dict[str, Plain]:
    """What the referee says to seat 0 in the match of the examples, where everybody always chooses move 1."""
    said: list[Plain] = []
    talk = referee(Match(find_game("kali"), SEED, ("mine", "random"), limits=Limits().announced()))
    question = next(talk)
    while True:
        if question.seat == 0:
            said.append(question.message)
        try:
            question = talk.send(Answer(1, wants=wants))
        except StopIteration:
            break
    start, first, *_, end = said
    return {
        "start": start,
        "decide": {**first, "clock": Clock(Limits()).announced},
        "end": end,
        "bye": messages.BYE,
    }


def renew_examples() -> None:
    """Write what the referee says, and the bytes of all examples, anew."""
    page = text()
    said = said_by_referee()
    for name, part in sections(section("Messages"), 3).items():
        message = said.get(name) or json.loads(example(part, "json"))
        renewed = part.replace(f"```json\n{example(part, 'json')}```", f"```json\n{laid_out(message)}\n```")
        renewed = renewed.replace(f"```hex\n{example(part, 'hex')}```", f"```hex\n{hexed(message)}\n```")
        page = page.replace(part, renewed)
    SPEC.write_text(page, encoding="utf-8")


def laid_out(value: Any, indent: str = "") -> str:
    """JSON in lines that fit on a page."""
    line = json.dumps(value)
    if len(indent + line) <= 110:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {laid_out(item, deeper)}" for key, item in value.items()]
        return "{\n" + ",\n".join(deeper + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + laid_out(item, deeper) for item in value) + f"\n{indent}]"


def hexed(message: Plain) -> str:
    return "\n".join(wrap(pack(message).hex(" "), 32 * 3))


if __name__ == "__main__":
    renew_examples()
