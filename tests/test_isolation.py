"""Levels of isolation: which one is taken, what is kept of it, what a bot sees, and what it is told that it misses."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from contextlib import ExitStack
from math import inf
from pathlib import Path
from time import time_ns
from typing import Any

import pytest

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant
from dalang.harness.isolation import folders, levels, restricted, sandbox
from dalang.harness.isolation.cell import (
    FIRST_UID,
    Cell,
    Isolation,
    Leave,
    Room,
    Start,
    Untidy,
    empty,
    opened_folder,
    swept,
    unlock_folder,
)
from dalang.harness.isolation.levels import AUTO, LEVELS, NONE, isolation_that_works, settled
from dalang.harness.isolation.sight import own, sight
from dalang.harness.isolation.usage import bytes_in, entries_below
from tests.leftovers import UPPER, need_level
from tests.test_tournament import STRANGE, command, dalang

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
    err = run(db, "--blocks", "2", "--move-time", "7", "--memory", "99", code=2)
    assert "on other terms: limits.memory was not said, now 103809024; limits.move was 1.0, now 7.0;" in err


MISTAKES = {
    "move = = 1": "line 3 / move = = 1",
    "print('hello')": "instead of a hello",
    "raise ValueError('x' * 999)": "line 3",
}


@pytest.mark.slow
@pytest.mark.parametrize("level", UPPER)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_a_bot_is_shown_with_its_line_and_isolation_is_not_blamed(
    mistake: str, level: str, tmp_path: Path
) -> None:
    need_level(level)
    (tmp_path / "bot.py").write_text(f"import sys\n\n{mistake}\n", encoding="utf-8")
    err = dalang("match", "kali", str(tmp_path / "bot.py"), "first", "--isolate", level, code=2)
    assert MISTAKES[mistake] in err
    assert "--isolate none" not in err
    assert len(err) < 1500


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
        f"lies in {tmp_path / 'mine'}, where mine could read the seed; choose another place with --db" in err
    )


# ---- What a bot sees


def test_a_script_sees_itself_and_what_it_imports_from_beside_it(tmp_path: Path) -> None:
    for name, text in {
        "mine.py": "import near\nfrom far import away\n",
        "far/away.py": "import needed_far_away",
        "needed_far_away.py": "",
        "near.py": "def later():\n    import nearer\n",
        "nearer.py": "",
        "another_bot.py": "",
        "kali.db": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    seen = {path.name for path in own(find_entrant(str(tmp_path / "mine.py"))) if path.parent == tmp_path}
    assert seen == {"mine.py", "near.py", "nearer.py", "far", "needed_far_away.py"}


def test_nobody_sees_the_harness_or_the_folder_in_which_it_runs() -> None:
    seen = sight(find_entrant("seer:5"))
    assert not [place for place in seen if place.name == "harness" or place in (Path.cwd(), Path.home())]


BOT = """\
import sys
import venv
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
    script = tmp_path / "without" / "bot.py"
    [finding] = checked(script, level, code=1)
    assert "put it and the bot into a folder of their own with a bot.toml" in finding["remark"]


@pytest.mark.parametrize("path", ["/", "/proc", "/proc/self/status", "/dev", "/sys/kernel"])
def test_what_the_kernel_tells_of_this_machine_no_bot_can_ask_for(path: str, tmp_path: Path) -> None:
    folder_bot(tmp_path / "bot", "", f'read = ["{path}"]')
    with pytest.raises(SetupError, match="name the files that it needs"):
        find_entrant(str(tmp_path / "bot"))
    seen = sight(Entrant("a", ("/usr/bin/env", path), tmp_path, read=(path,)))
    assert not {Path(path), Path(path).resolve()} & {*seen, *seen.values()}


def test_what_a_bot_may_read_must_be_there(tmp_path: Path) -> None:
    folder_bot(tmp_path / "bot", "", 'read = ["../nothing"]')
    with pytest.raises(SetupError, match=r"read names .*nothing', which is not there"):
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


