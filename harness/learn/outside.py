"""Bots in processes of their own for callers who cannot wait as trio does: an arena in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import trio

from dalang.engine.game import Game, SetupError
from dalang.harness.entrants.entrant import Entrant
from dalang.harness.isolation.levels import isolation_that_works
from dalang.harness.isolation.workshop import Workshop
from dalang.harness.match.arena import Arena, Chair, open_arena
from dalang.harness.match.faults import BotFault
from dalang.harness.match.limits import Limits
from dalang.harness.match.referee import Answer, Question


class BotsOutside:
    """Running bots, until they are closed; the thread that started them lives as long as they do."""

    def __init__(
        self, entrants: Sequence[Entrant], game: Game, seats: int, isolate: str, limits: Limits | None = None
    ) -> None:
        self.isolation = isolation_that_works(isolate)
        self.limits = limits or Limits()
        Workshop(self.isolation, network=False).prepare(entrants, lambda text: None)
        self.arena: Arena | None = None
        self.error: BaseException | None = None
        self.is_ready = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(entrants, game, seats), daemon=True)
        self.thread.start()
        self.is_ready.wait()
        if self.error:
            raise self.error

    def run(self, *preflight: Any) -> None:
        try:
            trio.run(self.serve, *preflight)
        except BaseException as error:  # it belongs to whoever waits for us
            self.error = error
        self.is_ready.set()

    async def serve(self, *preflight: Any) -> None:
        self.token, self.done = trio.lowlevel.current_trio_token(), trio.Event()
        async with open_arena(self.limits, isolation=self.isolation) as arena:
            await arena.preflight(*preflight)
            self.arena = arena
            self.is_ready.set()
            await self.done.wait()

    def chair(self, entrant: Entrant, deal: str) -> Callable[[Question], Answer | BotFault]:
        """A seat of one match, to be asked from another thread."""
        if not self.thread.is_alive():
            raise SetupError("the bots have gone home: make a new environment")
        assert self.arena
        chair = Chair(self.arena, entrant, deal)
        return lambda question: trio.from_thread.run(chair.reply, question, trio_token=self.token)

    def close(self) -> None:
        """Say goodbye to the bots, and wait until they are gone."""
        with suppress(trio.RunFinishedError):
            self.token.run_sync_soon(self.done.set)
        # The last who held them may have been let go of in their own thread.
        if threading.current_thread() is not self.thread:
            self.thread.join()
