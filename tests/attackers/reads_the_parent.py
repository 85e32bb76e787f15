"""Looks for the seed and for the operator's secrets in the environments, open files and memory above it.

Gains at: none as root
"""

from pathlib import Path

from attack import attack, gained, harness

SECRET = b"operators-" + b"secret"


def in_environment(pid):
    return SECRET in Path(f"/proc/{pid}/environ").read_bytes() and "it"


def in_open_files(pid):
    paths = [path for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_file()]
    return "it" if any(SECRET in path.read_bytes() for path in paths) else ""


def in_memory(pid):
    with Path(f"/proc/{pid}/mem").open("rb") as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, end = (int(word, 16) for word in line.split()[0].split("-"))
            if "rw-p" in line and end - start < 2**26:
                memory.seek(start)
                if SECRET in memory.read(end - start):
                    return "it"


def trial():
    ways = (in_environment, in_open_files, in_memory)
    return [f"the secret {way.__name__} of {pid}" for pid in harness() for way in ways if gained(way, pid)]


attack(trial)
