"""How the seats of Die Augen der Kali stand: a small net that self-play has taught, fed with what one sees at a glance.

A net sees the table when the next card is to be turned, from the seat on that turns it, clockwise; what is decided
before is foreseen (see `foresight.py`). It was also told how daring each seat plays; nobody knows that of a bot, so the
value is that of seats in the middle, and beside it stands what a more daring seat would change, for whoever finds out
(see `Value.manners`). `python -m tests.learning` learns the weights in `learnt.py` anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, islice
from math import exp, sqrt, tanh
from operator import mul
from typing import NamedTuple

from dalang.engine.games.kali.components import FIRST_WEALTH, LAST_FIELD, LENGTHS, NOISE
from dalang.engine.games.kali.foresight import next_cards
from dalang.engine.games.kali.learnt import HIDDEN, WEIGHTS
from dalang.engine.games.kali.state import Kali, price_of
from dalang.engine.value import EVEN_SHARE_OF_OTHERS, Value

ALL_CARDS = 52
DREAD = 30
"""Gems that it is worth not to wake Kali, beside those that this costs (§10.2)."""
DRIFT_PER_CARD = 3.0
"""Gems by which two players' wealth drifts apart while one card is turned, roughly."""
UNAFFORDABLE = -30.0
"""Gems to be expected of a takeover for which a seat is too poor (§8.8)."""


# ---- The net


class Net(NamedTuple):
    """One hidden layer; what it says of each seat counts only beside what it says of the others."""

    inputs: list[list[float]]
    """By hidden unit, what it makes of each feature."""
    manners: list[list[float]]
    """By seat, what each hidden unit makes of its being daring."""
    biases: list[float]
    outputs: list[list[float]]
    """By seat."""


@cache
def nets_of(seats: int) -> tuple[Net, Net]:
    """Before and after the first fright."""
    return nets_in(WEIGHTS[seats], seats)


def nets_in(text: str, seats: int) -> tuple[Net, Net]:
    numbers = iter(map(float, text.split()))

    def rows(number: int, length: int) -> list[list[float]]:
        return [list(islice(numbers, length)) for _ in range(number)]

    def net() -> Net:
        shape = (HIDDEN, number_of_features(seats)), (seats, HIDDEN), (1, HIDDEN), (seats, HIDDEN)
        inputs, manners, [biases], outputs = (rows(*each) for each in shape)
        return Net(inputs, manners, biases, outputs)

    return net(), net()


def value_of(state: Kali) -> list[float]:
    """By seat the share of the others that it will beat."""
    return manners_of(state)[0]


def manners_of(state: Kali) -> tuple[list[float], list[list[float]]]:
    """The same, and by seat what it would change for all if that one were daring."""
    seats = range(state.seats)
    shares, changes = [0.0 for _ in seats], [[0.0 for _ in seats] for _ in seats]
    for card in next_cards(state):
        net = nets_of(state.seats)[card.state.frights]
        told, by_manner = manners_by(net, card.state)
        add_to(shares, card.chance, told)
        for change, likelier, each in zip(changes, card.changes, by_manner, strict=True):
            add_to(change, card.chance, each)
            add_to(change, likelier, told)
    return [EVEN_SHARE_OF_OTHERS + share for share in shares], changes


def add_to(sums: list[float], times: float, values: Sequence[float]) -> None:
    if times:
        sums[:] = [total + times * value for total, value in zip(sums, values, strict=True)]


def manners_by(net: Net, state: Kali) -> tuple[list[float], list[list[float]]]:
    """What the net says when a card is to be turned: by seat how much more than half it will beat, and by manner."""
    before = totals(net, state)
    changes = []
    for step in range(state.seats):
        units = net.manners[(step - state.acting) % state.seats]
        daring = [
            (tanh(total + each) - tanh(total - each)) / 2 for total, each in zip(before, units, strict=True)
        ]
        changes.append(said(net, daring, state))
    return said(net, [tanh(total) for total in before], state), changes


def totals(net: Net, state: Kali) -> list[float]:
    """What comes to each hidden unit."""
    seen = features(state)
    return [bias + sum(map(mul, row, seen)) for row, bias in zip(net.inputs, net.biases, strict=True)]


def said(net: Net, hidden: Sequence[float], state: Kali) -> list[float]:
    """By seat how much more than the others on average."""
    said = [sum(map(mul, row, hidden)) for row in net.outputs]
    middle = sum(said) / state.seats
    return [said[(seat - state.acting) % state.seats] - middle for seat in range(state.seats)]


# ---- What is seen


def number_of_features(seats: int) -> int:
    return 20 + 6 * seats + (seats - 1) * (seats + 2) // 2


def features(state: Kali) -> list[float]:
    """Of the cards, the slave and all seats, the acting one first."""
    deck, seats, loot = state.deck, state.seats, state.loot
    wealth = state.wealth[state.acting :] + state.wealth[: state.acting]
    is_new = state.decision == "first_card" and not loot
    later = (state.left_of(state.owner) - state.acting) % seats  # whose turn is next (§5.4)
    chances, cards = wakers(deck.size, deck.counts[NOISE + 1], seats)
    wakes = [chances[(seat + 1 - later) % seats] for seat in range(seats)]
    at_once = 1 / deck.size if state.frights else 0.0
    wakes[0] += at_once  # whoever's turn it is, the acting seat turns the next card
    wakes[later - 1] -= at_once
    drift = sqrt(cards)
    return [
        *of_the_cards(state),
        float(is_new),
        state.field / LAST_FIELD,
        loot / FIRST_WEALTH,
        state.temple / 100,
        later / seats,
        1 / drift,
        float(deck.size % seats == 0),
        *wakes,
        *[gems / FIRST_WEALTH for gems in wealth],
        *[sqrt(gems) / 6 for gems in wealth],
        *of_going_on(state, wealth, is_new),
        *outlooks(state, wealth, wakes, DRIFT_PER_CARD * drift, is_new),
        *[squash((wealth[0] + loot - other) / (2 * drift)) for other in wealth[1:]],
        *[squash((one - other) / (2 * drift)) for one, other in combinations(wealth, 2)],
    ]


