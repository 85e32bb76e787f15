"""Does a game keep the contract? Every promise and every part of it, each a sentence that is true or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from dalang.engine.game import Game, Move
from dalang.engine.testing.checks import CHECKS
from dalang.engine.testing.playing import Play, Stuck
from dalang.engine.testing.promise import Broken, Check, what
from dalang.engine.testing.shortening import shortest
from dalang.engine.testing.suite import first_broken, tables_of
from dalang.harness.authors.parts import PART_CHECKS, PartCheck
from dalang.harness.match.check import Finding


@dataclass
class GameFinding(Finding):
    """With the play that shows what is wrong: `moves` from the deal of `seed`, at a table of `seats`."""

    seats: int = 0
    seed: str = ""
    moves: list[Move] = field(default_factory=list)


class GameExamination:
    """A game under examination, and what of it is known to be wrong."""

    def __init__(self, game: Game, seats: Sequence[int], seeds: range, called: str = "") -> None:
        self.game = game
        self.called = called or game.name
        """What the author typed, to be typed again."""
        self.tables = tables_of(game, seats or None)
        for size in seats:
            game.checked_seats(size)
        self.seeds = seeds
        self.known: set[str] = set()
        self.unknown = 0
        """Promises about which nothing can be said, because the game does not get that far."""

    def findings(self) -> Iterator[GameFinding]:
        for check in CHECKS:
            yield from self.of_promise(check)
        if self.unknown:
            remark = f"nothing is known of {counted(self.unknown, 'more promise')}; a fault above stands in the way"
            yield GameFinding("The game gets far enough to be checked", False, remark, "mend that first")
        for part in PART_CHECKS if self.tables else ():
            yield self.of_part(part)

    def of_promise(self, check: Check) -> Iterator[GameFinding]:
        """One finding if it is kept, otherwise one for each fault that is not known yet.

        Where a game does not come to its end, nothing else is tried: it would take as long again each time.
        """
        if not self.tables:
            self.unknown += 1
            return
        begin, games = perf_counter(), counted(len(self.seeds) * len(self.tables), "game")
        broken = [found for table in self.tables if (found := first_broken(check, table, self.seeds))]
        fresh = [found for found in broken if self.is_news(found)]
        stuck = [found.play.table for found in broken if isinstance(found.__cause__, Stuck)]
        self.tables = [table for table in self.tables if table not in stuck]
        for found in fresh:
            yield self.told(shortest(check, found), again=found.play)
        if not broken:
            remark = f"{games} at {counted(len(self.tables), 'table')}"
            yield GameFinding(check.promise.rstrip("."), True, remark, seconds=perf_counter() - begin)
        elif not fresh:
            self.unknown += 1

    def is_news(self, broken: Broken) -> bool:
        """Whether this fault was not told yet; from now on it was."""
        told, self.known = broken.fault() in self.known, self.known | {broken.fault()}
        return not told

    def told(self, broken: Broken, again: Play) -> GameFinding:
        """By the shortest play; the seed by which it was found finds it again."""
        play = broken.play
        lines = [broken.what, f"at {broken.where}", f"shortest play found: {play}"]
        command = f"dalang check-game {self.called} --seats {play.table.seats} --seed {again.seed} --games 1"
        return GameFinding(
            broken.promise.rstrip("."),
            False,
            "\n".join(lines),
            f"again with: {command}",
            seats=play.table.seats,
            seed=play.deal,
            moves=play.moves,
        )

    def of_part(self, part: PartCheck) -> GameFinding:
        begin = perf_counter()
        try:
            remark, good = part(self.game, self.tables), True
        except Exception as error:  # somebody else's code, which is being written
            remark, good = what(error), False
        hint = "" if good else "see `Adding a game` in docs/games.md"
        return GameFinding((part.__doc__ or "").rstrip("."), good, remark, hint, perf_counter() - begin)


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
