"""What a BOT on a command line or in a file means."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from dalang.engine.game import SetupError, quoted, unknown
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.fingerprint import BOTS
from dalang.harness.gate import at_home, check_text, oddity, read_toml, there

BUNDLED_BOTS = ("first", "random", "cautious", "bold", "planner", "guardian", "seer")
BUDGETED = ("seer",)
"""Bundled bots whose name can carry a budget for each decision: iterations or time."""
BUDGET = re.compile(r":[1-9][0-9]*|@(?=[0-9.]*[1-9])[0-9]*\.?[0-9]+s")
RENAMED = re.compile(r"([A-Za-z0-9_.+-]+)=(.+)", re.DOTALL)
LONGEST_BOT_NAME = 100
"""Letters, so that a table stays one."""
REFUSED_SUFFIX = ".refused.txt"
"""Ends the name of the file beside a folder that tells why a league refused it: no pattern means this."""
MOST_BOT_TOML = 64 * 1024
"""Bytes of a bot.toml, which strangers write: to take a command line apart takes the longer by the square."""
BOT_KEYS = ("name", "command", "build", "env", "read")


def find_entrants(texts: Iterable[str]) -> list[Entrant]:
    """The entrants these arguments mean; a second bot of the same name is numbered."""
    entrants: list[Entrant] = []
    for entrant in map(find_entrant, texts):
        taken = {other.name for other in entrants}
        entrants.append(replace(entrant, name=free_name(entrant.name, taken)))
    return entrants


def unfolded(bots: Sequence[str]) -> list[str]:
    """With what a pattern matches in its place, where the shell has left that to us."""
    return [path for bot in bots for path in matching(bot)]


def matching(bot: str) -> list[str]:
    """What a pattern such as `entrants/*` matches, in order; what is none, or matches nothing, as it is."""
    if not has_magic(bot) or there(Path(bot).exists):
        return [bot]
    found = sorted(glob(bot))  # noqa: PTH207 - Path.glob takes no absolute pattern
    return [path for path in found if not path.endswith(REFUSED_SUFFIX)] or [bot]


def free_name(name: str, taken: set[str]) -> str:
    """The name under which a bot enters: one that can be shown, and that nobody else has."""
    if not name.strip() or not name.isprintable() or len(name) > LONGEST_BOT_NAME:
        raise SetupError(
            f"a bot cannot be called {quoted(name)}; give it another name with NAME=BOT: letters that can be printed, "
            f"at most {LONGEST_BOT_NAME}"
        )
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
    check_text(text, "a bot")
    renamed = RENAMED.fullmatch(text)
    if renamed and not there(Path(text).exists):
        return replace(found(renamed[2]), name=renamed[1])
    return found(text)


def found(text: str) -> Entrant:
    """The same without a new name."""
    path = at_home(text)
    name = re.split("[:@]", text)[0]
    if text in BUNDLED_BOTS or (name in BUNDLED_BOTS and not there(path.exists)):
        return bundled(name, text.removeprefix(name))
    if there(path.is_dir):
        return from_folder(path)
    if there(path.is_file):
        return from_file(path)
    if len(shlex_split(text)) > 1:
        return from_command_line(text)
    if shutil.which(text):
        return Entrant(path.name, (str(shutil.which(text)),))
    raise unknown("bot, folder, script or program", text, BUNDLED_BOTS)


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
    """A folder with bot.toml: `command`, and if wanted `build`, `name`, `env`, `read`."""
    path = folder / "bot.toml"
    if not there(path.is_file):
        raise SetupError(f"{folder} is no bot: it has no bot.toml with a command")
    if odd := oddity(path):
        raise SetupError(f"{path} cannot be read: {odd}")
    config = read_toml(path, MOST_BOT_TOML)
    for key in config:
        if key not in BOT_KEYS:
            raise unknown(f"key in {path},", key, BOT_KEYS)
    program, *arguments = words(config.get("command"), "command", folder)
    return Entrant(
        name=str(config.get("name", folder.resolve().name)),
        command=(program_path(program, folder), *arguments),
        folder=folder.resolve(),
        env=environment(config.get("env", {}), path),
        build=tuple(words(config["build"], "build", folder)) if "build" in config else (),
        read=readable(config.get("read", []), folder),
    )


def environment(value: Any, path: Path) -> dict[str, str]:
    if not isinstance(value, dict):
        raise SetupError(f"{path}: env must be a table such as {{ DEPTH = 3 }}, not {value!r}")
    return {str(key): str(item) for key, item in value.items()}


def readable(value: Any, folder: Path) -> tuple[str, ...]:
    """What a bot may read outside its folder, given as a list of paths that are seen from there."""
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        raise SetupError(f'{folder / "bot.toml"}: read must be a list of paths, such as ["/opt/jdk"]')
    paths = [resolved(path, folder) for path in value]
    for path in paths:
        if not there(path.exists):
            raise SetupError(f"{folder / 'bot.toml'}: read names {quoted(str(path))}, which is not there")
        if reaches_kernel(path):
            raise SetupError(f"{folder / 'bot.toml'}: read names {path}; name the files that it needs")
    return tuple(map(str, paths))


KERNELS = tuple(map(Path, ("/proc", "/dev", "/sys")))


def reaches_kernel(path: Path) -> bool:
    """Whether it is or holds no file on a disk, but what the kernel tells of this machine and of whoever runs on it."""
    return any(path.is_relative_to(each) or each.is_relative_to(path) for each in KERNELS)


def resolved(path: str, folder: Path) -> Path:
    try:
        return (folder / at_home(path)).resolve()
    except (OSError, RuntimeError):
        raise SetupError(f"{folder / 'bot.toml'}: read names {quoted(path)}, which leads nowhere") from None


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
        raise SetupError(f"{quoted(text)} is no command line: {error}") from error


def program_path(program: str, folder: Path) -> str:
    """The program in full: `python` is the interpreter that runs dalang, a path is seen from the folder."""
    if program in ("python", "python3"):
        return sys.executable
    # a link is not followed: the Python of a virtual environment is one, and knows by its own place which it is
    found = str(folder.resolve() / program) if os.sep in program else shutil.which(program)
    if not found:
        raise SetupError(f"there is no program {program!r} on the PATH")
    return found
