"""Every gate where input enters, fed with what nobody should send: an answer or one line, never a traceback.

Each case is drawn from its gate and number alone, so one that fails can be tried again. `--fuzz-seconds` says for how
long each gate is tried, `--fuzz-from` with which case it begins.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
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
from dalang.harness.cli.past import past_in
from dalang.harness.entrants.finding import find_entrants
from dalang.harness.entrants.fingerprint import fingerprint
from dalang.harness.league.season import JOINED, TURNED_DOWN
from dalang.harness.league.settings import LEAGUE_EXAMPLE, LEAGUE_FILE, read_settings
from dalang.harness.league.status import history_text, league_state, state_text
from dalang.harness.league.submission_table import Happening, add_happenings, begin_season, happenings
from dalang.harness.people.sitting import Sitting
from dalang.harness.serve.static import begun
from dalang.harness.tournament.config import Config, read_config, terms_for
from dalang.harness.tournament.entry import enlist, settle
from dalang.harness.tournament.machine import Tournament, walked
from dalang.harness.tournament.machine_tables import add_machine
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.stored import UNREADABLE, packed, unpacked
from tests.refereed import made

pytestmark = pytest.mark.slow

OLD = Path(__file__).parent / "old" / "kali-0.1.0.sqlite"
"""A real file, with three bots and twelve matches."""
TABLES = {
    "tournament": ("key", "value"),
    "bot": ("name", "position", "wave", "fingerprint", "command", "withdrawn", "withdrawn_from"),
    "match": ("block", "rotation", "round", "deal", "ending", "voided", "record"),
    "seat": ("block", "rotation", "seat", "bot", "place", "score", "fault", "decisions", "seconds", "times"),
    "bot_limits": ("name", "limits"),
    "machine": ("id", "name", "speed", "details"),
    "match_machine": ("block", "rotation", "machine"),
    "submission": ("number", "time", "round", "name", "bot", "what", "reason", "digest"),
}
"""The later ones are not in an old file."""
KEYS = {
    "tournament": ("key",),
    "bot": ("name",),
    "match": ("block", "rotation"),
    "seat": ("block", "rotation", "seat"),
    "bot_limits": ("name",),
    "machine": ("id",),
    "match_machine": ("block", "rotation"),
    "submission": ("number",),
}
"""What picks one row."""
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

    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, before[1]))
    try:
        yield drawn()
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
        print(f"cases {first} to {number}; the last one again: --fuzz-from {number}")  # noqa: T201


FEWEST = 5
MOST_MEMORY = 2 * 1024**3
"""Bytes for this process while it tries cases: one that wants more is a finding, and not the end of the machine."""


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


def configs() -> dict[str, Config]:
    """By name of a file, what a run says to go on with it."""
    terms = terms_for(find_game("kali"), {}, 2, blocks=2)
    guests = find_entrants(["first", "random", "bold"])
    first, crasher, bold = find_entrants(["first", "crasher=random", "bold"])
    return {
        "old": Config(replace(terms, rules_version=1), tuple(guests), seed="an old seed"),
        "new": Config(terms, (first, crasher, replace(bold, limits={"move": 2.0})), seed="a seed"),
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """By name, files in which nothing is wrong yet."""
    return {
        "old": OLD.read_bytes(),
        "new": with_everything(tmp_path_factory.mktemp("new") / "t.db").read_bytes(),
    }


def with_everything(db: Path) -> Path:
    """A file of today that has all that a file can have: faults, limits of a bot, machines, a season."""
    entrants = configs()["new"].entrants
    made(db, *[entrant.name for entrant in entrants], blocks=2)
    with create_or_open(db) as store:
        far = add_machine(store, "far", 1234.5, {"cores": 4})
        begin_season(store, store.terms(), division=3)
        with store.writing():
            store.connection.execute("insert into bot_limits values ('bold', '{\"move\": 2.0}')")
            store.connection.execute(
                "insert into match_machine select block, rotation, ? from match where block % 2", [far]
            )
            store.connection.executemany(
                "update bot set fingerprint = ? where name = ?",
                [(fingerprint(entrant), entrant.name) for entrant in entrants],
            )
            add_happenings(
                store,
                [
                    Happening("2026-01-01 00:00:00", 0, "bold", "bold", JOINED, "", "ab" * 32),
                    Happening(
                        "2026-01-01 00:00:01", 1, "late", "", TURNED_DOWN, "it says nothing", "cd" * 32
                    ),
                ],
            )
    return db


def look_at(db: Path, name: str, luck: Random) -> None:
    """Whatever reads a file."""
    key = f"{luck.randrange(4)}.{luck.randrange(3)}"
    words: list[list[str | Path]] = [
        *[["standings", db, "--format", format_] for format_ in ("table", "markdown", "csv", "json")],
        ["standings", db, "--crosstable", "--times"],
        ["standings", db, "--by", luck.choice(("trueskill", "mean", "wins")), "--void", "crash"],
        ["standings", db, "--luck", "--jobs", "1"],
        ["standings", db, "--machines", "--badge", db.with_suffix(".svg")],
        ["verify", db],
        ["verify", db, "--json"],
        ["report", db, "-o", db.with_suffix(".html"), "--matches", "2"],
        ["replay", db],
        ["replay", db, key, "--text"],
        ["replay", db, key, "--json"],
        ["faults", db],
        ["faults", db, "--json", "--most", "2"],
        ["withdraw", db, "bold"],
    ]
    looks: list[Callable[[], object]] = [
        *[lambda each=each: command(*each) for each in words],
        lambda: refused(lambda: show(db)),
        lambda: refused(lambda: tell_of_the_season(db)),
        lambda: refused(lambda: past_in(db, key).asked_decision(luck.choice((None, 3)))),
    ]
    for look in luck.sample(looks, 4):
        look()
    refused(lambda: resume(db, configs()[name]))


def show(db: Path) -> None:
    """As `serve` does once; a file whose end is missing would be waited for."""
    for written in begun([db], db.with_suffix(".site"), most=2, open_hands=False):
        written.write()


def tell_of_the_season(db: Path) -> None:
    with open_to_read(db) as store:
        assert state_text(league_state(store), 100) + history_text(happenings(store), 100)


def resume(db: Path, config: Config) -> None:
    """As `run` does, as far as the file tells."""
    with create_or_open(db) as store:
        agreed = settle(store, config)
        enlisted = enlist(store, config.entrants, agreed, accept_changes=True)
        tournament = Tournament(store.plan(agreed, enlisted.added), store.retired())
        store.lateness()
        for block, known in walked(tournament, lambda block: store.matches_of(block.number)):
            if not block.is_played_by(known) or block.number > store.last_block():
                return


def test_a_file_with_some_bytes_changed(
    whole: dict[str, bytes], cases: Iterator[Random], tmp_path: Path
) -> None:
    for number, luck in enumerate(cases):
        db, name = tmp_path / f"{number}.db", luck.choice(list(whole))
        db.write_bytes(flipped(whole[name], luck))
        look_at(db, name, luck)


def test_a_file_with_a_column_changed(
    whole: dict[str, bytes], cases: Iterator[Random], tmp_path: Path
) -> None:
    for number, luck in enumerate(cases):
        db, name = tmp_path / f"{number}.db", luck.choice(list(whole))
        db.write_bytes(whole[name])
        for _ in range(luck.randint(1, 3)):
            change_a_column(db, luck)
        look_at(db, name, luck)


def change_a_column(db: Path, luck: Random) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("pragma ignore_check_constraints = 1")
        there = [
            table for [table] in connection.execute("select name from sqlite_master where type = 'table'")
        ]
        table = luck.choice([table for table in TABLES if table in there])
        where, values = condition(connection, table, luck)
        if luck.random() < 0.1:
            connection.execute(f"delete from {table} where {where}", values)
            return
        column = luck.choice(TABLES[table])
        found = connection.execute(f"select {column} from {table} where {where}", values).fetchone()
        after = changed(found[0] if found else None, column, luck)
        with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):  # not even SQLite takes everything
            connection.execute(f"update or replace {table} set {column} = ? where {where}", (after, *values))


def condition(connection: sqlite3.Connection, table: str, luck: Random) -> tuple[str, list[Any]]:
    """What picks one row."""
    names = KEYS[table]
    rows = connection.execute(f"select {', '.join(names)} from {table}").fetchall()
    return " and ".join(f"{name} is ?" for name in names), list(luck.choice(rows or [[None] * len(names)]))


def changed(value: Any, column: str, luck: Random) -> Any:
    """Of records and terms a part, so that the damage comes deeper; unless they are damaged already."""
    with suppress(*UNREADABLE):
        if column == "record" and luck.random() < 0.8:
            return packed_anyway(spoilt(unpacked(value), luck)) or value
        if column in ("value", "limits", "details") and luck.random() < 0.8:
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
fields = [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
[[bot]]
bot = "random"
name = "me"
env = { DEPTH = 3 }
limits = { move = 2.0 }
[[bot]]
bot = "mine"
[cluster]
address = "tls://localhost:8786"
tls_ca = "mine/bot.toml"
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


LEAGUE = re.sub(r"^# (\w+ = )", r"\1", LEAGUE_EXAMPLE.format(folder="autumn", name="autumn"), flags=re.M)
"""With all that can be said."""


def test_a_league(cases: Iterator[Random], tmp_path: Path) -> None:
    for luck in cases:
        (tmp_path / LEAGUE_FILE).write_text(reworded(LEAGUE, luck), encoding="utf-8")
        refused(lambda: read_settings(tmp_path))


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
