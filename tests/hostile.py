"""64 KB that are meant to keep the referee busy, in many shapes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice, product, repeat

from dalang.protocol.codec import CHUNK_BYTES, MAX_ITEMS


def filled(head: bytes, part: bytes, tail: bytes) -> bytes:
    """As many of these parts as there is room for."""
    return head + part * ((CHUNK_BYTES - len(head) - len(tail)) // len(part)) + tail


# ---- JSON


def listed(value: bytes) -> bytes:
    return filled(b'{"a":[', value + b",", value + b"]}\n")


def spelled(text: bytes) -> bytes:
    return filled(b'{"a":"', text, b'"}\n')


JSON_REFUSED = {
    "a long list": listed(b"1"),
    "lists in a list": listed(b"[]"),
    "maps in a list": listed(b"{}"),
    "small maps": listed(b'{"":1}'),
    "short texts": listed(b'""'),
    "truths": listed(b"true"),
    "numbers that are none": listed(b"NaN"),
    "fractions": listed(b"1.5"),
    "powers": listed(b"1e9"),
    "fractions that are hard to round": listed(b"9007199254740993.5e-320"),
    "numbers of 18 digits": listed(b"7" * 18),
    "numbers of 19 digits": listed(b"7" * 19),
    "numbers of 4300 digits": listed(b"7" * 4300),
    "a number of all digits": filled(b'{"a":', b"7", b"}\n"),
    "one key again and again": filled(b"{", b'"a":1,', b'"a":1}\n'),
    "many keys": b"{" + b",".join(b'"%x":0' % key for key in range(7000)) + b"}\n",
    "deep lists": filled(b'{"a":', b"[", b"\n"),
    "deep maps": filled(b"", b'{"":', b"\n"),
    "texts without an end": filled(b"{", b'",', b"\n"),
    "half surrogates": spelled(b"\\ud800"),
    "bytes that are no UTF-8": spelled(b"\xff"),
}
JSON_TAKEN = {
    "20,000 maps": filled(b"", b"{}\n", b""),
    "blank lines": filled(b"{}", b"\n", b""),
    "spaces": filled(b'{"a":', b" ", b"1}\n"),
    "digits after the point": filled(b'{"a":0.', b"7", b"}\n"),
    "whole surrogates": spelled(b"\\ud83d\\ude00"),
    "escapes": spelled(b"\\nx"),
    "backslashes": spelled(b"\\\\"),
    "commas in a text": spelled(b","),
    "lists and maps in a text": spelled(b"[,{"),
    "quotes and commas in a text": spelled(b'\\",'),
}

# ---- msgpack

NOTHING = b"\xc0"
VALUES = {
    "whole numbers": b"\x01",
    "nothing": NOTHING,
    "empty texts": b"\xa0",
    "letters": b"\xa2\xc3\xbc",
    "bytes": b"\xc4\x00",
    "fractions": b"\xca\x40\x49\x0f\xdb",
    "empty lists": b"\x90",
    "empty maps": b"\x80",
    "lists": b"\x91\x01",
    "maps": b"\x81\xa1a\x01",
    "short times": b"\xd6\xff" + bytes(4),
    "long times": b"\xc7\x0c\xff" + bytes(12),
    "empty extensions": b"\xc7\x00\x01",
    "extensions": b"\xd4\x01\x01",
}
BEGIN, LIST, MAP = b"\x81\xa1a", b"\xdc\x00" + bytes([MAX_ITEMS]), b"\xde\x00" + bytes([MAX_ITEMS])
LAST = MAX_ITEMS - 1


def in_lists(value: bytes) -> bytes:
    """Full lists in full lists, as many as the rules for one list allow."""
    full = LIST + value * MAX_ITEMS
    while len(full) * MAX_ITEMS < CHUNK_BYTES:
        full = LIST + full * MAX_ITEMS
    number = min(MAX_ITEMS, (CHUNK_BYTES - len(BEGIN + LIST)) // len(full))
    return BEGIN + b"\xdc\x00" + bytes([number]) + full * number


def in_open_lists(value: bytes) -> bytes:
    """In each list the last entry is another list, and none ends."""
    return filled(BEGIN, LIST + value * LAST, b"")


def in_open_maps(keys: Iterator[bytes]) -> bytes:
    """In each map the last entry is another map, and none ends."""
    data = BEGIN
    while len(data) < CHUNK_BYTES:
        data += MAP + b"".join(key + NOTHING for key in islice(keys, LAST)) + BEGIN[1:]
    return data[:CHUNK_BYTES]


MSGPACK_REFUSED = {f"{name} in full lists": in_lists(value) for name, value in VALUES.items()} | {
    "deep lists": b"\x91" * CHUNK_BYTES,
    "deep maps": filled(b"", BEGIN, b""),
    "bytes that are no UTF-8": BEGIN + b"\xda\xff\x00" + b"\xff" * 0xFF00,
}
MSGPACK_OPEN = {f"{name} in open lists": in_open_lists(value) for name, value in VALUES.items()} | {
    "one key in open maps": in_open_maps(repeat(b"\xa1b")),
    "keys in open maps": in_open_maps(
        b"\xa2%c%c" % pair for pair in cycle(product(range(33, 127), repeat=2))
    ),
    "letters as keys": in_open_maps(b"\xa2" + chr(code).encode() for code in cycle(range(0x80, 0x800))),
}
"""Not complete: what comes next may still be refused."""
MSGPACK_TAKEN = {
    "maps": b"\x80" * CHUNK_BYTES,
    "a long text": BEGIN + b"\xda\xff\x00" + b"\xc3\xbc" * (0xFF00 // 2),
}

HOSTILE = {
    "JSON": JSON_REFUSED | JSON_TAKEN,
    "msgpack": MSGPACK_REFUSED | MSGPACK_OPEN | MSGPACK_TAKEN,
}
