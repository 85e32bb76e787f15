"""A league that is held: folders are looked at, bots are checked and let in, rounds are played."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import trio

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.fingerprint import fingerprint
from dalang.harness.isolation.shortage import pass_on_shortage
from dalang.harness.league.season import Season, UntilChange
from dalang.harness.league.status import refusals
from dalang.harness.league.story import (
    Change,
    Examine,
    LookAround,
    PlayOn,
    Version,
    Wait,
    Wish,
    league_story,
)
from dalang.harness.league.submission_table import happenings
from dalang.harness.league.submissions import is_anchor, reason_to_keep
from dalang.harness.match.arena import interruptible
from dalang.harness.match.check_apart import Examined, all_examined, headline
from dalang.harness.tournament.config import cores
from dalang.harness.tournament.entry import Prepared
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.run import Run

LONGEST_EXAMINATION = 600.0
"""Seconds for a submission to be built and checked; nothing is played meanwhile, for bots need the cores alone."""
LOOK_AGAIN_SECONDS = 2.0
"""Between two looks at the folders, where there is nothing to play meanwhile."""

Listening = Callable[[Prepared], Sequence[RunListener]]
"""Who else hears of rounds that are about to be played."""


class LeagueRun:
    """Does what the story of a league wishes for, until so many rounds are played or somebody stops it."""

    def __init__(
        self, season: Season, tell: Callable[[str], None], listening: Listening, rounds: int | None = None
    ) -> None:
        self.season = season
        self.entrances = season.settings.entrances()
        self.members = season.members()
        self.tell = tell
        self.listening = listening
        self.rounds_left = rounds
        """None for as long as wanted."""
        self.is_over = False
        self.fit: list[Entrant] = []
        """Who was found to be able to play before these rounds."""

    def play(self) -> None:
        for each in refusals(happenings(self.season.store)):
            self.tell_refused(each.name, each.reason)  # we may have been stopped before it was told
        story = league_story(self.members)
        step, answer = next(story), None
        while not self.is_over:
            answer = self.done(step)
            step = story.send(answer)

    def done(self, step: Wish) -> Any:
        match step:
            case LookAround():
                return self.entrances.look()
            case Examine():
                return self.examined(step)
            case Change():
                return self.write(step)
            case PlayOn():
                unfit = self.unfit()
                if not unfit:
                    self.play_rounds()
                return unfit
            case Wait():
                return self.wait()

    # ---- Submissions

    def examined(self, wanted: Examine) -> dict[str, str]:
        """By name, why it is refused; nothing if it is not."""
        copies = {
            each.name: self.entrances.copied(each, wanted.bots[each.name]) for each in wanted.submissions
        }
        there = {name: path for name, path in copies.items() if path is not None}
        reasons = {name: reason for name in there if (reason := self.overreach(name, wanted.bots[name]))}
        bots = {path: name for name, path in there.items() if name not in reasons}
        if bots:
            self.tell(f"checking {', '.join(bots.values())}")
        examine = partial(all_examined, list(bots), self.flags(), cores(), longest=LONGEST_EXAMINATION)
        for each in trio.run(interruptible, examine):
            name = bots[each.bot]
            reasons[name] = in_words(each) or self.overreach_of_build(name, wanted.bots[name])
        for name, reason in reasons.items():
            if reason:
                self.entrances.discard(wanted.bots[name])
        return reasons

    def overreach(self, name: str, bot: str) -> str:
        """Why it must not even be tried; what cannot be read is for `dalang check` to tell."""
        if is_anchor(name):
            return ""  # of the organiser's own choice
        try:
            return looked_at(lambda: self.season.overreach(self.entrances.entrant(name, bot)))
        except SetupError:
            return ""

    def overreach_of_build(self, name: str, bot: str) -> str:
        """Why it must not play as its build has left it: that may have written another bot.toml, and any file."""

        def print_as_built() -> str:
            fingerprint(self.entrances.entrant(name, bot))
            return ""

        try:
            return looked_at(print_as_built) or self.overreach(name, bot)
        except SetupError as error:
            return reason_to_keep(str(error))

    def flags(self) -> list[str]:
        """How `dalang check` is to examine: as they will play."""
        terms, config = self.season.terms, self.season.settings.config
        limits = terms.limits
        words = ["--game", terms.game, "--isolate", terms.isolate]
        for flag, seconds in (
            ("--move-time", limits.move), ("--bank", limits.bank),
            ("--startup-time", limits.startup), ("--prepare-time", limits.prepare),
        ):  # fmt: skip
            words += [flag, str(seconds)]
        words += ["--memory", str(limits.memory // 1024**2)] if limits.memory else []
        return words + ["--build-network"] * config.build_network + ["--cpu-clock"] * (limits.clock == "cpu")

    def write(self, change: Change) -> None:
        joining: Mapping[str, Version] = change.joined
        entrants = {member.bot: self.entrances.entrant(name, member.bot) for name, member in joining.items()}
        self.season.write(change, entrants)
        for member in joining.values():
            self.tell(f"{member.bot} joins")
        for name, bot in change.left.items():
            self.tell(f"{bot} leaves: {change.why_left(name)}")
        for name in (*joining, *change.taken_back):
            self.quietly(name, self.entrances.tell_no_more, name)
        for name, (_, reason) in change.refused.items():
            self.tell(f"{name} is refused: {headline(reason)}")
            self.tell_refused(name, reason)

    def tell_refused(self, name: str, reason: str) -> None:
        self.quietly(name, self.entrances.tell_refused, name, reason)

    def quietly(self, name: str, write: Callable[..., None], *arguments: str) -> None:
        """The file beside a folder is a courtesy, in a place that is not ours: without it the league goes on."""
        try:
            write(*arguments)
        except OSError as error:
            self.tell(f"nothing can be told beside {name}: {error.strerror}")

    # ---- Rounds

    def unfit(self) -> dict[str, str]:
        """By name of those who are in, but cannot be played with any more, why."""
        self.fit, reasons = list[Entrant](), dict[str, str]()
        for name, member in self.members.current.items():
            try:
                entrant = self.entrances.entrant(name, member.bot)
                self.season.check_fit(entrant, self.tell)
                self.fit.append(entrant)
            except SetupError as error:
                reasons[name] = reason_to_keep(str(error))
        return reasons

    def play_rounds(self) -> None:
        ready, before = self.season.prepared(self.fit), self.entrances.glance()

        def is_enough(rounds: int) -> bool:
            self.note_withdrawn(run.tournament.count.withdrawn)
            return self.is_enough(before, rounds)

        until = UntilChange(self.season.store.next_round(), is_enough)
        run = Run(self.season.store, ready, [until, *(listening := self.listening(ready))], self.tell)
        try:
            trio.run(interruptible, run.play)
        finally:
            for listener in listening:
                if hasattr(listener, "close"):
                    listener.close()
        if self.rounds_left is not None:
            self.rounds_left -= until.rounds
        self.is_over = self.rounds_left is not None and self.rounds_left <= 0
        if not run.played:
            self.wait()

    def note_withdrawn(self, faulty: Collection[str]) -> None:
        """Who faulted too often stays until it is sent in anew, but plays no more; the run has told of the others."""
        for each in self.season.note_withdrawn(self.members.current, faulty):
            if each.bot in faulty:
                self.tell(f"{each.bot} is withdrawn: {each.reason}")

    def is_enough(self, before: object, rounds: int) -> bool:
        """After so many rounds: whether enough are played, or something has changed in the folders."""
        enough = self.rounds_left is not None and rounds >= self.rounds_left
        return enough or self.entrances.glance() != before

    def wait(self) -> None:
        """For somebody to send something in; if only some rounds are wanted, it ends here."""
        if self.rounds_left is not None:
            self.is_over = True
            return
        trio.run(interruptible, partial(trio.sleep, LOOK_AGAIN_SECONDS))


def looked_at(look: Callable[[], str]) -> str:
    """What is said of a submission, or what came of looking at it: nothing that is sent in may end the league."""
    try:
        return reason_to_keep(look())
    except OSError as error:
        pass_on_shortage(error)
        return reason_to_keep(f"it cannot be looked at: {error.strerror}")
    except (RuntimeError, ValueError) as error:
        return reason_to_keep(f"it cannot be looked at: {error}")


def in_words(examined: Examined) -> str:
    """Why a bot is refused, in full; nothing if it keeps the contract."""
    if examined.good:
        return ""
    bad = next(finding for finding in examined.findings if not finding.good)
    hint = [f"hint: {bad.hint}"] if bad.hint else []
    return reason_to_keep("\n".join([f"{bad.sentence}: {bad.remark or 'no'}", *hint]))
