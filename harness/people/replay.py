"""A finished match once more: decision by decision, with everything, or with what one seat saw and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import click

from dalang.engine.catalogue import find_game
from dalang.engine.chance import SeededChance
from dalang.engine.game import NOBODY, Event, Plain, SetupError, State
from dalang.engine.record import DAMAGE, check_over, seen
from dalang.engine.record import replay as enact_turn
from dalang.harness.escaping import printable
from dalang.harness.match.played import BEFORE_THE_FIRST, Fault, Played
from dalang.harness.people.story import event_story, fault_lines, note_story, result_table
from dalang.harness.people.tables import WIDTH, Scene, face_of
from dalang.harness.people.tables.paint import wrapped

MARGIN = 6
"""Columns for the number of a decision."""


class Frame(NamedTuple):
    """One decision and what came of it; the first frame is what happened before any."""

    decision: int
    """Counted over all seats from 0, as faults and proofs count; BEFORE_THE_FIRST for the first frame."""
    seat: int
    events: list[Plain]
    note: str
    faults: list[Fault]


class Replay:
    """The frames of a match, and the table after each of them.

    For one seat everything is made of its view and the events it was told; notes and faults of others are not for it.
    """

    def __init__(self, match: Played, seat: int | None = None) -> None:
        record = match.record
        self.seat = seat
        self.game = find_game(record.game)
        if record.rules_version != self.game.rules_version:
            raise SetupError(
                f"recorded under rules version {record.rules_version} of {self.game.name}, "
                f"this is version {self.game.rules_version}; use the dalang that played it"
            )
        if seat is not None and seat >= record.seats:
            raise SetupError(f"the seats of this match are 0 to {record.seats - 1}, not {seat}")
        self.record, self.names = record, tuple(map(printable, match.names))
        self.match = replace(
            match,
            names=self.names,
            faults=tuple(fault for fault in match.faults if self.may_know(fault.seat)),
            microseconds=tuple(
                times if self.may_know(who) else [] for who, times in enumerate(match.microseconds)
            ),
            stderr=tuple(said if self.may_know(who) else "" for who, said in enumerate(match.stderr)),
        )
        self.state, self.made = self.begin(), 0
        self.frames = list(self.all_frames())
        check_over(self.state)

    def may_know(self, seat: int) -> bool:
        """Whether what this seat thought and suffered is to be shown."""
        return self.seat in (None, seat)

    # ---- Re-enacting

    def begin(self) -> State:
        record = self.record
        return self.game.start(record.seats, SeededChance(record.seed), **record.options)

    def state_after(self, decision: int) -> State:
        if self.made > decision + 1:
            self.state, self.made = self.begin(), 0
        while self.made <= decision:
            enact_turn(self.state, self.record.turns[self.made], self.made)
            self.made += 1
        return self.state

    def all_frames(self) -> Iterator[Frame]:
        """Those in which there is something to see."""
        told_so_far = 0
        for decision in range(BEFORE_THE_FIRST, len(self.record.turns)):
            events = self.state_after(decision).events or []
            fresh, told_so_far = events[told_so_far:], len(events)
            frame = self.frame(decision, fresh)
            if decision < 0 or frame.events or frame.faults:
                yield frame

    def frame(self, decision: int, fresh: list[Event]) -> Frame:
        seat = self.record.turns[decision].seat if decision >= 0 else NOBODY
        note = self.match.notes.get(decision, "") if self.may_know(seat) else ""
        faults = [fault for fault in self.match.faults if fault.turn == decision]
        return Frame(decision, seat, self.visible(fresh), note, faults)

    def visible(self, events: list[Event]) -> list[Plain]:
        return [event.full for event in events] if self.seat is None else seen(events, self.seat)

    # ---- Finding

    def index_of(self, decision: int) -> int:
        """The frame of this decision, or the first one after it that can be seen."""
        later = (index for index, frame in enumerate(self.frames) if frame.decision >= decision)
        return next(later, len(self.frames) - 1)

    def next_fault(self, index: int) -> int | None:
        later = range(index + 1, len(self.frames))
        return next((each for each in later if self.frames[each].faults), None)

    # ---- Telling

    def title(self) -> list[str]:
        who = ", ".join(f"{name} (seat {seat})" for seat, name in enumerate(self.names))
        seen_by = "" if self.seat is None else f" As {self.names[self.seat]} (seat {self.seat}) saw it."
        return wrapped("", f"{self.game.title}: {who}.{seen_by}")

    def story(self) -> Iterator[str]:
        """The whole match, every decision with its number."""
        yield from [*self.title(), "", *self.table(self.frames[0]), ""]
        for frame in self.frames:
            lead = "" if frame.decision < 0 else f"{frame.decision:4}"
            for line in self.happened(frame):
                yield lead.ljust(MARGIN) + line
                lead = ""
        yield from ["", *self.table(self.frames[-1]), "", *self.result()]

    def screen(self, index: int) -> Iterator[str]:
        """One frame: what happened, and the table after it."""
        frame = self.frames[index]
        where = f"Decision {frame.decision} of {len(self.record.turns)}: {self.names[frame.seat]}"
        head = "Before the first decision" if frame.decision < 0 else where
        yield click.style(f"── {head} ".ljust(WIDTH, "─"), bold=True)
        yield from [*self.happened(frame), "", *self.table(frame), ""]
        if index == len(self.frames) - 1:
            yield from self.result()

    def happened(self, frame: Frame) -> Iterator[str]:
        for fault in frame.faults:
            yield from (part for line in self.fault(fault) for part in wrapped("", line, WIDTH - MARGIN))
        for number, event in enumerate(frame.events):
            yield from wrapped("", event_story(self.game, event, self.names), WIDTH - MARGIN)
            if frame.note and number == 0:
                yield note_story(frame.note)

    def fault(self, fault: Fault) -> list[str]:
        name = self.names[fault.seat]
        return [*fault_lines(fault, name), f"From here on a stand-in decides for {name}."]

    def table(self, frame: Frame) -> list[str]:
        """As the seat sees it after this frame, or with everything."""
        state = self.state_after(frame.decision)
        seat, full = (0, state.dump()) if self.seat is None else (self.seat, None)
        return face_of(self.game).picture(Scene(state.view(seat), self.names, full))

    def result(self) -> list[str]:
        return [*result_table(self.match).splitlines(), *self.written()]

    def written(self) -> Iterator[str]:
        """What was kept of the bots' stderr."""
        for name, said in zip(self.names, self.match.stderr, strict=False):
            if said:
                yield from [
                    "",
                    f"{name} wrote to stderr:",
                    *(f"  {printable(line)}" for line in said.splitlines()),
                ]


def replay_of(match: Played, seat: int | None) -> Replay:
    """A stored match, ready to be looked at."""
    try:
        return Replay(match, seat)
    except DAMAGE as error:
        raise SetupError(f"this match cannot be shown: {error}") from error
