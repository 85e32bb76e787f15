"""Bots in other languages: each is written by `dalang new`, built with its real compiler, and plays."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgpack
import pytest

from dalang.harness.cli.new import DOWNLOADING, LANGUAGES, examples, write_bot
from dalang.harness.entrants.building import build
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.entrants.fingerprint import fingerprint
from dalang.harness.isolation.levels import AUTO, isolation_that_works
from dalang.harness.isolation.workshop import Workshop
from dalang.protocol.codec import pack_json
from dalang.protocol.messages import DESCRIPTORS
from tests import luck
from tests.leftovers import UPPER, excuse, need_level
from tests.terminal import LONGEST_WAIT
from tests.test_attackers import WHO, by, problems, scene

pytestmark = pytest.mark.slow

PROGRAMS = {
    "c": ["cc", "make"],
    "cpp": ["c++", "make"],
    "go": ["go"],
    "java": ["javac", "mvn"],
    "javascript": ["node", "npm"],
    "typescript": ["node", "npm"],
    "rust": ["cargo"],
    "shell": ["sh", "awk"],
}
READING = ("cpp", "go", "java", "rust", "typescript")
"""The languages whose bots read the view, by typed getters, to play Kali."""
LUCK = {"python": luck.python, "shell": luck.lehmer}
"""The generators of the languages that have one of their own."""

Built = Callable[[str], Path]


def dalang(*arguments: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "dalang", *arguments], capture_output=True, text=True, timeout=300, cwd=cwd
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers of a test run."""
    own = tmp_path_factory.getbasetemp()
    home = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "languages"
    home.mkdir(exist_ok=True)
    return home


@pytest.fixture(scope="module")
def built(home: Path) -> Built:
    """The folder of a language's bot, as `dalang new` writes it, built in isolation by the worker who first asks."""

    def folder_of(language: str) -> Path:
        need(language)
        with (home / f"{language}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (home / language).exists():
                dalang("new", language, "--language", language, cwd=home)
            build_in(home / language, language)
        return home / language

    return folder_of


def build_in(folder: Path, language: str) -> None:
    workshop = Workshop(isolation_that_works(AUTO), network=language in DOWNLOADING)
    build(find_entrant(str(folder)), workshop.make, print)


def need(language: str) -> None:
    """Skip where somebody has no such compiler; where changes are judged, all must be there."""
    missing = [program for program in PROGRAMS.get(language, []) if not shutil.which(program)]
    if language == "cpp" and not missing and not has_msgpack_header():
        missing = ["msgpack.hpp"]
    if missing:
        reason = f"a bot in {language} needs {' and '.join(missing)}"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)


def has_msgpack_header() -> bool:
    done = subprocess.run(
        ["c++", "-DMSGPACK_NO_BOOST", "-E", "-x", "c++", "-"],
        input=b"#include <msgpack.hpp>",
        capture_output=True,
        timeout=60,
    )
    return done.returncode == 0


# ---- dalang new


def test_there_is_a_bot_for_every_language_and_one_that_learns() -> None:
    assert {path.parent.name for path in examples().glob("*/bot.toml")} == {*LANGUAGES, "learning"}


def test_new_says_what_to_do_next_and_it_works(tmp_path: Path) -> None:
    said = dalang("new", "deep/my bot", cwd=tmp_path)
    assert said.startswith("deep/my bot: a bot in python that plays every game")
    commands = re.findall(r"^  dalang (.*)$", said, re.MULTILINE)
    assert [command.split()[0] for command in commands] == ["check", "match"]
    for command in commands:
        subprocess.run(
            f"{sys.executable} -m dalang {command}", shell=True, check=True, cwd=tmp_path, timeout=60
        )


