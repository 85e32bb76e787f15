"""Time enough on a busy machine, for tests that are not about time."""

from __future__ import annotations

from dalang.harness.cli.main import cli
from dalang.harness.match.limits import Limits

ROOMY = Limits(startup=30.0, prepare=30.0, move=20.0, bank=20.0)
"""The good bots need their time, and nobody waits for it to run out."""


def room_for(command: str) -> list[str]:
    """The flags that give the bots of a command of dalang time enough; none if it plays nothing."""
    options = cli.commands[command].loaded().params if command in cli.commands else []
    known = {flag for option in options for flag in option.opts}
    flags = {
        "--startup-time": ROOMY.startup,
        "--prepare-time": ROOMY.prepare,
        "--move-time": ROOMY.move,
        "--bank": ROOMY.bank,
    }
    return [word for flag, value in flags.items() if flag in known for word in (flag, str(value))]
