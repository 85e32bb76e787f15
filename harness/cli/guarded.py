"""The command line for another dalang: it ends with that one, however that ends, and leaves nothing behind.

`python -m dalang.harness.cli.guarded PID COMMAND...`, where PID is the process that starts it.
"""

from __future__ import annotations

import sys
from functools import partial

from dalang.harness.cli.main import answered, prepare
from dalang.harness.match.guardian import guarded


def main() -> None:
    asker, *arguments = sys.argv[1:]
    prepare()
    sys.exit(answered(arguments, partial(guarded, int(asker))))


if __name__ == "__main__":
    main()
