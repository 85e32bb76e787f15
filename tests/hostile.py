"""64 KB that are meant to keep the referee busy, in many shapes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, islice, product, repeat

from dalang.protocol.codec import CHUNK_BYTES, MAX_ITEMS, MAX_VALUES


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
    "half surrogates as bytes": spelled(b"\xed\xa0\x80"),
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
    "quotes and maps in a wide text": spelled("\U0001f600".encode() + b'\\"{' * 60),
    "wide text as it is and escaped": spelled("{\xfc\x7f\U0001f600".encode() + b"\\ud83d\\ude00"),
    "numbers of 18 digits in a text": spelled(b"{" + b"7" * 18),
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
HEADERS = [
    *(b"\x92", b"\xdc\x00\x02", b"\xdd\x00\x00\x00\x02"),  # a list
    *(b"\x82", b"\xde\x00\x02", b"\xdf\x00\x00\x00\x02"),  # a map
    *(b"\xd9\x02", b"\xda\x00\x02", b"\xdb\x00\x00\x00\x02"),  # a text
    *(b"\xc4\x02", b"\xc5\x00\x02", b"\xc6\x00\x00\x00\x02"),  # bytes
    *(b"\xc7\x02\x01", b"\xc8\x00\x02\x01", b"\xc9\x00\x00\x00\x02\x01"),  # an extension
]
"""Of things that two others or two bytes are to follow, in all lengths."""
BEGIN, LIST, MAP = b"\x81\xa1a", b"\xdc\x00" + bytes([MAX_ITEMS]), b"\xde\x00" + bytes([MAX_ITEMS])
LAST, LAST_VALUE = MAX_ITEMS - 1, (MAX_VALUES - 1).to_bytes(2, "big")


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


MSGPACK_REFUSED = {f"{name} in full lists": in_lists(value) for name, value in VALUES.items()}
MSGPACK_REFUSED |= {f"{name} in open lists": in_open_lists(value) for name, value in VALUES.items()}
MSGPACK_REFUSED |= {
    "deep lists": b"\x91" * CHUNK_BYTES,
    "deep maps": filled(b"", BEGIN, b""),
    "deep lists of maps": filled(BEGIN, b"\xdc\x00\x01" + BEGIN, b""),
    "a map of 1024 bytes": filled(b"\xde" + MAX_VALUES.to_bytes(2, "big"), b"\xc5\x00\x01a\xc4\x01a", b""),
    "a list of 1023 extensions": filled(BEGIN + b"\xdc" + LAST_VALUE, b"\xc8\x00\x01\x01a", b""),
    "bytes that are no UTF-8": BEGIN + b"\xda\xff\x00" + b"\xff" * 0xFF00,
    "one key in open maps": in_open_maps(repeat(b"\xa1b")),
    "keys in open maps": in_open_maps(
        b"\xa2%c%c" % pair for pair in cycle(product(range(33, 127), repeat=2))
    ),
    "letters as keys": in_open_maps(b"\xa2" + chr(code).encode() for code in cycle(range(0x80, 0x800))),
}
MSGPACK_TAKEN = {
    "maps": b"\x80" * CHUNK_BYTES,
    "extensions in 15 lists": b"\x8f"
    + b"".join(b"\xa1%c" % key + LIST + b"\xc7\x00\x01" * MAX_ITEMS for key in b"abcdefghijklmno"),
    "a long text": BEGIN + b"\xda\xff\x00" + b"\xc3\xbc" * (0xFF00 // 2),
}

HOSTILE = {
    "JSON": JSON_REFUSED | JSON_TAKEN,
    "msgpack": MSGPACK_REFUSED | MSGPACK_TAKEN,
}

# ---- To make more shapes of

JSON_PIECES = [
    *(
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b'"',
        b"\\",
        b" ",
        b"\n",
        b"[]",
        b"{}",
        b'""',
        b'{"":',
        b'"b":1,',
        b"[1],",
    ),
    *(
        b'\\"',
        b"\\n",
        b"\\u0000",
        b"\\ud83d\\ude00",
        b"\\ud800",
        b"x",
        b"\xff",
        b"\x7f",
        b"\xc3\xbc",
        b"\xf0\x9f\x98\x80",
    ),
    *(b"1", b"-1.5", b"1e9", b"9007199254740993.5e-320", b"7" * 18, b"7" * 19, b"7" * 400, b"true", b"NaN"),
    *(b'{"type":"move","id":1,"move":0,"note":"', b'{"type":"', b'{"type":[', b'"}\n', b"]}\n", b"}\n"),
]
MSGPACK_PIECES = [
    *VALUES.values(),
    *HEADERS,
    *(
        BEGIN,
        LIST,
        MAP,
        b"\xdc\x04\x00",
        b"\xde\x04\x00",
        b"\xdf\x00\x00\x40\x00",
        b"\xda\xff\x00",
        b"\xbf" + b"x" * 31,
    ),
    *(
        b"\x84\xa4type\xa4move\xa2id\x01\xa4move\x00\xa4note",
        b"\x81\xa4type",
        b"\xff" * 99,
        b"\xf0\x9f\x98\x80" * 50,
        b"\xc1",
    ),
]
PIECES = {"JSON": JSON_PIECES, "msgpack": MSGPACK_PIECES}
STARTS = {"JSON": b"{", "msgpack": b""}
