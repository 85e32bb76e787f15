"""garbage: a note that is no text, in JSON."""

import sys

from polite import enter_in_json, raw

enter_in_json()
raw(b'{"type": "move", "id": 1, "move": 0, "note": "\\ud800"}\n')
sys.stdin.readline()
