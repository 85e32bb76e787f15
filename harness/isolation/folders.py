"""Folders on disk that a program may write to: a scratch folder for it alone, and who owns what is in its own."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.cell import FIRST_UID, FOLDER, opened_folder, unlock_folder

PREFIX = "dalang-scratch-"


@contextmanager
def scratch_folder(user: int | None) -> Iterator[Path]:
    """A folder of this user's; locked as long as we live, so that others see when we have left it behind."""
    remove_leftovers()
    path, lock = locked_folder()
    try:
        if user is not None:
            os.chown(path, user, user)
        yield path
    finally:
        remove(path, lock)
        os.close(lock)


@contextmanager
def workplace(entrant: Entrant, user: int | None) -> Iterator[Path]:
    """A home for a build, which may also write to the entrant's own folder."""
    assert entrant.folder
    with lent(entrant.folder, user), scratch_folder(user) as home:
        yield home


def locked_folder() -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX))
        with suppress(FileNotFoundError):
            folder = os.open(path, FOLDER)
            if is_free(folder) and os.fstat(folder).st_nlink:  # nobody took it for a leftover meanwhile
                return path, folder
            os.close(folder)


def is_free(folder: int) -> bool:
    """Whether nobody has it locked; from now on we have."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove(path: Path, folder: int) -> None:
    """What is in the open folder, and the folder if it is still there: no link leads us elsewhere."""
    with suppress(OSError):
        os.fchmod(folder, 0o700)
        while names := names_in(folder):
            for name in names:
                remove_one(name, folder)
        path.rmdir()


def remove_one(name: str, within: int) -> None:
    """Of a folder the outermost shell: what is in it comes to lie beside it, so that none is too deep for us."""
    if not is_folder(name, within):
        os.unlink(name, dir_fd=within)
        return
    unlock_folder(name, within)
    with opened_folder(name, within) as inner:
        for each in names_in(inner):
            if is_folder(each, inner):
                unlock_folder(each, inner)  # who moves one must be allowed to write to it
            os.rename(each, secrets.token_hex(), src_dir_fd=inner, dst_dir_fd=within)
    os.rmdir(name, dir_fd=within)


def names_in(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def is_folder(name: str, within: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode)


@cache
def remove_leftovers() -> None:
    """What those left behind who were killed: folders of ours, or of our bots, that nobody has locked."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError), opened_folder(path) as folder:
            if is_ours(os.fstat(folder).st_uid) and is_free(folder):
                remove(path, folder)


def is_ours(owner: int) -> bool:
    return owner == os.geteuid() or (os.geteuid() == 0 and owner >= FIRST_UID)


# ---- Owners


@contextmanager
def lent(folder: Path, user: int | None) -> Iterator[None]:
    """A folder and what is in it belongs to this user; afterwards all that is his to whom the folder belonged."""
    if user is None:
        yield
        return
    owner = folder.stat()
    change_owner(folder, user, user, lambda file: not is_shared(file))
    try:
        yield
    finally:
        change_owner(folder, owner.st_uid, owner.st_gid, lambda file: file.st_uid == user)


def is_shared(file: os.stat_result) -> bool:
    """Whether it may be a file of other folders as well."""
    return stat.S_ISREG(file.st_mode) and file.st_nlink > 1


def change_owner(folder: Path, user: int, group: int, wanted: Callable[[os.stat_result], bool]) -> None:
    """Links are not followed."""
    try:
        for _, folders, files, descriptor in os.fwalk(folder):
            for name in (".", *folders, *files):
                with suppress(FileNotFoundError):
                    if wanted(os.stat(name, dir_fd=descriptor, follow_symlinks=False)):
                        os.chown(name, user, group, dir_fd=descriptor, follow_symlinks=False)
    except RecursionError:
        raise OSError(f"{folder} has folders too deep to look through") from None
