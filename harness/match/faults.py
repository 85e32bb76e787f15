"""How a bot can break the contract, and the host. Faults are types here and data in the record of a match."""

from __future__ import annotations

from typing import ClassVar


class BotFault(Exception):
    """The bot broke the contract: it is out of the match."""

    kind: ClassVar[str] = ""


class StartFault(BotFault):
    """It cannot be started, does not greet in time, or speaks another protocol."""

    kind = "start"


class Timeout(BotFault):
    """No answer before move time and bank ran out, or not ready in time."""

    kind = "timeout"


class Crash(BotFault):
    """The process ended, or closed its end of the conversation."""

    kind = "crash"


class Garbage(BotFault):
    """Bytes that are no message, or a message of the wrong kind."""

    kind = "garbage"


class Illegal(BotFault):
    """A well-formed answer that is not one of the listed moves."""

    kind = "illegal"


class Flood(BotFault):
    """A limit on the size or the number of messages, or on stderr, broken."""

    kind = "flood"


class Ponder(BotFault):
    """It works while it is not asked, and cannot be kept from it."""

    kind = "ponder"


FAULT_KINDS = {fault.kind: fault for fault in (StartFault, Timeout, Crash, Garbage, Illegal, Flood, Ponder)}
"""Every fault by the word that stands for it in records."""


class HostTooBusy(Exception):
    """This machine cannot keep time, so that the harness itself was late in each match, or has no room for bots."""
