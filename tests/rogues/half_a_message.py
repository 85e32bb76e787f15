"""timeout: half a message, then silence."""

import time

from polite import answer, enter, pack, raw

raw(pack(answer(enter()))[:-1])
time.sleep(600)
