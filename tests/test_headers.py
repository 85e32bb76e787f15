"""The headers of msgpack lead to where the library finds the end of a message, and tell how many values it has."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.protocol.headers import BEGINNING, Walked, walked
from tests.hostile import HEADERS, VALUES

ENDLESS = 2**40

texts = st.text(max_size=40) | st.sampled_from([300, 70_000]).map(lambda size: "t" * size)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | texts
    | texts.map(str.encode)
    | st.builds(msgpack.ExtType, st.integers(0, 127), texts.map(str.encode))
    | st.datetimes(datetime(1970, 1, 1), timezones=st.just(UTC))
)
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=4), inner, max_size=20),
    max_leaves=40,
)
pieces = st.sampled_from([*VALUES.values(), *HEADERS]) | st.binary(max_size=2)


def values_in(tree: Any) -> int:
    inner = list(tree.values()) if isinstance(tree, dict) else tree if isinstance(tree, list) else []
    return len(inner) + sum(map(values_in, inner))


@given(tree=trees, after=st.binary(max_size=5))
def test_a_message_ends_where_its_headers_say_and_has_as_many_values(tree: Any, after: bytes) -> None:
    data = msgpack.packb(tree, datetime=True)
    assert walked(data + after, BEGINNING, ENDLESS) == Walked(len(data), 0, values_in(tree))


@given(tree=trees, cuts=st.lists(st.integers(0, 300), max_size=20))
def test_the_walk_goes_on_where_it_stopped_for_want_of_bytes(tree: Any, cuts: list[int]) -> None:
    data = msgpack.packb(tree, datetime=True)
    walk = BEGINNING
    for end in [*accumulate(cuts), len(data)]:
        walk = walked(data[:end], walk, ENDLESS)
    assert walk == walked(data, BEGINNING, ENDLESS)


def library_end(data: bytes) -> int | None:
    """Where the library sees the end of the first message, which it need not understand; None if it has not come."""
    unpacker = msgpack.Unpacker(max_str_len=2**32, max_bin_len=2**32, max_ext_len=2**32,
                                max_array_len=2**32, max_map_len=2**32)  # fmt: skip
    unpacker.feed(data)
    try:
        unpacker.skip()
    except msgpack.OutOfData:
        return None
    return unpacker.tell()


@given(data=st.binary(max_size=100) | st.lists(pieces, max_size=60).map(b"".join))
def test_the_library_and_the_headers_agree_on_any_bytes(data: bytes) -> None:
    data = data.replace(b"\xc1", b"")  # which is nothing in msgpack
    place, left, _ = walked(data, BEGINNING, ENDLESS)
    assert library_end(data) == (place if not left and place <= len(data) else None)


@pytest.mark.parametrize("most", [0, 1, 1000])
def test_the_walk_stops_at_too_many_values(most: int) -> None:
    assert walked(b"\x91" * 100_000, BEGINNING, most) == Walked(most + 1, 1, most + 1)
    assert walked(b"\xdd\xff\xff\xff\xff" * 9, BEGINNING, most) == Walked(5, 2**32 - 1, 2**32 - 1)
