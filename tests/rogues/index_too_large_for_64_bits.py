"""illegal: an index at the edge of what msgpack can say."""

from polite import answer, enter, hear, send

send(answer(enter(), 2**64 - 1))
hear("bye")
