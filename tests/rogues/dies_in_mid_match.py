"""crash: dies in mid-match with an exit code."""

import sys

from polite import answer, enter, hear, send

send(answer(enter()))
hear("decide")
print("out of ideas", file=sys.stderr)
sys.exit(7)
