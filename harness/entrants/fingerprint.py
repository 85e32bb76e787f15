"""Which files a bot is made of, told as one short text."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Set
from glob import escape
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.modules import modules_beside
from dalang.harness.gate import oddity, there

COMPILED = {"__pycache__"}
LEFT_OUT = COMPILED | {"target", "node_modules", "build", "dist", "out", "bin", "obj"}
"""Folders that a build fills; what they hold follows from the rest."""
CHUNK = 1 << 20


def fingerprint(entrant: Entrant) -> str:
    """One short text for everything the bot is made of: its command, its environment, its files."""
    return f"{BUNDLED_MARK if is_bundled(entrant) else MARK}{print_of(entrant, own_files(entrant))}"


BUNDLED_MARK = "bundled:"
"""Begins the fingerprint of a bundled bot: without it, dalang 0.1.0 made it of the place of installation, too."""
MARK = "whole:"
"""Begins that of any other: without it, less of its files was looked at."""


def print_of(entrant: Entrant, paths: Iterable[Path]) -> str:
    environment = [f"{key}={value}" for key, value in sorted(entrant.env.items())]
    return digest([*map(without_place, entrant.command[1:]), *environment], paths)


def earlier_fingerprints(entrant: Entrant) -> set[str]:
    """As they were made before they had a mark: of fewer files, and some links to programs were followed."""
    if entrant.folder:
        return {print_of(entrant, files_in(entrant.folder, LEFT_OUT))}
    named, program = named_files(entrant), Path(entrant.command[0])
    followed = {path.resolve() if path == program else path for path in named}
    return {print_of(entrant, named), print_of(entrant, followed)}


def is_bundled(entrant: Entrant) -> bool:
    return any(Path(word).parent == BOTS for word in entrant.command)


def without_place(word: str) -> str:
    """A bundled bot is the same wherever dalang is installed."""
    return Path(word).name if Path(word).parent == BOTS else word


def digest(texts: Iterable[str], paths: Iterable[Path]) -> str:
    """One short text for these texts and the names and contents of these files."""
    hash = blake2b(digest_size=16)
    for text in texts:
        hash.update(f"{text}\0".encode())
    for path in sorted(paths):
        hash.update(os.fsencode(path.name) + b"\0")
        for chunk in content(path):
            hash.update(chunk)
    return hash.hexdigest()


def content(path: Path) -> Iterator[bytes]:
    """In parts: a file may be larger than memory."""
    if odd := oddity(path):
        raise unreadable(path, odd)
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except OSError as error:
        raise unreadable(path, error.strerror) from error


def unreadable(path: Path, why: str | None) -> SetupError:
    return SetupError(
        f"{path} cannot be read: {why}; a bot is all the files in its folder, so make it readable or take it out"
    )


def own_files(entrant: Entrant) -> set[Path]:
    """The files of its folder, or those that its command names and what these import from beside them."""
    if entrant.folder:
        return files_in(entrant.folder, LEFT_OUT if entrant.build else COMPILED)
    named = named_files(entrant)
    return named.union(*(modules(path, set()) if path.parent == BOTS else beside(path) for path in named))


def named_files(entrant: Entrant) -> set[Path]:
    return {Path(word) for word in entrant.command if there(Path(word).is_file) and word != sys.executable}


def beside(script: Path) -> set[Path]:
    """The files that a script in Python imports from its folder."""
    found = modules_beside(script, set()) if script.suffix == ".py" else set()
    folders = {path for path in found if path.is_dir()}
    files = found - folders
    inside = {file for folder in folders for file in files_in(folder, COMPILED)}
    return files | inside | {compiled for file in files for compiled in taken_for(file)}


def taken_for(module: Path) -> Iterator[Path]:
    """The compiled files that Python takes for this module without looking at it."""
    for folder in COMPILED:
        yield from filter(is_taken_unseen, (module.parent / folder).glob(f"{escape(module.stem)}.*.pyc"))


SOURCE_STATED, SOURCE_CHECKED = 0b01, 0b10
"""Flags of a compiled file (PEP 552): it names a hash of its source; Python compares that."""


def is_taken_unseen(path: Path) -> bool:
    """Whether this is a compiled file that Python takes without looking at its source: what it holds decides."""
    if path.suffix != ".pyc" or oddity(path):
        return False
    try:
        with path.open("rb") as file:
            flags = int.from_bytes(file.read(8)[4:], "little")
    except OSError:
        return False  # nor can Python read it
    return flags & (SOURCE_STATED | SOURCE_CHECKED) == SOURCE_STATED


def files_in(folder: Path, left_out: Set[str]) -> set[Path]:
    try:
        return {
            path for path in folder.rglob("*") if there(path.is_file) and not is_made(path, folder, left_out)
        }
    except RecursionError:
        raise SetupError(f"{folder} has folders too deep to look through; remove them") from None


DALANG = Path(str(files("dalang")))
"""Where the package is installed."""
BOTS = DALANG / "bots"
IMPORTS = re.compile(r"^from dalang\.(bots[.\w]*|kit) import (.+)", re.MULTILINE)


def modules(script: Path, found: set[Path]) -> set[Path]:
    """A bundled script and the modules beside it that it imports, directly or not."""
    found.add(script)
    for package, names in IMPORTS.findall(script.read_text(encoding="utf-8")):
        folder = DALANG.joinpath(*package.split("."))
        if folder == BOTS:
            inside = [folder / f"{name.strip()}.py" for name in ["__init__", *names.split(",")]]
        else:
            inside = sorted(folder.glob("*.py"))  # of a package any module may be loaded later
        for path in (folder.with_suffix(".py"), *inside):
            if path.is_file() and path not in found:
                modules(path, found)
    return found


def is_made(path: Path, folder: Path, left_out: Set[str]) -> bool:
    parts = path.relative_to(folder).parts
    if any(part in left_out - COMPILED or part.startswith(".") for part in parts):
        return True
    return not COMPILED.isdisjoint(parts) and not is_taken_unseen(path)
