"""Reads the tournament's file with the seed, another bot's folder, the operator's home, the system's files.

Gains at: none as root, none as user
"""

from pathlib import Path

from attack import attack, gained

HERE = Path(__file__).parent
WANTED = (
    HERE.parent / "kali.db",
    HERE.parent / "victim" / "bot.py",
    HERE.parent / "home" / "token",
    HERE / "victim.txt",
    Path("/etc/passwd"),
)


def trial():
    return [path.name for path in WANTED if gained(Path.read_bytes, path)]


attack(trial)
