"""flood: writes to stderr for ever and never answers."""

import os

from polite import enter

enter()
while True:
    os.write(2, b"thinking aloud " * 4000)
