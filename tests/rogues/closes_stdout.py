"""crash: closes stdout and lives on."""

import os
import time

from polite import enter

enter()
os.close(1)
time.sleep(600)
