"""Which files a bot is made of, told as one short text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import Entrant

LEFT_OUT = {"target", "node_modules", "build", "dist", "out", "bin", "obj", "__pycache__"}
"""Folders that a build fills; what they hold follows from the rest."""


def fingerprint(entrant: Entrant) -> str:
    """One short text for everything the bot is made of: its command, its environment, its files."""
    environment = [f"{key}={value}" for key, value in sorted(entrant.env.items())]
    print_ = digest([*map(without_place, entrant.command[1:]), *environment], own_files(entrant))
    return f"{BUNDLED_MARK}{print_}" if is_bundled(entrant) else print_


BUNDLED_MARK = "bundled:"
"""Begins the fingerprint of a bundled bot: without it, dalang 0.1.0 made it of the place of installation, too."""


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
        hash.update(f"{path.name}\0".encode())
        hash.update(content(path))
    return hash.hexdigest()


def content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SetupError(
            f"{path} cannot be read: {error.strerror}; a bot is all the files in its folder, so make it readable or "
            "take it out"
        ) from error


def own_files(entrant: Entrant) -> set[Path]:
    """The files of its folder, or those that its command names."""
    if entrant.folder is None:
        words = {Path(word) for word in entrant.command if Path(word).is_file() and word != sys.executable}
        return words.union(*(modules(path, set()) for path in words if path.parent == BOTS))
    return {
        path for path in entrant.folder.rglob("*") if path.is_file() and not is_made(path, entrant.folder)
    }


DALANG = Path(str(files("dalang")))
BOTS = DALANG / "bots"
IMPORTS = re.compile(r"^from dalang\.(bots[.\w]*|kit) import (.+)", re.MULTILINE)


def modules(script: Path, found: set[Path]) -> set[Path]:
    """A bundled script and the modules beside it that it imports, directly or not."""
    found.add(script)
    for package, names in IMPORTS.findall(script.read_text(encoding="utf-8")):
        folder = DALANG.joinpath(*package.split("."))
        inside = [folder / f"{name.strip()}.py" for name in ["__init__", *names.split(",")]]
        for path in (folder.with_suffix(".py"), *inside):
            if path.is_file() and path not in found:
                modules(path, found)
    return found


def is_made(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    return any(part in LEFT_OUT or part.startswith(".") for part in parts)
