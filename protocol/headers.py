"""The headers of msgpack: how many values are in a message, told before a single one of them is made."""

from __future__ import annotations

from typing import NamedTuple


class Walked(NamedTuple):
    """How far a message was looked through."""

    place: int = 0
    """Where the next header is, counted from the beginning of the message."""
    left: int = 1
    """Things that are still to come, keys included: when there are none, the message ends at that place."""
    values: int = 0
    """Entries of the lists and maps that have begun."""


BEGINNING = Walked()

FIXED_BYTES = [1] * 256
"""By first byte, what follows without a length: all its bytes, of a list or map only the header's."""
FIXED_VALUES = [0] * 256
"""By first byte, the entries of a short list or map."""
FIXED_THINGS = [0] * 256
"""The same with the keys of a map counted as well."""
for count in range(16):
    FIXED_VALUES[0x80 + count] = FIXED_VALUES[0x90 + count] = FIXED_THINGS[0x90 + count] = count
    FIXED_THINGS[0x80 + count] = 2 * count
for length in range(32):
    FIXED_BYTES[0xA0 + length] = 1 + length
FIXED_BYTES[0xCA:0xD4] = 5, 9, 2, 3, 5, 9, 2, 3, 5, 9  # floats, then whole numbers without and with a sign
FIXED_BYTES[0xD4:0xD9] = 3, 4, 6, 10, 18  # extensions


class Sized(NamedTuple):
    """What the length after a first byte means."""

    width: int
    before: int = 0
    """Bytes between the length and what it counts."""
    things: int = 0
    """Per unit of the length: 0 if it counts bytes, 1 in a list, 2 in a map."""


SIZED = (
    {0xC4 + power: Sized(1 << power) for power in range(3)}  # bytes
    | {0xC7 + power: Sized(1 << power, before=1) for power in range(3)}  # extensions
    | {0xD9 + power: Sized(1 << power) for power in range(3)}  # texts
    | {0xDB + power: Sized(1 << power, things=1) for power in (1, 2)}  # lists
    | {0xDD + power: Sized(1 << power, things=2) for power in (1, 2)}  # maps
)


def walked(data: bytes, so_far: Walked, most: int) -> Walked:
    """How far the headers lead in what has come of a message, or to where it has more values than this.

    A byte that msgpack does not know counts as a value: whoever decodes it will complain.
    """
    place, left, values = so_far
    size = len(data)
    while left and place < size and values <= most:
        first = data[place]
        if first not in SIZED:
            place += FIXED_BYTES[first]
            left += FIXED_THINGS[first] - 1
            values += FIXED_VALUES[first]
            continue
        width, before, things = SIZED[first]
        header = place + 1 + width
        if header > size:
            break
        length = int.from_bytes(data[place + 1 : header], "big")
        place = header + before + (0 if things else length)
        left += length * things - 1
        values += length if things else 0
    return Walked(place, left, values)
