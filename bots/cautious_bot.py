"""Die Augen der Kali: counts the cards, and goes on only if that brings gems without waking Kali."""

from dalang.bots.kali_odds import decide
from dalang.engine.games.kali.odds import CAUTIOUS
from dalang.kit import LegalMove, Request, run


def choose(request: Request) -> LegalMove:
    return decide(request, CAUTIOUS)


if __name__ == "__main__":
    run(choose, name="cautious", games={"kali": [2, 3, 4, 5, 6]}, wants=["view"])