@pytest.mark.slow
@pytest.mark.parametrize("level", UPPER)
def test_a_bot_below_tmp_reads_its_files_in_every_match(level: str, tmp_path: Path) -> None:
    """What it keeps in /tmp is removed before each, but not the way to what it may read."""
    need_level(level)
    (tmp_path / "late.py").write_text("number = 0\n", encoding="utf-8")
    script = "def choose(request):\n    from late import number\n    return number\n"
    script = f"from dalang.kit import run\n{script}run(choose, name='lazy')\n"
    (tmp_path / "lazy.py").write_text(script, encoding="utf-8")
    flags = ["--isolate", level, "--blocks", "1", "--strict", "--db", str(tmp_path / "lazy.db")]
    dalang("run", "kali", str(tmp_path / "lazy.py"), "first", *flags)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_runs_with_the_python_of_its_own_virtual_environment(level: str, tmp_path: Path) -> None:
    """Not with the one that a link there points to, which knows nothing of its packages."""
    need_level(level)
    venv.create(tmp_path / "own", symlinks=True)
    [packages] = (tmp_path / "own" / "lib").glob("python*/site-packages")
    (packages / "only_here.py").write_text("", encoding="utf-8")
    (tmp_path / "bot.toml").write_text('command = "own/bin/python bot.py"', encoding="utf-8")
    script = (STRANGE / "json_lines.py").read_text(encoding="utf-8")
    (tmp_path / "bot.py").write_text(
        script.replace("import json\n", "import json, only_here\n"), encoding="utf-8"
    )
    match = json.loads(
        dalang("match", "kali", str(tmp_path), "first", "--isolate", level, "--seed", "1", "--json")
    )
    assert match["faults"] == []


def dig(folder: Path, depth: int) -> None:
    """Folders in each other, closed ones; deeper than a path can say."""
    with opened_folder(folder) as outermost:
        inner = os.dup(outermost)
        for _ in range(depth):
            os.mkdir("d", dir_fd=inner)
            with opened_folder("d", inner) as deeper:
                os.fchmod(deeper, 0)
                os.dup2(deeper, inner)
        os.close(inner)


def test_folders_too_deep_to_empty_are_the_bots_own_fault(tmp_path: Path) -> None:
    with folders.scratch_folder(None) as scratch:
        dig(scratch, 600)
        with opened_folder(scratch) as folder, pytest.raises(Untidy):
            swept(folder)


def test_a_scratch_folder_is_looked_through_again_unless_its_clock_shows_that_nothing_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as exits, subprocess.Popen("true") as process:
        cell = restricted.RestrictedCell(process, Room(None), tmp_path, exits)
        cell.sweep()
        assert not cell.empty_since, "another change may have the same time"
        (tmp_path / "at once").touch()
        cell.sweep()
        monkeypatch.setattr(restricted, "time_ns", lambda: time_ns() + 10**9)
        cell.sweep()
        assert cell.empty_since == tmp_path.stat().st_ctime_ns
        monkeypatch.setattr(restricted, "swept", lambda folder: pytest.fail("it is known to be empty"))
        cell.sweep()
        monkeypatch.undo()
        while tmp_path.stat().st_ctime_ns == cell.empty_since:  # the kernel's clock for files has ticks
            (tmp_path / "later").touch()
            (tmp_path / "later").rename(tmp_path / "much later")
        cell.sweep()
    assert list(tmp_path.iterdir()) == []


def test_a_scratch_folder_is_removed_however_deep_and_closed_it_is(temporary: Path) -> None:
    (temporary / "outside").mkdir(mode=0o755)
    with folders.scratch_folder(None) as scratch:
        (scratch / "link").symlink_to(temporary / "outside")
        dig(scratch, 3000)
        scratch.chmod(0)
    assert list(temporary.iterdir()) == [temporary / "outside"]
    assert (temporary / "outside").stat().st_mode & 0o777 == 0o755


def test_a_link_in_the_place_of_a_folder_opens_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    with opened_folder(tmp_path) as folder, pytest.raises(NotADirectoryError):
        unlock_folder("link", folder)
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o755


