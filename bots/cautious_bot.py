"""Die Augen der Kali: counts the cards, and goes on only if that betters the place it can expect."""

from bots.kali_odds import Temper, decide
from bots.kit import Move, Request, run

CAUTIOUS = Temper(glory=0.0, fear=0.1)


def choose(request: Request) -> Move:
    return decide(request, CAUTIOUS, ahead=2)


if __name__ == "__main__":
    run(choose, name="cautious", games={"kali": [2, 3, 4, 5, 6]})
