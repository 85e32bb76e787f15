"""What a bot may read: its own files, the system's programs, this Python, and of dalang what bots import."""

from __future__ import annotations

import os
import re
import site
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from dalang.engine.catalogue import added_modules
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.finding import reaches_kernel
from dalang.harness.entrants.fingerprint import DALANG
from dalang.harness.entrants.modules import modules_beside
from dalang.harness.gate import oddity, there

LINKS = tuple(map(Path, ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
"""Names of parts of /usr; where they are folders of their own they are seen as such."""
SYSTEM = ("usr", "etc/alternatives", "etc/java-*", "etc/ld.so.cache", "etc/ld.so.conf*", "etc/localtime",
          "etc/ssl/openssl.cnf", "nix/store", "gnu/store")  # fmt: skip
"""Patterns, seen from the root: the system's programs and libraries, and how they find each other."""
FOR_BOTS = ("__init__.py", "kit.py", "bots", "engine", "protocol")
"""What bots import of dalang; in a checkout these are links to places that they shall not see otherwise."""
HOME = re.compile(r"^home *= *(.+?) *$", re.MULTILINE)
"""In a virtual environment's pyvenv.cfg: the folder of the Python that it was made from."""


def sight(entrant: Entrant) -> dict[Path, Path]:
    """By the place where a bot sees it: what it may read, outer folders first."""
    places = [place for place in (*for_all(), *own(entrant)) if not reaches_kernel(place.resolve())]
    seen: dict[Path, Path] = {}
    for place in sorted(places, key=lambda path: len(path.parts)):
        if not any(is_inside(place, outer) for outer in seen):
            seen[place] = place.resolve()
    return seen


def for_all() -> Iterator[Path]:
    """What every bot sees."""
    yield from (*system(), *python(), *(DALANG / name for name in FOR_BOTS), *games_of_others())


def is_inside(place: Path, outer: Path) -> bool:
    """Whether it is there already; its last part may be a link, and is seen as one."""
    return place.is_relative_to(outer) or (place.parent.resolve() / place.name).is_relative_to(outer)


def system() -> Iterator[Path]:
    for pattern in SYSTEM:
        yield from Path("/").glob(pattern)
    yield from (link for link in LINKS if link.is_dir() and not link.is_symlink())


def python() -> Iterator[Path]:
    """This interpreter with its packages: a virtual environment has its library elsewhere."""
    yield from {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix)}
    if site.ENABLE_USER_SITE and Path(site.getusersitepackages()).is_dir():
        yield Path(site.getusersitepackages())


def games_of_others() -> Iterator[Path]:
    """The packages of games that are not ours, wherever they lie: everybody may know the rules."""
    for name in added_modules():
        for module in (sys.modules[name.partition(".")[0]], sys.modules[name]):
            if module.__file__:
                file = Path(module.__file__)
                yield file.parent if file.name == "__init__.py" else file
                break


def own(entrant: Entrant) -> Iterator[Path]:
    """Its folder, or the files that its command names and the modules that these import from beside them."""
    if entrant.folder:
        yield entrant.folder
    for path in named(entrant):
        if there(path.is_file):
            yield path
            yield from virtual_environment(path)
            if path.suffix == ".py" and not entrant.folder:
                yield from modules_beside(path, set())
    yield from map(Path, entrant.read)


def named(entrant: Entrant) -> Iterator[Path]:
    """What the words of its command would be as paths, seen from where it runs."""
    place = entrant.folder or Path.cwd()
    for word in entrant.command:
        path = place / word
        # realpath takes links that lead in a circle as they are
        yield Path(os.path.realpath(path.parent), path.name) if ".." in path.parts else path


def granted(entrant: Entrant) -> list[Path]:
    """What it sees because it says so, by its bot.toml or by what it imports: neither its own files nor what all see.

    The files of a bot without a folder are those that whoever enters it has named.
    """
    common = [*for_all(), *filter(None, [entrant.folder])]
    wanted = [path for path in own(entrant) if entrant.folder or path.is_dir()]
    return [path for path in dict.fromkeys(wanted) if not any(is_inside(path, outer) for outer in common)]


def in_sight(entrant: Entrant, file: Path) -> Path | None:
    """The place through which a bot can read this file; None if it cannot."""
    return next((place for place in sight(entrant).values() if file.resolve().is_relative_to(place)), None)


def virtual_environment(program: Path) -> Iterator[Path]:
    """The virtual environment that a Python belongs to, and the installation that it was made from."""
    place = program.parent.parent
    if oddity(place / "pyvenv.cfg"):
        return
    with suppress(OSError, UnicodeDecodeError):
        home = HOME.search((place / "pyvenv.cfg").read_text(encoding="utf-8"))
        if home and Path(home[1]).is_dir():
            yield from (place, Path(home[1]).parent)


def is_private(path: Path) -> bool:
    """Whether strangers may not read it, so that a bot needs leave to read its own files."""
    mode = path.stat().st_mode
    return mode & (0o005 if path.is_dir() else 0o004) != (0o005 if path.is_dir() else 0o004)


# ---- When a bot missed something

PATHS = re.compile(r"""/[^\s'"`:;,)\]}<>]+""")
COMPLAINTS = re.compile(
    "no such file|not found|denied|not permitted|cannot open|cannot find|can't|enoent|error", re.IGNORECASE
)


PUZZLES = re.compile(
    "no such file|not found|denied|not permitted|cannot open|cannot find|can't|enoent|no module|read-only|resource",
    re.IGNORECASE,
)


def is_puzzling(said: Sequence[str]) -> bool:
    """Whether isolation may be why a program failed: it says nothing, or that it lacks something."""
    return not said or any(map(PUZZLES.search, said))


def missed(entrant: Entrant, said: Sequence[str]) -> Path | None:
    """A file that a bot complained about: it is there, but not in its sight."""
    seen = sight(entrant)
    for line in filter(COMPLAINTS.search, said):
        for path in map(Path, PATHS.findall(line)):
            if exists(path) and not any(is_inside(path, outer) for outer in seen):
                return path
    return None


def remedy(entrant: Entrant, path: Path) -> str:
    """How a bot gets to see a file that it missed."""
    if entrant.folder is None:
        return "put it and the bot into a folder of their own with a bot.toml, or --isolate none"
    return f'allow it with read = ["{path}"] in its bot.toml, or --isolate none'


def exists(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):
        return False
