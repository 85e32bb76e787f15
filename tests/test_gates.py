"""Bad input, wherever it enters: one line that says what to do, and exit code 2."""

from __future__ import annotations

import errno
import json
import os
import py_compile
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

import pytest

from dalang.engine.game import SetupError
from dalang.engine.record import RecordError
from dalang.harness.blocks import MatchKey
from dalang.harness.cli.main import answered, system_error
from dalang.harness.cli.play import is_database
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, find_entrants
from dalang.harness.entrants.fingerprint import fingerprint
from dalang.harness.entrants.modules import imported
from dalang.harness.gate import read_json
from dalang.harness.isolation.sight import granted
from dalang.harness.league.final import read_seed
from dalang.harness.league.settings import LEAGUE_FILE, read_settings
from dalang.harness.league.submission_table import happenings
from dalang.harness.match.played import Played
from dalang.harness.tournament.config import read_config
from dalang.harness.tournament.opening import create_or_open, open_to_read
from dalang.harness.tournament.stored import COMPRESSOR, MOST_RECORD_BYTES, unpacked
from tests.events import read_slowly
from tests.test_fuzz import (
    BOT_TOML,
    CONFIG,
    LEAGUE,
    OLD,
    configs,
    resume,
    show,
    tell_of_the_season,
    with_everything,
)


def found(db: Path) -> None:
    with open_to_read(db):
        pass


def begun_in(db: Path) -> None:
    with create_or_open(db):
        pass


BOMB = COMPRESSOR.compress(b"\xc0" * (MOST_RECORD_BYTES + 1), COMPRESSOR.FLUSH_FRAME)


