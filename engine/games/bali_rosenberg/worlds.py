"""Bali (Rosenberg 2001): the worlds that a seat cannot tell apart.

A world is a story (story.py) whose end is filled in at random. Every world that agrees with what the seat has heard
can come. To tell a story takes time, so that most worlds of one view share the outlines of a few.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dalang.engine.chance import Bag, Chance, QuickChance
from dalang.engine.game import Plain, plain
from dalang.engine.games.bali_rosenberg.components import CARDS, COPIES, ISLAND
from dalang.engine.games.bali_rosenberg.memory import TRAIL_SEEN, TRAIL_UP
from dalang.engine.games.bali_rosenberg.roles import ANY
from dalang.engine.games.bali_rosenberg.story import Heap, Outline, Trail, TrailClues, new_outline

UNKNOWN = "?"
OUTLINES = 15
"""Outlines that worlds of one view share. One world in so many and one has an outline of its own."""


class HiddenCards(NamedTuple):
    """What is hidden, as it may be."""

    pile: list[int]
    """How many of each card."""
    dealt: list[list[int]]
    """By island: the cards of the first deal in the seat's own stacks."""
    stacks: list[list[list[int]]]
    """By seat and island, bottom first; the hand is the stack at home."""
    drawn: list[list[list[int]]]
    """By seat and pile: what the seat has drawn from it."""
    trails: list[Trail]
    """By seat, as in the view; with `piles`, shared by all worlds of a view and never changed."""
    piles: list[list[int]]


# ---- From a view to a world


def draw_world(view: Plain, chance: Chance) -> HiddenCards:
    """A world that agrees with everything this seat has heard."""
    clues, outlines = remembered(view)
    number = chance.below(len(outlines) + 1, "imagine")
    if number == len(outlines):
        return filled(new_outline(clues, chance), clues, chance)
    outline = outlines[number]
    if outline is None:
        outline = outlines[number] = new_outline(clues, QuickChance(number))
    return filled(outline, clues, chance)


def filled(outline: Outline, clues: TrailClues, chance: Chance) -> HiddenCards:
    """A world with this outline, each equally likely."""
    bags = [Bag(CARDS, counts) for counts in outline.left]
    drawn = [[counts.copy() for counts in piles] for piles in outline.drawn]
    stacks = [
        [lying(layers, bags, drawn[seat], chance) for layers in islands]
        for seat, islands in enumerate(outline.stacks)
    ]
    dealt = [[chance.draw(bags[0], "imagine") for _ in range(number)] for number in clues.dealt]
    return HiddenCards(bags[-1].counts, dealt, stacks, drawn, clues.view["trails"], clues.view["piles"])


def lying(layers: list[Heap], bags: list[Bag], drawn: list[list[int]], chance: Chance) -> list[int]:
    """The cards of a stack, those of one place in any order."""
    cards = []
    for heap in layers:
        left = heap.copy()
        while left:
            pile, kind = left.pop(chance.below(len(left), "imagine"))
            if kind == ANY:
                kind = chance.draw(bags[pile], "imagine")
                if pile:
                    drawn[pile - 1][kind] += 1
            cards.append(kind)
    return cards


# ---- What the view says


REMEMBERED: list[tuple[list[Any], TrailClues, list[Outline | None]]] = []
"""What was found out about the last view: a searching bot imagines many worlds from one view."""
TELLING = (
    "you",
    "home",
    "trails",
    "piles",
    "drawn",
    "discards",
    "hand",
    "own",
    "laid",
    "hands",
    "stacks",
    "dealt",
)


def remembered(view: Plain) -> tuple[TrailClues, list[Outline | None]]:
    """The clues of the view, and a few outlines, made when they are wanted: always the same for the same clues."""
    told = [view[field] for field in TELLING]
    if not REMEMBERED or REMEMBERED[0][0] != told:
        kept = plain(told)  # the view is not ours, and may change
        clues = new_clues(dict(zip(TELLING, kept, strict=True)))
        REMEMBERED[:] = [(kept, clues, [None] * OUTLINES)]
    return REMEMBERED[0][1:]


def new_clues(view: Plain) -> TrailClues:
    me = view["you"]
    trails = [[] if seat == me else trail_of(view, seat) for seat in range(len(view["hands"]))]
    later = [
        [all - own for all, own in zip(pile, drawn, strict=True)]
        for pile, drawn in zip(view["piles"], view["drawn"], strict=True)
    ]
    hidden = zip(unseen_cards(view), seen_on(trails), *later, strict=True)
    first = [unseen + seen - sum(others) for unseen, seen, *others in hidden]
    return TrailClues([first, *later], trails, view["dealt"][me], view)


def trail_of(view: Plain, seat: int) -> Trail:
    """The trail of a seat; if it is empty, its stacks, of which nothing is known."""
    if view["trails"][seat]:
        trail: Trail = view["trails"][seat]
        return trail
    sizes = view["stacks"][seat].copy()
    sizes[ISLAND[view["home"]]] += view["hands"][seat]
    return [sizes]


def unseen_cards(view: Plain) -> list[int]:
    """How many of each card this seat does not see."""
    known = [name for stack in (*view["own"].values(), view["laid"]) for name in stack]
    return [
        copies - view["discards"].get(name, 0) - view["hand"].get(name, 0) - known.count(name)
        for name, copies in zip(CARDS, COPIES, strict=True)
    ]


def seen_on(trails: list[Trail]) -> list[int]:
    """How many of each card came to light on these trails."""
    counts = [0] * len(CARDS)
    for trail in trails:
        for step in trail[1:]:
            if step[0] in (TRAIL_SEEN, TRAIL_UP):
                for card in step[2:]:
                    counts[card] += 1
    return counts
