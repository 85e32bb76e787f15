"""Where text and files of the user come in: strict and bounded, and what is refused is one line that says why."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dalang.engine.game import SetupError, quoted

MOST_INPUT_BYTES = 64 * 1024 * 1024
"""Of a file that is read as a whole: a record of a match has some hundred thousand, a configuration a few thousand."""


def check_text(text: str, what: str) -> None:
    """Refuse what no file, no process and no hash can take."""
    if "\0" in text or not is_unicode(text):
        raise SetupError(f"{what} must be text in UTF-8 without NUL, not {quoted(text)}")


def is_unicode(text: str) -> bool:
    """Whether it has no halves of letters; Python has such where bytes were no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_texts(data: Any, what: str) -> None:
    """The same for every text in plain data."""
    for part in data if isinstance(data, list) else ():
        check_texts(part, what)
    for key, value in data.items() if isinstance(data, dict) else ():
        check_text(key, f"a key in {what}")
        check_texts(value, what)
    if isinstance(data, str):
        check_text(data, f"a value in {what}")


def there(look: Callable[[], bool]) -> bool:
    """What `path.is_file` or the like says; a name that the system cannot even look for is the name of nothing."""
    try:
        return look()
    except (OSError, ValueError):
        return False


MADE_UP = ("/proc", "/sys")
"""Where what looks like a file is what the kernel says when it is read."""


def oddity(path: Path) -> str:
    """Why this is no file on a disk, wherever links lead: reading such a one may have no end. Nothing if it is one."""
    try:
        real = path.resolve(strict=True)
    except OSError as error:
        return str(error.strerror)
    except RuntimeError:
        return "its links lead in a circle"
    if is_made_up(real):
        return f"it leads to {real}"
    return "" if there(real.is_file) else "it is no file"


def is_made_up(real: Path) -> bool:
    return any(map(real.is_relative_to, MADE_UP))


def check_is_kept(path: Path) -> None:
    """Refuse a file of the kernel's, wherever links lead; a pipe that somebody writes into may be read."""
    if there(path.is_file) and is_made_up(real := path.resolve()):
        raise SetupError(f"{path} cannot be read: it leads to {real}")


def check_is_new(folder: Path) -> None:
    """Refuse a folder in which something lies already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SetupError(f"{folder} is there already and not empty; choose a new folder")


def at_home(path: str) -> Path:
    """The path, with ~ for somebody's folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise SetupError(f"{quoted(path)} cannot be found: {error}") from error


def read_toml(path: Path, most: int = MOST_INPUT_BYTES) -> dict[str, Any]:
    data: dict[str, Any] = read(path, tomllib.loads, most)
    check_texts(data, str(path))
    return data


def read_json(path: Path) -> Any:
    return read(path, json.loads)


def read(path: Path, parse: Callable[[str], Any], most: int = MOST_INPUT_BYTES) -> Any:
    """The data in a small file."""
    check_is_kept(path)
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) > most:
            raise SetupError(f"{path} cannot be read: it is larger than {most // 1024} KB")
        return parse(content.decode("utf-8"))
    except (OSError, ValueError) as error:
        raise SetupError(f"{path} cannot be read: {error}") from error
    except RecursionError:
        raise SetupError(f"{path} cannot be read: it is nested too deeply") from None
