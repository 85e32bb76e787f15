"""Bots that travel: what arrives is what was sent, and nothing of it lands elsewhere."""

from __future__ import annotations

import io
import shutil
import sys
import tarfile
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from dalang.engine.game import SetupError
from dalang.harness.cluster import parcel as parcels
from dalang.harness.cluster.parcel import (
    Parcel,
    archive_file,
    cache,
    entrant_of,
    extract,
    is_kept,
    keep,
    parcel_of,
)
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot with a build, what it has built before, and what nobody else needs."""
    folder = tmp_path / "bot"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "data").write_bytes(bytes(range(256)))
    (folder / "tool").write_text("#!/bin/sh\nmkdir -p out && cp bot.py out\n")
    (folder / "tool").chmod(0o755)
    shutil.copy(ROOT / "examples" / "mine.py", folder / "bot.py")
    (folder / "bot.toml").write_text('command = "python out/bot.py"\nbuild = "./tool"\nenv = { A = "1" }\n')
    (folder / "out").mkdir()
    (folder / "out" / "old").touch()
    (folder / ".secret").touch()
    return folder


def arrived(entrant: Entrant, isolation: str = "none") -> Entrant:
    return entrant_of(Parcel(**sent(entrant).data()), isolation, network=False)


def sent(entrant: Entrant) -> Parcel:
    parcel, content = parcel_of(entrant)
    if parcel.archive:
        keep(parcel.archive, content)
    return parcel


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_folder_arrives_with_its_files_and_is_built_there(folder: Path) -> None:
    there = arrived(replace(find_entrant(f"mine={folder}"), env={"A": "1", "B": "2"}, limits={"move": 2.0}))
    assert there.limits == {"move": 2.0}
    assert there.name == "mine" and there.env == {"A": "1", "B": "2"}
    assert there.folder and there.folder.parent == cache() and there.folder != folder
    assert files(there.folder) == [
        ".dalang-built", "bot.py", "bot.toml", "deep/er/data", "out/bot.py", "tool",
    ]  # fmt: skip
    assert (there.folder / "deep" / "er" / "data").read_bytes() == bytes(range(256))
    assert there.command == (sys.executable, "out/bot.py")


def test_the_same_files_are_the_same_archive_and_travel_once(folder: Path) -> None:
    entrant = find_entrant(str(folder))
    parcel, content = parcel_of(entrant)
    (folder / "bot.py").touch()
    assert parcel_of(entrant) == (parcel, content)
    assert not is_kept(parcel.archive)
    keep(parcel.archive, content)
    assert is_kept(parcel.archive)
    first = entrant_of(parcel, "none", network=False)
    assert entrant_of(parcel, "none", network=False) == first
    (folder / "bot.py").write_text("other")
    assert parcel_of(entrant)[0].archive != parcel.archive


def test_a_file_that_has_moved_or_become_a_program_is_another_archive(folder: Path) -> None:
    """A fingerprint does not tell them apart."""
    before = sent(find_entrant(str(folder)))
    (folder / "bot.py").chmod(0o755)
    became_a_program = sent(find_entrant(str(folder)))
    (folder / "deep" / "er" / "data").rename(folder / "deep" / "data")
    moved = sent(find_entrant(str(folder)))
    assert len({before.archive, became_a_program.archive, moved.archive}) == 3
    for parcel, has_moved in ((before, False), (became_a_program, False), (moved, True)):
        there = entrant_of(parcel, "none", network=False).folder
        assert there and (there / "deep" / "data").exists() == has_moved


def test_files_that_were_changed_there_are_unpacked_anew(folder: Path) -> None:
    parcel = sent(find_entrant(str(folder)))
    there = entrant_of(parcel, "none", network=False)
    assert there.folder
    (there.folder / "bot.py").write_text("spoilt")
    (there.folder / "deep" / "er" / "data").unlink()
    (there.folder / "deep" / "er" / "data").symlink_to("/etc/passwd")
    entrant_of(parcel, "none", network=False)
    assert (there.folder / "bot.py").read_text() == (folder / "bot.py").read_text()
    assert (there.folder / "deep" / "er" / "data").read_bytes() == bytes(range(256))


def test_what_a_bot_has_added_to_its_files_is_gone_the_next_time(folder: Path) -> None:
    """But not while others of the same run play with them."""
    (folder / "bot.toml").write_text('command = "python bot.py"\n')
    parcel = sent(find_entrant(str(folder)))
    there = entrant_of(parcel, "none", network=False).folder
    assert there
    (there / "learnt").touch()
    entrant_of(parcel, "none", network=False, anew=False)
    assert (there / "learnt").exists()
    entrant_of(parcel, "none", network=False)
    assert files(there) == ["bot.py", "bot.toml", "deep/er/data", "out/old", "tool"]


def test_a_script_arrives_with_what_it_imports_from_beside_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "clever.py").write_text("import helper\n")
    (home / "helper.py").write_text("HELP = 1\n")
    (home / "stranger.py").write_text("")
    there = arrived(find_entrant(f"c={home / 'clever.py'}"))
    script = Path(there.command[1])
    assert there.name == "c" and there.command[0] == sys.executable
    assert files(script.parent) == ["clever.py", "helper.py"]


@pytest.mark.parametrize("bot", ["first", "seer:100", "seer@0.2s"])
def test_a_bundled_bot_travels_by_its_name(bot: str) -> None:
    entrant = find_entrant(f"x={bot}")
    parcel, content = parcel_of(entrant)
    assert (parcel.bot, parcel.archive, content) == (bot, "", b"")
    assert arrived(entrant) == entrant


def test_programs_and_command_lines_of_this_machine_do_not_travel(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for bot in (f"p={program}", f"p=python {ROOT / 'examples' / 'mine.py'} --fast", "p=cat"):
        with pytest.raises(SetupError, match=r"^p is a program or a command line of this machine.*bot\.toml"):
            parcel_of(find_entrant(bot))


def test_a_bot_that_is_too_large_does_not_travel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcels, "MOST_ARCHIVE_BYTES", 1000)
    with pytest.raises(SetupError, match="cannot travel"):
        parcel_of(find_entrant(str(folder)))


# ---- What a stranger may have packed


def archive_of(*members: tarfile.TarInfo) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return zlib.compress(content.getvalue())


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname, found.size = kind, link, 0 if link else 1
    return found


@pytest.mark.parametrize(
    "bad",
    [
        member("/etc/cron.d/x"),
        member("../x"),
        member("a/../../x"),
        member("link", tarfile.SYMTYPE, "/etc"),
        member("link", tarfile.LNKTYPE, "../../x"),
        member("device", tarfile.CHRTYPE, "x"),
    ],
)
def test_nothing_lands_outside_of_the_folder(bad: tarfile.TarInfo, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="which is no file of its folder"):
        extract(archive_of(member("good"), bad), tmp_path / "inside")
    assert not (tmp_path / "inside").exists() and not (tmp_path / "x").exists()


@pytest.mark.parametrize("content", [b"", b"no archive", zlib.compress(b"no tar" * 200)])
def test_what_is_no_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be read"):
        extract(content, tmp_path / "inside")


def test_what_was_changed_on_the_way_is_refused(folder: Path) -> None:
    parcel, content = parcel_of(find_entrant(str(folder)))
    with pytest.raises(SetupError, match="did not arrive as it was sent"):
        keep(parcel.archive, content[:-1] + b"!")
    assert not is_kept(parcel.archive)


def test_what_was_spoilt_there_is_sent_anew(folder: Path) -> None:
    parcel = sent(find_entrant(str(folder)))
    archive_file(cache() / parcel.archive).write_bytes(b"spoilt")
    with pytest.raises(SetupError, match="was spoilt; run the same command again"):
        entrant_of(parcel, "none", network=False)
    assert not is_kept(parcel.archive)
