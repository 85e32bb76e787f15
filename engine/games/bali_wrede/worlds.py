"""Bali (Wrede 2017): the worlds that a seat cannot tell apart.

Hidden are the four setup cards (§10.1), what others laid face down (V7) and what others kept after a look
(V15). A world fills these in. It is possible if nobody ever laid a card that he did not hold, if each look
shows what this seat saw of it, and if the card that left was always the lowest of its kind (§10.8).

The worlds are counted step by step through the history of the place. What can no longer matter is
forgotten on the way: cards that no later look reaches, accounts that can no longer be overdrawn. So few
different situations remain, and world number n is found without listing the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import gt
from typing import NamedTuple

from dalang.engine.game import NOBODY
from dalang.engine.games.bali_wrede.components import EMPTY, FACE_DOWN, KINDS, UNKNOWN

SETUP = ((1, 1, 1, 1),) * 5
"""The four setup cards are one of each kind (§10.1), as if laid by somebody who held just these."""
FREE = -100
"""In an account: no later act can overdraw it."""
ENDLESS = (100,) * 4

Counts = tuple[int, ...]
Accounts = tuple[Counts, ...]
"""By owner and kind: cards laid face down less cards picked. A holding is the open ledger less this (V8)."""


class Laid(NamedTuple):
    """A card once laid on the place (V9a)."""

    by: int
    down: bool
    kind: int


class Look(NamedTuple):
    """A look at the place (V9b); `seen` is empty and `kind` unknown unless it was this seat's own."""

    by: int
    after: int
    size: int
    kept: bool
    top: int
    seen: Counts
    kind: int


class Clues(NamedTuple):
    """What a seat knows about the hidden cards."""

    you: int
    laid: tuple[Laid, ...]
    looks: tuple[Look, ...]
    lows: tuple[Accounts, ...]
    """By seat: the lowest open ledger in each stretch between two of its hidden acts."""
    place: Counts | None
    """The kinds from bottom to top once the game is over (V17)."""


class World(NamedTuple):
    """The truth, as it may be."""

    kinds: list[int]
    """Of every card laid."""
    place: list[int]
    """The numbers of the cards that lie there now, bottom to top."""
    looks: list[tuple[list[int], int]]
    """The kinds seen at each look, bottom to top, and the kind kept."""


class Step(NamedTuple):
    """One thing that happened to the place, and what the counting must know about it."""

    what: Laid | Look
    size: int
    """Of the place afterwards."""
    reach: int
    """How many cards from the top the later looks can touch."""
    low: Counts
    """The limit of the actor's account until his next hidden act."""
    floor: Counts
    """The lowest limit after that."""
    left: int
    """How many cards he will yet lay face down."""


Choice = tuple[int, Counts, Accounts]
"""The kind laid or kept, and the near cards and accounts after it."""


class Branch(NamedTuple):
    choice: int
    near: Counts
    """The cards within reach, bottom to top: kinds, plus FACE_DOWN for those that lie face down."""
    accounts: Accounts
    ways: int


@lru_cache(maxsize=16)
def worlds(clues: Clues) -> Worlds:
    """A searching bot imagines many worlds from the same clues."""
    return Worlds(clues)


class Worlds:
    """All the worlds that fit the clues, numbered from 0."""

    def __init__(self, clues: Clues) -> None:
        self.clues = clues
        self.steps = steps_of(clues)
        self.known: dict[tuple[int, Counts, Accounts], list[Branch]] = {}
        self.untouched: Accounts = ((0, 0, 0, 0),) * (len(clues.lows) + 1)
        self.number = self.ways(0, (), self.untouched)

    def world(self, number: int) -> World:
        choices = []
        near: Counts = ()
        accounts = self.untouched
        for step in range(len(self.steps)):
            for branch in self.branches(step, near, accounts):
                if number < branch.ways:
                    break
                number -= branch.ways
            choices.append(branch.choice)
            near, accounts = branch.near, branch.accounts
        return world_of(self.clues, self.steps, choices)

    # ---- Counting

    def ways(self, number: int, near: Counts, accounts: Accounts) -> int:
        """How many worlds go on from here."""
        if number == len(self.steps):
            return 1
        return sum(branch.ways for branch in self.branches(number, near, accounts))

    def branches(self, number: int, near: Counts, accounts: Accounts) -> list[Branch]:
        key = (number, near, accounts)
        if key not in self.known:
            self.known[key] = list(self.possible(number, near, accounts))
        return self.known[key]

    def possible(self, number: int, near: Counts, accounts: Accounts) -> Iterator[Branch]:
        step = self.steps[number]
        what = step.what
        choices = (
            self.laying(step, what, near, accounts)
            if isinstance(what, Laid)
            else self.looking(step, what, near, accounts)
        )
        for choice, after, then in choices:
            reached = self.within_reach(step, after)
            if reached is not None and (ways := self.ways(number + 1, reached, then)):
                yield Branch(choice, reached, then, ways)

    def laying(self, step: Step, card: Laid, near: Counts, accounts: Accounts) -> Iterator[Choice]:
        side = FACE_DOWN if card.down else 0
        if card.kind != UNKNOWN:
            yield card.kind, (*near, card.kind + side), accounts
            return
        for kind in KINDS:
            then = accounts_after(step, accounts, kind, +1)
            if then is not None:
                yield kind, (*near, kind + side), then

    def looking(self, step: Step, look: Look, near: Counts, accounts: Accounts) -> Iterator[Choice]:
        window = [code % FACE_DOWN for code in near[-look.size :]]
        mine = look.by == self.clues.you
        if mine and tuple(window) != look.seen:
            return
        if not look.kept:
            yield UNKNOWN, near, accounts
            return
        for kind in (look.kind,) if mine else sorted(set(window)):
            lowest = len(near) - look.size + window.index(kind)  # §10.8
            after = near[:lowest] + near[lowest + 1 :]
            then = accounts if mine else accounts_after(step, accounts, kind, -1)
            if then is not None and top_of(after) == look.top:  # V10
                yield kind, after, then

    def within_reach(self, step: Step, near: Counts) -> Counts | None:
        """Forget the cards that no later look can reach; None if the end showed others in their places."""
        cut = max(0, len(near) - step.reach)
        place, base = self.clues.place, step.size - len(near)
        if place and any(code % FACE_DOWN != place[base + depth] for depth, code in enumerate(near[:cut])):
            return None
        return near[cut:]


