"""Every gate where input enters, fed with what nobody should send: an answer or one line, never a traceback.

Each case is drawn from its gate and number alone, so one that fails can be tried again. `--fuzz-seconds` says for how
long each gate is tried, `--fuzz-from` with which case it begins.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import click
import pytest

from dalang.engine.catalogue import find_game
from dalang.engine.game import SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.cli.main import answered, cli
from dalang.harness.cli.options import parse_options
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.entrants.fingerprint import fingerprint
from dalang.harness.people.sitting import Sitting
from dalang.harness.tournament.config import Config, read_config
from dalang.harness.tournament.entry import enlist, settle
from dalang.harness.tournament.machine import Tournament, walked
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.stored import packed, unpacked
from dalang.harness.tournament.terms import Terms

pytestmark = pytest.mark.slow

OLD = Path(__file__).parent / "old" / "kali-0.1.0.sqlite"
"""A real file, with three bots and twelve matches."""
TABLES = {
    "tournament": ("key", "value"),
    "bot": ("name", "position", "wave", "fingerprint", "command", "withdrawn", "withdrawn_from"),
    "match": ("block", "rotation", "round", "deal", "ending", "voided", "record"),
    "seat": ("block", "rotation", "seat", "bot", "place", "score", "fault", "decisions", "seconds", "times"),
}
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 1.0, 0.5, float("inf"), float("nan"), 1e300, 2**31, 2**63 - 1, -(2**63), 2**70,
    "", "0", "'", "first", "\0", "\x1b]0;x\x07", "=1", "é" * 300, "\ud800", b"", b"\xff\x00", b"\x00" * 7,
    [], {}, [[]], [1, "a"], {"a": 1}, {"seat": 0},
)  # fmt: skip
"""What a value can be that was damaged or forged."""


# ---- The cases


@pytest.fixture
def cases(request: pytest.FixtureRequest) -> Iterator[Iterator[Random]]:
    """Case after case for as long as the run allows, at least a few."""
    seconds = request.config.getoption("--fuzz-seconds")
    first = request.config.getoption("--fuzz-from")
    until = monotonic() + seconds
    number = first

    def drawn() -> Iterator[Random]:
        nonlocal number
        while number < first + FEWEST or monotonic() < until:
            yield Random(f"{request.node.name} {number}")
            number += 1

    try:
        yield drawn()
    finally:
        print(f"cases {first} to {number}; the last one again: --fuzz-from {number}")  # noqa: T201


FEWEST = 5


def command(*words: str | Path) -> int:
    """The exit code of a command that was run in this process; whatever it raises is our bug."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = answered([*map(str, words)])
    assert code in (0, 1, 2), (words, err.getvalue())
    if code == 2:
        assert re.fullmatch("dalang: [^\n]*\n", err.getvalue()), (words, err.getvalue())
    assert "\x1b" not in out.getvalue() + err.getvalue()
    return code


def refused(enter: Callable[[], object]) -> None:
    """It is let in, or refused with a line."""
    try:
        enter()
    except SetupError as error:
        assert str(error)


def flipped(data: bytes, luck: Random, most: int = 8) -> bytes:
    """With some bytes changed, or a part cut out or doubled."""
    changed = bytearray(data)
    for _ in range(luck.randint(1, most)):
        if changed:
            changed[luck.randrange(len(changed))] = luck.choice((0, 1, 127, 128, 255, luck.randrange(256)))
    begin, size = luck.randrange(len(changed) or 1), luck.randrange(64)
    if luck.random() < 0.1:
        del changed[begin : begin + size]
    elif luck.random() < 0.1:
        changed[begin:begin] = changed[begin : begin + size]
    return bytes(changed)


def spoilt(data: Any, luck: Random) -> Any:
    """Plain data in which a value is another, or a key is missing or new."""
    if isinstance(data, dict) and data and luck.random() < 0.9:
        key = luck.choice(list(data))
        rest = {name: value for name, value in data.items() if name != key}
        return luck.choice(
            (
                rest,
                rest | {luck.choice(("", "odd", key * 2, 7)): data[key]},
                *[data | {key: spoilt(data[key], luck)}] * 4,
            )
        )
    if isinstance(data, list | tuple) and data and luck.random() < 0.9:
        at = luck.randrange(len(data))
        parts = list(data)
        return luck.choice(
            (
                parts[:at] + parts[at + 1 :],
                [*parts, parts[at]],
                *[[*parts[:at], spoilt(parts[at], luck), *parts[at + 1 :]]] * 4,
            )
        )
    return luck.choice(ODD)


# ---- Tournament files


