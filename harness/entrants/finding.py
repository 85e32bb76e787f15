"""Who plays: what a BOT on the command line means, and how it is started."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from dalang.engine.game import SetupError, unknown

BUNDLED = ("first", "random", "cautious", "bold", "planner", "guardian", "seer")
BUDGETED = ("seer",)
"""Bundled bots whose name can carry a budget for each decision: iterations or time."""
BUDGET = re.compile(r":[1-9][0-9]*|@(?=[0-9.]*[1-9])[0-9]*\.?[0-9]+s")
RENAMED = re.compile(r"([A-Za-z0-9_.+-]+)=(.+)", re.DOTALL)
BOT_KEYS = ("name", "command", "build", "env")
LONGEST_BUILD = 1800.0
"""Seconds that a build may take."""
SHOWN_LINES = 30
"""Lines of a failed build's output that are shown."""
STAMP = ".dalang-built"
"""The file in a bot's folder that tells what was built: a digest of its files, and the folders that were filled."""


@dataclass(frozen=True)
class Entrant:
    name: str
    command: tuple[str, ...]
    folder: Path | None = None
    """Where it runs; None for the current folder."""
    env: Mapping[str, str] = field(default_factory=dict)
    build: tuple[str, ...] = ()


def find_entrants(texts: Iterable[str]) -> list[Entrant]:
    """The entrants these arguments mean; a second bot of the same name is numbered."""
    entrants: list[Entrant] = []
    for entrant in map(find_entrant, texts):
        taken = {other.name for other in entrants}
        entrants.append(replace(entrant, name=free_name(entrant.name, taken)))
    return entrants


