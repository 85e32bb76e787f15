"""Die Augen der Kali: counts the cards, and dares more for gems that it may win than for those it may lose."""

from dalang.bots.kali_odds import Temper, decide
from dalang.kit import LegalMove, Request, run

BOLD = Temper(appetite=1.25, dread=20, ahead=3)


def choose(request: Request) -> LegalMove:
    return decide(request, BOLD)


if __name__ == "__main__":
    run(choose, name="bold", games={"kali": [2, 3, 4, 5, 6]}, wants=["view"])
