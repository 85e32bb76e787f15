"""Reads protocol/SPEC.md, and watches the games to see whether it tells the truth.

`python -m tests.spec` writes the examples of the page anew: what the referee says in them, and all bytes.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from textwrap import wrap
from typing import Any, NamedTuple

from engine.catalogue import find_game
from engine.chance import SeededChance
from engine.game import NOBODY, Move, Plain, State
from harness.limits import Clock, Limits
from harness.match import Answer, Match, referee
from protocol import messages
from protocol.codec import pack
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


def fits(value: Any, type_: str, seats: int, words: dict[str, str]) -> bool:
    """Is the value of this type, as the page writes types?"""
    return Reader(seats, words).fits(value, notation(type_))


@cache
def notation(type_: str) -> ast.expr:
    return ast.parse(type_, mode="eval").body


class Reader:
    def __init__(self, seats: int, words: dict[str, str]) -> None:
        self.seats = seats
        self.words = words

    def fits(self, value: Any, type_: ast.expr) -> bool:
        match type_:
            case ast.Name(id=name):
                return self.fits_name(value, name)
            case ast.BoolOp(op=ast.Or(), values=either):
                return any(self.fits(value, one) for one in either)
            case ast.List(elts=[inner, ast.Constant(value=last)]) if last is ...:
                return type(value) is list and all(self.fits(item, inner) for item in value)
            case ast.List(elts=parts):
                return type(value) is list and len(value) == len(parts) and all(map(self.fits, value, parts))
            case ast.Dict(keys=keys, values=inners):
                return type(value) is dict and self.fits_map(value, dict(zip(keys, inners, strict=True)))
            case _:
                literal = ast.literal_eval(type_)
                return type(value) is type(literal) and bool(value == literal)

    def fits_name(self, value: Any, name: str) -> bool:
        match name:
            case "int":
                return type(value) is int
            case "number":
                return type(value) in (int, float)
            case "text":
                return type(value) is str
            case "bool":
                return type(value) is bool
            case "seat":
                return type(value) is int and 0 <= value < self.seats
            case "map":
                return type(value) is dict
            case "event":
                return type(value) is dict and type(value.get("event")) is str
            case "move":
                return type(value) is list and type(value[0]) is str and {*map(type, value)} <= {str, int}
            case _:
                return self.fits(value, notation(self.words[name]))

    def fits_map(self, value: Plain, fields: dict[ast.expr | None, ast.expr]) -> bool:
        if not all(isinstance(key, ast.Constant) for key in fields):
            ((key_type, inner),) = fields.items()
            assert key_type
            return all(self.fits(key, key_type) and self.fits(item, inner) for key, item in value.items())
        known = {ast.literal_eval(key): inner for key, inner in fields.items() if key}
        needed = {key for key in known if not key.endswith("?")}
        return needed <= set(value) <= {key.rstrip("?") for key in known} and all(
            self.fits(item, known.get(key, known.get(f"{key}?"))) for key, item in value.items()
        )


# ---- What the games show


class Seen(NamedTuple):
    """A value that the games showed, at a table of so many seats."""

    value: Any
    seats: int


class Sights:
    """All that bots are shown of a game: moves by decision, views, and events by name with what each seat sees."""

    def __init__(self) -> None:
        self.moves: dict[str, set[tuple[Move, int]]] = {}
        self.views: list[Seen] = []
        self.events: dict[str, list[list[Plain]]] = {}


@cache
def sights(game: str, walks: int = 20) -> Sights:
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
        if not rng.randrange(8):
            found.views.append(Seen(state.view(rng.randrange(at.seats)), at.seats))
    found.views.append(Seen(state.view(rng.randrange(at.seats)), at.seats))
    for event in state.events or ():
        told = [seen for seat in range(at.seats) if (seen := event.seen_by(seat))]
        if told:
            found.events.setdefault(event.name, []).append(told)


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


def said_by_referee() -> dict[str, Plain]:
    """What the referee says to seat 0 in the match of the examples, where everybody always chooses move 1."""
    said: list[Plain] = []
    talk = referee(Match(find_game("kali"), SEED, ("mine", "random"), limits=Limits().told()))
    question = next(talk)
    while True:
        if question.seat == 0:
            said.append(question.message)
        try:
            question = talk.send(Answer(1))
        except StopIteration:
            break
    start, first, *_, end = said
    return {
        "start": start,
        "decide": {**first, "clock": Clock(Limits()).told()},
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