# ---- What is typed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "match kali first random --memory 99999999999999999999",
            "'--memory': 99999999999999999999 is not in the",
        ),
        ("match kali first random --bank inf", "'--bank': inf is not in the range"),
        ("match kali first random --move-time nan", "'--move-time': 'nan' is no number to reckon with"),
        (
            "run kali first random --matches-per-worker 99999999999",
            "99999999999 is not in the range 1<=x<=256",
        ),
        (f"run kali first random --max-faults {10**23}", f"{10**23} is not in the range 0<=x<=2147483648"),
        ("compare kali first random --margin nan", "'--margin': 'nan' is no number to reckon with"),
        (
            "compare kali first random --sprt 0,1e-300",
            "--sprt needs HIGH at least 0.0001 above LOW, not 0,1e-300",
        ),
        ("compare kali first random --sprt -5e-324,0", "--sprt needs HIGH at least 0.0001 above LOW"),
        (
            "plan kali first random --effect 1e308 --blocks 5",
            "'--effect': 1e+308 is not in the range 0<x<=1000000.0",
        ),
        (f"match kali first random --option fields={'[' * 3000}", "fields must be 18 whole numbers"),
        (
            f"match kali first random --option fields={'[' * 700}{']' * 700}",
            "fields must be 18 whole numbers",
        ),
        (f"match kali first {'a' * 100_000}", "there is no bot, folder, script or program 'aaa"),
        (f"match kali first {'a=' * 50_000}", "there is no bot, folder, script or program"),
        (f"run {'a' * 100_000} first random", "there is no game 'aaa"),
        (f"standings {'a' * 100_000}", "File name too long"),
        ("match kali first ~nosuchuser/x.py", "'~nosuchuser/x.py' cannot be found"),
        ("match kali first random --seed \udcff", "must be text in UTF-8 without NUL, not '\\udcff'"),
        ("match kali first x=\nrandom", "there is no bot, folder, script or program '\\nrandom'"),
        ("standings no\nfile", "there is no file no file"),
    ],
)
def test_what_is_typed(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(words.split(" ")) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert len(said) < 1200


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such files")
@pytest.mark.parametrize("words", ["replay /proc/self/mem", "ask first --from /proc/self/mem"])
def test_a_file_that_no_disk_has(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(words.split()) == 2
    assert capsys.readouterr().err.startswith("dalang: /proc/self/mem cannot be read: it leads to /proc/")


@pytest.mark.slow
def test_an_effect_that_nobody_could_see(capsys: pytest.CaptureFixture[str]) -> None:
    words = "plan kali first random --effect 1e-300 --blocks 5 --seed 1 --isolate none --no-clock"
    assert answered(words.split()) == 2
    assert "--effect 1e-300 is less than a thousandth" in capsys.readouterr().err


# ---- Files of text


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("memory = inf", "memory must be a number of MB, not inf"),
        ("memory = nan", "memory must be a number of MB, not nan"),
        ("memory = 1e30", "the limit memory must be a number of bytes, at most 1125899906842624"),
        ("move = inf", "move must be a number of seconds, not inf"),
        ("move = 1e30", "the limit move must be a number of seconds, at most 1000000000"),
        ("move = [[1]]", "move must be a number of seconds, not [[1]]"),
        (f"move = {'[' * 3000}", "nested too deeply"),
        (f"move = {'9' * 5000}", "cannot be read"),
        ("[tournament]\nblocks = 99999999999999999999", "at least 1 and at most 10000000"),
        (f"[tournament]\nmax_faults = {10**23}", "max_faults must be at most 2147483648"),
        ("[tournament]\nmatches_per_worker = 99999999999", "matches_per_worker must be at most 256"),
        ('[tournament]\nname = "a\\u0000b"', "must be text in UTF-8 without NUL, not 'a\\x00b'"),
        ('[[bot]]\nbot = "first"\nname = "\\u001b[2J"', "a bot cannot be called '\\x1b[2J'"),
        ('[[bot]]\nbot = "first"\nenv = { "A=B" = 1 }', "'A=B' cannot be the name of a variable"),
    ],
)
def test_a_configuration(
    limits: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.toml"
    rest = '[game]\nname = "kali"\n[[bot]]\nbot = "first"\n[[bot]]\nbot = "random"\n'
    path.write_text(f"{'' if limits.startswith('[') else '[limits]'}\n{limits}\n{rest}", encoding="utf-8")
    assert answered(["run", str(path)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("verb", ["replay", "play"])
def test_a_file_of_brackets(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    assert answered([verb, str(path)]) == 2
    assert capsys.readouterr().err == f"dalang: {path} cannot be read: it is nested too deeply\n"


# ---- Bots


def test_a_nul_in_a_bot_toml(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = "python3 \\u0000.py"\n', encoding="utf-8")
    with pytest.raises(SetupError, match="without NUL"):
        find_entrant(str(tmp_path))


def test_a_bot_whose_name_cannot_be_shown_can_be_given_another(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('name = "\\u001b[2J"\ncommand = "python3 x.py"\n', encoding="utf-8")
    with pytest.raises(SetupError, match="give it another name with NAME=BOT"):
        find_entrants([str(tmp_path)])
    assert [bot.name for bot in find_entrants([f"mine={tmp_path}"])] == ["mine"]


def test_a_long_command_line_is_a_bot() -> None:
    [bot] = find_entrants([f"python3 bot.py {'x' * 5000}"])
    assert bot.command[2] == "x" * 5000


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no file here that nobody can read")
def test_a_file_in_the_folder_of_a_bot_that_cannot_be_read(tmp_path: Path) -> None:
    """Nobody can read this one, not even root."""
    (tmp_path / "secret").symlink_to("/proc/self/mem")
    with pytest.raises(SetupError, match=r"secret cannot be read: .*; a bot is all the files in its folder"):
        fingerprint(Entrant("mine", ("python3",), tmp_path))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('command = "python bot.py"\nread = ["loop"]', "read names"),
        (f'command = "python bot.py"\nread = ["{"a" * 300}"]', "which is not there"),
        (f'command = "python bot.py"\nread = ["{"a/" * 3000}"]', "which is not there"),
        (f'command = "python bot.py {"a" * 1_500_000}"', "it is larger than 64 KB"),
    ],
    ids=["a circle", "a long name", "a deep path", "a long command"],
)
def test_a_bot_toml_that_asks_for_the_impossible_is_told_in_one_line(
    config: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "bot.toml").write_text(config, encoding="utf-8")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SetupError, match=said) as caught:
        find_entrant(str(tmp_path))
    assert "\n" not in str(caught.value)


on_linux = pytest.mark.skipif(not Path("/proc/version").exists(), reason="only Linux has such files")


@on_linux
@pytest.mark.parametrize("read", [read_config, read_json, read_seed, is_database, found, begun_in])
def test_a_file_that_the_kernel_makes_up_is_not_read(read: Callable[[Path], Any], tmp_path: Path) -> None:
    """As it would be with /proc/kmsg, which keeps a reader waiting for ever."""
    (tmp_path / "link").symlink_to("/proc/version")
    with pytest.raises(SetupError, match=r"link cannot be read: it leads to /proc/version"):
        read(tmp_path / "link")


@on_linux
def test_a_pipe_that_somebody_writes_into_is_read() -> None:
    """As a shell makes of `<(zcat record.gz)`."""
    reading, writing = os.pipe()
    os.write(writing, b"[1, 2]")
    os.close(writing)
    assert read_json(Path(f"/dev/fd/{reading}")) == [1, 2]
    os.close(reading)


@on_linux
def test_a_bot_toml_that_is_no_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").symlink_to("/proc/version")
    with pytest.raises(SetupError, match=r"bot\.toml cannot be read: it leads to /proc/version"):
        find_entrant(str(tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a name must be UTF-8")
def test_a_file_whose_name_is_no_text_is_a_part_of_a_bot(tmp_path: Path) -> None:
    mine = Entrant("mine", ("python3",), tmp_path)
    before = fingerprint(mine)
    (tmp_path / os.fsdecode(b"\xff")).touch()
    assert fingerprint(mine) != before


def test_a_command_that_goes_through_links_in_a_circle_is_looked_at_without_a_traceback(
    tmp_path: Path,
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert granted(Entrant("mine", ("python3", "x/../loop/bot.py"), tmp_path)) == []


@pytest.mark.parametrize(
    "line",
    [
        "import helper",
        "from helper import move",
        '__import__("helper")',
        'importlib.import_module("helper")',
        'import_module("helper.inner", "x")',
    ],
)
def test_what_a_script_imports_from_beside_it_is_a_part_of_it(line: str, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(f"def choose(request):\n    {line}\n", encoding="utf-8")
    (tmp_path / "helper.py").write_text("move = 1\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("move = 1\n", encoding="utf-8")
    before = fingerprint(find_entrant(str(tmp_path / "bot.py")))
    (tmp_path / "other.py").write_text("move = 2\n", encoding="utf-8")
    assert fingerprint(find_entrant(str(tmp_path / "bot.py"))) == before
    (tmp_path / "helper.py").write_text("move = 2\n", encoding="utf-8")
    assert fingerprint(find_entrant(str(tmp_path / "bot.py"))) != before


@on_linux
def test_what_the_kernel_makes_up_is_no_python(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import helper\n", encoding="utf-8")
    (tmp_path / "helper.py").symlink_to("/proc/version")
    with pytest.raises(SetupError, match=r"helper\.py cannot be read: it leads to /proc/version"):
        fingerprint(find_entrant(str(tmp_path / "bot.py")))
    assert imported(tmp_path / "helper.py") == frozenset()


def test_a_fingerprint_is_what_it_was_in_earlier_versions(tmp_path: Path) -> None:
    """Otherwise the tournaments that they began could not be resumed."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "bot.py").write_text("print(1)\n", encoding="utf-8")
    (tmp_path / "deep" / "data.txt").write_text("1\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to("bot.py")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "bot.cpython-311.pyc").write_bytes(bytes(16))
    mine = Entrant("mine", ("python3", "bot.py"), tmp_path, {"A": "1"})
    assert fingerprint(mine) == "whole:f413fb90be58d85b2699a6303815c4c4"


@pytest.mark.parametrize(
    ("mode", "counts"),
    [(PycInvalidationMode.UNCHECKED_HASH, True), (PycInvalidationMode.CHECKED_HASH, False),
     (PycInvalidationMode.TIMESTAMP, False)],
)  # fmt: skip
@pytest.mark.parametrize("build", [(), ("true",)], ids=["not built", "built"])
def test_what_is_compiled_is_a_part_of_a_bot_where_python_does_not_look_at_the_source(
    mode: PycInvalidationMode, counts: bool, build: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "bot.py").write_text("import helper\n", encoding="utf-8")
    (tmp_path / "helper.py").write_text("play = 1\n", encoding="utf-8")
    folder = Entrant("mine", ("python3", "bot.py"), tmp_path, build=build)
    script = find_entrant(str(tmp_path / "bot.py"))
    before = fingerprint(folder), fingerprint(script)
    py_compile.compile(str(tmp_path / "helper.py"), invalidation_mode=mode)
    after = fingerprint(folder), fingerprint(script)
    assert (before[0] != after[0], before[1] != after[1]) == (counts, counts)


def test_a_compiled_module_without_a_source_is_a_part_of_a_script(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import helper\n", encoding="utf-8")
    before = fingerprint(find_entrant(str(tmp_path / "bot.py")))
    (tmp_path / "other.py").write_text("play = 1\n", encoding="utf-8")
    py_compile.compile(str(tmp_path / "other.py"), str(tmp_path / "helper.pyc"))
    assert fingerprint(find_entrant(str(tmp_path / "bot.py"))) != before


def test_a_file_that_is_larger_than_memory_is_a_part_of_a_bot(tmp_path: Path) -> None:
    (tmp_path / "big").touch()
    os.truncate(tmp_path / "big", 64 * 1024**2)
    tracemalloc.start()
    try:
        fingerprint(Entrant("mine", ("python3",), tmp_path))
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024**2
    finally:
        tracemalloc.stop()


def test_folders_of_a_bot_that_are_too_deep_to_look_through_are_no_traceback(tmp_path: Path) -> None:
    inner = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=inner)
        deeper = os.open("d", os.O_RDONLY, dir_fd=inner)
        os.close(inner)
        inner = deeper
    os.close(inner)
    try:
        fingerprint(Entrant("mine", ("python3",), tmp_path))  # newer Pythons can look through them
    except SetupError as error:
        assert "too deep" in str(error)
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # nor can those who tidy up after us


# ---- Tournament files


def test_a_record_that_is_larger_than_any_is_not_unpacked() -> None:
    assert len(BOMB) < 10_000
    with pytest.raises(RecordError, match="longer than 16 MB"):
        unpacked(BOMB)
    with pytest.raises(RecordError, match="cut off"):
        unpacked(BOMB[:-5])


def test_a_record_of_more_seats_than_memory_has_room_for_is_refused_at_once() -> None:
    with open_to_read(OLD) as store:
        played = store.story(MatchKey(0, 0))
    assert played
    data = played.data()
    with pytest.raises(RecordError, match="its names cannot be read"):
        Played.of_data({**data, "names": ["x"], "record": {**data["record"], "seats": 2**40}})


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        (("update match set record = ? where block = 0 and rotation = 0", BOMB), {"verify": 1, "replay": 2}),
        (("update match set record = 7 where block = 0 and rotation = ?", 0), {"verify": 2, "replay": 2}),
        (("update seat set place = 'x' where block = ?", 0), {"standings": 2, "report": 2, "verify": 2}),
        (("update seat set bot = 'nobody' where seat = ?", 0), {"standings": 2, "report": 2, "verify": 1}),
        (("update seat set bot = 'nobody' where bot = ?", "first"), {"standings": 2, "report": 2}),
        (("update seat set times = ?", 7), {"times": 2, "report": 2, "serve": 2}),
        (("update seat set times = ?", b"odd"), {"times": 2, "report": 2, "serve": 2}),
        (("update seat set times = ?", b"\xff" * 8), {"times": 2, "report": 2, "serve": 2}),
        (("update tournament set value = ? where key = 'limits'", "[" * 9000), {"standings": 2, "verify": 2}),
        (("update tournament set value = ? where key = 'limits'", '{"move": 1e99}'), {"standings": 2}),
        (("delete from tournament where key = ?", "seed"), {"standings": 2, "verify": 2}),
    ],
)
def test_a_damaged_file(
    change: tuple[str, Any], codes: dict[str, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = Path(shutil.copy(OLD, tmp_path / "t.db"))
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(change[0], change[1:])
    words = {
        "standings": ["standings", db],
        "times": ["standings", db, "--times"],
        "verify": ["verify", db],
        "report": ["report", db, "-o", tmp_path / "t.html"],
        "replay": ["replay", db, "0.0", "--text"],
        "serve": ["serve", db, "--static", tmp_path / "site", "--json"],
    }
    for verb, code in codes.items():
        assert answered([*map(str, words[verb])]) == code, verb
        said = capsys.readouterr()
        assert said.err.count("\n") == (code == 2), said.err
        assert code != 2 or str(db) in said.err


@pytest.mark.parametrize(
    "change",
    [
        "update bot_limits set limits = '{'",
        "update bot_limits set limits = '7'",
        f"update bot_limits set limits = '{'[' * 9000}'",
        "update submission set reason = x'ff'",
        "update submission set time = x'ff'",
    ],
    ids=lambda change: change[:60],
)
def test_a_damaged_table_that_only_some_files_have(change: str, tmp_path: Path) -> None:
    db = with_everything(tmp_path / "t.db")
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(change)
    with open_to_read(db) as store, pytest.raises(SetupError, match=r"t\.db is damaged: "):
        assert store.bot_limits() and happenings(store)


# ---- The system


def test_what_the_system_refuses_is_one_line_and_our_own_bugs_are_not() -> None:
    assert "ulimit -n" in system_error(OSError(errno.EMFILE, "Too many open files"))
    assert system_error(OSError(errno.EACCES, "Permission denied", "/x")) == "/x: Permission denied"
    with pytest.raises(OSError, match="Bad file descriptor"):
        system_error(OSError(errno.EBADF, "Bad file descriptor"))


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_what_a_disk_does_not_take_is_not_tried_again_at_the_end(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    assert "disk" in system_error(OSError(number, os.strerror(number)))
    assert sys.stdout is None


def played(*words: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
    command = [
        sys.executable,
        "-m",
        "dalang",
        "run",
        "kali",
        "first",
        "random",
        "--seed",
        "1",
        "--move-time",
        "20",
        *words,
    ]
    return subprocess.run(command, stdin=subprocess.DEVNULL, timeout=120, **how)


def verified(db: Path) -> bool:
    return answered(["verify", str(db)]) == 0


@pytest.mark.slow
def test_a_run_that_may_open_few_files_says_so(tmp_path: Path) -> None:
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))  # noqa: E731
    done = played("--db", str(tmp_path / "t.db"), stderr=subprocess.PIPE, preexec_fn=few)
    assert done.returncode == 2
    assert done.stderr.startswith(b"dalang: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("closed", [(1,), (2,), (1, 2), (0, 1, 2)])
def test_a_run_whose_output_is_closed_goes_on(closed: tuple[int, ...], tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    done = played(
        "--db", str(db), "--blocks", "3", preexec_fn=lambda: [os.close(number) for number in closed]
    )
    assert done.returncode == 0
    assert verified(db)


@pytest.mark.slow
def test_a_run_whose_remarks_nobody_reads_goes_on(tmp_path: Path) -> None:
    db, (reader, writer) = tmp_path / "t.db", os.pipe()
    os.close(reader)
    done = played("--db", str(db), "--blocks", "3", stdout=subprocess.PIPE, stderr=writer)
    os.close(writer)
    assert done.returncode == 0
    assert b"places by trueskill" in done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_a_run_whose_remarks_find_no_room_goes_on(tmp_path: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = played("--db", str(tmp_path / "t.db"), "--blocks", "3", stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 0
    assert b"places by trueskill" in done.stdout


@pytest.mark.slow
def test_who_stops_to_read_the_answer_ends_it_quietly(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = played("--db", str(tmp_path / "t.db"), "--blocks", "3", stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.returncode == 128 + signal.SIGPIPE
    assert b"Traceback" not in done.stderr
    assert verified(tmp_path / "t.db")


@pytest.mark.slow
def test_a_reader_of_events_who_goes_away_does_not_end_the_run(tmp_path: Path) -> None:
    db, pipe = tmp_path / "t.db", tmp_path / "events"
    os.mkfifo(pipe)
    words = ["kali", "first", "random", "--seed", "1", "--blocks", "60", "--move-time", "20", "--db", str(db)]
    command = [sys.executable, "-m", "dalang", "run", *words, "--events", str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with read_slowly(pipe) as events:  # the run cannot be over before the reader has gone
            assert "block" in json.loads(events.readline())
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert said.count(b"nobody reads the events any more") == 1
    assert b"120 matches played" in said
    assert verified(db)


# ---- What tests/test_fuzz.py begins with


def test_what_is_fed_to_the_gates_is_whole_before_it_is_damaged(tmp_path: Path) -> None:
    """Otherwise no gate behind the first complaint would be tried."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.toml").write_text(BOT_TOML, encoding="utf-8")
    (tmp_path / "t.toml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / LEAGUE_FILE).write_text(LEAGUE, encoding="utf-8")
    assert len(read_config(tmp_path / "t.toml").entrants) == 2
    assert read_settings(tmp_path).anchors
    for name, content in (
        ("old", OLD.read_bytes()),
        ("new", with_everything(tmp_path / "x.db").read_bytes()),
    ):
        (tmp_path / name).write_bytes(content)
        resume(tmp_path / name, configs()[name])
        show(tmp_path / name)
        tell_of_the_season(tmp_path / name)