def test_new_fills_an_empty_folder_but_no_other(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    dalang("new", "empty", cwd=tmp_path)
    for name in ("empty", "empty/bot.py"):
        done = subprocess.run(
            [sys.executable, "-m", "dalang", "new", name], capture_output=True, text=True, cwd=tmp_path
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"dalang: {name} is there already and not empty; choose a new folder\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_file_tells_where_to_download_from(language: str, tmp_path: Path) -> None:
    write_bot(tmp_path / "bot", language)
    for path in (tmp_path / "bot").rglob("*"):
        assert (
            not path.is_file() or path.name == "Cargo.lock" or "://" not in path.read_text(encoding="utf-8")
        )


# ---- Each language


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bot_that_new_wrote_passes_the_check(language: str, built: Built, home: Path) -> None:
    folder = built(language)
    before = fingerprint(find_entrant(str(folder)))
    assert "✗" not in dalang("check", folder, cwd=home)
    assert fingerprint(find_entrant(str(folder))) == before


@pytest.mark.skipif(sys.platform != "linux", reason="the upper levels need Linux")
@pytest.mark.parametrize("level", UPPER)
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_plays_under_every_level_of_isolation_with_a_limit_on_memory(
    language: str, level: str, built: Built, home: Path
) -> None:
    need_level(level)
    limits = ["--isolate", level, "--memory", "1024"]
    result = json.loads(dalang("match", "kali", built(language), "random", *limits, "--json", cwd=home))
    assert result["faults"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_kit_ignores_what_it_does_not_know_and_draws_as_documented(language: str, built: Built) -> None:
    seed = "2b625c35c14a5f34"
    below = LUCK.get(language, luck.splitmix)(seed)
    with conversation(built(language)) as bot:
        hello = bot.hear()
        assert (hello["protocol"], hello["wants"]) == (1, ["view"] if language in READING else [])
        bot.say({**LOUD_NOISE, "seed": seed, "type": "start", **START})
        assert bot.hear() == {"type": "ready"}
        for id, moves in enumerate([10] * 8 + [2, 3, 7, 1000], start=1):
            bot.say({"type": "weather", "id": "x", "view": 3, "moves": "none", "seed": 0})
            told = TOLD if id % 2 else {}
            bot.say({"moves": [["go", place] for place in range(moves)], **NOISE, **told, **DECIDE, "id": id})
            assert bot.hear() == {"type": "move", "id": id, "move": below(moves)}
        bot.say({"events": [], **NOISE, "type": "end"})
        bot.say({"type": "bye"})
        assert bot.hear() is None


LINKED = {
    "bot.toml": "command = 'python bot.py'\nbuild = 'rustc -o linked linked.rs'\n",
    "bot.py": "from dalang.kit import run\n\nrun(lambda request: 0, name='bot')\n",
    "linked.rs": "fn main() {}\n",
}


@pytest.mark.compiler
@pytest.mark.skipif(sys.platform != "linux", reason="the upper levels need Linux")
@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("level", UPPER)
def test_rust_finds_its_linker_at_every_level_whoever_builds(level: str, who: str) -> None:
    """It brings one along, in the home of whoever installed it."""
    need("rust")
    excuse(problems(who)[level])
    with scene() as place:
        for name, text in LINKED.items():
            (place / "home" / name).write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "dalang", "match", "kali", "bot=home", "first", "--isolate", level]
        done = subprocess.run(by(who, words), capture_output=True, text=True, timeout=300, cwd=place)
        assert done.returncode == 0, done.stderr
        assert (place / "home" / "linked").is_file()


START = {"seats": 2, "seat": 0, "options": {}, "limits": {}, "rules_version": 1, "game": "a game of its own"}
DECIDE = {"decision": "where", "type": "decide"}
TOLD = {"view": {"you": 0, "moves": [1, 2]}, "events": [{"event": "noise", "moves": 3}]}
"""What a bot may want or not; one that is told more than it wants does not mind."""
NOISE = {
    "nothing": None,
    "flags": [True, False],
    "numbers": [0, -1, -33, 127, 128, 255, 256, 65536, 2**32, 2**64 - 1, -(2**63), -129, -32769, 0.5],
    "texts": ["", 'a "quoted" \\ text, [with] {brackets}: \\" end\\', "é" * 20, "x" * 300],
    "lists": [[], [[[]]], list(range(20))],
    "maps": [{}, {str(key): key for key in range(20)}],
}
LOUD_NOISE = {**NOISE, "text": "x" * 70000, "list": [0] * 70000, "map": {str(key): 0 for key in range(66000)}}
BINARY = {
    "bytes": [b"\x90" * size for size in (0, 10, 300, 70000)],
    "extensions": [msgpack.ExtType(5, b"\x90" * size) for size in (1, 2, 3, 4, 8, 16, 300, 70000)],
}
"""What JSON does not have."""


class Conversation:
    """The referee's side, in the format that the bot has chosen."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self.stdin, self.stdout = stdin, stdout
        self.unpacker = msgpack.Unpacker()
        self.json = False

    def say(self, message: dict[str, Any]) -> None:
        if self.json:
            data = pack_json(message)
        else:
            data = msgpack.packb({**BINARY, **message} if "nothing" in message else message)
        self.stdin.write(data)
        self.stdin.flush()

    def hear(self) -> Any:
        """The next message; None when the bot has ended."""
        said = b""
        while byte := self.byte():
            said += byte
            self.json = self.json or said == b"{"
            if self.json and byte == b"\n":
                return json.loads(said)
            if not self.json:
                self.unpacker.feed(byte)
                for message in self.unpacker:
                    return message
        return None

    def byte(self) -> bytes:
        """The next one, past any buffer, so that silence is seen; none when the bot has ended."""
        assert select.select([self.stdout], [], [], LONGEST_WAIT)[0], "the bot is silent"
        return os.read(self.stdout.fileno(), 1)


@contextmanager
def conversation(folder: Path) -> Iterator[Conversation]:
    entrant = find_entrant(str(folder))
    with subprocess.Popen(
        entrant.command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdin and process.stdout
            yield Conversation(process.stdin, process.stdout)
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()


@contextmanager
def conversation_beside_stdout(folder: Path) -> Iterator[Conversation]:
    """Over other descriptors, as a bot is talked to that is debugged; nothing of it is on stdout."""
    theirs, ours_to_write = os.pipe()
    ours_to_read, theirs_to_write = os.pipe()
    with subprocess.Popen(
        find_entrant(str(folder)).command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        pass_fds=(theirs, theirs_to_write),
        env={**os.environ, DESCRIPTORS: f"{theirs},{theirs_to_write}"},
    ) as process:
        try:
            os.close(theirs)
            os.close(theirs_to_write)
            with os.fdopen(ours_to_write, "wb") as writing, os.fdopen(ours_to_read, "rb") as reading:
                yield Conversation(writing, reading)
            said, _ = process.communicate(timeout=60)
            assert (process.returncode, said) == (0, b"")
        finally:
            process.kill()


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "shell"])
def test_a_kit_talks_over_the_descriptors_that_it_is_told_and_reads_by_type(
    language: str, built: Built
) -> None:
    with conversation_beside_stdout(built(language)) as bot:
        assert bot.hear()["type"] == "hello"
        bot.say({**NOISE, "seed": "2b625c35c14a5f34", "type": "start", **START, "game": "kali", **KALI})
        assert bot.hear() == {"type": "ready"}
        bot.say({**NOISE, "type": "decide", "id": 1, **AT_STAKE})
        answer = bot.hear()
        if language in READING:
            assert (answer["move"], bool(answer["note"])) == (1, True)
            assert language == "rust" or answer["note"] == "20 gems at stake"
        bot.say({"type": "bye"})


KALI = {"options": {"fields": [1, 1, 1, 1, 2, 2, 3, 3, 5, 5, 6, 7, 10, 10, 11, 15, 15, 20]}}
AT_STAKE = {
    "decision": "go_on",
    "moves": [["draw"], ["stop"]],
    "view": {
        "loot": 20,
        "field": 10,
        "temple": 100,
        "frights": 1,
        "wealth": [40, 40],
        "deck": {"step1": 1, "step2": 1, "step3": 1, "step4": 1, "noise": 12, "fright": 2},
    },
}
"""Where anybody who can read stops."""


ASKING = {
    "python": ("bot.py", "wants=[]", 'wants=["view", "news"]'),
    "c": ("bot.c", "WANTS_NOTHING,", "WANTS_VIEW | WANTS_NEWS,"),
    "cpp": ("bot.cpp", '"cpp", {kit::VIEW}', '"cpp", {kit::VIEW, kit::NEWS}'),
    "shell": ("bot.awk", '"[]"', r'"[\"view\", \"news\"]"'),
}
"""By language: where its bot asks for what it wants, in which words, and in which it would ask for everything.

Only of languages that need not download what they are built with a second time."""


@pytest.mark.parametrize("language", ASKING)
def test_a_bot_that_new_wrote_can_be_changed_to_ask_for_more(
    language: str, built: Built, tmp_path: Path
) -> None:
    folder = shutil.copytree(built(language), tmp_path / language, symlinks=True)
    name, less, more = ASKING[language]
    text = (folder / name).read_text(encoding="utf-8")
    assert text.count(less) == 1
    (folder / name).write_text(text.replace(less, more), encoding="utf-8")
    build_in(folder, language)
    with conversation(folder) as bot:
        assert bot.hear()["wants"] == ["view", "news"]
        bot.say({"type": "bye"})


def test_the_spec_shows_what_its_generator_chooses() -> None:
    spec = (Path(__file__).parent.parent / "protocol" / "SPEC.md").read_text(encoding="utf-8")
    [(seed, chosen, span)] = re.findall(r"Seeded with `(\w+)` it chooses ([\d, ]+) out of (\d+)", spec)
    below = luck.splitmix(seed)
    shown = [int(number) for number in chosen.split(", ")]
    assert shown == [below(int(span)) for _ in shown]


# ---- All together


@pytest.mark.usefixtures("all_cores")
@pytest.mark.parametrize("game", ["kali", "bali_wrede"])
def test_all_languages_play_a_tournament_that_can_be_played_again(
    game: str, built: Built, tmp_path: Path
) -> None:
    bots = [built(language) for language in LANGUAGES]
    terms = ["--blocks", "1", "--seed", "babel", "--strict"]
    first, again = (
        dalang("run", game, *bots, *terms, "--jobs", jobs, "--db", f"{jobs}.db", cwd=tmp_path)
        for jobs in "12"
    )
    assert first == again
    assert all(language in first for language in LANGUAGES)


def test_exact_odds_beat_random_play_in_kali(built: Built, tmp_path: Path) -> None:
    terms = ["--blocks", "60", "--seed", "odds", "--strict", "--json"]
    played = json.loads(dalang("run", "kali", built("rust"), "random", *terms, cwd=tmp_path))
    assert [row["name"] for row in played["standings"]] == ["rust", "random"]
