"""One tournament as a site shows it: read from its file when somebody looks on, and told to all of them at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from pathlib import Path
from time import thread_time
from typing import TypeVar

import trio

from dalang.engine.game import Plain, SetupError
from dalang.harness.blocks import MatchKey
from dalang.harness.match.played import Played
from dalang.harness.report.data import compact
from dalang.harness.serve.feed import Feed, event
from dalang.harness.serve.growing import Growing, shares_deals
from dalang.harness.serve.http import Send
from dalang.harness.serve.wall import Followed, Wall, in_play
from dalang.harness.tournament.opening import open_to_read
from dalang.harness.tournament.stored import UNREADABLE
from dalang.harness.tournament.window import Glimpse

Result = TypeVar("Result")

QUICKEST = 2.0
"""Seconds between two looks at the file."""
SHARE = 20
"""The next look waits for so many times the processor's time that the last one took, and the next picture of the wall,
too: looking on must not become the main work."""
LONGEST_PAUSE = 30.0
"""Seconds of that, however much there was to read: else more and more might come from one look to the next."""
BYTES_PER_SECOND = 2_000_000
"""That are sent to all spectators together, on average, of what the file tells."""
PICTURES_PER_SECOND = 100
"""Of the wall, that are sent to all spectators together."""
KEPT_MATCHES = 64
"""Matches that were opened lately, ready to be sent again."""
TICK_SECONDS = 1.0
"""Between two steps of a match that somebody follows, and between two pictures of the wall at least."""


class Show:
    """A tournament, and those who look on."""

    def __init__(self, path: Path, open_hands: bool = False) -> None:
        self.path = path
        self.growing = Growing(path, open_hands)
        self.wall: Wall | None = None
        """What is being played, if that can be seen."""
        self.feed = Feed()
        self.reading = trio.Lock()
        """Who reads the file: one thread at a time."""
        self.opening = trio.Lock()
        """Who opens a match of it, which need not wait for those who look at all of it."""
        self.overview: Plain = self.growing.glance()
        self.feed.tell("overview", event("overview", self.overview))
        self.due = -inf
        """When the file is to be looked at again."""
        self.matches: OrderedDict[MatchKey, bytes] = OrderedDict()
        self.followed: dict[MatchKey, Followed] = {}
        self.watching = trio.Lock()
        """Who re-enacts what is being played: one thread at a time."""
        self.moved = trio.lowlevel.ParkingLot()
        """Those who follow a match wait here for it to go on."""
        self.has_ended = False
        """Whether the run has, beside which this is shown."""

    async def run(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.watch_file)
            if self.wall:
                nursery.start_soon(self.look_through, self.wall)
                nursery.start_soon(self.watch_tables, self.wall)

    async def end(self) -> None:
        """Nothing more will come: tell how it stands."""
        async with self.reading:
            await self.refresh()
        async with self.watching:
            self.has_ended = True
            if self.wall:
                self.feed.tell("wall", picture(self.wall, {}))
            self.feed.tell("ended", event("ended", {}))
            for key, followed in list(self.followed.items()):
                if followed.result is None:
                    followed.end(await trio.to_thread.run_sync(self.finished, key))
        self.moved.unpark_all()

    # ---- The file

    async def watch_file(self) -> None:
        """Read what is new whenever somebody looks on."""
        while True:
            await self.feed.somebody()
            await self.up_to_date()
            await trio.sleep_until(self.due)

    async def up_to_date(self) -> None:
        """Look at the file, unless that was done a moment ago."""
        async with self.reading:
            if trio.current_time() >= self.due:
                await self.refresh()

    async def refresh(self) -> None:
        """Look at the file, and tell what is new."""
        size, was_over = 0, self.growing.is_over
        overview, seconds = await trio.to_thread.run_sync(timed, self.read)
        if "problem" in overview or (was_over and not self.growing.is_over):
            self.matches.clear()  # who has joined may have to play the same deals, or all is another's
        if overview != self.overview:
            self.overview = overview
            news = await trio.to_thread.run_sync(event, "overview", overview)
            self.feed.tell("overview", news)
            size = len(news)
        sent = size * self.feed.listeners / BYTES_PER_SECOND
        self.due = trio.current_time() + max(QUICKEST, rest_after(seconds), sent)

    def read(self) -> Plain:
        """What the file holds now; if it cannot be read, what it held before, and why, but not where it lies."""
        try:
            return self.growing.look()
        except (SetupError, *UNREADABLE) as error:
            return {**self.overview, "problem": str(error).replace(str(self.path), self.path.name)}

    async def match(self, key: MatchKey) -> bytes | None:
        """A finished match as JSON, if it may be shown."""
        if shares_deals(self.growing.terms):
            await self.up_to_date()  # then it depends on whether all is over
        async with self.opening:
            if key not in self.matches:
                found = await trio.to_thread.run_sync(self.growing.match, key)
                if found is None:
                    return None
                self.matches[key] = (await trio.to_thread.run_sync(compact, found)).encode()
                if len(self.matches) > KEPT_MATCHES:
                    self.matches.popitem(last=False)
            self.matches.move_to_end(key)
            return self.matches[key]

    def latest(self) -> bytes:
        """All but the matches, as JSON."""
        return compact(self.overview).encode()

    # ---- What is being played

    async def look_through(self, wall: Wall) -> None:
        """Through the window, also while nobody looks on: what is shown with delay must have been seen before."""
        while True:
            wall.look(trio.current_time())
            await trio.sleep(wall.pause())

    async def watch_tables(self, wall: Wall) -> None:
        """Whenever somebody looks on; after the end only for those who still hear a match out."""
        picture_due = -inf
        while True:
            await self.feed.somebody()
            async with self.watching:
                now = trio.current_time()  # what was seen earlier may have been forgotten meanwhile
                glimpses = wall.glimpses(now)
                await trio.to_thread.run_sync(self.carry_on, glimpses)
                self.moved.unpark_all()
                if now >= picture_due and not self.has_ended:
                    news, seconds = await trio.to_thread.run_sync(timed, partial(picture, wall, glimpses))
                    self.feed.tell("wall", news)
                    sent = self.feed.listeners / PICTURES_PER_SECOND
                    picture_due = now + max(rest_after(seconds), sent)
            await trio.sleep(TICK_SECONDS)

    def carry_on(self, glimpses: Mapping[int, Glimpse]) -> None:
        """Whatever somebody follows."""
        for key, followed in list(self.followed.items()):
            if followed.result is None and not followed.goes_on(in_play(glimpses, key)):
                followed.look_for_end(self.finished(key))

    def finished(self, key: MatchKey) -> Played | None:
        """The match as the file has it, if it has come to its end."""
        try:
            with open_to_read(self.path) as store:
                return store.story(key)
        except SetupError:
            return None

    async def to_follow(self, key: MatchKey) -> Followed | None:
        """A match that is being played, from its beginning to where it is; None if it is not played now."""
        if self.wall is None:
            return None
        async with self.watching:
            known = self.followed.get(key)
            if known and known.result is None:
                return known
            glimpse = in_play(self.wall.glimpses(trio.current_time()), key)
            return await trio.to_thread.run_sync(self.wall.follow, glimpse) if glimpse else None

    async def follow(self, followed: Followed, send: Send) -> None:
        """Tell a match move by move until it is over."""
        key, told = followed.glimpse.key, 0
        followed = self.joined(followed)
        followed.listeners += 1
        try:
            with self.feed.listening():
                await send(event("match", followed.about()))
                while steps := followed.steps[told:] or await self.more_of(followed, told):
                    told += len(steps)
                    await send(event("steps", steps))
                await send(event("over", followed.result))
        finally:
            followed.listeners -= 1
            if not followed.listeners and self.followed.get(key) is followed:
                del self.followed[key]

    def joined(self, followed: Followed) -> Followed:
        """What all who follow this match share: others may have come while this was made."""
        known = self.followed.get(followed.glimpse.key)
        if known and known.result is None:
            return known
        self.followed[followed.glimpse.key] = followed
        return followed

    async def more_of(self, followed: Followed, told: int) -> list[Plain]:
        """The steps after those that were told, once there are any; none if it is over."""
        while len(followed.steps) == told and followed.result is None:
            await self.moved.park()
        return followed.steps[told:]


def rest_after(seconds: float) -> float:
    """How long to wait after work of so many seconds."""
    return min(LONGEST_PAUSE, SHARE * seconds)


def picture(wall: Wall, glimpses: Mapping[int, Glimpse]) -> bytes:
    return event("wall", wall.data(glimpses))


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What comes of it, and how many seconds of the processor this thread took for it."""
    begin = thread_time()
    return work(), thread_time() - begin
