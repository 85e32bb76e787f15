"""timeout: answers, one byte a second."""

import time

from polite import answer, enter, pack, raw

for byte in pack(answer(enter())):
    raw(bytes([byte]))
    time.sleep(1)
