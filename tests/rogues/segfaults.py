"""crash: killed by a signal."""

import os
import signal

from polite import enter

enter()
os.kill(os.getpid(), signal.SIGSEGV)
