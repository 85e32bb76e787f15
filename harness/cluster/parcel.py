"""Bots that travel: what an entrant is made of as one archive, and the entrant that another machine makes of it."""

from __future__ import annotations

import fcntl
import io
import os
import shutil
import sys
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any

from dalang.engine.game import Plain, SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import find_entrant, from_file, from_folder
from dalang.harness.entrants.fingerprint import fingerprint, is_bundled, own_files
from dalang.harness.isolation.levels import find_isolation
from dalang.harness.isolation.workshop import Workshop

MOST_ARCHIVE_BYTES = 256 * 1024 * 1024
"""Of a bot that travels, before it is packed."""
TAR_OVERHEAD = 2**20
PLAIN_FILE, PROGRAM = 0o644, 0o755


@dataclass(frozen=True)
class Parcel:
    """How an entrant travels."""

    name: str
    bot: str
    """A bundled bot by its name; a script by the name of its file; nothing for a folder."""
    archive: str
    """The name of the archive: what the bot is, and what is in it; nothing for a bundled bot."""
    env: dict[str, str]
    """What its environment has besides what its own bot.toml says."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """What it may use, where that differs from what all may."""

    def data(self) -> Plain:
        return {**vars(self), "limits": dict(self.limits)}


def parcel_of(entrant: Entrant) -> tuple[Parcel, bytes]:
    """What travels, and the archive; an archive is always the same for the same files."""
    if is_bundled(entrant):
        return Parcel(entrant.name, bundled_name(entrant), "", dict(entrant.env), entrant.limits), b""
    root, script, env = origin(entrant)
    content = packed_files(entrant, root)
    name = f"{fingerprint(entrant).replace(':', '-')}-{checksum(content)}"
    return Parcel(entrant.name, script, name, env, entrant.limits), content


def bundled_name(entrant: Entrant) -> str:
    """As it is typed."""
    script, *budget = entrant.command[2:]
    name = Path(script).name.removesuffix("_bot.py")
    separator = "@" if budget and budget[0].endswith("s") else ":"
    return separator.join([name, *budget])


def origin(entrant: Entrant) -> tuple[Path, str, dict[str, str]]:
    """The folder that travels, the script in it if it is one, and what was added to its environment."""
    if entrant.folder:
        own = from_folder(entrant.folder).env
        return entrant.folder, "", {key: value for key, value in entrant.env.items() if own.get(key) != value}
    match entrant.command:
        case (sys.executable, script) if script.endswith(".py"):
            return Path(script).parent, Path(script).name, dict(entrant.env)
    raise SetupError(
        f"{entrant.name} is a program or a command line of this machine, and other machines have no such files; put "
        "all it needs into a folder with a bot.toml, and enter the folder"
    )


def packed_files(entrant: Entrant, root: Path) -> bytes:
    """Neither times nor owners are kept, so that the same files are the same archive."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for path in sorted(own_files(entrant)):
            data = path.read_bytes()
            member = tarfile.TarInfo(str(PurePosixPath(path.relative_to(root))))
            member.size = len(data)
            member.mode = PROGRAM if os.access(path, os.X_OK) else PLAIN_FILE
            archive.addfile(member, io.BytesIO(data))
    if content.tell() > MOST_ARCHIVE_BYTES:
        raise SetupError(f"{entrant.name} is larger than {MOST_ARCHIVE_BYTES // 2**20} MB, and cannot travel")
    return zlib.compress(content.getvalue())  # unlike gzip it keeps no time


def checksum(content: bytes) -> str:
    """It knows also what a fingerprint does not look at: in which folder a file lies, and whether it is a program."""
    return blake2b(content, digest_size=16).hexdigest()


def is_whole(archive: str, content: bytes) -> bool:
    return archive.endswith(f"-{checksum(content)}")


# ---- On the other machine


