"""Deletes the tournament's file, overwrites another bot and its own code, and leaves files where it can.

Gains at: none as root, none as user
"""

from pathlib import Path

from attack import attack, gained

HERE = Path(__file__).parent


def write(path):
    path.write_text("spoilt")
    return "it"


def delete(path):
    path.unlink()
    return "it"


def trial():
    written = [path for path in (HERE.parent / "victim" / "bot.py", Path("/usr/left_behind"),
                                 Path("/left_behind"), Path("/dev/left_behind")) if gained(write, path)]  # fmt: skip
    for path in written:
        if path.name == "left_behind":
            path.unlink()
    return [*map(str, written), *(["the file"] if gained(delete, HERE.parent / "kali.db") else [])]


attack(trial)
