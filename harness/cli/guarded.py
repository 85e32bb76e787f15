"""The command line for another dalang: it ends with that one, however that ends, and leaves nothing behind.

`python -m dalang.harness.cli.guarded PID COMMAND...`, where PID is the process that starts it.
"""

from __future__ import annotations

import sys

from dalang.harness.cli.main import run_alone
from dalang.harness.isolation.prctl import hide_from_others
from dalang.harness.match.guardian import guarded


def main() -> None:
    asker, *arguments = sys.argv[1:]
    hide_from_others()
    guarded(int(asker))
    sys.exit(run_alone(arguments))


if __name__ == "__main__":
    main()
