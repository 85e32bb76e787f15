"""crash: leaves politely, but too early."""

import sys

from polite import enter

enter()
sys.exit(0)
