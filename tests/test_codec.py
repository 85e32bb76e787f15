"""Bytes to messages: any bytes in any chunks give messages or a typed error, and never grow without bound."""

from __future__ import annotations

import json
import struct
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dalang.protocol import codec, messages
from dalang.protocol.codec import (
    CHUNK_BYTES,
    ENCODERS,
    MAX_DEPTH,
    MAX_MARKS,
    MAX_MESSAGE_BYTES,
    MAX_VALUES,
    Decoder,
    depth,
    pack,
    pack_json,
)
from dalang.protocol.headers import Walked, walked
from dalang.protocol.messages import ChosenMove, Garbled, Hello, Oversized, Ready, parse
from tests.hostile import JSON_REFUSED, JSON_TAKEN, MSGPACK_REFUSED, MSGPACK_TAKEN

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
maps = st.dictionaries(st.text(max_size=8), plain, max_size=5)
long_maps = maps.map(lambda message: message | {"note": "n" * MAX_MARKS})


def chunks(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[left:right] for left, right in pairwise(edges)]


def all_in(decoder: Decoder, chunk: bytes) -> Iterator[Any]:
    """All messages that are complete, although they are decoded a few at a time."""
    messages = decoder.feed(chunk)
    while messages:
        yield from messages
        messages = decoder.feed(b"")


@pytest.mark.parametrize("form", ENCODERS)
@given(
    sent=st.lists(maps | long_maps, min_size=1, max_size=6), cuts=st.lists(st.integers(0, 10**6), max_size=8)
)
def test_messages_arrive_as_they_were_sent_in_whatever_chunks(
    form: str, sent: list[Any], cuts: list[int]
) -> None:
    decoder = Decoder()
    data = b"".join(map(ENCODERS[form], sent))
    assert [message for chunk in chunks(data, cuts) for message in all_in(decoder, chunk)] == sent
    assert decoder.format == form


@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=5))
@example(data=b"{" + b"[" * 200, cuts=[])
@example(data=b"\xd6\xff\x00\x00\x00\x00", cuts=[])
@example(data=b"\xc7\x0c\xff" + b"\xff" * 12, cuts=[3])
def test_any_bytes_give_messages_or_a_typed_error(data: bytes, cuts: list[int]) -> None:
    decoder = Decoder()
    try:
        for chunk in chunks(data, cuts):
            for message in decoder.feed(chunk):
                parse(message)
    except (Garbled, Oversized) as error:
        assert str(error)


@given(data=maps)
def test_any_map_is_a_message_or_a_typed_error(data: dict[str, Any]) -> None:
    for kind in ("hello", "ready", "move"):
        try:
            assert isinstance(parse(data | {"type": kind}), Hello | Ready | ChosenMove)
        except Garbled as error:
            assert str(error)


@pytest.mark.parametrize(
    "data",
    [
        b"\x81\xa1a\xdb" + struct.pack(">I", 200_000_000) + b"a" * 200_000,
        b"\x81\xa1a\xc6" + struct.pack(">I", 2**32 - 1) + b"a" * 200_000,
        b"\x81\xa1a\xdd" + struct.pack(">I", 2**32 - 1),
        b"\xdf" + struct.pack(">I", 2**32 - 1),
        b"\x91" * 100_000,
        b"\x81\xa1a" * 2000,
        b'{"a": ' + b"[" * 100_000,
        b'{"a": ' + b"[" * 20_000 + b"\n",
        b'{"a": "' + b"a" * 200_000,
        pack({"a": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}),
        pack_json({"a": [0] * 65}),
        pack_json({str(number): 0 for number in range(65)}),
    ],
    ids=[
        "str",
        "bin",
        "array",
        "map",
        "deep",
        "deep maps",
        "deep json",
        "deep line",
        "long line",
        "too deep",
        "long list",
        "long map",
    ],
)
def test_what_is_too_large_is_refused_before_memory_is_spent(data: bytes) -> None:
    decoder = Decoder()
    tracemalloc.start()
    try:
        with pytest.raises(Oversized):
            for start in range(0, len(data), CHUNK_BYTES):
                decoder.feed(data[start : start + CHUNK_BYTES])
        assert tracemalloc.get_traced_memory()[1] < 10 * (MAX_MESSAGE_BYTES + CHUNK_BYTES)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "data",
    [
        b"hello\n",
        b"\xc1",
        b"\x01",
        b"\x93\x01\x02\x03",
        b"\x81\x01\x02",
        b"{]\n",
        b"{\xff}\n",
        b'{"a": "\\ud800"}\n',
        b'{"a": "\xed\xa0\x80"}\n',
        b'{"a": 18446744073709551616}\n',
    ],
)
def test_what_is_no_message_is_garbled_and_its_bytes_are_shown(data: bytes) -> None:
    with pytest.raises(Garbled, match=r"bytes|line that is no JSON"):
        Decoder().feed(data)


