"""What spectators are told as it happens: server-sent events, made once for all of them.

Nothing is queued for anybody: of each sort of news only the latest matters, and who is slow misses what was between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import trio

from dalang.harness.report.data import packed_for_page
from dalang.harness.serve.http import Send

HEARTBEAT_SECONDS = 15.0
"""Of silence after which a sign of life is sent: so both sides find out if the other has gone."""
ALIVE_COMMENT = b": alive\n\n"
AGAIN = b"retry: 2000\n\n"
"""After so many milliseconds a page that was cut off tries again."""


def event(sort: str, data: object) -> bytes:
    """News of a sort, as base64 of zlib of JSON."""
    return f"event: {sort}\ndata: {packed_for_page(data)}\n\n".encode()


class Feed:
    """The latest news of each sort, and those who listen."""

    def __init__(self) -> None:
        self.latest: dict[str, bytes] = {}
        self.listeners = 0
        self.came = trio.lowlevel.ParkingLot()
        self.changed = trio.lowlevel.ParkingLot()

    def tell(self, sort: str, news: bytes) -> None:
        """From now on this is the latest news of the sort."""
        self.latest[sort] = news
        self.changed.unpark_all()

    async def listen(self, send: Send) -> None:
        """Whatever is new to this listener, for as long as it listens."""
        heard: dict[str, bytes] = {}
        with self.listening():
            await send(AGAIN)
            while True:
                fresh = {sort: news for sort, news in self.latest.items() if heard.get(sort) is not news}
                heard |= fresh
                for news in fresh.values():
                    await send(news)
                if not fresh and not await self.something_new():
                    await send(ALIVE_COMMENT)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Somebody is there for whom it is worth to look."""
        self.listeners += 1
        self.came.unpark_all()
        try:
            yield
        finally:
            self.listeners -= 1

    async def something_new(self) -> bool:
        """Wait for it, but not in silence for ever."""
        with trio.move_on_after(HEARTBEAT_SECONDS) as waiting:
            await self.changed.park()
        return not waiting.cancelled_caught

    async def somebody(self) -> None:
        """Wait until somebody listens."""
        while not self.listeners:
            await self.came.park()
