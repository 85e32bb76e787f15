"""crash: dies in mid-match with an exit code."""

import sys

from polite import second_question

second_question()
print("out of ideas", file=sys.stderr)
sys.exit(7)