def free_name(name: str, taken: set[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    return free


def find_entrant(text: str) -> Entrant:
    """A bundled name, a folder with bot.toml, a script, an executable or a command line; NAME= renames it."""
    if not text.strip():
        raise SetupError("a bot without a name: give a bundled bot, a folder, a script or a program")
    renamed = RENAMED.fullmatch(text)
    if renamed and not Path(text).exists():
        return replace(find_entrant(renamed[2]), name=renamed[1])
    path = Path(text).expanduser()
    name = re.split("[:@]", text)[0]
    if text in BUNDLED or (name in BUNDLED and not path.exists()):
        return bundled(name, text.removeprefix(name))
    if path.is_dir():
        return from_folder(path)
    if path.is_file():
        return from_file(path)
    if len(shlex_split(text)) > 1:
        return from_command_line(text)
    if shutil.which(text):
        return Entrant(path.name, (str(shutil.which(text)),))
    raise unknown("bot, folder, script or program", text, BUNDLED)


def bundled(name: str, budget: str = "") -> Entrant:
    script = BOTS / f"{name}_bot.py"
    if budget and name not in BUDGETED:
        raise SetupError(f"{name} has no budget; write just {name}")
    if budget and not BUDGET.fullmatch(budget):
        raise SetupError(
            f"{name}{budget} has no budget that can be read; give iterations per decision, such as {name}:500, "
            f"or seconds, such as {name}@0.2s"
        )
    # -P: nothing beside the script is imported by mistake
    return Entrant(name + budget, (sys.executable, "-P", str(script), *filter(None, [budget[1:]])))


def from_file(path: Path) -> Entrant:
    if path.suffix == ".py":
        return Entrant(path.stem, (sys.executable, str(path.resolve())))
    if not os.access(path, os.X_OK):
        raise SetupError(f"{path} cannot be executed; make it executable: chmod +x {shlex.quote(str(path))}")
    return Entrant(path.stem, (str(path.resolve()),))


def from_command_line(text: str) -> Entrant:
    program, *arguments = shlex_split(text)
    return Entrant(Path(program).stem, (program_path(program, Path()), *arguments))


def from_folder(folder: Path) -> Entrant:
    """A folder with bot.toml: `command`, and if wanted `build`, `name`, `env`."""
    if not (folder / "bot.toml").is_file():
        raise SetupError(f"{folder} is no bot: it has no bot.toml with a command")
    config = read_toml(folder / "bot.toml")
    for key in config:
        if key not in BOT_KEYS:
            raise unknown(f"key in {folder / 'bot.toml'},", key, BOT_KEYS)
    program, *arguments = words(config.get("command"), "command", folder)
    return Entrant(
        name=str(config.get("name", folder.resolve().name)),
        command=(program_path(program, folder), *arguments),
        folder=folder.resolve(),
        env=environment(config.get("env", {}), folder / "bot.toml"),
        build=tuple(words(config["build"], "build", folder)) if "build" in config else (),
    )


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}") from error


def environment(value: Any, path: Path) -> dict[str, str]:
    if not isinstance(value, dict):
        raise SetupError(f"{path}: env must be a table such as {{ DEPTH = 3 }}, not {value!r}")
    return {str(key): str(item) for key, item in value.items()}


def words(value: Any, key: str, folder: Path) -> list[str]:
    """A command, given as one line or as a list of words."""
    if isinstance(value, str):
        value = shlex_split(value)
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return value
    raise SetupError(f'{folder / "bot.toml"}: {key} must be a command, such as "python3 my_bot.py"')


def shlex_split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise SetupError(f"{text!r} is no command line: {error}") from error


def program_path(program: str, folder: Path) -> str:
    """The program in full: `python` is the interpreter that runs dalang, a path is seen from the folder."""
    if program in ("python", "python3"):
        return sys.executable
    found = str((folder / program).resolve()) if os.sep in program else shutil.which(program)
    if not found:
        raise SetupError(f"there is no program {program!r} on the PATH")
    return found


def build(entrant: Entrant) -> None:
    """Build an entrant that has a build command, if it never was built or its files have changed since."""
    if not entrant.build or not entrant.folder or is_built(entrant, entrant.folder):
        return
    sources = own_files(entrant)
    made_of = digest(entrant.build, sources)
    stamp = entrant.folder / STAMP
    with suppress(OSError):
        stamp.unlink()  # a build that fails may have spoilt what the last one made
    run_build(entrant)
    products = [name for name in sorted(LEFT_OUT) if (entrant.folder / name).is_dir()]
    with suppress(OSError):  # where we may not write, it is built each time
        if digest(entrant.build, sources) == made_of:  # nobody has changed them meanwhile
            # with a lock file that the build may have added
            made_of = digest(entrant.build, own_files(entrant))
            stamp.write_text(" ".join([made_of, *products]), encoding="utf-8")


def is_built(entrant: Entrant, folder: Path) -> bool:
    """Whether the last build was of the files that are there now, and what it made is still there."""
    try:
        made_of, *products = (folder / STAMP).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return False
    return made_of == digest(entrant.build, own_files(entrant)) and all(
        (folder / name).is_dir() for name in products
    )


def run_build(entrant: Entrant) -> None:
    """It can take a while, so that it happens is told; what it prints is shown only if it fails."""
    command = shlex.join(entrant.build)
    click.echo(f"building {entrant.name}: {command}", err=True)
    try:
        code, output = in_own_group(entrant)
    except FileNotFoundError as error:
        raise SetupError(
            f"{entrant.name} cannot be built: there is no program {entrant.build[0]!r}"
        ) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{entrant.name} cannot be built: {error}") from error
    if code:
        said = output.strip().splitlines()[-SHOWN_LINES:] or ["nothing"]
        headline = f"{entrant.name} cannot be built; `{command}` fails and says:"
        raise SetupError("\n    ".join([headline, *said]))


def in_own_group(entrant: Entrant) -> tuple[int, str]:
    """Exit code and output of the build; if it takes too long or we are stopped, all that it started ends with it."""
    process = subprocess.Popen(
        entrant.build,
        cwd=entrant.folder,
        env={**os.environ, **entrant.env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            output, _ = process.communicate(timeout=LONGEST_BUILD)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output


# ---- Which files a bot is

LEFT_OUT = {"target", "node_modules", "build", "dist", "out", "bin", "obj", "__pycache__"}
"""Folders that a build fills; what they hold follows from the rest."""


def fingerprint(entrant: Entrant) -> str:
    """One short text for everything the bot is made of: its command, its environment, its files."""
    environment = [f"{key}={value}" for key, value in sorted(entrant.env.items())]
    return digest([*entrant.command[1:], *environment], own_files(entrant))


def digest(texts: Iterable[str], paths: Iterable[Path]) -> str:
    """One short text for these texts and the names and contents of these files."""
    hash = blake2b(digest_size=16)
    for text in texts:
        hash.update(f"{text}\0".encode())
    for path in sorted(paths):
        hash.update(f"{path.name}\0".encode())
        hash.update(path.read_bytes())
    return hash.hexdigest()


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
