"""Bots that must be built: when that happens, what it may change, and how it fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dalang.engine.game import SetupError
from dalang.harness.entrants import building
from dalang.harness.entrants.building import build
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.entrants.fingerprint import fingerprint
from tests.leftovers import gone

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
    build(find_entrant(str(folder)), print)
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
    monkeypatch.setattr(building, "LONGEST_BUILD", 0.2)
    with pytest.raises(SetupError, match=r"^bot cannot be built: .* timed out"):
        build(find_entrant(str(folder)), print)
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
            build(find_entrant(str(folder)), print)
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
        build(find_entrant(str(folder)), print)
    (folder / "build.sh").write_text(BUILD_SH, encoding="utf-8")
    assert build_at(folder) == 2


def test_a_builder_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "bot.toml").write_text(BOT_TOML.replace("sh build.sh", "no-such-compiler"), encoding="utf-8")
    with pytest.raises(SetupError, match="bot cannot be built: there is no program 'no-such-compiler'"):
        build(find_entrant(str(folder)), print)


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
