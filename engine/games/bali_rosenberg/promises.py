"""What Bali (Rosenberg) promises beyond the contract: no card and no mask is lost, and hands and stacks are hidden."""

from __future__ import annotations

from dalang.engine.game import Promises
from dalang.engine.games.bali_rosenberg.components import COPIES
from dalang.engine.games.bali_rosenberg.state import BaliRosenberg


def conserved(state: BaliRosenberg) -> None:
    cards = [
        sum(counts) for counts in zip(state.pile.counts, state.discards.counts, *state.hands, strict=True)
    ]
    for stack in [stack for stacks in state.stacks for stack in stacks] + [state.laid]:
        for card in stack:
            cards[card] += 1
    assert cards == list(COPIES)
    assert min(state.pile.counts + state.discards.counts) >= 0
    assert min(map(min, state.hands)) >= 0
    assert state.pile.size == sum(state.pile.counts)
    assert state.discards.size == sum(state.discards.counts)
    masks = state.masks + [value for taken in state.taken for value in taken]
    assert sorted(masks) == sorted(state.options["masks"])
    assert state.seat < 0 or not any(stacks[state.home] for stacks in state.stacks) or state.decision == "lay"


PROMISES = Promises(
    conserved=conserved,
    hidden={
        "deal": {"drawn"},
        "draw": {"drawn"},
        "put": {"move"},
        "take": {"card"},
        "laid": {"cards"},
        "pick_up": {"cards"},
    },
    variants=({"split_mask": "next", "max_turns": 40}, {"max_turns": 12}),
)
