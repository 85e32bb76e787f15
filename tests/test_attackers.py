"""Bots that attack: at each level of isolation that this machine can do, each of tests/attackers tries it for real."""

from __future__ import annotations

import ast
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from dalang.harness.isolation.levels import NONE
from tests.leftovers import UPPER, gone, marked_processes, need_level
from tests.test_tournament import command, dalang

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the upper levels need Linux"),
]

FOLDER = Path(__file__).parent / "attackers"
ATTACKERS = sorted(path.stem for path in FOLDER.glob("*.py") if path.name != "attack.py")
SECRET = "operators-secret-7"


def gains_at(attacker: str) -> str:
    """Where it must succeed, as its docstring says."""
    docstring = ast.get_docstring(ast.parse((FOLDER / f"{attacker}.py").read_text(encoding="utf-8"))) or ""
    return docstring.splitlines()[-1].removeprefix("Gains at: ")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with what attackers look for."""
    shutil.copytree(FOLDER, tmp_path / "attackers", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "victim").mkdir()
    for name in ("victim/bot.py", "attackers/victim.txt", "kali.db"):
        (tmp_path / name).write_text("untouched", encoding="utf-8")
    return tmp_path


@contextmanager
def echo_server() -> Iterator[int]:
    """Answers by TCP, by UDP and at an abstract Unix address that is named after the port."""
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as unix,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        unix.bind(f"\0dalang-{port}")
        unix.listen()
        for answer in (
            lambda: greet(tcp),
            lambda: greet(unix),
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


def attacked(place: Path, attacker: str, level: str) -> Any:
    """A match with the attacker; the operator has secrets in environment and command line."""
    with echo_server() as port:
        bot = shlex.join(["python", str(place / "attackers" / f"{attacker}.py"), str(port)])
        arguments = ["match", "kali", f"attacker={bot}", "first", "random", "--seed", SECRET, "--ask-forced"]
        done = subprocess.run(
            command(*arguments, "--isolate", level, "--json"),
            capture_output=True,
            text=True,
            timeout=120,
            cwd=place,
            env={**os.environ, "OPERATORS_TOKEN": SECRET},
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def gain(match: Any) -> str:
    [note] = match["notes"].values()
    return str(note).removeprefix("gained: ")


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("level", UPPER)
def test_an_attacker_gains_nothing_and_nobody_is_harmed(level: str, attacker: str, place: Path) -> None:
    need_level(level)
    match = attacked(place, attacker, level)
    assert match["faults"] == []
    if level not in gains_at(attacker) or os.geteuid() == 0:
        assert gain(match) == "nothing"
    for name in ("victim/bot.py", "attackers/victim.txt", "kali.db"):
        assert (place / name).read_text(encoding="utf-8") == "untouched"


@pytest.mark.skipif(os.geteuid() != 0, reason="what an ordinary user may do depends on the machine")
@pytest.mark.parametrize("attacker", [name for name in ATTACKERS if NONE.level in gains_at(name)])
def test_without_isolation_the_same_attack_succeeds(attacker: str, place: Path) -> None:
    """Otherwise its failure would show nothing."""
    match = attacked(place, attacker, NONE.level)
    if attacker == "remembers_on_disk":
        match = attacked(place, attacker, NONE.level)
    assert gain(match) != "nothing"


@pytest.mark.parametrize("level", UPPER)
def test_no_file_outlives_a_match(level: str, place: Path) -> None:
    need_level(level)
    attacker = str(place / "attackers" / "remembers_on_disk.py")
    (place / "kali.db").unlink()
    dalang("run", "kali", attacker, "random", "--blocks", "2", "--jobs", "1", "--isolate", level, cwd=place)
    for match in ("0.0", "0.1", "1.0", "1.1"):
        [note] = json.loads(dalang("replay", "kali.db", match, "--json", cwd=place))["notes"].values()
        assert note == "gained: nothing"


# ---- What is left behind


def daemons(mark: str) -> list[str]:
    return [
        line for line in marked_processes(mark) if "leaves_a_daemon.py" in line and "dalang run" not in line
    ]


@contextmanager
def run_with_daemons(place: Path, level: str, mark: str) -> Iterator[subprocess.Popen[bytes]]:
    (place / "kali.db").unlink()
    bots = [str(place / "attackers" / "leaves_a_daemon.py"), "random"]
    with subprocess.Popen(
        command("run", "kali", *bots, "--blocks", "100000", "--jobs", "1", "--isolate", level),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=place,
        env={**os.environ, "LC_MARK": mark},
    ) as process:
        try:
            until(lambda: len(daemons(mark)) > 4)
            yield process
        finally:
            process.kill()


def until(condition: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def workers(mark: str) -> list[int]:
    return [int(line.split()[0]) for line in marked_processes(mark) if "tournament.worker" in line]


@pytest.mark.parametrize("level", UPPER)
def test_a_daemon_ends_with_the_run(level: str, place: Path) -> None:
    need_level(level)
    mark = f"daemon-{level}-{os.getpid()}"
    with run_with_daemons(place, level, mark) as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert gone(mark)


@pytest.mark.parametrize("level", UPPER)
def test_a_daemon_ends_with_its_worker(level: str, place: Path) -> None:
    need_level(level)
    mark = f"worker-{level}-{os.getpid()}"
    with run_with_daemons(place, level, mark) as process:
        before, [_, worker] = set(daemons_of(mark)), sorted(workers(mark))  # the other is its guardian
        os.kill(worker, signal.SIGKILL)
        until(lambda: not before & set(daemons_of(mark)))
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert gone(mark)


def daemons_of(mark: str) -> list[int]:
    return [int(line.split()[0]) for line in daemons(mark)]


def test_in_the_sandbox_a_daemon_ends_also_with_the_whole_harness(place: Path) -> None:
    need_level("sandbox")
    mark = f"parent-{os.getpid()}"
    with run_with_daemons(place, "sandbox", mark) as process:
        process.kill()
        process.wait(60)
    until(lambda: marked_processes(mark) == [], 10)
