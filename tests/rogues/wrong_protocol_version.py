"""start: speaks a protocol from the future."""

from polite import HELLO, hear, send

send({**HELLO, "protocol": 99})
hear("bye")
