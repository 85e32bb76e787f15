"""The story of a league: who is let in, who is replaced, who has left, and when there is something to play.

No files, clocks or processes: a generator that yields what it wants to be done and is sent what came of it. Whoever
drives it looks at folders, has bots checked and plays rounds; a test does neither.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalang.harness.match.check_apart import headline


@dataclass(frozen=True)
class Submission:
    """What somebody has sent in, as it lies there now."""

    name: str
    digest: str
    """Of all that it is made of."""
    problem: str = ""
    """Why it cannot even be tried."""


@dataclass(frozen=True)
class Version:
    """A version that plays."""

    bot: str
    """Its name among all versions: mine, mine@2, ..."""
    digest: str


# ---- What is wished for


class LookAround:
    """What lies there now? Answered with submissions by name."""


@dataclass(frozen=True)
class Examine:
    """Do these keep the contract? Answered with reasons by name: nothing if they do; who has no answer is not there
    any more, or is still being changed."""

    submissions: Sequence[Submission]
    bots: Mapping[str, str]
    """By name, what each would be called."""


@dataclass(frozen=True)
class Change:
    """Who has come, who has gone, who was refused. All of it is to be written down before anything is played."""

    joined: Mapping[str, Version] = field(default_factory=dict)
    """By name of the submission."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """By bot that is retired for it, the bot that takes its place."""
    left: Mapping[str, str] = field(default_factory=dict)
    """By name of a submission that is not there any more, or that cannot be played with any more, its bot."""
    refused: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By name: digest and reason."""
    taken_back: Collection[str] = ()
    """Names of what was refused and does not lie there any more."""

    def __bool__(self) -> bool:
        return bool(self.joined or self.left or self.refused or self.taken_back)

    def why_left(self, name: str) -> str:
        return headline(self.refused[name][1]) if name in self.refused else "its folder is gone"


class PlayOn:
    """Play until something has changed, or nothing is left to be played. Answered with reasons by name, of those who
    can be played with no more."""


class Wait:
    """There are not enough bots for a table: look again later."""


Wish = LookAround | Examine | Change | PlayOn | Wait
LeagueStory = Generator[Wish, Any, None]


@dataclass
class Members:
    """Who is in the league, and what has been refused already."""

    seats: int
    current: dict[str, Version] = field(default_factory=dict)
    """By name of the submission."""
    versions: dict[str, int] = field(default_factory=dict)
    """By name, how many versions there have been."""
    refused: dict[str, str] = field(default_factory=dict)
    """By name, the digest of what was refused last."""

    def untried(self, there: Mapping[str, Submission]) -> list[Submission]:
        """What is new or has changed, and was not refused as it is."""
        return [
            each
            for name, each in there.items()
            if each.digest != self.refused.get(name)
            and (name not in self.current or self.current[name].digest != each.digest)
        ]

    def next_bot(self, name: str) -> str:
        number = self.versions.get(name, 0) + 1
        return name if number == 1 else f"{name}@{number}"

    def change(self, there: Mapping[str, Submission], reasons: Mapping[str, str]) -> Change:
        """What follows from these reasons, by name of those that were examined."""
        joined = {
            name: Version(self.next_bot(name), there[name].digest)
            for name, reason in reasons.items()
            if not reason
        }
        return Change(
            joined,
            {self.current[name].bot: joined[name].bot for name in joined if name in self.current},
            {name: member.bot for name, member in self.current.items() if name not in there},
            {name: (there[name].digest, reason) for name, reason in reasons.items() if reason},
            [name for name in self.refused if self.is_taken_back(name, there)],
        )

    def is_taken_back(self, name: str, there: Mapping[str, Submission]) -> bool:
        """Whether what was refused is gone, or what lies there is again what plays."""
        if name not in there:
            return True
        return name in self.current and self.current[name].digest == there[name].digest

    def change_by_unfit(self, reasons: Mapping[str, str]) -> Change:
        """Those leave, and what they were is refused from now on."""
        return Change(
            left={name: self.current[name].bot for name in reasons},
            refused={name: (self.current[name].digest, reason) for name, reason in reasons.items()},
        )

    def take(self, change: Change) -> None:
        for name, member in change.joined.items():
            self.current[name] = member
            self.versions[name] = self.versions.get(name, 0) + 1
            self.refused.pop(name, None)
        for name in change.taken_back:
            del self.refused[name]
        for name in change.left:
            del self.current[name]
        self.refused |= {name: digest for name, (digest, _) in change.refused.items()}


def league_story(members: Members) -> LeagueStory:
    """Without end: whoever drives it stops when he likes."""
    while True:
        there: Mapping[str, Submission] = yield LookAround()
        reasons = {each.name: each.problem for each in members.untried(there) if each.problem}
        untried = [each for each in members.untried(there) if not each.problem]
        if untried:
            reasons |= yield Examine(untried, {each.name: members.next_bot(each.name) for each in untried})
        change = members.change(there, reasons)
        if change:
            yield change
            members.take(change)
        if len(members.current) < members.seats:
            yield Wait()
        elif unfit := (yield PlayOn()):
            change = members.change_by_unfit(unfit)
            yield change
            members.take(change)
