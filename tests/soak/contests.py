"""What is played: one small tournament after the other, until every format, game, rogue and attacker had its turn."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Generic, TypeVar

from dalang.engine.catalogue import bundled_games
from dalang.harness.cli.common import ExitCode
from dalang.harness.isolation.levels import AUTO, LEVELS, isolation_that_works
from dalang.harness.tournament.schedule import FORMATS
from tests.roomy import room_for
from tests.test_attackers import ATTACKERS, bot
from tests.test_rogues import ZOO, expected

T = TypeVar("T")
HONEST = {
    "kali": ("first", "random", "cautious", "bold", "seer:5"),
    "bali_wrede": ("first", "random", "planner", "seer:2"),
    "bali_rosenberg": ("first", "random", "guardian", "seer:2"),
}
"""Bots whose moves follow from the seed alone."""
BLOCKS = {"round-robin": 2, "gauntlet": 3, "swiss": 4, "knockout": 3, "ladder": 4}
ROOM = room_for("run")
"""So that nobody is late, however busy the machine is: then what comes out follows from the seed."""
TIGHT = ("--startup-time", "60", "--prepare-time", "2", "--move-time", "1.5", "--bank", "1")
"""For those who must be waited for in vain; what comes out depends on the machine."""


@dataclass(frozen=True)
class Contest:
    kind: str
    game: str
    bots: tuple[str, ...]
    settings: tuple[str, ...]
    is_compared: bool = True
    """Whether its standings follow from the seed; otherwise only what must hold in any case is checked."""
    is_refused: bool = False
    """Whether it must not begin at all."""

    def arguments(self) -> list[str]:
        return ["run", self.game, *self.bots, *self.settings, "--json"]

    def good_codes(self) -> set[int]:
        """Where time matters, a busy machine may have to leave something out."""
        return {ExitCode.GOOD} if self.is_compared else {ExitCode.GOOD, ExitCode.UNDECIDED}

    def __str__(self) -> str:
        """The command that does the same once more, in the folder of the contest."""
        return f"{self.kind}: dalang {shlex.join(self.arguments())}"


class Deck(Generic[T]):
    """Deals everything once, in any order, before anything comes again."""

    def __init__(self, rng: Random, cards: Sequence[T]) -> None:
        self.rng = rng
        self.cards = list(cards)
        self.left: list[T] = []

    def deal(self) -> T:
        self.left = self.left or self.rng.sample(self.cards, len(self.cards))
        return self.left.pop()

    def hand(self, number: int) -> list[T]:
        """Some, all different."""
        dealt: dict[T, None] = {}
        while len(dealt) < min(number, len(self.cards)):
            dealt[self.deal()] = None
        return list(dealt)


class Contests:
    """Draws contests for ever."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.formats = Deck(rng, list(FORMATS))
        self.games = Deck(rng, list(bundled_games()))
        self.levels = Deck(rng, [level for level, isolation in LEVELS.items() if not isolation.problem()])
        by_fault = {rogue: expected(rogue) for rogue in ZOO}
        self.sinners = Deck(
            rng, [rogue for rogue, fault in by_fault.items() if fault not in ("timeout", "start")]
        )
        self.sleepers = Deck(rng, [rogue for rogue, fault in by_fault.items() if fault == "timeout"])
        self.refused = Deck(rng, [rogue for rogue, fault in by_fault.items() if fault == "start"])
        self.attackers = Deck(rng, ATTACKERS)
        kinds = [self.honest, self.rogues, self.rogues, self.waiting, self.refusal]
        # only where they can do no harm
        self.kinds = Deck(rng, [*kinds, *[self.attack, self.attack] * isolation_that_works(AUTO).hides])

    def __iter__(self) -> Iterator[Contest]:
        while True:
            yield self.kinds.deal()()

    def settings(
        self, game: str, level: str, limits: Sequence[str] = ROOM, max_faults: int = 6
    ) -> tuple[str, ...]:
        format_ = self.formats.deal()
        blocks = BLOCKS[format_] if game == "kali" else 1 + (format_ in ("swiss", "ladder"))
        seed = f"{self.rng.getrandbits(64):x}"
        return (
            *("--format", format_, "--blocks", str(blocks), "--max-faults", str(max_faults), "--seed", seed),
            *("--isolate", level, *limits),
        )

    def honest(self) -> Contest:
        game = self.games.deal()
        return Contest("honest", game, HONEST[game], self.settings(game, self.levels.deal()))

    def rogues(self) -> Contest:
        """Those who sin at once, whatever the time."""
        game, rogues = self.games.deal(), self.sinners.hand(3)
        settings = self.settings(game, self.levels.deal())
        memory = ("--memory", "256") if any(rogue.stem == "eats_memory" for rogue in rogues) else ()
        return Contest("rogues", game, (*HONEST[game][:3], *map(str, rogues)), (*settings, *memory))

    def waiting(self) -> Contest:
        settings = self.settings("kali", self.levels.deal(), TIGHT, max_faults=2)
        bots = ("first", "random", *map(str, self.sleepers.hand(2)))
        return Contest("timeouts", "kali", bots, settings, is_compared=False)

    def refusal(self) -> Contest:
        settings = self.settings("kali", self.levels.deal(), ["--startup-time", "5"])
        bots = ("first", "random", str(self.refused.deal()))
        return Contest("refused", "kali", bots, settings, is_compared=False, is_refused=True)

    def attack(self) -> Contest:
        """At the strongest level that works here, never without isolation."""
        names = self.attackers.hand(2)
        bots = [bot(Path(), name) for name in names]
        settings = self.settings("kali", isolation_that_works(AUTO).level)
        return Contest("attackers", "kali", ("first", "random", *bots), settings, is_compared=False)
