"""Die Augen der Kali: who will turn the next card, if the seats play as `cautious` or as `bold` does.

Most of what a position is worth hangs on that, and it turns on a hair; what the card will bring does not. So who judges
positions decides for the seats first, and guesses only then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dalang.engine.games.kali.components import DECLINE, STOP, TAKE_OVER
from dalang.engine.games.kali.odds import BOLD, CAUTIOUS, Raid, Temper, going_on, taking_over
from dalang.engine.games.kali.state import Kali


class NextCard(NamedTuple):
    """How it may stand when the next card is turned."""

    state: Kali
    """The acting seat turns it."""
    chance: float
    """If every seat is as likely cautious as bold."""
    changes: Sequence[float]
    """By seat, how much likelier it is if that one is bold."""


def next_cards(state: Kali) -> Iterator[NextCard]:
    yield from ways_on(state, raid_of(state), 1.0, [0.0] * state.seats)


def ways_on(state: Kali, raid: Raid, chance: float, changes: Sequence[float]) -> Iterator[NextCard]:
    if state.decision == "first_card":
        yield NextCard(state, chance, changes)
        return
    cautious, bold = (dares(state, raid, temper) for temper in (CAUTIOUS, BOLD))
    for is_daring in {cautious, bold}:
        likely = ((cautious is is_daring) + (bold is is_daring)) / 2
        mine = [each * likely for each in changes]
        mine[state.seat] += chance * ((bold is is_daring) - (cautious is is_daring)) / 2
        if is_daring and state.decision == "go_on":
            yield NextCard(state, chance * likely, mine)
        else:
            yield from ways_on(answered(state, is_daring), raid, chance * likely, mine)


def foreseen(state: Kali, tempers: Sequence[Temper]) -> Kali:
    """How it will stand when the next card is turned, if the seats have these tempers."""
    raid = raid_of(state)
    while state.decision != "first_card":
        is_daring = dares(state, raid, tempers[state.seat])
        if is_daring and state.decision == "go_on":
            break
        state = answered(state, is_daring)
    return state


def raid_of(state: Kali) -> Raid:
    return Raid(state.deck.counts, state.field, state.loot, state.temple, state.frights, state.options)


def dares(state: Kali, raid: Raid, temper: Temper) -> bool:
    """Whether the seat that is asked will turn a card."""
    if state.decision == "go_on":
        yes, no = going_on(raid, state.wealth, state.seat, temper)
    else:
        yes, no = taking_over(raid, state.wealth, state.seat, state.acting, temper)
    return yes > no


def answered(state: Kali, is_daring: bool) -> Kali:
    """After a stop, or an answer to who stopped."""
    twin = state.clone()
    twin.events = None
    twin.apply(STOP if state.decision == "go_on" else TAKE_OVER if is_daring else DECLINE)
    return twin
