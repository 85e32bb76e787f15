"""flood: 20,000 lists inside each other, in JSON."""

import sys

from polite import raw

raw(b'{"type": "hello", "protocol": 1, "name": "deep"}\n')
sys.stdin.readline()
raw(b'{"type": "ready"}\n')
sys.stdin.readline()
raw(b'{"type": ' + b"[" * 20_000 + b"\n")
sys.stdin.readline()