def look_at(db: Path, luck: Random) -> None:
    """Whatever reads a file."""
    key = f"{luck.randrange(4)}.{luck.randrange(3)}"
    for words in luck.sample(
        [
            *[["standings", db, "--format", format_] for format_ in ("table", "markdown", "csv", "json")],
            ["standings", db, "--crosstable", "--times"],
            ["standings", db, "--by", luck.choice(("trueskill", "mean", "wins")), "--void", "crash"],
            ["verify", db],
            ["verify", db, "--json"],
            ["report", db, "-o", db.with_suffix(".html"), "--matches", "2"],
            ["replay", db],
            ["replay", db, key, "--text"],
            ["replay", db, key, "--json"],
            ["withdraw", db, "bold"],
        ],
        4,
    ):
        command(*words)
    refused(lambda: resume(db))


def resume(db: Path) -> None:
    """As `run` does, as far as the file tells."""
    terms = Terms("kali", 2, blocks=2, rules_version=1)
    config = Config(terms, tuple(find_entrants(["first", "random", "bold"])), seed="an old seed")
    with create_or_open(db) as store:
        agreed = settle(store, config)
        enlisted = enlist(store, config.entrants, agreed, accept_changes=True)
        tournament = Tournament(store.plan(agreed, enlisted.added), store.retired())
        store.lateness()
        for block, known in walked(tournament, lambda block: store.matches_of(block.number)):
            if not block.is_played_by(known) or block.number > store.last_block():
                return


def test_a_file_with_some_bytes_changed(cases: Iterator[Random], tmp_path: Path) -> None:
    whole = OLD.read_bytes()
    for number, luck in enumerate(cases):
        db = tmp_path / f"{number}.db"
        db.write_bytes(flipped(whole, luck))
        look_at(db, luck)


def test_a_file_with_a_column_changed(cases: Iterator[Random], tmp_path: Path) -> None:
    for number, luck in enumerate(cases):
        db = Path(shutil.copy(OLD, tmp_path / f"{number}.db"))
        for _ in range(luck.randint(1, 3)):
            change_a_column(db, luck)
        look_at(db, luck)


def change_a_column(db: Path, luck: Random) -> None:
    table = luck.choice(list(TABLES))
    column = luck.choice(TABLES[table])
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("pragma ignore_check_constraints = 1")
        where, values = condition(connection, table, luck)
        if luck.random() < 0.1:
            connection.execute(f"delete from {table} where {where}", values)
            return
        [before] = connection.execute(f"select {column} from {table} where {where}", values).fetchone()
        after = changed(before, column, luck)
        with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):  # not even SQLite takes everything
            connection.execute(f"update or replace {table} set {column} = ? where {where}", (after, *values))


def condition(connection: sqlite3.Connection, table: str, luck: Random) -> tuple[str, list[Any]]:
    """What picks one row."""
    keys = {"tournament": ["key"], "bot": ["name"], "match": ["block", "rotation"]}
    names = keys.get(table, ["block", "rotation", "seat"])
    rows = connection.execute(f"select {', '.join(names)} from {table}").fetchall()
    return " and ".join(f"{name} is ?" for name in names), list(luck.choice(rows or [[None] * len(names)]))


def changed(value: Any, column: str, luck: Random) -> Any:
    """Of records and terms a part, so that the damage comes deeper."""
    if column == "record" and luck.random() < 0.8:
        return packed_anyway(spoilt(unpacked(value), luck)) or value
    if column == "value" and luck.random() < 0.8:
        return json.dumps(spoilt(json.loads(value), luck), default=repr)
    if isinstance(value, bytes) and luck.random() < 0.5:
        return flipped(value, luck)
    odd = luck.choice(ODD)
    return repr(odd) if isinstance(odd, list | dict) else odd


def packed_anyway(data: Any) -> bytes | None:
    try:
        return packed(data)
    except (ValueError, TypeError, OverflowError):
        return None  # msgpack has no room for it


# ---- Files of text


CONFIG = """
[tournament]
name = "kali"
format = "swiss"
seats = 2
blocks = 3
seed = "x"
jobs = 1
[limits]
move = 1.0
memory = 100
clock = true
[game]
name = "kali"
[game.options]
fine_rounding = "up"
fields = [1, 2, 3]
[[bot]]
bot = "random"
name = "me"
env = { DEPTH = 3 }
[[bot]]
bot = "mine"
"""
BOT_TOML = 'name = "mine"\ncommand = "python3 bot.py"\nread = []\nenv = { DEPTH = 3 }\n'
LITERALS = (
    "inf", "nan", "-inf", "1e30", "-1", "0", "99999999999999999999", "9" * 5000, "true", "[]", "{}", "1979-05-27",
    '"\\u0000"', '"\\u001b]0;x\\u0007"', '""', '"' + "x" * 5000 + '"', "[" * 3000, "[" * 900 + "]" * 900, '"~nobody/x"',
)  # fmt: skip


