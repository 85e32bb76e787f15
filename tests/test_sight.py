"""What a bot gets to see because it asks for it: the organiser is told, and the tournament's own file is never it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dalang.harness.entrants.finding import find_entrant
from dalang.harness.entrants.fingerprint import MARK, fingerprint
from dalang.harness.isolation import restricted
from dalang.harness.isolation import sight as sight_module
from dalang.harness.isolation.sight import granted, sight
from tests.beach import BEACH
from tests.leftovers import UPPER, need_level
from tests.test_tournament import STRANGE, command, dalang

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the upper levels need Linux")

PYTHON_BOT = 'command = "python3 bot.py"\n'


def folder_bot(folder: Path, config: str = PYTHON_BOT) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(config, encoding="utf-8")
    (folder / "bot.py").write_text((STRANGE / "json_lines.py").read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def asked_for(bot: Path) -> list[Path]:
    return granted(find_entrant(str(bot)))


# ---- Games


def test_the_games_of_others_are_seen_by_all_wherever_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python finds a module only where it may list the folder."""
    monkeypatch.setattr(sight_module, "added_modules", lambda: [BEACH.state.__module__])
    seen = sight(find_entrant("random"))
    assert Path(__file__).parent in seen
    assert Path(__file__).parent.parent in restricted.kept(seen, []).listable


# ---- What is asked for


def test_who_asks_for_nothing_gets_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import helper\n", encoding="utf-8")
    (tmp_path / "helper.py").touch()
    for bot in (Path("seer:5"), tmp_path / "script.py", folder_bot(tmp_path / "bot")):
        assert asked_for(bot) == []


@pytest.mark.parametrize("named", ["{place}/book", "../book"])
@pytest.mark.parametrize(
    "config", ['read = ["{}"]', 'command = "python3 bot.py {}"'], ids=["read", "command"]
)
def test_a_file_outside_its_folder_is_seen_and_told(config: str, named: str, tmp_path: Path) -> None:
    (tmp_path / "book").touch()
    config = config.format(named.format(place=tmp_path))
    bot = folder_bot(tmp_path / "bot", config if "command" in config else PYTHON_BOT + config)
    assert asked_for(bot) == [tmp_path / "book"]
    assert tmp_path / "book" in sight(find_entrant(str(bot)))


def test_what_a_virtual_environment_says_that_it_was_made_from_is_told(tmp_path: Path) -> None:
    (tmp_path / "private" / "bin").mkdir(parents=True)
    bot = folder_bot(tmp_path / "bot", 'command = "own/bin/python bot.py"')
    (bot / "own" / "bin").mkdir(parents=True)
    (bot / "own" / "bin" / "python").symlink_to(sys.executable)
    (bot / "own" / "pyvenv.cfg").write_text(f"home = {tmp_path}/private/bin\n", encoding="utf-8")
    assert asked_for(bot) == [tmp_path / "private"]


def test_a_whole_folder_that_a_script_imports_is_told(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "script.py").write_text("import letters\n", encoding="utf-8")
    assert asked_for(tmp_path / "script.py") == [tmp_path / "letters"]


@pytest.mark.slow
@pytest.mark.parametrize("level", UPPER)
def test_every_command_that_plays_says_what_a_bot_asks_for(level: str, tmp_path: Path) -> None:
    need_level(level)
    (tmp_path / "book").touch()
    folder_bot(tmp_path / "mine", f'{PYTHON_BOT}read = ["../book"]')
    for words in (
        ["match", "kali", "mine", "first"],
        ["check", "mine", "--game", "kali"],
        ["run", "kali", "mine", "first", "--blocks", "1"],
        ["compare", "kali", "mine", "first", "--max-blocks", "2"],
    ):
        done = subprocess.run(
            command(*words, "--isolate", level), capture_output=True, text=True, cwd=tmp_path, timeout=300
        )
        told = [line for line in done.stderr.splitlines() if "asks for" in line]
        assert told == [f"mine asks for more than its own files, and may read {tmp_path}/book"], done.stderr


# ---- The file


@pytest.mark.slow
@pytest.mark.parametrize(
    "config",
    [
        f'{PYTHON_BOT}read = [".."]',
        'command = "python3 bot.py ../t.db"',
        'command = "python3 bot.py {place}/t.db-wal"',
        'command = "python3 bot.py ../link"',
        PYTHON_BOT + 'build = "cp {place}/t.db ."',
    ],
    ids=["read", "named", "beside it", "by a link", "while it is built"],
)
def test_no_bot_reads_the_file_whatever_it_asks_for(config: str, tmp_path: Path) -> None:
    need_level("sandbox")
    (tmp_path / "link").symlink_to("t.db")
    bot = folder_bot(tmp_path / "mine", config.format(place=tmp_path))
    assert_refused(bot, tmp_path / "t.db")


def test_no_script_imports_the_folder_of_the_file(tmp_path: Path) -> None:
    need_level("sandbox")
    (tmp_path / "results").mkdir()
    (tmp_path / "mine.py").write_text("import results\n", encoding="utf-8")
    assert_refused(tmp_path / "mine.py", tmp_path / "results" / "t.db")


def assert_refused(bot: Path, db: Path) -> None:
    err = dalang("run", "kali", str(bot), "first", "--isolate", "sandbox", "--db", str(db), code=2)
    assert "where mine could read the seed; choose another place with --db" in err
    assert len(err.splitlines()) == 1
    assert not db.exists()


# ---- Words that are no files


def test_a_word_too_long_for_the_name_of_a_file_is_none() -> None:
    entrant = find_entrant(f"python3 -c {'x' * 5000}")
    assert granted(entrant) == []
    assert fingerprint(entrant).startswith(MARK)