# ---- Bytes that are meant to keep the referee busy


def shapes(**tables: dict[str, bytes]) -> list[Any]:
    return [
        pytest.param(data, id=f"{form}, {name}")
        for form, table in tables.items()
        for name, data in table.items()
    ]


@pytest.mark.parametrize("data", shapes(json=JSON_REFUSED, msgpack=MSGPACK_REFUSED))
def test_what_only_keeps_busy_is_refused(data: bytes) -> None:
    with pytest.raises((Oversized, Garbled)):
        fed_in_chunks(data)


@pytest.mark.parametrize("before", [{"type": "ready"}, {"note": "n" * MAX_MARKS}])
@pytest.mark.parametrize("size", [1, 1000, CHUNK_BYTES])
def test_of_too_many_values_in_msgpack_no_more_are_made_than_are_allowed(
    size: int, before: dict[str, str]
) -> None:
    decoder, data = Decoder(), MSGPACK_REFUSED["letters as keys"]
    assert decoder.feed(pack(before)) == [before]
    unpacker, made = decoder.unpacker, []
    decoder.unpacker = SimpleNamespace(
        feed=unpacker.feed, tell=unpacker.tell, unpack=lambda: made.append(0) or unpacker.unpack()
    )
    with pytest.raises(Oversized, match=f"more than {MAX_VALUES} values"):
        for start in range(0, len(data), size):
            decoder.feed(data[start : start + size])
    assert len(made) * size <= 4 * MAX_VALUES  # each is one byte, and its key three


def test_a_message_in_many_chunks_is_looked_through_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []

    def watched(data: bytes, so_far: Walked, most: int) -> Walked:
        result = walked(data, so_far, most)
        steps.append(result.place - so_far.place)
        return result

    monkeypatch.setattr(codec, "walked", watched)
    decoder, message = Decoder(), FULL | {"0": [], "note": "n" * MAX_MARKS}
    data = pack(message)
    assert [each for place in range(len(data)) for each in decoder.feed(data[place : place + 1])] == [message]
    assert sum(steps) == len(data)


@pytest.mark.parametrize("data", shapes(json=JSON_TAKEN, msgpack=MSGPACK_TAKEN))
def test_what_looks_busy_and_is_a_message_is_taken(data: bytes) -> None:
    assert Decoder().feed(data[:CHUNK_BYTES])


