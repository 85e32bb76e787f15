"""The bytes: msgpack, or JSON lines for a bot whose first byte is `{`.

A msgpack message tells its own length, so there is no other framing. `{` is no map in msgpack, so the first
byte of a bot settles the format of the whole conversation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import msgpack

from dalang.protocol.headers import BEGINNING, walked
from dalang.protocol.messages import Garbled, Oversized, Plain, clipped

MAX_MESSAGE_BYTES = 64 * 1024
"""Bytes that one message of a bot may have."""
MAX_ITEMS = 64
"""Entries that a list or a map in a bot's message may have."""
MAX_DEPTH = 16
"""Lists and maps inside each other in a bot's message."""
MAX_VALUES = 1024
"""Values in a bot's message, those in all its lists and maps together."""

CHUNK_BYTES = 64 * 1024
"""Bytes that may be fed at once."""
MOST_AT_ONCE = 2
"""Messages that are decoded at once: one answers the question, and a second is one too many."""

MAX_MARKS = 2 * MAX_VALUES + 1
"""In JSON a mark begins a list or a map, the message included, or an entry of one, so that no value has more than two.
If there are more, there are too many values, and that is known before one is made. In msgpack a message of no more
bytes than this is decoded as it is, and the values of a longer one are counted first."""
TOO_LONG = f"a message of more than {MAX_MESSAGE_BYTES} bytes"
TOO_MANY_VALUES = f"a message of more than {MAX_VALUES} values"

MSGPACK = "msgpack"
JSON = "json"

pack: Callable[[Any], bytes] = msgpack.Packer(autoreset=True).pack


def pack_json(message: Plain) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


ENCODERS: dict[str, Callable[[Any], bytes]] = {MSGPACK: pack, JSON: pack_json}


class Decoder:
    """Turns the bytes of a bot, in whatever chunks they come, into decoded messages.

    Raises Garbled or Oversized and nothing else, and never keeps more than one message and one chunk. What hostile
    bytes cost is bounded: of many messages only the first are decoded, the others when no bytes are fed, and what has
    too many values is not decoded.
    """

    __slots__ = ("begun", "format", "rest", "unpacker", "walked")

    def __init__(self) -> None:
        self.format = ""
        self.rest = b""  # what has come of the message that is not complete
        self.begun = 0  # bytes of msgpack before it
        self.walked = BEGINNING  # how far it was looked through, if it is long
        self.unpacker: Any = None

    def feed(self, chunk: bytes) -> list[Any]:
        """The messages that are complete now, MOST_AT_ONCE of them."""
        if self.unpacker is not None:
            return self.feed_msgpack(chunk)
        if not self.format and chunk:
            self.choose(chunk[:1])
        return (
            self.feed_json(chunk) if self.format == JSON else self.feed_msgpack(chunk) if self.format else []
        )

    def choose(self, first: bytes) -> None:
        if first == b"{":
            self.format = JSON
            return
        self.format = MSGPACK
        self.unpacker = msgpack.Unpacker(
            max_buffer_size=MAX_MESSAGE_BYTES + CHUNK_BYTES,
            max_str_len=MAX_MESSAGE_BYTES,
            max_bin_len=MAX_MESSAGE_BYTES,
            max_ext_len=MAX_MESSAGE_BYTES,
            max_array_len=MAX_ITEMS,
            max_map_len=MAX_ITEMS,
            timestamp=1,  # a float: an object for each takes its time
        )

    def feed_msgpack(self, chunk: bytes) -> list[Any]:
        messages: list[Any] = []
        unpacker = self.unpacker
        rest = self.rest + chunk
        try:
            unpacker.feed(chunk)
            while rest and len(messages) < MOST_AT_ONCE:
                if len(rest) > MAX_MARKS:
                    self.refuse_too_many(rest)
                messages.append(unpacker.unpack())
                place = unpacker.tell()
                size = place - self.begun
                if size > MAX_MESSAGE_BYTES:
                    raise Oversized(TOO_LONG)
                rest, self.begun, self.walked = rest[size:], place, BEGINNING
        except Oversized:
            raise
        except msgpack.OutOfData:  # the last one is not complete yet
            if len(rest) > MAX_MESSAGE_BYTES:
                raise Oversized(TOO_LONG) from None
        except msgpack.BufferFull:
            raise Oversized(TOO_LONG) from None
        except msgpack.StackError:
            raise Oversized(f"a message of more than {MAX_DEPTH} levels") from None
        except Exception as error:  # the library documents no common base for what bad bytes raise
            if "exceeds max" in str(error):
                raise Oversized(f"a list or map of more than {MAX_ITEMS} entries: {error}") from None
            raise Garbled(f"bytes that are no msgpack: {readable(chunk)}") from None
        self.rest = rest
        return checked(messages, chunk)

    def refuse_too_many(self, rest: bytes) -> None:
        """The library would make all values of a message before it tells of one."""
        self.walked = walked(rest, self.walked, MAX_VALUES)
        if self.walked.values > MAX_VALUES:
            raise Oversized(TOO_MANY_VALUES)

    def feed_json(self, chunk: bytes) -> list[Any]:
        messages: list[Any] = []
        rest = (self.rest + chunk).lstrip()
        while len(messages) < MOST_AT_ONCE and (end := rest.find(b"\n")) >= 0:
            messages.append(parse_line(rest[:end]))
            rest = rest[end + 1 :].lstrip()
        self.rest = rest
        if len(messages) < MOST_AT_ONCE and len(rest) > MAX_MESSAGE_BYTES:
            raise Oversized(f"a line of more than {MAX_MESSAGE_BYTES} bytes")
        return checked(messages, chunk)


