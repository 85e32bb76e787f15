"""crash: closes stdin and lives on."""

import os
import time

from polite import answer, enter, send

question = enter()
os.close(0)
send(answer(question))
time.sleep(600)
