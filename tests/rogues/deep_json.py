"""flood: 20,000 lists inside each other, in JSON."""

import sys

from polite import enter_in_json, raw

enter_in_json()
raw(b'{"type": ' + b"[" * 20_000 + b"\n")
sys.stdin.readline()
