"""Looks for the seed and for the operator's secrets in the command lines, environments and memory above it.

Gains at: none
"""

from pathlib import Path

from attack import ancestors, attack, gained

SECRET = b"operators-" + b"secret"


def in_file(path):
    return SECRET in Path(path).read_bytes() and "it"


def in_memory(pid):
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        start, _, end = line.split()[0].partition("-")
        if "rw-p" in line and int(end, 16) - int(start, 16) < 2**26:
            with Path(f"/proc/{pid}/mem").open("rb") as memory:
                memory.seek(int(start, 16))
                if SECRET in memory.read(int(end, 16) - int(start, 16)):
                    return "it"


def trial():
    for pid in ancestors():
        for name in ("environ", "cmdline"):
            if gained(in_file, f"/proc/{pid}/{name}"):
                return f"the secret, in {name}"
        if gained(in_memory, pid):
            return "the secret, in memory"


attack(trial)
