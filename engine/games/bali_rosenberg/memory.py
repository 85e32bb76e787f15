"""What all remember of hidden cards in Bali (Rosenberg 2001), worked out when somebody looks.

Nobody sees what others draw, put away and take back, but everybody sees where cards go, which ones come to light,
and what was in the draw pile when it was made. From this follows which cards can be where.

`sure[seat][2 * island + (0 for priests, 1 for princes)]` is how many such cards, at least, everybody knows to be in
that seat's stack at the island. The hand counts as the stack at home, so laying it down and taking it up again moves
nothing here, nor in the trails.

`piles` has the content of every draw pile but the first, which is pile 0, and `drawn[seat]` what the seat itself has
drawn from each of them.

`trails[seat]` is the way of the seat's cards. It is empty as long as any card can be anywhere: before the first
reshuffle, unless something was shown. Then it has the sizes of the seat's stacks by island, and a list for each step:

    TRAIL_DREW, island, pile, number      cards drawn to the hand, which is the stack at this island
    TRAIL_SEEN, island, card, ...         cards that went from there to the discard pile
    TRAIL_SHOWN, island, card, number     so many, at least, were there
    TRAIL_PUT, island, other, number      hidden cards put from there on top of another stack
    TRAIL_TOOK, island, other, number     hidden cards taken from the top of another stack
    TRAIL_UP, island, card, ...           the stack there was picked up, and what lay above the bottom four discarded

Steps are told as early and as few as can be without a change in what follows from them. Cards that leave a stack can
do so in any order, as long as none comes in between. And a card drawn may as well have been drawn earlier, together
with others from the same pile, if one of these was there all the time: nobody could tell the two apart.
`fresh[seat][island]` is how many such others are left; -1 if there was a moment without any.

A search plays on without looking, so while the game goes on only `heard` grows: the verb of a step, the seat, the
island and what else there is to say. Of memory only `piles` is kept up at once, `catch_up` does the rest. A clone
shares the memory, which is therefore never changed, only replaced, but for what `catch_up` has just copied.
"""

from __future__ import annotations

from collections.abc import Callable

from dalang.engine.games.bali_rosenberg.components import CARDS, ISLANDS, PRIEST, PRINCE
from dalang.engine.games.bali_rosenberg.position import CLOSED, Position

TRAIL_DREW, TRAIL_SEEN, TRAIL_SHOWN, TRAIL_PUT, TRAIL_TOOK, TRAIL_UP = range(6)
NEW_PILE = 6
"""What is heard of a reshuffle, by each seat."""

# ---- While the game goes on


def hear_shown(state: Position, seat: int, number: int) -> None:
    """The seat showed `number` cards of the kind in contest, which stay in its hand."""
    sizes = [] if state.piles else trail_sizes(state, seat)
    state.heard.append((TRAIL_SHOWN, seat, state.home, state.kind, number, sizes))


def hear_reshuffle(state: Position) -> None:
    for seat in range(state.seats):
        state.heard.append((NEW_PILE, seat, [] if state.piles else trail_sizes(state, seat)))
    state.piles = [*state.piles, state.pile.counts.copy()]


def trail_sizes(state: Position, seat: int) -> list[int]:
    """With these a trail begins now."""
    sizes = [len(stack) for stack in state.stacks[seat]]
    sizes[state.home] += sum(state.hands[seat])
    return sizes


# ---- When somebody looks


def catch_up(state: Position) -> None:
    """Make memory of what was heard."""
    heard = state.heard
    if not heard:
        return
    state.heard = []
    own_memory(state, {seat for _, seat, *_ in heard})
    for verb, seat, *rest in heard:
        REMEMBER[verb](state, seat, *rest)


def own_memory(state: Position, seats: set[int]) -> None:
    """Let no clone share the memory of these seats."""
    state.sure, state.trails, state.fresh = state.sure.copy(), state.trails.copy(), state.fresh.copy()
    state.drawn = state.drawn.copy()
    for seat in seats:
        state.sure[seat] = state.sure[seat].copy()
        state.trails[seat] = state.trails[seat].copy()
        state.fresh[seat] = state.fresh[seat].copy()
        if state.drawn[seat]:
            *before, last = state.drawn[seat]
            state.drawn[seat] = [*before, last.copy()]


# ---- Luck


def remember_new_pile(state: Position, seat: int, sizes: list[int]) -> None:
    state.drawn[seat] = [*state.drawn[seat], [0] * len(CARDS)]
    state.fresh[seat] = [CLOSED] * len(ISLANDS)
    if not state.trails[seat]:
        state.trails[seat] = [sizes]


def remember_draw(state: Position, seat: int, home: int, card: int) -> None:
    drawn = state.drawn[seat]
    if drawn:
        drawn[-1][card] += 1
    trail = state.trails[seat]
    if not trail:
        return
    fresh = state.fresh[seat]
    if fresh[home] == CLOSED:
        trail.append([TRAIL_DREW, home, len(drawn), 1])
        fresh[home] = 1
        return
    fresh[home] += 1
    place = len(trail) - 1
    while trail[place][0] != TRAIL_DREW or trail[place][1] != home:
        place -= 1
    *same, number = trail[place]
    trail[place] = [*same, number + 1]


