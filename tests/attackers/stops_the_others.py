"""Asks the kernel whether it may send signals to the processes beside it, and kills the bot at the same table.

Gains at: none
"""

import os
import signal
from pathlib import Path

from attack import attack, gained, others


def kill_a_bot(pid):
    if b"random_bot.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
        parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        if int(parent) == os.getppid():
            os.kill(pid, signal.SIGKILL)
            return "a kill"


def may_signal(pid):
    os.kill(pid, 0)
    return "leave"


def trial():
    killed = [pid for pid in others() if gained(kill_a_bot, pid)]
    return (
        f"signals to {killed or 'others'}"
        if killed or any(gained(may_signal, pid) for pid in others())
        else ""
    )


attack(trial)