def marks_in(line: bytes) -> int:
    """How many lists and maps begin here, and how many of their entries that are not the first."""
    return line.count(b",") + line.count(b"[") + line.count(b"{")


def marks_outside_texts(line: bytes) -> int:
    """A long note may be full of commas, and text may be full of quotes."""
    bare = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    if bare.count(b'"') > 4 * MAX_VALUES:
        return MAX_MARKS + 1  # each value has two at most, and two more for its key
    return marks_in(b"".join(bare.split(b'"')[::2]))


def parse_line(line: bytes) -> Any:
    if len(line) > MAX_MESSAGE_BYTES:
        raise Oversized(f"a line of more than {MAX_MESSAGE_BYTES} bytes")
    if len(line) > MAX_MARKS and marks_in(line) > MAX_MARKS and marks_outside_texts(line) > MAX_MARKS:
        raise Oversized(TOO_MANY_VALUES)
    try:
        message = from_json(line.decode())
        if b"\\u" in line:
            json.dumps(message, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except RecursionError:
        raise Oversized(f"a message of more than {MAX_DEPTH} levels") from None
    except ValueError:
        raise Garbled(f"a line that is no JSON: {readable(line)}") from None
    return message


def small_int(digits: str) -> int:
    """A whole number that msgpack could carry too: what one codec takes, the other must."""
    number = int(digits)
    if not -(2**63) <= number < 2**64:
        raise ValueError(f"{digits} does not fit into 64 bits")
    return number


from_json = json.JSONDecoder(parse_int=small_int).decode


def checked(messages: list[Any], chunk: bytes) -> list[Any]:
    for message in messages:
        if type(message) is not dict:
            raise Garbled(f"a message is a map, not {clipped(message)}, in the bytes {readable(chunk)}")
        if len(message) > MAX_ITEMS or (not is_flat(message) and depth(message) > MAX_DEPTH):
            raise Oversized(f"a message of more than {MAX_DEPTH} levels or {MAX_ITEMS} entries")
    return messages


CONTAINERS = frozenset((dict, list))


def is_flat(message: Plain) -> bool:
    """Whether it holds no lists and maps, as most answers do."""
    return CONTAINERS.isdisjoint(map(type, message.values()))


def depth(message: Plain) -> int:
    """How many lists and maps lie inside each other, counted level by level without recursion."""
    levels, level, values = 1, containers(message.values()), len(message)
    while level:
        levels += 1
        values += sum(map(len, level))
        if values > MAX_VALUES:
            raise Oversized(TOO_MANY_VALUES)
        level = containers(
            part for whole in level for part in (whole.values() if type(whole) is dict else whole)
        )
    return levels


def containers(values: Iterable[Any]) -> list[Any]:
    found = [value for value in values if type(value) in CONTAINERS]
    for value in found:
        if len(value) > MAX_ITEMS:
            raise Oversized(f"a list or map of more than {MAX_ITEMS} entries")
    return found


def readable(chunk: bytes) -> str:
    """The bytes as a person can read them in an error."""
    return repr(chunk[:40])[1:] + ("..." if len(chunk) > 40 else "")