# ---- What is seen


def remember_shown(state: Position, seat: int, home: int, kind: int, number: int, sizes: list[int]) -> None:
    sure, place = state.sure[seat], 2 * home + kind - PRIEST
    sure[place] = max(sure[place], number)
    if not state.trails[seat]:
        state.trails[seat] = [sizes]
        state.fresh[seat] = [CLOSED] * len(sizes)
    if adds_to_shown(state.trails[seat], home, kind, number):
        state.trails[seat].append([TRAIL_SHOWN, home, kind, number])
        state.fresh[seat][home] = CLOSED


def adds_to_shown(trail: list[list[int]], home: int, kind: int, number: int) -> bool:
    """Does this show tell more than earlier ones since a card last came in? Those that tell less are dropped."""
    hidden = 0
    for place in range(len(trail) - 1, 0, -1):
        step = trail[place]
        verb = step[0]
        if verb in (TRAIL_PUT, TRAIL_TOOK) and step[1 if verb == TRAIL_PUT else 2] == home:
            hidden += step[3]
        elif step[1] != home:
            continue
        elif verb != TRAIL_SHOWN:
            break
        elif step[2] == kind:
            if step[3] >= number + hidden:
                return False
            if step[3] <= number:
                del trail[place]
    return True


def remember_seen(state: Position, seat: int, home: int, card: int) -> None:
    """All saw this card leave the hand."""
    forget_one_seen(state, seat, home, card)
    trail = state.trails[seat]
    if not trail:
        return
    place = len(trail) - 1
    one_less(state.fresh[seat], home)
    while place:
        step = trail[place]
        if step[1] == home and step[0] != TRAIL_PUT:
            if step[0] == TRAIL_SEEN:
                trail[place] = [*step, card]
                return
            if step[0] != TRAIL_SHOWN:
                break
            if step[2] == card:
                trail[place : place + 1] = [[TRAIL_SHOWN, home, card, step[3] - 1]] if step[3] > 1 else []
        place -= 1
    trail.insert(place + 1, [TRAIL_SEEN, home, card])
    if not state.drawn[seat] and not any(step[0] == TRAIL_SHOWN for step in trail[1:]):
        trail.clear()  # again any card can be anywhere


def forget_one_seen(state: Position, seat: int, island: int, card: int) -> None:
    """One sure card of its kind less."""
    if PRIEST <= card <= PRINCE:
        sure, place = state.sure[seat], 2 * island + card - PRIEST
        if sure[place]:
            sure[place] -= 1


# ---- What is not seen


def remember_put(state: Position, seat: int, home: int, island: int) -> None:
    """Some card went from the hand to the stack at this island."""
    forget_one_unseen(state, seat, home)
    trail = state.trails[seat]
    if not trail:
        return
    one_less(state.fresh[seat], home)
    for place in range(len(trail) - 1, 0, -1):
        step = trail[place]
        if step[0] != TRAIL_PUT or step[1] != home:
            break
        if step[2] == island:
            trail[place] = [TRAIL_PUT, home, island, step[3] + 1]
            return
    trail.append([TRAIL_PUT, home, island, 1])


def remember_take(state: Position, seat: int, home: int, island: int) -> None:
    """The top card of the stack at this island went to the hand."""
    forget_one_unseen(state, seat, island)
    trail = state.trails[seat]
    if not trail:
        return
    one_less(state.fresh[seat], island)
    number = trail.pop()[3] if trail[-1][:3] == [TRAIL_TOOK, home, island] and len(trail) > 1 else 0
    trail.append([TRAIL_TOOK, home, island, number + 1])


def forget_one_unseen(state: Position, seat: int, island: int) -> None:
    """Some card left the stack (at home: the hand), and it may have been a sure one of either kind."""
    sure, place = state.sure[seat], 2 * island
    if sure[place]:
        sure[place] -= 1
    if sure[place + 1]:
        sure[place + 1] -= 1


def remember_pick_up(state: Position, seat: int, here: int, *discarded: int) -> None:
    """The stack at this island became the hand, less these cards from its top."""
    for card in discarded:
        forget_one_seen(state, seat, here, card)
    trail = state.trails[seat]
    if trail and (discarded or has_layers(trail, here)):
        trail.append([TRAIL_UP, here, *discarded])
        if discarded:
            state.fresh[seat][here] = CLOSED


def has_layers(trail: list[list[int]], island: int) -> bool:
    """Was something put on the stack at this island since it was last picked up?"""
    for place in range(len(trail) - 1, 0, -1):
        step = trail[place]
        if step[0] == TRAIL_UP and step[1] == island:
            return False
        if step[0] == TRAIL_PUT and step[2] == island:
            return True
    return False


def one_less(fresh: list[int], island: int) -> None:
    """A card left: if there may have been none of those drawn, one drawn later was certainly not there."""
    fresh[island] = fresh[island] - 1 if fresh[island] > 0 else CLOSED


REMEMBER: tuple[Callable[..., None], ...] = (
    remember_draw,
    remember_seen,
    remember_shown,
    remember_put,
    remember_take,
    remember_pick_up,
    remember_new_pile,
)
"""By the verb of the step."""
