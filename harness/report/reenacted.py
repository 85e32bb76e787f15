"""A stored match step by step: what every seat saw, what all of it was, and what was said about it.

Views and tables are told as what changed since the step before. Whatever all seats see alike is told once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.chance import Bag, SeededChance
from dalang.engine.game import Event, Game, Plain, SetupError, State, plain
from dalang.engine.record import DAMAGE, RecordError, Turn, check_over, replay
from dalang.harness.match.played import Played
from dalang.harness.people.story import event_story
from dalang.harness.tournament.luck import luck_of
from dalang.harness.tournament.terms import Terms

MOST_LETTERS = 500
"""Of a line that a bot wrote."""


def reenacted(terms: Terms, played: Played) -> Plain:
    """The match as the page steps through it; or the problem, if this dalang cannot re-enact it."""
    game, record = find_game(terms.game), played.record
    try:
        if record.rules_version != game.rules_version:
            raise RecordError(
                f"it was played by version {record.rules_version} of the rules, this is version {game.rules_version}"
            )
        return {"steps": list(steps(game, played, terms)), **luck_by_step(game, played)}
    except (*DAMAGE, SetupError) as error:
        return {"problem": str(error)}


def steps(game: Game, played: Played, terms: Terms) -> Iterator[Plain]:
    """The table before the first decision, and after each."""
    record = played.record
    state = game.start(record.seats, SeededChance(record.seed), **record.options)
    camera = Camera(game, played.names)
    yield camera.take(state)
    answers = Answers(played, terms)
    for number, turn in enumerate(record.turns):
        about = answers.about(number, turn, len(state.moves()))
        replay(state, turn, number)
        yield about | camera.take(state)
    check_over(state)


def luck_by_step(game: Game, played: Played) -> Plain:
    """What luck did in each step that drew something, by seat and in places; nothing if the game has no value."""
    if not game.value.version:
        return {}
    found: dict[int, list[float]] = {}
    try:
        strokes = luck_of(played).strokes
    except SetupError:
        return {}  # the value fails; the match can be looked at all the same
    for stroke in strokes:
        sums = found.setdefault(stroke.turn + 1, [0.0] * played.record.seats)
        for seat, lucky in enumerate(stroke.luck):
            sums[seat] += lucky * (played.record.seats - 1)
    return {"luck": {step: [round(each, 3) for each in sums] for step, sums in found.items()}}


class Answers:
    """How the decisions were made: what is known besides the moves."""

    def __init__(self, played: Played, terms: Terms) -> None:
        self.terms = terms
        self.notes = played.notes
        self.times = [iter(times) for times in played.microseconds]
        self.out_from = played.out_from()

    def about(self, number: int, turn: Turn, moves: int) -> Plain:
        about: Plain = {"seat": turn.seat, "decision": turn.decision, "moves": moves}
        if number >= self.out_from.get(turn.seat, number + 1):
            return about | {"stand_in": True}
        if number in self.notes:
            about["note"] = self.notes[number][:MOST_LETTERS]
        time = next(self.times[turn.seat], None) if self.terms.asks(moves) else None
        return about if time is None else about | {"ms": time / 1000}


class Camera:
    """Takes one picture after the other, each as the difference to the one before."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self.game = game
        self.names = names
        self.seats = range(len(names))
        self.views: list[Plain] = [{} for _ in names]
        self.table: State | None = None
        self.events_told = 0

    def take(self, state: State) -> Plain:
        views = [state.view(seat) for seat in self.seats]
        seen = [changes(old, new) for old, new in zip(self.views, views, strict=True)]
        alike = common(seen)
        picture = {
            "events": self.news(state),
            "all": alike,
            "own": [{key: value for key, value in own.items() if key not in alike} for own in seen],
            "table": state.dump() if self.table is None else moved(self.table, state),
        }
        self.views, self.table = views, state.clone()
        return picture

    def news(self, state: State) -> list[Any]:
        """Every new event in English: as it was, then as each seat saw it; one sentence if all saw all of it."""
        events = (state.events or [])[self.events_told :]
        self.events_told += len(events)
        return [self.in_english(event) for event in events]

    def in_english(self, event: Event) -> str | list[str | None] | None:
        if event.others is event.full:
            return self.sentence(event.full)
        return [self.sentence(event.full), *(self.sentence(event.seen_by(seat)) for seat in self.seats)]

    def sentence(self, event: Plain | None) -> str | None:
        return None if event is None else event_story(self.game, event, self.names)


class FarCamera(Camera):
    """Takes pictures from where onlookers stand: what every seat knows, and what the others see of each event."""

    def take(self, state: State) -> Plain:
        """Without a view where the game does not say what that is."""
        view = state.open_view() or {"asked": state.seat, "decision": state.decision}
        seen, self.views[0] = changes(self.views[0], view), view
        return {"events": self.news(state), "all": seen, "own": [{}], "table": {}}

    def in_english(self, event: Event) -> str | None:
        return self.sentence(event.others)


def changes(old: Plain, new: Plain) -> Plain:
    return {key: value for key, value in new.items() if key not in old or old[key] != value}


def moved(old: State, new: State) -> Plain:
    """What differs between the dumps of two states; only that is copied, for copying takes the time."""
    pairs = [(name, getattr(old, name), getattr(new, name)) for name in new.SAVED]
    return {name: plain(after) for name, before, after in pairs if content(before) != content(after)}


def content(value: Any) -> Any:
    return value.counts if isinstance(value, Bag) else value


def common(seen: Sequence[Plain]) -> Plain:
    """What is the same news to all."""
    first, *others = seen
    return {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in others)
    }
