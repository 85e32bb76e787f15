"""start: prints a banner before its hello."""

from polite import greet, hear, raw

raw(b"Rogue 2.0 loading...\n")
greet()
hear("bye")
