"""start: dies at once."""

import sys

print("no licence found", file=sys.stderr)
sys.exit(3)
