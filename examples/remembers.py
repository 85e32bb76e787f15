"""Remembers until the match ends what it has seen, and tells people what it thinks."""

from dalang.kit import LegalMove, Request, run


def choose(request: Request) -> LegalMove:
    cards = request.memory.setdefault("cards", [])
    cards += [card for event in request.events for card in event.get("drawn", [])]
    request.note = f"{len(cards)} cards seen, {cards.count('fright')} of them frights"
    return request.rng.choice(request.moves)


if __name__ == "__main__":
    run(choose, name="remembers", wants=["news"])
