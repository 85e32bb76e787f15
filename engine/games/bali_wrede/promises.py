"""What Bali (Wrede) promises beyond the contract: no card is lost, and what lies face down is hidden."""

from __future__ import annotations

from dalang.engine.game import Promises
from dalang.engine.games.bali_wrede.components import (
    CARDS,
    COPIES,
    FARMER,
    GOODS,
    KINDS,
    OFFERINGS,
    ORACLE,
    ORACLES,
)
from dalang.engine.games.bali_wrede.state import BaliWrede


def conserved(state: BaliWrede) -> None:
    lying = [state.laid[card][2] for card in state.place]
    for kind in KINDS:
        held = sum(cards[kind] for cards in state.held)
        assert state.stock[kind] + held + lying.count(kind) == OFFERINGS
    boxed = [0, 0, state.box[0], 0, 0, 0, 0, state.box[1]]
    for card, number in enumerate(copies(state)):
        owned = sum(cards[card] for cards in [*state.hands, *state.tables] if card < ORACLE)
        shown = sum(row.count(card) for row in state.rows)
        assert state.stack.counts[card] + owned + shown + boxed[card] == number
    assert min(min(counts) for counts in [state.stone, state.points, state.stock, *state.held]) >= 0


def copies(state: BaliWrede) -> list[int]:
    """How many of each card there are at this table (§2)."""
    lacking = state.options["start_sets"][: state.seats]
    farmers = [COPIES[FARMER] + state.seats - lacking.count(good) for good in GOODS]
    others = [COPIES[0] + state.seats, *COPIES[1:FARMER]]
    found = [*others, *farmers, ORACLES * state.options["oracle"]]
    assert len(found) == len(CARDS)
    return found


PROMISES = Promises(
    conserved=conserved,
    hidden={"look": {"kinds"}, "first_offerings": {"drawn"}},
    variants=(
        {"oracle": True},
        {"demon": True},
        {"oracle": True, "demon": True},
        {"oracle": True, "start_sets": ["pepper", "rice", "banana", "peanut"]},
    ),
)
