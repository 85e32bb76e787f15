"""Levels of isolation: which one is taken, what is kept of it, what a bot sees, and what it is told that it misses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.isolation import levels
from dalang.harness.isolation.cell import Cell, Isolation, Leave, Start, Untidy, empty, opened_folder
from dalang.harness.isolation.levels import AUTO, LEVELS, NONE, isolation_that_works, settled
from dalang.harness.isolation.sight import own, sight
from tests.leftovers import UPPER, need_level
from tests.test_tournament import command, dalang

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the upper levels need Linux")


class Broken(Isolation):
    level = "broken"

    def problem(self) -> str:
        return "there is no program bwrap: install bubblewrap"

    def start(self, entrant: Entrant, memory: int | None, start: Start, leave: Leave | None = None) -> Cell:
        raise AssertionError("what does not work is not tried")


# ---- Which level


def test_auto_is_the_strongest_that_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "LEVELS", {"broken": Broken(), "none": NONE})
    assert isolation_that_works(AUTO) is NONE
    chosen = [(each.level, each.works, each.chosen) for each in levels.diagnoses()]
    assert chosen == [("broken", False, False), ("none", True, True)]


def test_a_level_that_was_named_and_does_not_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "LEVELS", {"broken": Broken(), "none": NONE})
    with pytest.raises(SetupError, match="--isolate broken: there is no program bwrap: install bubblewrap"):
        isolation_that_works("broken")
    with pytest.raises(SetupError, match="install bubblewrap"):
        settled(AUTO, "broken")  # a file that was begun elsewhere


def test_without_bubblewrap_the_sandbox_says_what_to_install(tmp_path: Path) -> None:
    for program in ("sh", "setpriv", "prlimit"):
        (tmp_path / program).symlink_to(f"/usr/bin/{program}")
    done = subprocess.run(
        command("match", "kali", "first", "random", "--isolate", "sandbox"),
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "there is no program bwrap: install bubblewrap" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_doctor_knows_every_level() -> None:
    found = json.loads(dalang("doctor", "--json"))
    assert [each["level"] for each in found] == list(LEVELS)
    assert all(each["works"] == (each["problem"] == "") for each in found)
    assert [each["chosen"] for each in found].count(True) == 1


# ---- In a tournament


def run(db: Path, *more: str, code: int = 0) -> str:
    return dalang("run", "kali", "first", "random", "--seed", "1", "--db", str(db), *more, code=code)


@pytest.mark.slow
def test_a_run_that_is_gone_on_with_keeps_its_level(tmp_path: Path) -> None:
    need_level("restricted")
    db = tmp_path / "t.db"
    run(db, "--blocks", "1", "--isolate", "restricted")
    assert "Isolation of the bots: restricted." in run(db, "--blocks", "2")
    assert json.loads(dalang("standings", str(db), "--json"))["tournament"]["isolate"] == "restricted"
    err = run(db, "--blocks", "2", "--isolate", "none", code=2)
    assert "holds a tournament on other terms: isolate was 'restricted', now 'none'" in err


@pytest.mark.slow
def test_a_toml_names_the_level(tmp_path: Path) -> None:
    text = (
        '[tournament]\nblocks = 1\nisolate = "{}"\n[game]\nname = "kali"\n' + '[[bot]]\nbot = "first"\n' * 2
    )
    (tmp_path / "t.toml").write_text(text.format("none"), encoding="utf-8")
    (tmp_path / "wrong.toml").write_text(text.format("sandbx"), encoding="utf-8")
    assert "Isolation" not in dalang("run", "t.toml", cwd=tmp_path)
    assert "did you mean 'sandbox'" in dalang("run", "wrong.toml", cwd=tmp_path, code=2)


def test_the_file_must_not_lie_in_the_folder_of_a_bot(tmp_path: Path) -> None:
    need_level("sandbox")
    dalang("new", "mine", cwd=tmp_path)
    err = dalang("run", "kali", ".", "random", "--isolate", "sandbox", cwd=tmp_path / "mine", code=2)
    assert (
        "lies in the folder of mine, which could read the seed there; choose another place with --db" in err
    )


# ---- What a bot sees


def test_a_script_sees_itself_and_what_it_imports_from_beside_it(tmp_path: Path) -> None:
    for name, text in {
        "mine.py": "import near\nfrom far import away\n",
        "near.py": "def later():\n    import nearer\n",
        "nearer.py": "",
        "another_bot.py": "",
        "kali.db": "",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "far").mkdir()
    seen = {path.name for path in own(find_entrant(str(tmp_path / "mine.py"))) if path.parent == tmp_path}
    assert seen == {"mine.py", "near.py", "nearer.py", "far"}


def test_nobody_sees_the_harness_or_the_folder_in_which_it_runs() -> None:
    seen = sight(find_entrant("seer:5"))
    assert not [place for place in seen if place.name == "harness" or place in (Path.cwd(), Path.home())]


BOT = """\
import sys
from dalang.kit import run
{}
run(lambda request: 0, name="mine")
"""


def folder_bot(folder: Path, line: str, config: str = "") -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(f'command = "python3 bot.py"\n{config}', encoding="utf-8")
    (folder / "bot.py").write_text(BOT.format(line), encoding="utf-8")
    return folder


def checked(bot: Path, level: str, code: int = 0) -> Any:
    done = subprocess.run(
        command("check", str(bot), "--game", "kali", "--isolate", level, "--json"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("level", UPPER)
def test_a_bot_that_misses_a_file_is_told_how_to_allow_it(level: str, tmp_path: Path) -> None:
    need_level(level)
    (tmp_path / "openings.txt").write_text("1. draw", encoding="utf-8")
    line = f"open({str(tmp_path / 'openings.txt')!r}).read()"
    [finding] = checked(folder_bot(tmp_path / "without", line), level, code=1)
    assert f'allow it with read = ["{tmp_path / "openings.txt"}"]' in finding["remark"]
    checked(folder_bot(tmp_path / "with", line, 'read = ["../openings.txt"]'), level)


def test_what_a_bot_may_read_must_be_there(tmp_path: Path) -> None:
    folder_bot(tmp_path / "bot", "", 'read = ["../nothing"]')
    with pytest.raises(SetupError, match=r"read names .*nothing, which is not there"):
        find_entrant(str(tmp_path / "bot"))
    assert Entrant.of_data(Entrant("a", ("b",), read=("/c",)).data()).read == ("/c",)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_the_environment_is_clean_at_every_level(level: str, tmp_path: Path) -> None:
    need_level(level)
    line = 'import os; sys.exit(" ".join(sorted(os.environ))) if "TOKEN" in os.environ else None'
    bot = folder_bot(tmp_path / "bot", line, "env = { DEPTH = 3 }")
    done = subprocess.run(
        command("match", "kali", str(bot), "random", "--isolate", level, "--json"),
        capture_output=True,
        text=True,
        env={**os.environ, "TOKEN": "secret"},
    )
    assert done.returncode == 0, done.stderr


# ---- Scratch folders


def test_a_scratch_folder_is_emptied_and_no_link_leads_out_of_it(tmp_path: Path) -> None:
    outside, scratch = tmp_path / "outside", tmp_path / "scratch"
    for folder in (outside, scratch, scratch / "deep" / "deeper"):
        folder.mkdir(parents=True)
    (outside / "kept").touch()
    (scratch / "deep" / "deeper" / "file").touch()
    (scratch / "deep").chmod(0)
    (scratch / "link").symlink_to(outside)
    with opened_folder(scratch) as folder:
        empty(folder, os.fstat(folder).st_dev, deadline=float("inf"))
        assert list(scratch.iterdir()) == []
        (scratch / "one too many").touch()
        with pytest.raises(Untidy):
            empty(folder, 0, deadline=0.0)
    assert (outside / "kept").exists()
