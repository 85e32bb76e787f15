"""flood: a message of 200 MB."""

from polite import enter, raw

enter()
raw(b"\x81\xa4note\xdb" + (200_000_000).to_bytes(4, "big"))
for _ in range(200):
    raw(b"x" * 1_000_000)
