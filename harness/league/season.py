"""The season in its file: who has come and gone, and rounds that are played until something changes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from dalang.engine.game import SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.entrants.fingerprint import fingerprint
from dalang.harness.isolation.sight import granted
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.league.settings import Settings
from dalang.harness.league.story import Change, Members, Version
from dalang.harness.league.submission_table import Happening, add_happenings, begin_season, happenings
from dalang.harness.tournament.entry import Prepared, check_out_of_sight, settle
from dalang.harness.tournament.listeners import RunListener
from dalang.harness.tournament.standings import reasons_out
from dalang.harness.tournament.store import BotRow, Store
from dalang.harness.tournament.worker import Assignment

JOINED, RETIRED, LEFT, TURNED_DOWN, TAKEN_BACK, SIDELINED = (
    "joined", "retired", "left", "refused", "taken back", "withdrawn",
)  # fmt: skip


class Season:
    """A tournament file in which submissions are kept, too."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.terms = settle(store, settings.config)
        if store.held:
            begin_season(store, self.terms, settings.division)

    # ---- Who has come and gone

    def members(self) -> Members:
        """As they are after all that has happened."""
        members = Members(self.terms.seats)
        for each in happenings(self.store):
            if each.what == JOINED:
                members.current[each.name] = Version(each.bot, each.digest)
                members.versions[each.name] = members.versions.get(each.name, 0) + 1
                members.refused.pop(each.name, None)
            elif each.what == LEFT:
                members.current.pop(each.name, None)
            elif each.what == TURNED_DOWN:
                members.refused[each.name] = each.digest
            elif each.what == TAKEN_BACK:
                members.refused.pop(each.name, None)
        return members

    def write(self, change: Change, entrants: Mapping[str, Entrant]) -> None:
        """All of a change or nothing; `entrants` are those who join, by bot."""
        turn = self.store.next_round()
        rows = [
            BotRow(
                member.bot, turn, fingerprint(entrants[member.bot]), shlex.join(entrants[member.bot].command)
            )
            for member in change.joined.values()
        ]
        with self.store.writing():
            self.store.add_bots(rows)
            for old, new in change.replaced.items():
                self.store.retire(old, f"replaced by {new}")
            for name, bot in change.left.items():
                self.store.retire(bot, change.why_left(name))
            self.note(turn, change)

    def note(self, turn: int, change: Change) -> None:
        now = utc_now()
        by_bot = {member.bot: name for name, member in change.joined.items()}
        rows = [
            *((by_bot[new], old, RETIRED, f"replaced by {new}", "") for old, new in change.replaced.items()),
            *((name, member.bot, JOINED, "", member.digest) for name, member in change.joined.items()),
            *((name, bot, LEFT, change.why_left(name), "") for name, bot in change.left.items()),
            *((name, "", TURNED_DOWN, reason, digest) for name, (digest, reason) in change.refused.items()),
            *((name, "", TAKEN_BACK, "", "") for name in change.taken_back),
        ]
        add_happenings(self.store, [Happening(now, turn, *row) for row in rows])

    def note_withdrawn(self, current: Mapping[str, Version], faulty: Collection[str]) -> list[Happening]:
        """Who is in the season but plays no more, and why; only those of whom it was not known."""
        reasons = reasons_out(self.store, faulty)
        out = {name: member.bot for name, member in current.items() if reasons[member.bot]}
        if not out:
            return []
        known = {each.bot for each in happenings(self.store) if each.what == SIDELINED}
        now, turn = utc_now(), self.store.next_round()
        news = [
            Happening(now, turn, name, bot, SIDELINED, reasons[bot], "")
            for name, bot in out.items()
            if bot not in known
        ]
        if news:
            with self.store.writing():
                add_happenings(self.store, news)
        return news

    # ---- Rounds

    def prepared(self, entrants: Sequence[Entrant]) -> Prepared:
        """The rounds that can be played with these."""
        config = self.settings.config
        assignment = Assignment(self.terms, tuple(entrants), config.matches_per_worker)
        return Prepared(self.store.plan(self.terms), assignment, config.workers())

    def check_fit(self, entrant: Entrant, tell: Callable[[str], None]) -> None:
        """It is still what it was when it joined, has been built, and sees nothing that it should not."""
        check_same(self.store, entrant)  # first of all: a build may read what its bot.toml asks for
        workshop = Workshop(self.terms.isolation(), self.settings.config.build_network)
        check_out_of_sight(self.store, [entrant], workshop)
        workshop.prepare([entrant], tell)

    def overreach(self, entrant: Entrant) -> str:
        """What a submission asks for that only the organiser can give; nothing if it does not."""
        if not self.terms.isolation().hides:
            return ""
        asked, given = granted(entrant), self.settings.read
        paths = [str(path) for path in asked if not any(map(path.resolve().is_relative_to, given))]
        return f"it asks to read {' and '.join(paths)}, which is not its own" if paths else ""


def utc_now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")


def check_same(season: Store, entrant: Entrant) -> None:
    """What is kept of a version is what joined."""
    [entered] = [bot.fingerprint for bot in season.bots() if bot.name == entrant.name]
    if fingerprint(entrant) != entered:
        raise SetupError(f"the files of {entrant.name} are not those that joined")


class UntilChange(RunListener):
    """Lets rounds be played to their end, until one is over after which there is a reason to stop."""

    def __init__(self, first: int, is_enough: Callable[[int], bool]) -> None:
        self.first = first
        """The first round that is played now; those before it are only gone through."""
        self.is_enough = is_enough
        """Asked after each round, with how many were played now."""
        self.rounds = 0
        self.stops = False

    def round_over(self, turn: int) -> None:
        if turn >= self.first:
            self.rounds += 1
            self.stops = self.stops or self.is_enough(self.rounds)

    def has_enough(self) -> bool:
        return self.stops
