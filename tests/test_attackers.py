"""Bots that attack: at each level of isolation that this machine can do, each of tests/attackers tries it for real.

Where the tests are run by root, an ordinary user (`tests/ordinary.py`) runs the same tournaments too.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import dalang
from dalang.harness.isolation.levels import NONE
from tests import ordinary
from tests.leftovers import UPPER, excuse, gone, lineage_of, marked_processes, until
from tests.terminal import terminal
from tests.test_tournament import command

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the upper levels need Linux"),
]

FOLDER = Path(__file__).parent / "attackers"
ATTACKERS = sorted(path.stem for path in FOLDER.glob("*.py") if path.name != "attack.py")
HONEST = ["first", "random", "lucky=random"]
SECRET = "operators-secret-7"
ROOT, USER = "root", "user"
WHO = [ROOT, USER] if os.geteuid() == 0 else [USER]
UNTOUCHED = ("victim/bot.py", "attackers/victim.txt", "home/token")
ROOMY = ["--move-time", "20", "--startup-time", "60", "--prepare-time", "60"]
BRIEF = [*ROOMY, "--move-time", "5", "--bank", "0"]
"""For attacks on time: half a second late is late enough."""

only_root_can = pytest.mark.skipif(
    os.geteuid() != 0, reason="what an ordinary user may do depends on the machine"
)


# ---- The scene


@contextmanager
def scene() -> Iterator[Path]:
    """A folder with what attackers look for; the path of a socket has to be short."""
    with tempfile.TemporaryDirectory(prefix="dalang-") as folder:
        place = Path(folder)
        shutil.copytree(FOLDER, place / "attackers", ignore=shutil.ignore_patterns("__pycache__"))
        for name in UNTOUCHED:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text("untouched", encoding="utf-8")
        if os.geteuid() == 0:
            for path in (place, *place.rglob("*")):
                os.chown(path, ordinary.UID, ordinary.UID)
        shutil.copy("/usr/bin/id", place / "id")
        (place / "id").chmod(0o4755)  # as root: whoever calls it is root
        yield place


@pytest.fixture
def place() -> Iterator[Path]:
    with scene() as folder:
        yield folder


@contextmanager
def echo_server(place: Path) -> Iterator[int]:
    """Answers by TCP, by UDP and at Unix addresses: an abstract one that is named after the port, and a path."""
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as at_a_path,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        abstract.bind(f"\0dalang-{port}")
        at_a_path.bind(str(place / "socket"))
        (place / "socket").chmod(0o777)
        for listening in (abstract, at_a_path):
            listening.listen()
        for answer in (
            lambda: greet(tcp),
            lambda: greet(abstract),
            lambda: greet(at_a_path),
            lambda: udp.sendto(b"hello", udp.recvfrom(10)[1]),
        ):
            Thread(target=until_closed, args=[answer], daemon=True).start()
        yield port


def greet(listening: socket.socket) -> None:
    caller, _ = listening.accept()
    with caller:
        caller.send(b"hello")


def until_closed(answer: Any) -> None:
    try:
        while True:
            answer()
    except OSError:
        return


def bot(place: Path, attacker: str) -> str:
    """Its command line names a setuid program, so that it sees it at every level."""
    words = ["python", str(place / "attackers" / f"{attacker}.py"), str(place / "id")]
    return f"{attacker}={shlex.join(words)}"


def by(who: str, words: list[str]) -> list[str]:
    return ordinary.as_ordinary(*words) if who == USER and os.geteuid() == 0 else words


def played(place: Path, who: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of an operator who has secrets in environment, home and command line."""
    with echo_server(place) as port:
        around = {"HOME": str(place / "home"), "OPERATORS_TOKEN": SECRET, "LC_PORT": str(port)}
        return subprocess.run(
            by(who, command(*arguments, "--seed", SECRET, "--ask-forced")),
            capture_output=True,
            text=True,
            timeout=300,
            cwd=place,
            env={**os.environ, **around, **environment},
        )


def tournament(
    place: Path, who: str, level: str, bots: list[str], **environment: str
) -> dalang.TournamentFile:
    """Everybody meets somebody, twice, one match after the other."""
    terms = ["--format", "swiss", "--seats", "2", "--blocks", "1", "--jobs", "1", *ROOMY]
    done = played(place, who, "run", "kali", *bots, *terms, "--isolate", level, **environment)
    assert done.returncode == 0, done.stderr
    return dalang.open(place / "kali.db")


# ---- What was gained


@cache
def problems(who: str) -> dict[str, str]:
    """By level, why it does not work for this user."""
    done = subprocess.run(by(who, command("doctor", "--json")), capture_output=True, text=True, cwd="/")
    found = json.loads(done.stdout) if done.returncode == 0 else []
    return {each["level"]: each["problem"] for each in found} or dict.fromkeys(
        [*UPPER, NONE.level], done.stderr
    )


