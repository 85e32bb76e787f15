"""Nothing yet."""

from bots.search import Policy

POLICY = Policy()