FULL: dict[str, Any] = {str(key): [[] for _ in range(63)] for key in range(MAX_VALUES // 64)}
"""As many values as a message may have, and each of them a list."""


@pytest.mark.parametrize("form", ENCODERS)
def test_as_many_values_as_are_allowed_are_taken_and_one_more_is_refused(form: str) -> None:
    assert Decoder().feed(ENCODERS[form](FULL)) == [FULL]
    with pytest.raises(Oversized, match=f"a message of more than {MAX_VALUES} values"):
        Decoder().feed(ENCODERS[form](FULL | {"more": 0}))


@pytest.mark.parametrize("form", ENCODERS)
def test_values_are_counted_in_each_message_anew(form: str) -> None:
    decoder = Decoder()
    for _ in range(4):
        assert decoder.feed(ENCODERS[form](FULL)) == [FULL]


@pytest.mark.parametrize("form", ENCODERS)
@pytest.mark.parametrize("text", [",", "[{", '"', '\\"', '",', "\\", '\\",', "[,\n"])
def test_a_note_may_say_whatever_it_likes(text: str, form: str) -> None:
    message = {"type": "move", "id": 1, "move": 0, "note": text * (20_000 // len(text))}
    assert Decoder().feed(ENCODERS[form](message)) == [message]


@pytest.mark.parametrize("form", ENCODERS)
def test_of_a_flood_only_the_message_too_many_is_decoded(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []
    monkeypatch.setattr(codec, "parse_line", lambda line: parsed.append(line) or {})
    flood = ENCODERS[form]({}) * 20_000
    assert Decoder().feed(flood[:CHUNK_BYTES]) == [{}, {}]
    assert len(parsed) == (2 if form == "json" else 0)


def test_a_json_bot_stays_a_json_bot() -> None:
    decoder = Decoder()
    assert decoder.feed(b'{"type":"ready"}\r\n\n') == [{"type": "ready"}]
    with pytest.raises(Garbled):
        decoder.feed(pack({"type": "ready"}) + b"\n")


def message_of(size: int, form: str) -> dict[str, Any]:
    """Its note makes it as long as this."""
    message = {"type": "move", "id": 1, "move": 0, "note": "n" * 60_000}
    longer = size - len(ENCODERS[form](message).rstrip(b"\n"))
    return message | {"note": "n" * (60_000 + longer)}


@pytest.mark.parametrize("form", ENCODERS)
def test_the_largest_message_passes_and_one_byte_more_is_refused(form: str) -> None:
    message = message_of(MAX_MESSAGE_BYTES, form)
    assert fed_in_chunks(ENCODERS[form](message)) == [message]
    with pytest.raises(Oversized, match="of more than 65536 bytes"):
        fed_in_chunks(ENCODERS[form](message_of(MAX_MESSAGE_BYTES + 1, form)))


def fed_in_chunks(data: bytes) -> list[Any]:
    decoder = Decoder()
    starts = range(0, len(data), CHUNK_BYTES)
    return [message for start in starts for message in decoder.feed(data[start : start + CHUNK_BYTES])]


def test_a_small_message_after_a_large_one_has_its_own_size() -> None:
    large, small = message_of(MAX_MESSAGE_BYTES, "msgpack"), {"type": "ready"}
    data = pack(large) + pack(small) + pack(large)
    assert fed_in_chunks(data) == [large, small, large]


@pytest.mark.parametrize(
    ("data", "levels"), [({}, 1), ({"a": 1}, 1), ({"a": []}, 2), ({"a": [{"b": {}}]}, 4)]
)
def test_depth(data: dict[str, Any], levels: int) -> None:
    assert depth(data) == levels <= MAX_DEPTH


# ---- What the words mean


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"type": "ready", "extra": 1}, Ready()),
        ({"type": "move", "id": 3, "move": 0}, ChosenMove(3, 0)),
        ({"type": "move", "id": 3, "move": 2, "note": "hm"}, ChosenMove(3, 2, "hm")),
        ({"type": "hello", "protocol": 1, "name": "a"}, Hello(1, "a")),
        ({"type": "hello", "protocol": 1, "games": {"kali": [2, 3]}}, Hello(1, "", games={"kali": [2, 3]})),
        ({"type": "hello", "protocol": 1}, Hello(1, "", wants=frozenset(("view", "news")))),
        ({"type": "hello", "protocol": 1, "wants": None}, Hello(1, "", wants=frozenset(("view", "news")))),
        ({"type": "hello", "protocol": 1, "wants": []}, Hello(1, "", wants=frozenset())),
        ({"type": "hello", "protocol": 1, "wants": ["news"]}, Hello(1, "", wants=frozenset(("news",)))),
        (
            {"type": "hello", "protocol": 1, "wants": ["views", "view", "view"]},
            Hello(1, "", wants=frozenset(("view", "views"))),
        ),
    ],
)
def test_a_well_formed_message(data: dict[str, Any], message: Any) -> None:
    assert parse(data) == message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "no message of type None"),
        ({"type": "shout"}, "no message of type 'shout'"),
        ({"type": ["move"]}, "no message of type"),
        ({"type": "move", "id": 1}, "move.move must be a whole number, not None"),
        ({"type": "move", "id": 1, "move": True}, "move.move must be a whole number, not True"),
        ({"type": "move", "id": 1, "move": 1.0}, "move.move must be a whole number, not 1.0"),
        ({"type": "move", "id": "1", "move": 1}, "move.id must be a whole number, not '1'"),
        ({"type": "move", "id": 1, "move": 1, "note": 5}, "move.note must be text"),
        ({"type": "hello", "name": "x"}, "hello.protocol must be a whole number"),
        ({"type": "hello", "protocol": 1, "games": ["kali"]}, "hello.games must map names"),
        ({"type": "hello", "protocol": 1, "wants": "view"}, "hello.wants must be a list of text, not 'view'"),
        ({"type": "hello", "protocol": 1, "wants": {"view": True}}, "hello.wants must be a list of text"),
        ({"type": "hello", "protocol": 1, "wants": ["view", 1]}, "hello.wants must be a list of text"),
        ({"type": "hello", "protocol": 1, "wants": [["view"]]}, "hello.wants must be a list of text"),
        ([1], "a message is a map"),
    ],
)
def test_a_malformed_message_is_named(data: Any, words: str) -> None:
    with pytest.raises(Garbled, match=words):
        parse(data)


def test_what_the_referee_says_survives_both_codecs() -> None:
    said = [
        messages.start("kali", 1, 3, 0, {"fields": [1, 2]}, "ab12", {"move": 1.5}),
        messages.decide(1, "go_on", [{"event": "card"}], {"you": 0}, [["draw"], ["stop"]]),
        messages.decide(2, "go_on", None, None, [["draw"], ["stop"]]),
        messages.end([], [40, 30], [1, 2], "kali_wakes"),
        messages.end(None, [40, 30], [1, 2], "kali_wakes"),
        messages.BYE,
    ]
    for message in said:
        assert json.loads(pack_json(message)) == msgpack.unpackb(pack(message)) == message