def cache() -> Path:
    """Where bots of others are kept on this machine."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "dalang" / "bots"


def entrant_of(parcel: Parcel, isolation: str, network: bool, anew: bool = True) -> Entrant:
    """The entrant on this machine, unpacked and built, under its name in the tournament; SetupError if it cannot be.

    Unless `anew`, others play with what is there already, and it is left as it is.
    """
    if not parcel.archive:
        return named(find_entrant(parcel.bot), parcel)
    with alone_with(parcel.archive) as folder:
        if anew or not folder.is_dir():
            unpack(folder, parcel.bot)
        found = named(entrant_in(folder, parcel.bot), parcel)
        Workshop(find_isolation(isolation), network).prepare([found], lambda text: None)
    return found


def entrant_in(folder: Path, script: str) -> Entrant:
    return from_file(folder / script) if script else from_folder(folder)


def named(entrant: Entrant, parcel: Parcel) -> Entrant:
    return replace(entrant, name=parcel.name, env={**entrant.env, **parcel.env}, limits=parcel.limits)


@contextmanager
def alone_with(archive: str) -> Iterator[Path]:
    """The folder of an archive, while nobody else on this machine unpacks or builds it."""
    cache().mkdir(parents=True, exist_ok=True, mode=0o700)
    with (cache() / f"{archive}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield cache() / archive


def is_kept(archive: str) -> bool:
    return not archive or archive_file(cache() / archive).is_file()


def archive_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.tar.z")


def keep(archive: str, content: bytes) -> None:
    """An archive has come: it is there as a whole, or not at all."""
    if not is_whole(archive, content):
        raise SetupError(f"{archive} did not arrive as it was sent; run the same command again")
    with alone_with(archive) as folder, tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        (Path(scratch) / "archive").write_bytes(content)
        (Path(scratch) / "archive").rename(archive_file(folder))


def unpack(folder: Path, script: str) -> None:
    """Have the files there as they were packed; what somebody has changed since is unpacked anew."""
    content = archive_file(folder).read_bytes()
    if not is_whole(folder.name, content):
        archive_file(folder).unlink()
        raise SetupError(f"{archive_file(folder)} was spoilt; run the same command again")
    if is_unpacked(folder, content, script):
        return
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        extract(content, Path(scratch) / "bot")
        shutil.rmtree(folder, ignore_errors=True)
        (Path(scratch) / "bot").rename(folder)


def is_unpacked(folder: Path, content: bytes, script: str) -> bool:
    """Whether every file of the archive is there as it was packed, and nothing was added to them."""
    with reading(content) as archive:
        packed = archive.getmembers()
        return (
            folder.is_dir()
            and all(is_same_file(folder, archive, member) for member in packed)
            and not has_more(entrant_in(folder, script), {folder / member.name for member in packed})
        )


def has_more(entrant: Entrant, packed: set[Path]) -> bool:
    """Whether somebody has added files to a bot; those that its build adds belong there."""
    return not entrant.build and own_files(entrant) != packed


def is_same_file(folder: Path, archive: tarfile.TarFile, member: tarfile.TarInfo) -> bool:
    path, packed = folder / member.name, archive.extractfile(member)
    assert packed
    return path.is_file() and not path.is_symlink() and path.read_bytes() == packed.read()


def extract(content: bytes, folder: Path) -> None:
    """Only plain files, and none outside of the folder."""
    with reading(content) as archive:
        members = archive.getmembers()
        for member in members:
            check_member(member)
        folder.mkdir()
        archive.extractall(folder, members, filter="data")


def check_member(member: tarfile.TarInfo) -> None:
    path = PurePosixPath(member.name)
    if not member.isfile() or path.is_absolute() or ".." in path.parts:
        raise SetupError(f"the archive of a bot holds {member.name!r}, which is no file of its folder")


@contextmanager
def reading(content: bytes) -> Iterator[tarfile.TarFile]:
    try:
        content = zlib.decompressobj().decompress(content, MOST_ARCHIVE_BYTES + TAR_OVERHEAD)
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            yield archive
    except (tarfile.TarError, zlib.error, OSError, EOFError) as error:
        raise SetupError(f"the archive of a bot cannot be read: {error}") from error
