"""The matches that are being played, as onlookers may see them: some time later, and only what every seat knows."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import Plain, State
from dalang.engine.record import DAMAGE
from dalang.harness.blocks import MatchKey
from dalang.harness.match.played import Played
from dalang.harness.report.reenacted import Camera, FarCamera
from dalang.harness.tournament.terms import Terms
from dalang.harness.tournament.window import Glimpse, Pane

GLIMPSES = 200
"""That are kept of each place while their time has not come."""
SHORTEST_PAUSE = 0.5
"""Seconds between two looks through the window."""
END_LOOKS = 5
"""At the file for the end of a match that is not played any more: workers report results some together."""
TOLD_LATELY = 3
"""Events of a match that the wall tells."""


class Taken(NamedTuple):
    """What was seen at a place at some time."""

    time: float
    glimpse: Glimpse | None


class Delayed:
    """What is seen at one place, some seconds later."""

    def __init__(self, place: Pane) -> None:
        self.place = place
        self.taken: deque[Taken] = deque()

    def look(self, now: float) -> None:
        self.taken.append(Taken(now, self.place.look()))

    def forget_before(self, then: float) -> None:
        """What nobody can be shown any more, at this time."""
        while len(self.taken) > 1 and self.taken[1].time <= then:
            self.taken.popleft()

    def shown(self, then: float) -> Glimpse | None:
        """What was seen at this time."""
        self.forget_before(then)
        return self.taken[0].glimpse if self.taken and self.taken[0].time <= then else None


class Wall:
    """A table for every place of a window."""

    def __init__(self, terms: Terms, places: Sequence[Pane], delay: float, open_hands: bool) -> None:
        self.terms = terms
        self.delay = delay
        self.open_hands = open_hands
        self.places = [Delayed(place) for place in places]
        self.tables: dict[int, Reenacted] = {}
        """By place what is shown there."""

    def pause(self) -> float:
        """Seconds until the next look: the greater the delay, the coarser the steps in which it is kept."""
        return max(SHORTEST_PAUSE, self.delay / GLIMPSES)

    def look(self, now: float) -> None:
        for place in self.places:
            place.look(now)
            place.forget_before(now - self.delay)

    def glimpses(self, now: float) -> dict[int, Glimpse]:
        """By place what may be shown now."""
        shown = {number: place.shown(now - self.delay) for number, place in enumerate(self.places)}
        return {number: glimpse for number, glimpse in shown.items() if glimpse}

    def follow(self, glimpse: Glimpse) -> Followed | None:
        """A match that is played now, up to where it is; None if it cannot be re-enacted."""
        try:
            followed = Followed(self.terms, glimpse, self.open_hands)
            followed.carry_on(glimpse)
        except DAMAGE:
            return None
        return followed

    def data(self, glimpses: Mapping[int, Glimpse]) -> Plain:
        """All tables, each as it stands."""
        shown = {number: self.table(number, glimpse) for number, glimpse in glimpses.items()}
        self.tables = {number: table for number, table in shown.items() if table}
        return {
            "delay": self.delay,
            "open_hands": self.open_hands,
            "places": len(self.places),
            "tables": [{"place": number, **table.data()} for number, table in sorted(self.tables.items())],
        }

    def table(self, number: int, glimpse: Glimpse) -> Reenacted | None:
        """As it was shown last, carried on, if it is still the same match; None if it cannot be re-enacted."""
        known = self.tables.get(number)
        is_same = known and known.glimpse.edition == glimpse.edition
        try:
            table = known if known and is_same else Reenacted(self.terms, glimpse, self.open_hands)
            table.carry_on(glimpse)
        except DAMAGE:
            return None
        return table


class Reenacted:
    """A match in play, re-enacted as far as it may be shown."""

    def __init__(self, terms: Terms, glimpse: Glimpse, open_hands: bool) -> None:
        self.game = find_game(terms.game)
        self.glimpse = glimpse
        self.open_hands = open_hands
        camera = Camera if open_hands else FarCamera
        self.camera = camera(self.game, glimpse.names)
        luck = SeededChance(terms.deal_seed(glimpse.deal))
        self.state: State = self.game.start(len(glimpse.names), luck, **terms.options)
        self.choices = 0

    def carry_on(self, glimpse: Glimpse) -> None:
        """Up to where it is now."""
        for choice in islice(glimpse.choices, self.choices, None):
            self.choose(choice)

    def choose(self, choice: int) -> None:
        self.state.apply(self.state.moves()[choice])
        self.choices += 1

    def data(self) -> Plain:
        """As a table on the wall."""
        state, events = self.state, (self.state.events or [])[-TOLD_LATELY:]
        told = [self.camera.sentence(event.full if self.open_hands else event.others) for event in events]
        return {
            **self.glimpse.key._asdict(),
            "names": self.glimpse.names,
            "turn": self.choices,
            "asked": state.seat,
            "decision": state.decision,
            "told": [sentence for sentence in told if sentence],
            "view": self.view(),
        }

    def view(self) -> Plain | None:
        if self.open_hands:
            return {**self.state.view(0), "you": -1, "whole": self.state.dump()}
        return self.state.open_view()


class Followed(Reenacted):
    """A match that somebody follows move by move."""

    def __init__(self, terms: Terms, glimpse: Glimpse, open_hands: bool) -> None:
        super().__init__(terms, glimpse, open_hands)
        self.steps: list[Plain] = [self.camera.take(self.state)]
        self.moves: list[Any] = []
        self.end_looks = 0
        self.listeners = 0
        self.result: Plain | None = None
        """How it ended, once it is over."""

    def goes_on(self, glimpse: Glimpse | None) -> bool:
        """Carry it on, if this is the same match and can be re-enacted."""
        if glimpse is None or glimpse.edition != self.glimpse.edition:
            return False
        try:
            self.carry_on(glimpse)
        except DAMAGE:
            return False
        return True

    def choose(self, choice: int) -> None:
        about = {"seat": self.state.seat, "decision": self.state.decision}
        self.moves.append(self.state.moves()[choice])
        super().choose(choice)
        self.steps.append(about | self.camera.take(self.state))

    def look_for_end(self, played: Played | None) -> None:
        """It is not played any more; but that it is finished the file may tell a moment later."""
        self.end_looks += 1
        if played or self.end_looks >= END_LOOKS:
            self.end(played)

    def end(self, played: Played | None) -> None:
        """Nothing more will come: the rest of it is told by the file, if it was finished."""
        if played and not self.is_part_of(played):
            played = None  # it was voided, and has been played anew since
        if played:
            with suppress(*DAMAGE):
                for turn in played.record.turns[self.choices :]:
                    self.choose(self.state.moves().index(turn.move))
        # Last of all: who follows it may look at this very moment, and leaves when there is a result.
        self.result = {"ranks": played.ranks, "scores": played.scores} if played else {}

    def is_part_of(self, played: Played) -> bool:
        return self.moves == [turn.move for turn in played.record.turns[: self.choices]]

    def about(self) -> Plain:
        """What a page must know before the first step."""
        return {**self.glimpse.key._asdict(), "names": self.glimpse.names, "open_hands": self.open_hands}


def in_play(glimpses: Mapping[int, Glimpse], key: MatchKey) -> Glimpse | None:
    """Where this match is being played, if it is."""
    return next((glimpse for glimpse in glimpses.values() if glimpse.key == key), None)