def reworded(text: str, luck: Random) -> str:
    """With some values exchanged, or some letters damaged."""
    if luck.random() < 0.4:
        return flipped(text.encode(), luck, 4).decode(errors=luck.choice(("replace", "ignore")))
    lines = text.splitlines()
    for _ in range(luck.randint(1, 2)):
        at = luck.randrange(len(lines))
        key, equals, _ = lines[at].partition("= ")
        lines[at] = f"{key}{equals}{luck.choice(LITERALS)}" if equals else luck.choice(["", lines[at] * 2])
    return "\n".join(lines)


def test_a_configuration(cases: Iterator[Random], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.toml").write_text(BOT_TOML, encoding="utf-8")
    for luck in cases:
        path = tmp_path / "t.toml"
        path.write_text(reworded(CONFIG, luck), encoding="utf-8")
        refused(lambda path=path: read_config(path).file())


def test_a_bot_toml(cases: Iterator[Random], tmp_path: Path) -> None:
    for luck in cases:
        (tmp_path / "bot.toml").write_text(reworded(BOT_TOML, luck), encoding="utf-8")
        refused(lambda: fingerprint(find_entrants([str(tmp_path)])[0]))


def test_a_record_to_replay(cases: Iterator[Random], tmp_path: Path) -> None:
    with create_or_open(Path(shutil.copy(OLD, tmp_path / "old.db"))) as store:
        played = store.story(MatchKey(0, 0))
    assert played
    whole, path = json.loads(json.dumps(played.data())), tmp_path / "record.json"
    for luck in cases:
        if luck.random() < 0.5:
            path.write_bytes(flipped(json.dumps(whole).encode(), luck))
        else:
            path.write_text(json.dumps(spoilt(whole, luck), default=repr), encoding="utf-8")
        command("replay", path, "--text", *luck.choice(([], ["--seat", "1"])))


def resumed_from(data: Any) -> None:
    with suppress(KeyError, TypeError):  # `play` says that this is no game
        Sitting.of_data(data)


def test_a_game_to_resume(cases: Iterator[Random]) -> None:
    kept = Sitting(find_game("kali"), "seed", ("first", "random")).data()
    kept["answers"] = [
        [{"move": 0, "note": ""}],
        [{"move": 0, "note": "x"}],
        [{"fault": "crash", "detail": "x"}],
    ]
    for luck in cases:
        data = spoilt(json.loads(json.dumps(kept)), luck)
        refused(lambda data=data: resumed_from(data))


# ---- What is typed


BITS = (
    "first", "seer", ":", "@", "=", "5", "0.1s", "~", "~nobody", "/", "..", " ", "'", '"', "\\", "\n", "\x1b[2J", "é",
    "\udcff", "a" * 300, "python3 -c pass", "[", "]", ",", "-", "\0", "NAME", "kali", "nan", "1e9",
)  # fmt: skip


def typed(luck: Random) -> str:
    return "".join(luck.choices(BITS, k=luck.randint(1, 6))) * luck.choice((1, 1, 1, 1, 500))


def test_a_bot(cases: Iterator[Random]) -> None:
    for luck in cases:
        text = typed(luck)
        refused(lambda text=text: find_entrants([text, text]))


def test_an_option(cases: Iterator[Random]) -> None:
    for luck in cases:
        game = find_game(luck.choice(("kali", "bali_wrede", "bali_rosenberg")))
        name = luck.choice([*game.options, "odd"])
        value = luck.choice((typed(luck), luck.choice(LITERALS), json.dumps(luck.choice(ODD), default=repr)))
        refused(lambda text=f"{name}={value}", game=game: parse_options(game, [text]))


COMMANDS = {
    name: [
        option.opts[0]
        for option in each.loaded().params
        if isinstance(option, click.Option) and not option.is_flag
    ]
    for name, each in cli.commands.items()
    if name not in ("play", "doctor", "new", "new-game", "init")
}
"""With the options that take a value. What these commands would begin must not begin: none is given what it needs."""


def test_the_value_of_any_option(
    cases: Iterator[Random], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a value may be the name of a file that is written
    for luck in cases:
        name = luck.choice(list(COMMANDS))
        value = luck.choice((typed(luck), *luck.choices(LITERALS, k=3)))
        words = [luck.choice(COMMANDS[name]), value] if COMMANDS[name] else [value]
        command(name, *words, *NOTHING.get(name, [str(tmp_path / "none.db")]))


NOTHING = {
    "games": ["odd"],
    "rules": ["odd"],
    "match": ["odd", "first", "random"],
    "run": ["odd", "first", "random"],
    "compare": ["odd", "first", "random"],
    "plan": ["odd", "first", "random"],
    "check": ["no_such_bot"],
    "check-game": ["odd"],
}
"""What names nothing that there is."""
