"""Die Augen der Kali: counts the cards, and goes on only if that brings gems without waking Kali."""

from dalang.bots.kali_odds import Temper, decide
from dalang.kit import LegalMove, Request, run

CAUTIOUS = Temper(appetite=1.0, dread=40, ahead=3)


def choose(request: Request) -> LegalMove:
    return decide(request, CAUTIOUS)


if __name__ == "__main__":
    run(choose, name="cautious", games={"kali": [2, 3, 4, 5, 6]}, wants=["view"])