def of_the_cards(state: Kali) -> list[float]:
    size, counts = state.deck.size, state.deck.counts
    steps = size - counts[NOISE] - counts[NOISE + 1]
    length = sum(map(mul, counts, LENGTHS)) / max(1, steps)
    rates = [counts[NOISE] / size, 5 * counts[NOISE + 1] / size, steps / size]
    return [size / ALL_CARDS, 10 / size, *rates, length, counts[0] / max(1, steps), counts[3] / max(1, steps)]


def of_going_on(state: Kali, wealth: Sequence[int], is_new: bool) -> list[float]:
    """What another card would bring the acting seat, and the others if one of them took over."""
    own = one_card_for(state, wealth[0], DREAD)
    arrives = sum(state.deck.counts[max(0, LAST_FIELD - state.field) : NOISE]) / state.deck.size
    if is_new:
        return [squash(own / 3), arrives, run(state), 0.0, 0.0]
    price = price_of(state.loot)
    most = max(
        state.loot - price + one_card_for(state, gems - price) if gems >= price else UNAFFORDABLE
        for gems in wealth[1:]
    )
    return [squash(own / 3), arrives, run(state), squash(most / 3), price / FIRST_WEALTH]


def outlooks(
    state: Kali, wealth: list[int], wakes: Sequence[float], swing: float, is_new: bool
) -> list[float]:
    """How all would stand if the loot were pocketed, if the next card were a noise, and if Kali were reached."""
    if is_new:
        return by_gems(wealth, wakes, swing) + [0.0] * (2 * len(wealth))
    own, others = wealth[0], wealth[1:]
    fined = own - own // (2 if state.frights else 4)  # §6.2
    return [
        *by_gems([own + state.loot, *others], wakes, swing),
        *by_gems([fined, *others], wakes, swing),
        *by_gems([own + state.loot + state.temple, *others], [0.0] * len(wealth), 0.3),  # §9.5
    ]


def by_gems(wealth: Sequence[int], wakes: Sequence[float], swing: float) -> list[float]:
    """By seat the share that it beats: who wakes Kali is last (§10.2), the others stand by their gems."""
    shares = [0.0] * len(wealth)
    for one, other in combinations(range(len(wealth)), 2):
        ahead = 1 / (1 + exp(min(30.0, (wealth[other] - wealth[one]) / swing)))
        beaten = wakes[other] + (1 - wakes[one] - wakes[other]) * ahead
        shares[one] += beaten
        shares[other] += 1 - beaten
    return [share / (len(wealth) - 1) for share in shares]


def squash(number: float) -> float:
    """Between -1 and 1."""
    return number / (1 + abs(number))


def one_card(state: Kali, seat: int) -> float:
    """What turning one card changes for a seat, on average, if it stops after it."""
    return one_card_for(state, state.wealth[seat])


def one_card_for(state: Kali, wealth: int, dread: int = 0) -> float:
    """The same for whoever has so many gems."""
    loot = state.loot
    fields, field = state.options["fields"], state.field
    factor, part = (2, 2) if state.frights else (1, 4)  # §4.5, §6.2
    counts = state.deck.counts
    total = 0
    for steps in LENGTHS:
        to = field + steps
        total += counts[steps - 1] * (factor * fields[to - 1] if to <= LAST_FIELD else state.temple)
    total -= counts[NOISE] * (loot + wealth // part)
    total -= counts[NOISE + 1] * (loot + (wealth + dread if state.frights else wealth // 2))  # §7.2, §9.2
    return total / state.deck.size


def run(state: Kali) -> float:
    """The chance that the slave reaches Kali if cards are turned on and on, all steps having their mean length."""
    counts, left = state.deck.counts, state.deck.size
    steps = left - counts[NOISE] - counts[NOISE + 1]
    if not steps:
        return 0.0
    length = sum(map(mul, counts, LENGTHS)) / steps
    return all_footprints(steps, left, (LAST_FIELD + 1 - state.field) / length)


def all_footprints(steps: int, left: int, cards: float) -> float:
    """The chance that the next `cards` are footprints, as `steps` of the `left` ones are; the last may count partly."""
    chance = 1.0
    while cards > 0 and chance:
        chance *= 1 - min(1.0, cards) * (1 - steps / left)
        steps, left, cards = steps - 1, left - 1, cards - 1
    return chance


@cache
def wakers(left: int, frights: int, seats: int) -> tuple[list[float], float]:
    """Who turns the last of these frights if each turns one card in turn, and how many cards that takes."""
    chances, cards = [0.0] * seats, 0.0
    for number in range(1, left + 1):
        chance = 1 / left if frights == 1 else (number - 1) / (left * (left - 1) / 2)
        chances[(number - 1) % seats] += chance
        cards += number * chance
    return chances, max(1.0, cards)


VALUE = Value(3, value_of, manners=manners_of)
