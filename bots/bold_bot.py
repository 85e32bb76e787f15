"""Die Augen der Kali: counts the cards, and dares more for gems that it may win than for those it may lose."""

from dalang.bots.kali_odds import decide
from dalang.engine.games.kali.odds import BOLD
from dalang.kit import LegalMove, Request, run


def choose(request: Request) -> LegalMove:
    return decide(request, BOLD)


if __name__ == "__main__":
    run(choose, name="bold", games={"kali": [2, 3, 4, 5, 6]}, wants=["view"])
