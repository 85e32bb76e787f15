"""What Kali promises beyond the contract: no gem and no card is lost, and everybody sees everything."""

from __future__ import annotations

from dalang.engine.game import Promises
from dalang.engine.games.kali.components import COPIES, GEMS
from dalang.engine.games.kali.state import Kali


def conserved(state: Kali) -> None:
    assert sum(state.wealth) + state.loot + state.temple == GEMS
    assert state.deck.size + len(state.turned) == sum(COPIES)
    assert min(state.wealth) >= 0
    assert state.temple >= 0


PROMISES = Promises(
    conserved=conserved,
    variants=({"fine_rounding": "up", "after_takeover": "taker"}, {"fields": [9] * 18}),
)
