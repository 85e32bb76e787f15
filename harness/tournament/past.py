"""A finished match from which to go on: one of its positions is put to a bot, or played on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, Plain, SetupError
from dalang.engine.record import Turn
from dalang.harness.blocks import MatchKey
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.match.limits import Limits
from dalang.harness.match.played import BEFORE_THE_FIRST, Conditions, Played
from dalang.harness.match.referee import Match
from dalang.harness.tournament.proof import legal_moves
from dalang.harness.tournament.terms import Terms


@dataclass(frozen=True)
class Past:
    """Its record, which is true to the rules, and what its bots were told besides."""

    played: Played
    conditions: Conditions
    own_limits: Mapping[str, Plain] = field(default_factory=dict)
    """By name of a bot that might use more or less than the others: what differs."""

    @classmethod
    def of_tournament(
        cls, played: Played, key: MatchKey, terms: Terms, own_limits: Mapping[str, Plain]
    ) -> Past:
        told = Conditions(terms.limits.announced(), key.short(), terms.ask_forced, terms.clock)
        return cls(played.retold(), told, own_limits)

    @classmethod
    def of_record(cls, played: Played) -> Past:
        """Of a match that was played alone; dalang 0.2 kept nothing of what its bots were told."""
        told = played.conditions or {"limits": Limits().announced()}
        return cls(played.retold(), Conditions(**told))

    @property
    def game(self) -> Game:
        return find_game(self.played.record.game)

    @property
    def turns(self) -> Sequence[Turn]:
        return self.played.record.turns

    @cached_property
    def choices(self) -> list[int]:
        """By decision, how many moves there were to choose from."""
        return [len(moves) for moves in legal_moves(self.played.record, self.game)]

    def is_asked(self, turn: int) -> bool:
        return self.choices[turn] > 1 or self.conditions.ask_forced

    def question(self, turn: int) -> int:
        """The number of this decision as the bot that made it was told: its own questions, from 1."""
        seat = self.turns[turn].seat
        return sum(self.turns[each].seat == seat and self.is_asked(each) for each in range(turn + 1))

    def turn_of(self, seat: int, question: int) -> int:
        """The decision that a seat was asked by this question; BEFORE_THE_FIRST for what came before its first."""
        asked = [
            each for each in range(len(self.turns)) if self.turns[each].seat == seat and self.is_asked(each)
        ]
        return asked[question - 1] if question else BEFORE_THE_FIRST

    def answers(self, turn: int) -> list[int]:
        """By number, how whoever decided there had answered its questions before it."""
        seat, found = self.turns[turn].seat, []
        for number, moves in enumerate(legal_moves(self.played.record, self.game)):
            if number < turn and self.turns[number].seat == seat and self.is_asked(number):
                found.append(moves.index(self.turns[number].move))
        return found

    def limits(self, given: dict[str, Any]) -> Limits:
        """Those of the match, but for what is given."""
        return Limits(**{**self.conditions.limits, **given})

    def seated(self, entrant: Entrant, seat: int, given: dict[str, Any]) -> Entrant:
        """With the limits that whoever sat there had of its own, but for what is given."""
        own = self.own_limits.get(self.played.names[seat], {})
        return replace(entrant, limits={name: own[name] for name in own if name not in given})

    def match(
        self, turn: int, names: tuple[str, ...], at_once: bool = False, luck: str | None = None
    ) -> Match:
        """To be played on by these bots from this decision."""
        record, told = self.played.record, self.conditions
        return Match(
            self.game,
            record.seed,
            names,
            record.options,
            ask_forced=told.ask_forced,
            key=told.key,
            given=[turn.move for turn in record.turns[:turn]],
            at_once=at_once,
            luck=luck,
        )

    # ---- Which decision

    def decision(self, turn: int | None) -> int:
        """The one that is wished for, if there is one; else where the match first went wrong."""
        if turn is not None and turn < len(self.turns):
            return turn
        last = f"the decisions of this match are numbered 0 to {len(self.turns) - 1}"
        if turn is not None:
            raise SetupError(f"{last}, not {turn}")
        faults = [fault.turn for fault in self.played.faults if fault.turn != BEFORE_THE_FIRST]
        if not faults:
            raise SetupError(f"say which decision with --turn; {last}, as `dalang replay` shows them")
        return faults[0]

    def asked_decision(self, turn: int | None) -> int:
        """The same, if somebody was asked there."""
        found = self.decision(turn)
        if not self.is_asked(found):
            later = [str(each) for each in range(found, len(self.turns)) if self.is_asked(each)]
            hint = f"the next question was at decision {later[0]}" if later else "and nobody was asked later"
            raise SetupError(f"at decision {found} only one move was legal, and nobody was asked; {hint}")
        return found
