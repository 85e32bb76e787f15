"""flood: 100,000 lists inside each other."""

from polite import enter, hear, raw

enter()
raw(b"\x91" * 100_000)
hear("bye")
