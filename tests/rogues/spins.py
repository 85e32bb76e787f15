"""timeout: computes for ever."""

from polite import enter

enter()
while True:
    pass