def gains_at(attacker: str) -> list[str]:
    """Where it must succeed, as its docstring says: LEVEL as WHO."""
    docstring = ast.get_docstring(ast.parse((FOLDER / f"{attacker}.py").read_text(encoding="utf-8"))) or ""
    return docstring.splitlines()[-1].removeprefix("Gains at: ").split(", ")


def gainers(attackers: list[str], level: str, who: str) -> set[str]:
    return {attacker for attacker in attackers if f"{level} as {who}" in gains_at(attacker)}


def gains(file: dalang.TournamentFile) -> dict[str, set[str]]:
    """By attacker, what it told in its matches."""
    found = defaultdict(set)
    for match in file.matches():
        story = file.record(match.block, match.rotation)
        for turn, note in story["notes"].items():
            name = match.bots[story["record"]["turns"][int(turn)][0]]
            found[name].add(note.removeprefix("gained: "))
    return found


def results(file: dalang.TournamentFile) -> list[Any]:
    """Everything but notes and times."""
    return [
        *file.standings(),
        *((match, file.record(match.block, match.rotation)["record"]) for match in file.matches()),
    ]


def everybody(place: Path) -> list[str]:
    return [*(bot(place, attacker) for attacker in ATTACKERS), *HONEST]


@pytest.fixture(scope="module")
def harmless() -> list[Any]:
    """The results of the same bots when nobody attacks."""
    with scene() as place:
        file = tournament(place, WHO[0], NONE.level, everybody(place), LC_HARMLESS="yes")
        assert gains(file) == {}
        return results(file)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("level", UPPER)
def test_attackers_gain_nothing_and_nobody_is_harmed(
    level: str, who: str, place: Path, harmless: list[Any]
) -> None:
    excuse(problems(who)[level])
    mark = f"attackers-{level}-{who}-{os.getpid()}"
    only_looks = {"LC_LOOKS": "yes"} if (level, who) == ("restricted", USER) else {}
    file = tournament(place, who, level, everybody(place), LC_MARK=mark, **only_looks)
    found, allowed = gains(file), gainers(ATTACKERS, level, who)
    assert found.keys() == set(ATTACKERS)
    assert {name: gain for name, gain in found.items() if gain != {"nothing"}}.keys() == allowed
    assert all(match.faults == ("", "") for match in file.matches())
    assert results(file) == harmless
    for name in UNTOUCHED:
        assert (place / name).read_text(encoding="utf-8") == "untouched"
    assert gone(mark)  # also the daemon


# ---- Without isolation the same attacks succeed: otherwise their failure would show nothing


def match_against_first(place: Path, attacker: str, who: str, *more: str) -> Any:
    arguments = ["match", "kali", bot(place, attacker), "first", "--isolate", NONE.level, *more, "--json"]
    done = played(place, who, *arguments)
    return {"code": done.returncode, **(json.loads(done.stdout) if done.returncode == 0 else {})}


def harms_first(kind: str, *more: str) -> Callable[[Path, str, str], bool]:
    def is_charged(place: Path, attacker: str, who: str) -> bool:
        faults = match_against_first(place, attacker, who, *more)["faults"]
        return any(fault["seat"] == 1 and re.fullmatch(kind, fault["kind"]) for fault in faults)

    return is_charged


def has_a_second_try(place: Path, attacker: str, who: str) -> bool:
    return bool(match_against_first(place, attacker, who, *BRIEF)["voided"])


def ends_it(place: Path, attacker: str, who: str) -> bool:
    return bool(match_against_first(place, attacker, who)["code"])


def spoils_files(place: Path, attacker: str, who: str) -> bool:
    run_against_first(place, attacker, who)
    return (place / "victim/bot.py").read_text(encoding="utf-8") == "spoilt" and not (
        place / "kali.db"
    ).exists()


def run_against_first(place: Path, attacker: str, who: str) -> subprocess.CompletedProcess[str]:
    terms = ["--blocks", "1", "--jobs", "1", "--isolate", NONE.level, *ROOMY]
    return played(place, who, "run", "kali", bot(place, attacker), "first", *terms)


def is_found_out(place: Path, attacker: str, who: str) -> bool:
    """A forged result is not kept, but its worker is ended, and that is told."""
    done = run_against_first(place, attacker, who)
    assert not [match for match in dalang.open(place / "kali.db").matches() if 999 in match.scores]
    return "somebody wrote results in the name of a worker" in done.stderr


