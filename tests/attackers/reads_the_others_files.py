"""Reads what lies beside it: the tournament's file, another bot's folder, the operator's home, the system's files.

Gains at: none
"""

from pathlib import Path

from attack import attack, gained

HERE = Path(__file__).parent
WANTED = (
    HERE.parent / "kali.db",
    HERE.parent / "victim" / "bot.py",
    HERE / "victim.txt",
    Path("/etc/passwd"),
)


def trial():
    return ", ".join(path.name for path in WANTED if gained(Path.read_bytes, path))


attack(trial)