def test_what_a_bot_has_on_disk_is_counted_while_it_works_there(tmp_path: Path) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "deep" / "deeper" / "file").write_bytes(bytes(100_000))
    entries = entries_below(str(tmp_path))
    assert next(entries).name == "deep"
    shutil.move(tmp_path / "deep", tmp_path / "moved")
    assert [entry.name for entry in entries] == []  # it is gone, which is no reason to stop a run
    assert 100_000 <= bytes_in(tmp_path) < 200_000


def test_folders_too_deep_to_be_counted_are_too_much(temporary: Path) -> None:
    with folders.scratch_folder(None) as scratch:
        dig(scratch, 100)
        assert bytes_in(scratch) == inf


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where scratch folders are made, and looked for anew."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders.remove_leftovers.cache_clear()
    return tmp_path


LEAVING = """\
import os, tempfile
from dalang.harness.isolation.folders import scratch_folder
tempfile.tempdir = {!r}
with scratch_folder(None) as path:
    (path / "closed").mkdir()
    (path / "closed" / "file").touch()
    (path / "closed").chmod(0)
    os.kill(os.getpid(), 9)
"""


def test_what_a_killed_process_left_behind_is_removed_and_nothing_else(temporary: Path) -> None:
    with folders.scratch_folder(None) as living:
        subprocess.run([sys.executable, "-c", LEAVING.format(str(temporary))], check=False)
        others = temporary / "others"
        others.mkdir()
        (temporary / f"{folders.PREFIX}link").symlink_to(others)
        (temporary / f"{folders.PREFIX}file").touch()
        assert len(list(temporary.glob(f"{folders.PREFIX}*"))) == 4
        folders.remove_leftovers.cache_clear()
        with folders.scratch_folder(None) as own:
            left = {path.name for path in temporary.iterdir()}
            assert left == {
                living.name,
                own.name,
                "others",
                f"{folders.PREFIX}link",
                f"{folders.PREFIX}file",
            }
    assert not living.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_a_stranger_is_no_leftover(temporary: Path) -> None:
    theirs, bots = (temporary / f"{folders.PREFIX}{name}" for name in ("theirs", "bots"))
    for folder, owner in ((theirs, 1234), (bots, FIRST_UID)):
        folder.mkdir()
        os.chown(folder, owner, owner)
    folders.remove_leftovers()
    assert list(temporary.iterdir()) == [theirs]


# ---- Bubblewraps of other ages

REAL = shutil.which("bwrap")
OLD_BUBBLEWRAP = """\
#!/bin/sh
case "$*" in
--help) {real} --help | grep --invert-match -e {unknown} ;;
*{unknown}*) echo 'bwrap: Unknown option {unknown}' >&2; exit 1 ;;
*) exec {real} "$@" ;;
esac
"""


def doctor_with(folder: Path, unknown: str) -> Any:
    """What is said of the sandbox where bubblewrap does not know this option."""
    fake = folder / "bwrap"
    fake.write_text(OLD_BUBBLEWRAP.format(real=REAL, unknown=unknown), encoding="utf-8")
    fake.chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    done = subprocess.run(
        command("doctor", "--json"), capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    return next(each for each in json.loads(done.stdout) if each["level"] == "sandbox")


def test_a_bubblewrap_that_cannot_forbid_namespaces_is_good_enough(tmp_path: Path) -> None:
    need_level("sandbox")
    assert doctor_with(tmp_path, "--disable-userns")["works"]


def test_the_option_is_left_out_only_where_it_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root it is not needed, so there the test above would hold without it."""
    need_level("sandbox")
    sandbox.without_more_users.cache_clear()
    assert sandbox.without_more_users() == ("--disable-userns",)
    doctor_with(tmp_path, "--disable-userns")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sandbox.without_more_users.cache_clear()
    assert sandbox.without_more_users() == ()
    sandbox.without_more_users.cache_clear()


def test_a_bubblewrap_that_is_too_old_is_named_as_such(tmp_path: Path) -> None:
    need_level("sandbox")
    problem = doctor_with(tmp_path, "--size")["problem"]
    assert problem == "bwrap: Unknown option --size; this bubblewrap is too old: install 0.7 or newer"
