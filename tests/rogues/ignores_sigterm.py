"""timeout: ignores every signal that can be ignored."""

import signal
import time

from polite import enter

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
enter()
while True:
    time.sleep(600)
