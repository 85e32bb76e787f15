"""Takes files, processor time and memory from the processes beside it and above it, by setting limits for them.

Gains at: none as root, none as user
"""

import os
import resource

from attack import attack, first_gain, neighbours


def limit(pid):
    """To what it has already: nobody is harmed, but the next step would be to nothing."""
    now = resource.prlimit(pid, resource.RLIMIT_CORE)
    resource.prlimit(pid, resource.RLIMIT_CORE, now)
    return "a limit"


def trial():
    above = [] if os.getppid() == 1 else [os.getppid()]
    return first_gain(limit, [*above, *neighbours()])


attack(trial)
