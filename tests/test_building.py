"""Bots that must be built: when that happens, what it may change, and how it fails."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dalang.engine.game import SetupError
from dalang.harness.entrants.building import STAMP, build
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.entrants.fingerprint import fingerprint
from dalang.harness.isolation import workshop
from dalang.harness.isolation.levels import LEVELS, NONE
from dalang.harness.isolation.prctl import DIE_WITH_US
from dalang.harness.isolation.workshop import Workshop
from tests.leftovers import UPPER, commands_naming, gone, need_level, until

BOT_TOML = """\
command = "python build/bot.py"
build = "sh build.sh"
"""
BUILD_SH = """\
mkdir -p build
cp bot.py build
echo built >>.log
"""
BOT_PY = """\
from dalang.kit import run

run(lambda request: 0, name="bot")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot whose build notes in a hidden file that it was run."""
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text(BOT_TOML, encoding="utf-8")
    (bot / "build.sh").write_text(BUILD_SH, encoding="utf-8")
    (bot / "bot.py").write_text(BOT_PY, encoding="utf-8")
    return bot


def test_without_a_build_every_folder_of_a_bot_is_watched(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('command = "python out/bot.py"', encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "bot.py").write_text(BOT_PY, encoding="utf-8")
    before = fingerprint(find_entrant(str(tmp_path)))
    (tmp_path / "out" / "bot.py").write_text(f"{BOT_PY}# other", encoding="utf-8")
    assert fingerprint(find_entrant(str(tmp_path))) != before


def builds(folder: Path) -> int:
    return len((folder / ".log").read_text(encoding="utf-8").splitlines())


def build_at(folder: Path) -> int:
    """How often it was built, after one more request to build it."""
    build(find_entrant(str(folder)), Workshop(NONE).make, print)
    return builds(folder)


def test_a_bot_is_built_once(folder: Path) -> None:
    assert build_at(folder) == 1
    assert build_at(folder) == 1


def test_a_build_that_takes_too_long_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"DALANG_BUILD={folder}"
    (folder / "build.sh").write_text("sleep 1000 & sleep 1000\n", encoding="utf-8")
    (folder / "bot.toml").write_text(f"{BOT_TOML}env = {{ DALANG_BUILD = '{folder}' }}\n", encoding="utf-8")
    monkeypatch.setattr(workshop, "LONGEST_BUILD", 0.2)
    with pytest.raises(SetupError, match=r"^bot cannot be built: .* timed out"):
        build(find_entrant(str(folder)), Workshop(NONE).make, print)
    assert gone(mark)


def test_a_lock_file_that_the_build_writes_is_no_reason_to_build_again(folder: Path) -> None:
    (folder / "build.sh").write_text(BUILD_SH + "echo 1 >versions.lock\n", encoding="utf-8")
    assert build_at(folder) == 1
    assert build_at(folder) == 1


def test_a_file_that_changes_while_it_is_built_is_built_next_time(folder: Path) -> None:
    edit = "[ -e .edited ] || { touch .edited && echo '# edited' >>bot.py; }\n"
    (folder / "build.sh").write_text(BUILD_SH + edit, encoding="utf-8")
    assert build_at(folder) == 1
    assert build_at(folder) == 2
    assert build_at(folder) == 2


def test_a_build_does_not_change_what_the_bot_is(folder: Path) -> None:
    before = fingerprint(find_entrant(str(folder)))
    build_at(folder)
    assert fingerprint(find_entrant(str(folder))) == before


@pytest.mark.parametrize("change", ["changed", "added", "removed", "command"])
def test_it_is_built_again_when_its_files_have_changed(change: str, folder: Path) -> None:
    (folder / "notes.txt").touch()
    build_at(folder)
    if change == "changed":
        (folder / "bot.py").write_text(BOT_PY.replace("0", "-1"), encoding="utf-8")
    elif change == "added":
        (folder / "more.txt").touch()
    elif change == "removed":
        (folder / "notes.txt").unlink()
    else:
        (folder / "bot.toml").write_text(BOT_TOML.replace("sh build", "sh -e build"), encoding="utf-8")
    assert build_at(folder) == 2
    assert build_at(folder) == 2


def test_it_is_built_again_when_what_was_built_is_gone(folder: Path) -> None:
    build_at(folder)
    (folder / "build" / "bot.py").unlink()
    (folder / "build").rmdir()
    assert build_at(folder) == 2


def test_a_build_that_failed_is_tried_again(folder: Path) -> None:
    (folder / "build.sh").write_text(
        "echo 'bot.c:3: no semicolon'\necho lost >&2\nexit 7\n", encoding="utf-8"
    )
    for _ in range(2):
        with pytest.raises(SetupError) as caught:
            build(find_entrant(str(folder)), Workshop(NONE).make, print)
        assert str(caught.value).splitlines() == [
            "bot cannot be built; `sh build.sh` fails and says:",
            "    bot.c:3: no semicolon",
            "    lost",
        ]
    (folder / "build.sh").write_text(BUILD_SH, encoding="utf-8")
    assert build_at(folder) == 1


def test_after_a_build_that_failed_the_last_good_version_is_built_again(folder: Path) -> None:
    build_at(folder)
    (folder / "build.sh").write_text("echo spoilt >build/bot.py\nexit 1\n", encoding="utf-8")
    with pytest.raises(SetupError, match="cannot be built"):
        build(find_entrant(str(folder)), Workshop(NONE).make, print)
    (folder / "build.sh").write_text(BUILD_SH, encoding="utf-8")
    assert build_at(folder) == 2


def test_a_builder_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "bot.toml").write_text(BOT_TOML.replace("sh build.sh", "no-such-compiler"), encoding="utf-8")
    with pytest.raises(SetupError, match="bot cannot be built: there is no program 'no-such-compiler'"):
        build(find_entrant(str(folder)), Workshop(NONE).make, print)


@pytest.mark.slow
def test_match_check_and_run_build_first_and_only_once(folder: Path) -> None:
    for command in (
        "match kali bot first --seed 1",
        "check bot --game kali",
        "run kali bot twin=bot --blocks 1 --seed 1",
        "run kali bot twin=bot --blocks 2 --seed 1",
    ):
        done = subprocess.run(
            [sys.executable, "-m", "dalang", *command.split()],
            cwd=folder.parent,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert builds(folder) == 1


# ---- Isolated

at_upper_levels = [pytest.mark.slow, pytest.mark.parametrize("level", UPPER)]


def isolated(test: Callable[..., None]) -> Callable[..., None]:
    for mark in at_upper_levels:
        test = mark(test)
    return test


def build_isolated(folder: Path, level: str, script: str, network: bool = False) -> None:
    need_level(level)
    (folder / "build.sh").write_text(BUILD_SH + script, encoding="utf-8")
    build(find_entrant(str(folder)), Workshop(LEVELS[level], network).make, print)


@isolated
def test_an_isolated_build_writes_to_its_folder_and_its_home_and_nowhere_else(
    level: str, folder: Path
) -> None:
    beside = folder.parent / "beside"
    beside.mkdir()
    beside.chmod(0o777)
    script = f'touch "$HOME/x" "$TMPDIR/y" && ! touch {beside}/x && ! touch /usr/x && rm bot.py && echo >bot.py 1\n'
    before = folder.stat().st_uid
    build_isolated(folder, level, script)
    assert (folder / "bot.py").read_text(encoding="utf-8") == "1\n"
    assert list(beside.iterdir()) == []
    assert {path.stat().st_uid for path in folder.rglob("*")} == {before}


@isolated
def test_an_isolated_build_sees_no_secret(level: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    (folder.parent / "other.txt").write_text("secret", encoding="utf-8")
    build_isolated(folder, level, f'[ -z "$TOKEN" ] && ! cat {folder.parent}/other.txt\n')


CONNECT = """\
import socket
socket.create_connection(("127.0.0.1", {}), 10).close()
"""


@isolated
def test_an_isolated_build_has_a_network_only_if_allowed(level: str, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        (folder / "connect.py").write_text(CONNECT.format(server.getsockname()[1]), encoding="utf-8")
        script = f"{sys.executable} connect.py || {{ echo network is unreachable; exit 1; }}\n"
        with pytest.raises(SetupError, match="it has no network; allow it with --build-network"):
            build_isolated(folder, level, script)
        build_isolated(folder, level, script, network=True)


@isolated
def test_an_isolated_build_that_misses_a_file_is_told_how_to_allow_it(level: str, folder: Path) -> None:
    header = folder.parent / "header.h"
    header.touch()
    with pytest.raises(SetupError) as caught:
        build_isolated(folder, level, f"cat {header}\n")
    [headline, *_] = str(caught.value).splitlines()
    assert f'allow it with read = ["{header}"] in its bot.toml' in headline


MAY_RUN = """\
import os, sys
sys.exit(not os.access(sys.argv[1], os.X_OK))
"""


@isolated
def test_an_isolated_build_that_asks_whether_it_may_run_a_tool_hears_that_it_may(
    level: str, folder: Path
) -> None:
    """Though the way there is closed to strangers, as the home of an operator with a compiler in it."""
    tools = folder.parent / "closed" / "tools"
    tools.mkdir(parents=True)
    tools.parent.chmod(0o700)
    (tools / "tool").touch(0o755)
    (folder / "bot.toml").write_text(f"{BOT_TOML}read = ['{tools}']\n", encoding="utf-8")
    (folder / "may_run.py").write_text(MAY_RUN, encoding="utf-8")
    build_isolated(folder, level, f"{sys.executable} may_run.py {tools / 'tool'}\n")


@isolated
def test_an_isolated_build_that_takes_too_long_leaves_nothing_behind(
    level: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"DALANG_BUILD={folder}"
    (folder / "bot.toml").write_text(f"{BOT_TOML}env = {{ DALANG_BUILD = '{folder}' }}\n", encoding="utf-8")
    monkeypatch.setattr(workshop, "LONGEST_BUILD", 1.0)
    with pytest.raises(SetupError, match=r"^bot cannot be built: it timed out after 1 s"):
        build_isolated(folder, level, "sleep 1000 & setsid sleep 1000\n")
    assert gone(mark)


@pytest.mark.slow
@pytest.mark.skipif(not DIE_WITH_US, reason="the kernel has to end it")
@pytest.mark.parametrize("level", LEVELS)
def test_a_build_ends_with_a_run_that_is_killed(level: str, folder: Path) -> None:
    need_level(level)
    toml = BOT_TOML.replace("sh build.sh", f"tail -f {folder / 'bot.py'}")
    (folder / "bot.toml").write_text(toml, encoding="utf-8")
    words = ["run", "kali", str(folder), "random", "--isolate", level, "--db", str(folder.parent / "run.db")]
    with subprocess.Popen([sys.executable, "-m", "dalang", *words], stderr=subprocess.DEVNULL) as run:
        try:
            until(lambda: any("tail" in line.split()[0] for line in commands_naming(folder)), run)
        finally:
            run.kill()
    until(lambda: not commands_naming(folder))


@isolated
def test_an_isolated_build_that_eats_memory_ends(
    level: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshop, "half_of_memory", lambda: 200 * 1024 * 1024)
    eater = f"{sys.executable} -c 'import time; x = bytearray(150 * 1024**2); time.sleep(600)' &\n"
    with pytest.raises(SetupError, match="its processes have more than 200 MB of memory together"):
        build_isolated(folder, level, f"{eater * 3}sleep 600\n")


@pytest.mark.parametrize("then", ["", "tail -f /dev/null\n"], ids=["and ends", "and goes on"])
def test_a_build_that_fills_the_disk_ends(then: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "MOST_BUILT", 1024**2)
    filling = "head -c 2000000 /dev/urandom >big\n"
    (folder / "build.sh").write_text(BUILD_SH + filling + then, encoding="utf-8")
    with pytest.raises(SetupError, match="it writes more than 1 MB, or too many files"):
        build_at(folder)


@isolated
def test_an_isolated_build_that_fills_its_home_ends(
    level: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshop, "MOST_BUILT", 1024**2)
    with pytest.raises(SetupError, match="it writes more than 1 MB, or too many files"):
        build_isolated(folder, level, "head -c 2000000 /dev/urandom >$HOME/big\ntail -f /dev/null\n")


def test_what_lay_there_before_a_build_is_not_what_it_writes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshop, "MOST_BUILT", 1024**2)
    (folder / "big").write_bytes(os.urandom(2_000_000))
    assert build_at(folder) == 1


@pytest.mark.parametrize("trap", ["ln -s ../victim", "mkfifo"])
def test_what_is_put_in_the_place_of_the_stamp_leads_nowhere(trap: str, folder: Path) -> None:
    victim = folder.parent / "victim"
    victim.write_text("untouched", encoding="utf-8")
    (folder / "build.sh").write_text(f"{BUILD_SH}{trap} {STAMP}\n", encoding="utf-8")
    assert [build_at(folder), build_at(folder)] == [1, 1]
    assert victim.read_text(encoding="utf-8") == "untouched"
    (folder / STAMP).unlink()
    subprocess.run(f"{trap} {STAMP}", shell=True, check=True, cwd=folder)
    assert build_at(folder) == 2
