"""flood: a message that claims to have 4 GB, and goes on sending."""

from polite import enter, raw

enter()
raw(b"\x81\xa4type\xdb\xff\xff\xff\xff")
while True:
    raw(b"x" * 1000)
