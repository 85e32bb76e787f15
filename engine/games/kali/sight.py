"""Who sees what in Die Augen der Kali (V1 to V5): everybody sees everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalang.engine.chance import Bag
from dalang.engine.game import Plain
from dalang.engine.games.kali.components import CARDS

if TYPE_CHECKING:
    from dalang.engine.games.kali.state import Kali


def sight_of(state: Kali, seat: int) -> Plain:
    """What is on the table; it looks the same from every seat."""
    return {
        "owner": state.owner,
        "acting": state.acting,
        "field": state.field,
        "loot": state.loot,
        "price": state.price,
        "temple": state.temple,
        "frights": state.frights,
        "wealth": state.wealth.copy(),
        "deck": state.deck.named(),
        "turned": state.turned.copy(),
        "turned_by": state.turned_by.copy(),
        "ending": state.ending,
    }


def open_sight_of(state: Kali) -> Plain:
    """For an onlooker: the same as for everybody."""
    return sight_of(state, 0)


def imagine(state: Kali, view: Plain) -> None:
    """Fill a blank state with the only world that looks like this (V4): the deck has no order."""
    for name in state.__slots__:
        value = view[name]
        setattr(state, name, value.copy() if isinstance(value, list) else value)
    state.deck = Bag.of(CARDS, view["deck"])
    if state.decision == "takeover":
        state.plan(*[("bid", other) for other in state.bidders(state.seat)], ("pocket",))