HARM: dict[str, Callable[[Path, str, str], bool]] = {
    "kills_the_bot_beside": harms_first("crash", *ROOMY),
    "stops_the_bot_beside": harms_first("timeout", *BRIEF),
    "writes_into_the_pipes_beside": harms_first("garbage|crash|flood", *ROOMY),
    "stops_its_worker": has_a_second_try,
    "ends_the_run": ends_it,
    "spoils_the_others_files": spoils_files,
    "forges_results": is_found_out,
}
"""By attacker that others must not sit with: whether it did harm."""


@only_root_can
@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("attacker", HARM)
def test_without_isolation_an_attacker_does_harm(attacker: str, who: str, place: Path) -> None:
    excuse(problems(who)[NONE.level])
    assert HARM[attacker](place, attacker, who) == bool(gainers([attacker], NONE.level, who))


@only_root_can
@pytest.mark.parametrize("who", WHO)
def test_without_isolation_an_attacker_gains(who: str, place: Path) -> None:
    excuse(problems(who)[NONE.level])
    alone = [attacker for attacker in ATTACKERS if attacker not in HARM]
    found = gains(
        tournament(place, who, NONE.level, [*(bot(place, attacker) for attacker in alone), "first"])
    )
    no_terminal = {"types_for_the_operator"}
    assert {name for name, gain in found.items() if gain != {"nothing"}} == (
        gainers(alone, NONE.level, who) - no_terminal
    )


# ---- The operator's terminal


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("level", [*UPPER, NONE.level])
def test_a_bot_types_nothing_for_the_operator(level: str, who: str, place: Path) -> None:
    """What is typed is echoed. Only root may type into a terminal that is not his own; without isolation he does."""
    excuse(problems(who)[level])
    attacker = "types_for_the_operator"
    arguments = ["match", "kali", bot(place, attacker), "first", "--ask-forced", "--isolate", level, *ROOMY]
    with terminal(*arguments, by=lambda words: by(who, words), cwd=place) as at:
        assert at.ended() == 0, at.shown
    assert ("typed by a bot" in at.shown) == bool(gainers([attacker], level, who))


# ---- What is left behind


@contextmanager
def run_with_daemons(place: Path, level: str, who: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A long run with a bot that leaves daemons, and the same behind a shell; with the mark of all its processes."""
    excuse(problems(who)[level])
    mark = f"daemon-{level}-{who}-{place.name}"
    script = str(place / "attackers" / "leaves_a_daemon.py")
    behind_a_shell = shlex.join(["sh", "-c", '"$0" "$1"; true', sys.executable, script])
    terms = ["--blocks", "100000", "--jobs", "1", "--isolate", level, *ROOMY]
    with subprocess.Popen(
        by(who, command("run", "kali", script, f"shell={behind_a_shell}", *terms)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=place,
        env={**os.environ, "HOME": str(place / "home"), "LC_MARK": mark},
    ) as process:
        try:
            until(lambda: len(daemons(mark)) > 8 or process.poll() is not None)
            yield process, mark
        finally:
            process.kill()


def daemons(mark: str) -> set[int]:
    """Bots that are asleep for long, and what leads to them."""
    return marked(mark, "leaves_a_daemon.py") - marked(mark, "dalang run")


def marked(mark: str, word: str) -> set[int]:
    return {int(line.split()[0]) for line in marked_processes(mark) if word in line}


def worker_of(run: subprocess.Popen[bytes]) -> int:
    """Below its guardian; found by parents, because an ordinary user cannot read their environment."""

    def found() -> list[int]:
        [*_, player] = lineage_of(run.pid)
        return [worker for guardian in worker_children(player) for worker in worker_children(guardian)]

    until(lambda: len(found()) == 1)  # bots have been tried before there is one
    return found()[0]


def worker_children(parent: int) -> list[int]:
    listing = ["ps", "-ww", "--ppid", str(parent), "-o", "pid=,command="]
    listed = subprocess.run(listing, capture_output=True, text=True).stdout.splitlines()
    return [int(line.split()[0]) for line in listed if "tournament.worker" in line]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("level", UPPER)
def test_a_daemon_ends_with_its_worker_and_with_the_run(level: str, who: str, place: Path) -> None:
    with run_with_daemons(place, level, who) as (process, mark):
        worker = worker_of(process)
        until(lambda: len(daemons(mark)) > 8)
        before = daemons(mark)
        os.kill(worker, signal.SIGKILL)
        until(lambda: not before & daemons(mark))
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert gone(mark)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("level", UPPER)
def test_a_daemon_ends_also_with_the_whole_harness(level: str, who: str, place: Path) -> None:
    with run_with_daemons(place, level, who) as (process, mark):
        process.kill()
        process.wait(60)
    until(lambda: marked_processes(mark) == [])
