"""Who sees what in Bali (Rosenberg 2001): the view of a seat, and a state that looks like it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalang.engine.chance import Bag
from dalang.engine.game import Plain
from dalang.engine.games.bali_rosenberg.components import (
    ARTIST,
    CARD,
    CARDS,
    FIRST_DALANG,
    ISLAND,
    ISLANDS,
    PRIEST,
    PRINCE,
    SCHOLAR,
    WARRIOR,
)
from dalang.engine.games.bali_rosenberg.memory import catch_up
from dalang.engine.games.bali_rosenberg.position import CLOSED, Position
from dalang.engine.games.bali_rosenberg.worlds import UNKNOWN, draw_world

# ---- The view of a seat


def sight_of(state: Position, seat: int) -> Plain:
    """The public state, then what only this seat knows, from `hand` on.

    Lists go by seat or by island in the order of §1.2, seat -1 is nobody, cards with number 0 are left out.
    `home` is the island whose stacks the hands are, `dealt` the cards of the first deal that still lie at the
    bottom of the stacks, `sure` a list of [seat, island, card, number]; memory.py explains `trails`, `piles` and
    `drawn`. `own` has the seat's stacks from bottom to top.
    """
    catch_up(state)
    return {
        "turn": state.turn,
        "idle": state.idle,
        "active": state.active,
        "island": ISLANDS[state.island],
        "home": ISLANDS[state.home],
        "fled": [other for other, fled in enumerate(state.fled) if fled],
        "play": play_in_progress(state),
        "start": [card + 1 for card in state.start],
        "chips": {"priest": state.chips[0].copy(), "prince": state.chips[1].copy()},
        "seals": state.seals.copy(),
        "masks": state.masks.copy(),
        "taken": [masks.copy() for masks in state.taken],
        "pile": state.pile.size,
        "discards": named_counts(state.discards.counts),
        "hands": hand_sizes(state),
        "stacks": [[len(stack) for stack in stacks] for stacks in state.stacks],
        "dealt": [numbers.copy() for numbers in state.dealt],
        "sure": sure_cards(state),
        "trails": [[step.copy() for step in trail] for trail in state.trails],
        "piles": [counts.copy() for counts in state.piles],
        "ending": state.ending,
        "hand": named_counts(state.hands[seat]),
        "laid": [CARDS[card] for card in state.laid] if state.seat == seat else [],
        "own": own_stacks(state, seat),
        "drawn": [counts.copy() for counts in state.drawn[seat]],
    }


def open_sight_of(state: Position) -> Plain:
    """For an onlooker: the public state alone."""
    return sight_of(state, 0) | {"hand": {}, "laid": [], "own": {}, "drawn": []}


def play_in_progress(state: Position) -> Plain:
    """The card that is being resolved, and what all have seen of it so far."""
    if state.kind < 0:
        return {}
    play: Plain = {"card": CARDS[state.kind]}
    if state.kind == WARRIOR:
        play["spared"] = state.spared
    elif state.kind >= FIRST_DALANG:
        play["target"] = ISLANDS[state.target]
    elif state.kind >= PRIEST:
        play |= {"best": state.best, "leader": state.leader}
    if state.used:
        play |= {"used": state.used, "mode": state.mode}
    if state.forced:
        play["forced"] = True
    return play


def hand_sizes(state: Position) -> list[int]:
    """A hand that is being laid down counts in full until all of it is down."""
    sizes = [sum(hand) for hand in state.hands]
    if state.laid:
        sizes[state.seat] += len(state.laid)
    return sizes


NONE_SURE = [0] * (2 * len(ISLANDS))


def sure_cards(state: Position) -> list[list[Any]]:
    return [
        [seat, ISLANDS[place // 2], CARDS[PRIEST + place % 2], number]
        for seat, sure in enumerate(state.sure)
        if sure != NONE_SURE
        for place, number in enumerate(sure)
        if number
    ]


def own_stacks(state: Position, seat: int) -> dict[str, list[str]]:
    return {
        island: [UNKNOWN] * unknown + [CARDS[card] for card in stack[unknown:]]
        for island, unknown, stack in zip(ISLANDS, state.dealt[seat], state.stacks[seat], strict=True)
    }


def named_counts(counts: Sequence[int]) -> dict[str, int]:
    """By name of the card, without those of which there are none."""
    return {CARDS[card]: number for card, number in enumerate(counts) if number}


def counts_of(content: Plain) -> list[int]:
    """The counts whose `named_counts` this is."""
    return [content.get(name, 0) for name in CARDS]


# ---- A state that looks like this


def imagine(state: Position, view: Plain) -> None:
    """Fill a blank state with a world that looks like this."""
    see_the_table(state, view)
    see_the_own_cards(state, view)
    deal_the_unseen(state, view)
    state.agenda = rest_of_the_agenda(state)


def see_the_table(state: Position, view: Plain) -> None:
    state.turn, state.idle, state.active = view["turn"], view["idle"], view["active"]
    state.island, state.home = ISLAND[view["island"]], ISLAND[view["home"]]
    state.fled = [seat in view["fled"] for seat in range(state.seats)]
    state.start = [number - 1 for number in view["start"]]
    state.chips = [view["chips"]["priest"].copy(), view["chips"]["prince"].copy()]
    state.seals, state.masks = view["seals"].copy(), view["masks"].copy()
    state.taken = [masks.copy() for masks in view["taken"]]
    state.dealt = [numbers.copy() for numbers in view["dealt"]]
    state.discards = Bag(CARDS, counts_of(view["discards"]))
    state.ending = view["ending"]
    state.settle()
    play = view["play"]
    if play:
        state.kind = CARD[play["card"]]
        state.target = ISLAND.get(play.get("target"), state.target)
        state.spared = play.get("spared", state.spared)
        state.best, state.leader = play.get("best", state.best), play.get("leader", state.leader)
        state.forced = play.get("forced", False)
    state.used, state.mode = play.get("used", 0), play.get("mode", "")


def see_the_own_cards(state: Position, view: Plain) -> None:
    me = view["you"]
    state.sure = [[0] * (2 * len(ISLANDS)) for _ in range(state.seats)]
    for seat, island, name, number in view["sure"]:
        state.sure[seat][2 * ISLAND[island] + CARD[name] - PRIEST] = number
    state.heard = []
    state.fresh = [[CLOSED] * len(ISLANDS) for _ in range(state.seats)]
    state.hands = [[0] * len(CARDS) for _ in range(state.seats)]
    state.hands[me] = counts_of(view["hand"])
    state.laid = [CARD[name] for name in view["laid"]]
    state.stacks = [[[] for _ in ISLANDS] for _ in range(state.seats)]
    state.stacks[me] = [
        [CARD[name] for name in stack if name != UNKNOWN] for stack in (view["own"][i] for i in ISLANDS)
    ]


def deal_the_unseen(state: Position, view: Plain) -> None:
    """Fill in what is hidden as it is in one of the worlds that agree with everything this seat has heard."""
    me = view["you"]
    world = draw_world(view, state.chance)
    state.pile = Bag(CARDS, world.pile)
    state.trails, state.piles, state.drawn = world.trails, world.piles, world.drawn
    state.drawn[me] = [counts.copy() for counts in view["drawn"]]
    for island in range(len(ISLANDS)):
        state.stacks[me][island][:0] = world.dealt[island]
    for seat in state.others(me):
        state.stacks[seat] = world.stacks[seat]
        if view["hands"][seat]:
            hold(state.hands[seat], state.stacks[seat][state.home])
            state.stacks[seat][state.home] = []


def hold(hand: list[int], cards: list[int]) -> None:
    for card in cards:
        hand[card] += 1


def rest_of_the_agenda(state: Position) -> list[tuple[Any, ...]]:
    """What is left to do, last first: public, for the grammar gives it away."""
    seat, decision = state.seat, state.decision
    steps: list[tuple[Any, ...]] = []
    if decision in ("scholar", "artist") and seat != state.active:
        steps = [("second", seat)]
    if decision == "lay":
        queue = [state.active, *state.others(state.active)]
        steps = [("lay", other) for other in queue[queue.index(seat) + 1 :]] + [("arrive",)]
    elif state.kind == WARRIOR:
        steps += [*state.each("defend", after=seat), ("go_on",)]
    elif state.kind in (SCHOLAR, ARTIST):
        steps += [*state.each("respond", after=seat), ("go_on",)]
    elif state.kind in (PRIEST, PRINCE):
        steps += [*state.each("show", after=seat), ("award",), ("go_on",)]
    elif state.kind >= FIRST_DALANG:
        steps += [*state.each("block", after=seat), ("travel",)]
    return steps[::-1]
