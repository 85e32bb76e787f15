"""What is sent in: folders that strangers write to, looked at with care, copied before anything of them is run."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path

from dalang.engine.game import SetupError, quoted
from dalang.harness.entrants.building import write_new
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import REFUSED_SUFFIX, find_entrant, from_folder
from dalang.harness.entrants.fingerprint import CHUNK, fingerprint
from dalang.harness.escaping import plain_lines, printable, shortened
from dalang.harness.gate import is_unicode, there
from dalang.harness.league.story import Submission
from dalang.harness.tournament.fitting import cut

LONGEST_FOLDER_NAME = 40
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_.+-]{{0,{LONGEST_FOLDER_NAME - 1}}}")
"""Of a folder that is sent in: what can stand in a table, on a command line and in the name of a file."""
MOST_SENT_FILES, MOST_BYTES = 5000, 256 * 1024 * 1024
"""Of a submission: whoever holds a league has a disk of finite size."""
ANCHOR_MARK = "*"
"""Begins the name of an anchor, and that of no folder."""
NOT_COPIED = ("__pycache__", ".git")
"""What is neither looked at nor copied."""
DEEPEST = 60

Glance = tuple[tuple[str, int, int, int], ...]
"""Names, sizes, modes and times of all files: enough to see that something has changed."""
MOST_REASON = 8000
"""Letters that are kept of why something is refused."""


@dataclass(frozen=True)
class Entrances:
    """Where bots come from: the folder of entrants, and what the organiser keeps as anchors."""

    folder: Path
    versions: Path
    """Where what plays is kept, a copy for each version."""
    anchors: dict[str, str]
    """By name, which begins with a star as that of no folder does, what it is."""

    # ---- Looking

    def look(self) -> dict[str, Submission]:
        anchors = (Submission(name, fingerprint(find_entrant(bot))) for name, bot in self.anchors.items())
        return {each.name: each for each in (*anchors, *map(submission, self.paths()))}

    def paths(self) -> list[Path]:
        """The folders of entrants, in order."""
        hidden = (".", "_")
        return sorted(
            path for path in self.folder.iterdir() if there(path.is_dir) and not path.name.startswith(hidden)
        )

    def glance(self) -> Glance:
        return tuple(seen for folder in self.paths() for seen in glance_at(folder))

    # ---- Versions

    def kept(self, bot: str) -> Path:
        return self.versions / bot

    def copied(self, submission: Submission, bot: str) -> str | None:
        """A copy is made, and what can be given to `dalang check` told; None if it is being changed meanwhile."""
        if submission.name in self.anchors:
            return self.anchors[submission.name]
        target = self.kept(bot)
        shutil.rmtree(target, ignore_errors=True)
        try:
            shutil.copytree(
                self.folder / submission.name,
                target,
                symlinks=True,
                ignore=shutil.ignore_patterns(*NOT_COPIED),
            )
            return str(target) if digest_of(target) == submission.digest else None
        except (OSError, shutil.Error, SetupError):
            return None

    def discard(self, bot: str) -> None:
        shutil.rmtree(self.kept(bot), ignore_errors=True)

    def entrant(self, name: str, bot: str) -> Entrant:
        """The bot as it plays."""
        found = find_entrant(self.anchors[name]) if name in self.anchors else from_folder(self.kept(bot))
        return Entrant(bot, found.command, found.folder, found.env, found.build, found.read)

    # ---- Reasons beside the folders

    def tell_refused(self, name: str, reason: str) -> None:
        write_new(self.folder / f"{name}{REFUSED_SUFFIX}", f"{reason}\n")

    def tell_no_more(self, name: str) -> None:
        (self.folder / f"{name}{REFUSED_SUFFIX}").unlink(missing_ok=True)


def is_anchor(name: str) -> bool:
    return name.startswith(ANCHOR_MARK)


def submission(path: Path) -> Submission:
    name = path.name
    if not NAME.fullmatch(name) or name.endswith(REFUSED_SUFFIX):
        return hopeless(
            shown_name(name),
            f"a name has up to {LONGEST_FOLDER_NAME} letters of A-Z, a-z, 0-9, _ . + -, and {REFUSED_SUFFIX} is not "
            "its end; rename the folder",
        )
    if path.is_symlink():
        return hopeless(name, "it is a link; send in the folder itself")
    try:
        return Submission(name, digest_of(path))
    except SetupError as error:
        return hopeless(name, str(error))
    except OSError as error:
        return hopeless(name, f"{error.filename or name} cannot be read: {error.strerror}")


def hopeless(name: str, problem: str) -> Submission:
    """One that cannot even be tried; it is the same again as long as that is why."""
    reason = reason_to_keep(problem)
    return Submission(name, reason, reason)


def shown_name(name: str) -> str:
    """Of a folder whose name may be any bytes: a text that no folder with a good name has, and no anchor."""
    return cut(printable(name).replace(ANCHOR_MARK, "·"), LONGEST_FOLDER_NAME)


def reason_to_keep(text: str) -> str:
    """As text that every file takes, however much a bot had to say."""
    return shortened(plain_lines(text), MOST_REASON)


def glance_at(folder: Path) -> Glance:
    """Of one that is too large the beginning; of one that cannot be read as much as could be."""
    seen: list[tuple[str, int, int, int]] = []
    with suppress(OSError, SetupError):  # somebody is at work there, or it is refused for this
        for path, status in chain([(folder, folder.lstat())], islice(every(folder), MOST_SENT_FILES)):
            seen.append((str(path), status.st_size, status.st_mode, status.st_mtime_ns))
    return tuple(seen)


def digest_of(folder: Path) -> str:
    """One short text for the names and contents of all its files; SetupError if it holds what a bot has no use for."""
    hash, size = blake2b(digest_size=16), 0
    for number, (path, status) in enumerate(every(folder)):
        size += status.st_size
        if number >= MOST_SENT_FILES or size > MOST_BYTES:
            raise SetupError(f"it has more than {MOST_SENT_FILES} files or {MOST_BYTES // 1024**2} MB")
        check_sent_name(path.relative_to(folder))
        hash.update(os.fsencode(path.relative_to(folder)) + b"\0")
        if stat.S_ISLNK(status.st_mode):
            check_link(path, folder)
            hash.update(b"link" + os.fsencode(path.readlink()))
        elif stat.S_ISREG(status.st_mode):
            hash.update(b"program\0" * bool(status.st_mode & stat.S_IXUSR))
            with path.open("rb") as file:
                for chunk in iter(lambda: file.read(CHUNK), b""):
                    hash.update(chunk)
        elif not stat.S_ISDIR(status.st_mode):
            raise SetupError(f"{path.relative_to(folder)} is neither a file nor a folder")
    return hash.hexdigest()


def check_sent_name(name: Path) -> None:
    if not is_unicode(str(name)):
        raise SetupError(f"{quoted(str(name))} is no name in UTF-8; rename it")


def check_link(path: Path, folder: Path) -> None:
    """Refuse a link that leads anywhere but to what is copied with it: in the copy it would lead elsewhere."""
    name = path.relative_to(folder)
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise SetupError(f"{name} is a link that leads nowhere") from None
    written = Path(os.path.normpath(name.parent / path.readlink()))
    home = folder.resolve()
    if written.is_absolute() or ".." in written.parts or not real.is_relative_to(home):
        raise SetupError(f"{name} is a link that leads out of the folder; send in what it leads to")
    if not {*NOT_COPIED}.isdisjoint(real.relative_to(home).parts):
        raise SetupError(f"{name} is a link to what is not copied")


def every(folder: Path, depth: int = 0) -> Iterator[tuple[Path, os.stat_result]]:
    """All that is in it, in order, without following links."""
    if depth > DEEPEST:
        raise SetupError(f"it has more than {DEEPEST} folders in each other")
    for path in sorted(folder.iterdir()):
        if path.name in NOT_COPIED:
            continue
        status = path.lstat()
        yield path, status
        if stat.S_ISDIR(status.st_mode):
            yield from every(path, depth + 1)
