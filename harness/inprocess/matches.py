"""One match between players in this process, under the same referee as any other."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.engine.game import Game, Move, plain
from dalang.harness.inprocess.players import Player, PlayerChair, named_players
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Answer, Match, Question, referee


@dataclass(frozen=True)
class PlayedMatch:
    """A match that was played in this process; lists are by seat."""

    players: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]
    ending: str
    moves: tuple[tuple[int, str, Move], ...] = field(repr=False)
    """Seat, decision and move, in the order of the game."""
    story: Played = field(repr=False)

    @property
    def record(self) -> dict[str, Any]:
        """All of it as plain data, as `TournamentFile.record` has it."""
        data: dict[str, Any] = plain(self.story.retold().data())
        return data


def play_match(
    game: str | Game,
    players: Mapping[str, Player | str] | Sequence[Player | str],
    seed: str | int | None = None,
    options: Mapping[str, Any] | None = None,
) -> PlayedMatch:
    named = named_players(players)
    deal = secrets.token_hex(16) if seed is None else str(seed)
    match = Match(found_game(game), deal, tuple(named), options or {})
    played = refereed(match, named)
    turns = tuple((turn.seat, turn.decision, turn.move) for turn in played.record.turns)
    outcome = played.record.outcome
    return PlayedMatch(played.names, played.ranks, outcome.scores, outcome.ending, turns, played)


def found_game(game: str | Game) -> Game:
    return find_game(game) if isinstance(game, str) else game


def refereed(match: Match, players: Mapping[str, Player]) -> Played:
    """The match, played at once."""
    chairs = [PlayerChair(players[name]) for name in match.names]
    talk = referee(match)
    question = next(talk)
    while True:
        reply = answered(match, chairs[question.seat], question)
        try:
            question = talk.send(reply)
        except StopIteration as stop:
            played: Played = stop.value
            return replace(played, microseconds=tuple(chair.microseconds for chair in chairs))


def answered(match: Match, chair: PlayerChair, question: Question) -> Answer:
    """What a player says; what it raises comes through, with a word on where that was."""
    try:
        return chair.reply(question)
    except Exception as error:
        asked = f"at question {question.message['id']}, deciding {question.message['decision']!r}"
        error.add_note(f"{match.names[question.seat]} {asked}, in the match with seed {match.seed!r}")
        raise
