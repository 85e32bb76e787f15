"""What `seer` knows of games beyond their rules: a game says where that is, and the bundled ones have it here."""

from dalang.bots.search import Policy
from dalang.engine.game import Game, SetupError


def policy_of(game: Game) -> Policy:
    """What the game brings, or nothing."""
    policy = game.part(game.policy) if game.policy else Policy()
    if not isinstance(policy, Policy):
        raise SetupError(f"{game.name}: {game.policy!r} is no dalang.bots.search.Policy")
    return policy
