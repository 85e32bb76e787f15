"""Die Augen der Kali: the choice of bots that count cards, by the odds that the game comes with."""

from __future__ import annotations

from dalang.engine.games.kali.components import CARDS
from dalang.engine.games.kali.odds import Raid, Temper, going_on, taking_over
from dalang.kit import LegalMove, Request


def decide(request: Request, temper: Temper) -> LegalMove:
    """The better one of two moves."""
    if request.decision == "first_card":
        return request.moves[0]  # there is no other (§3.3)
    view, wealth = request.view, request.view["wealth"]
    deck = [view["deck"][card] for card in CARDS]
    raid = Raid(deck, view["field"], view["loot"], view["temple"], view["frights"], request.options)
    if request.decision == "go_on":
        yes, no = going_on(raid, wealth, view["you"], temper)
    else:
        yes, no = taking_over(raid, wealth, view["you"], view["acting"], temper)
    request.note = f"expects {max(yes, no):+.1f} gems, otherwise {min(yes, no):+.1f}; bust {raid.bust():.0%}"
    return request.moves[0] if yes > no else request.moves[1]
