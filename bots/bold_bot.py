"""Die Augen der Kali: counts the cards, and dares what it takes to come first."""

from bots.kali_odds import Temper, decide
from bots.kit import Move, Request, run

BOLD = Temper(glory=0.3, fear=0.0)


def choose(request: Request) -> Move:
    return decide(request, BOLD, ahead=3)


if __name__ == "__main__":
    run(choose, name="bold", games={"kali": [2, 3, 4, 5, 6]})
