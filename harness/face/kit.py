"""What a bot in Python imports: `from dalang.kit import run`."""

from dalang.bots.kit import Move, Request, run

__all__ = ["Move", "Request", "run"]
