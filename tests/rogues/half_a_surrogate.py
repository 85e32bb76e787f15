"""garbage: a note that is no text, in JSON."""

import sys

from polite import raw

raw(b'{"type": "hello", "protocol": 1, "name": "half"}\n')
sys.stdin.readline()
raw(b'{"type": "ready"}\n')
sys.stdin.readline()
raw(b'{"type": "move", "id": 1, "move": 0, "note": "\\ud800"}\n')
sys.stdin.readline()
