"""flood: a map that claims to have four billion entries."""

from polite import enter, hear, raw

enter()
raw(b"\xdf\xff\xff\xff\xff")
hear("bye")