def top_of(near: Counts) -> int:
    """How the top card looks (V5)."""
    return min(near[-1], FACE_DOWN) if near else EMPTY


def accounts_after(step: Step, accounts: Accounts, kind: int, change: int) -> Accounts | None:
    """The accounts after a hidden act; None if the actor never held that card."""
    by = step.what.by
    account = list(accounts[by])
    account[kind] += change
    if any(map(gt, account, step.low)):
        return None
    mine = tuple(
        FREE if spent + step.left <= floor else spent
        for spent, floor in zip(account, step.floor, strict=True)
    )
    place = by % len(accounts)
    return (*accounts[:place], mine, *accounts[place + 1 :])


# ---- The history as steps


def steps_of(clues: Clues) -> list[Step]:
    """The history, seen from its end: what each act must leave for the later ones."""
    acts = history(clues)
    sizes = list(accumulate(acts, lambda size, act: size + growth(act), initial=0))[1:]
    lows = {seat: list(low) for seat, low in enumerate(clues.lows)} | {NOBODY: list(SETUP)}
    floors: dict[int, Counts] = dict.fromkeys(lows, ENDLESS)
    left: Counter[int] = Counter()
    reach = 0
    steps = []
    for act, size in zip(reversed(acts), reversed(sizes), strict=True):
        hidden = is_hidden(act, clues.you)
        low = lows[act.by].pop() if hidden else ENDLESS
        steps.append(Step(act, size, reach, low, floors[act.by], left[act.by]))
        if hidden:
            floors[act.by] = tuple(map(min, floors[act.by], low))
            left[act.by] += isinstance(act, Laid)
        reach = reach_before(act, reach)
    return steps[::-1]


def history(clues: Clues) -> list[Laid | Look]:
    """All acts in order; looks at which others kept nothing are left out, for they tell nothing."""
    acts: list[Laid | Look] = []
    for number in range(len(clues.laid) + 1):
        acts += [look for look in clues.looks if look.after == number and (look.kept or look.seen)]
        acts += clues.laid[number : number + 1]
    return acts


def growth(act: Laid | Look) -> int:
    return 1 if isinstance(act, Laid) else -act.kept


def is_hidden(act: Laid | Look, you: int) -> bool:
    if isinstance(act, Laid):
        return act.kind == UNKNOWN
    return act.by != you and act.kept


def reach_before(act: Laid | Look, reach: int) -> int:
    """How deep the later looks reach, counted before this act."""
    if isinstance(act, Laid):
        return max(0, reach - 1)
    return max(act.size, reach + act.kept)


# ---- A world in full


def world_of(clues: Clues, steps: Sequence[Step], choices: Sequence[int]) -> World:
    """Go through the history once more, now that every choice is made."""
    kinds = [choice for step, choice in zip(steps, choices, strict=True) if isinstance(step.what, Laid)]
    kept = iter([choice for step, choice in zip(steps, choices, strict=True) if isinstance(step.what, Look)])
    place: list[int] = []
    laid = 0
    looks: list[tuple[list[int], int]] = []
    for look in clues.looks:
        place += range(laid, look.after)
        laid = look.after
        window = place[-look.size :]
        seen = [kinds[card] for card in window]
        kind = next(kept) if look.kept or look.seen else UNKNOWN
        if kind != UNKNOWN:
            place.remove(window[seen.index(kind)])
        looks.append((seen, kind))
    place += range(laid, len(kinds))
    return World(kinds, place, looks)
