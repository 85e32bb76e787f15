"""Tournament files without processes: real games and faults under the real referee, by bots that live in this one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from dalang.engine.catalogue import find_game
from dalang.harness.blocks import Block, MatchResult
from dalang.harness.match.faults import BotFault, Crash, StartFault, Timeout
from dalang.harness.match.played import Played
from dalang.harness.match.referee import Answer, Match, Question, Scribe, referee
from dalang.harness.tournament.config import terms_for
from dalang.harness.tournament.machine import Tournament, walked
from dalang.harness.tournament.opening import create_or_open
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.stored import StoredMatch
from dalang.harness.tournament.terms import Terms

SINS = {"crasher": Crash, "sleeper": Timeout, "absent": StartFault}
"""What bots of these names do before the game or at their second question; `cheat` chooses a move that is not there."""


class Sitter:
    """Plays at random, says so now and then, and sins as its name tells."""

    def __init__(self, name: str, seed: str) -> None:
        self.name = name
        self.rng = Random(f"{name} {seed}")
        self.asked = 0
        self.times: list[int] = []

    def reply(self, question: Question) -> Answer | BotFault:
        if not question.moves:
            return StartFault("nobody there") if self.name == "absent" else Answer()
        self.asked += 1
        sins = self.asked == 2
        if not (sins and self.name == "crasher"):
            self.times.append(self.rng.randrange(1, 5_000_000))
        if sins and self.name in SINS:
            return SINS[self.name]("it had to be")
        move = 999 if sins and self.name == "cheat" else self.rng.randrange(question.moves)
        return Answer(move, "I like it" if self.rng.random() < 0.5 else "")


def play(match: Match, scribe: Scribe | None = None) -> Played:
    sitters = [Sitter(name, f"{match.key} {match.seed}") for name in match.names]
    talk = referee(match, scribe=scribe)
    try:
        question = next(talk)
        while True:
            question = talk.send(sitters[question.seat].reply(question))
    except StopIteration as stop:
        played: Played = stop.value
    return replace(played, microseconds=tuple(sitter.times for sitter in sitters))


def made(path: Path, *names: str, game: str = "kali", seats: int = 2, **settings: Any) -> Path:
    """A whole tournament in a file of its own."""
    terms = terms_for(find_game(game), {}, seats, **settings).with_seed("a seed")
    with create_or_open(path) as store:
        store.begin(terms, [BotRow(name, 0, "", name) for name in names])
        tournament = Tournament(store.plan(terms))
        for _ in walked(tournament, lambda block: kept(store, terms, block)):
            pass
    return path


def kept(store: Store, terms: Terms, block: Block) -> Mapping[int, MatchResult]:
    """Play this block and keep it."""
    for rotation, names in enumerate(block.seatings()):
        seed, key = terms.deal_seed(block.deal), block.key(rotation).short()
        match = Match(find_game(terms.game), seed, names, terms.options, {}, terms.ask_forced, key)
        store.save([StoredMatch.of(block, rotation, play(match))])
    return store.matches_of(block.number)
