"""Takes the first move, and wants to be told what its arguments say: `view`, `news`."""

import sys

from dalang.kit import run

run(lambda request: 0, name="reader", wants=sys.argv[1:])
