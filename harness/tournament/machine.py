"""Many matches: the schedule is walked, workers play, every match is on the disk before it counts.

Blocks are played in any order and by anybody, but they count in schedule order. So the number of workers, an
interruption or a slow machine cannot change what comes out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256

import trio

from dalang.engine.game import Plain, SetupError
from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.statistics.rating import RatingFold
from dalang.harness.tournament.schedule import ADAPTIVE, Entry, Plan, rounds
from dalang.harness.tournament.store import BotRow, Finished, Store
from dalang.harness.tournament.worker import Job, Setup
from dalang.harness.tournament.workers import Crew

RUNNING_AHEAD = 256
"""Blocks per worker that may wait for an earlier one to be finished before they count."""


def commitment(seed: str) -> str:
    """What is shown of the master seed before the first match, so that nobody can change it afterwards."""
    return sha256(f"dalang {seed}".encode()).hexdigest()


def deal_seed(seed: str, deal: int) -> str:
    """The luck of one deal, the same for every line-up and every rotation."""
    return blake2b(f"deal/{deal}/{seed}".encode(), digest_size=16).hexdigest()


# ---- What counts


@dataclass
class Tally:
    """The blocks that count, in schedule order, and who was withdrawn for faulting all the time."""

    max_faults: int
    keep: bool = True
    """Whether anybody will look at the results again; a long run need not hold them in memory."""
    results: list[BlockResult] = field(default_factory=list)
    withdrawn: set[str] = field(default_factory=set)
    streaks: dict[str, int] = field(default_factory=dict)
    """Matches in a row in which a bot faulted."""

    def add(self, result: BlockResult) -> bool:
        """Count a block, unless somebody in it is out."""
        if self.withdrawn & set(result.block.lineup):
            return False
        if self.keep:
            self.results.append(result)
        for match in result.matches:
            for name, fault in zip(match.names, match.faults, strict=True):
                self.streaks[name] = self.streaks.get(name, 0) + 1 if fault else 0
        self.withdrawn |= {name for name in result.block.lineup if self.is_hopeless(name)}
        return True

    def is_hopeless(self, name: str) -> bool:
        return bool(self.max_faults) and self.streaks[name] >= self.max_faults


def tally(results: Iterable[BlockResult], max_faults: int) -> Tally:
    """What counts of the blocks in a file."""
    counted = Tally(max_faults)
    for result in results:
        counted.add(result)
    return counted


# ---- Running


@dataclass
class Waiting:
    """A block that is being played, or waits for those before it."""

    block: Block
    matches: dict[int, MatchResult]

    def is_complete(self) -> bool:
        return len(self.matches) == len(self.block.lineup)

    def result(self) -> BlockResult:
        return BlockResult(self.block, tuple(self.matches[rotation] for rotation in sorted(self.matches)))


class Walk:
    """The schedule from its beginning, as it unfolds while blocks are counted in its order."""

    def __init__(self, plan: Plan, max_faults: int, bots: Sequence[BotRow]) -> None:
        self.plan = plan
        self.is_adaptive = plan.format in ADAPTIVE
        self.tally = Tally(max_faults, keep=self.is_adaptive)
        self.ratings = RatingFold([entry.name for entry in plan.entries]) if plan.format == "ladder" else None
        """Only a ladder looks at ratings while it is played."""
        self.retired = {bot.name: bot.withdrawn_from for bot in bots if bot.withdrawn}
        """Who was withdrawn by hand, and from which round on."""
        self.round = 0

    def rounds(self) -> Iterator[Iterable[Block]]:
        """Round by round; before the next one of an adaptive format is asked for, all before it must be counted."""
        for blocks in rounds(self.plan, self.tally.results, Absent(self), self.current_ratings):
            yield blocks
            self.round += 1

    def blocks(self) -> Iterator[Block]:
        for blocks in self.rounds():
            yield from blocks

    def count(self, result: BlockResult) -> bool:
        """Count the next block, unless somebody in it is out."""
        counts = self.tally.add(result)
        if counts and self.ratings:
            self.ratings.add(result)
        return counts

    def current_ratings(self, results: Sequence[BlockResult]) -> dict[str, tuple[float, float]]:
        assert self.ratings
        return {name: (rating.mu, rating.sigma) for name, rating in self.ratings.ratings().items()}

    def is_void(self, block: Block) -> bool:
        """Whether somebody in it faulted too often before it."""
        return not self.tally.withdrawn.isdisjoint(block.lineup)

    def is_skipped(self, block: Block) -> bool:
        """Whether what is not played of it yet will not be played."""
        return self.is_void(block) or not self.retired.keys().isdisjoint(block.lineup)


class Absent(Collection[str]):
    """Who is out in the round that is walked now: for faulting all the time, or by hand from some round on."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk

    def names(self) -> set[str]:
        by_hand = {name for name, begin in self.walk.retired.items() if begin <= self.walk.round}
        return self.walk.tally.withdrawn | by_hand

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.names()))

    def __len__(self) -> int:
        return len(self.names())


class Tournament:
    """One run: walks the schedule from its beginning, and plays what is not in the file yet."""

    def __init__(self, store: Store, plan: Plan, setup: Setup, workers: int, max_faults: int) -> None:
        self.store = store
        self.plan = plan
        self.last_stored = store.last_block()
        self.walk = Walk(plan, max_faults, store.bots())
        self.queue: deque[Waiting] = deque()
        self.waiting: dict[int, Waiting] = {}
        self.moved = trio.lowlevel.ParkingLot()
        self.room = RUNNING_AHEAD * workers * setup.matches_per_worker
        self.crew = Crew(setup, workers, self.finished)
        self.on_match: Callable[[Finished], None] = lambda match: None
        self.on_block: Callable[[BlockResult], None] = lambda result: None
        self.played = 0
        self.scope = trio.CancelScope()

    async def run(self) -> None:
        with self.scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.crew.run)
                await self.offer_all()
                self.crew.board.close()

    def stop(self) -> None:
        """Enough is known: play no more."""
        self.scope.cancel()

    async def offer_all(self) -> None:
        """Offer every block of the schedule to the workers; adaptive formats wait for each round to be over."""
        for blocks in self.walk.rounds():
            for block in blocks:
                await self.offer(block)
            if self.walk.is_adaptive:
                await self.until_waiting(0)
        await self.until_waiting(0)

    async def offer(self, block: Block) -> None:
        """Put a block in the queue, with what the file has of it; the rest becomes jobs."""
        await trio.lowlevel.checkpoint()  # a file may have it all, and signals are still to be heard
        known = self.store.matches_of(block.number) if block.number <= self.last_stored else {}
        self.check_known(block, known)
        missing = [rotation for rotation in range(len(block.lineup)) if rotation not in known]
        if missing and self.walk.is_skipped(block):
            return
        await self.until_waiting(self.room - 1)
        waiting = Waiting(block, known)
        self.queue.append(waiting)
        self.waiting[block.number] = waiting
        self.count()
        if block.number in self.waiting:
            seed, seatings = deal_seed(self.plan.seed, block.deal), block.seatings()
            jobs = [Job(block.number, rotation, seed, seatings[rotation]) for rotation in missing]
            await self.crew.board.put(jobs)

    def check_known(self, block: Block, known: dict[int, MatchResult]) -> None:
        for rotation, match in known.items():
            if match.names != block.seatings()[rotation]:
                raise SetupError(
                    f"{self.store.path} has other players in block {block.number} than the schedule: it was made by "
                    "another version or changed by hand; choose another file with --db"
                )

    def finished(self, messages: list[Plain]) -> None:
        """A worker reports matches: keep them, then let them count."""
        matches = [
            Finished(self.waiting[message["block"]].block, message["rotation"], message["match"])
            for message in messages
            if message["block"] in self.waiting  # otherwise somebody in it was withdrawn meanwhile
        ]
        self.store.save(matches)
        for match in matches:
            self.waiting[match.block.number].matches[match.rotation] = match.result()
            self.played += 1
            self.on_match(match)
        self.count()

    def count(self) -> None:
        """Count the blocks at the head of the queue that are complete, or that are not needed any more."""
        while self.queue and (self.queue[0].is_complete() or self.walk.is_void(self.queue[0].block)):
            waiting = self.queue.popleft()
            del self.waiting[waiting.block.number]
            if not waiting.is_complete():
                self.crew.board.drop(waiting.block.number)
            elif self.walk.count(waiting.result()):
                self.on_block(waiting.result())
        self.moved.unpark_all()

    async def until_waiting(self, number: int) -> None:
        while len(self.queue) > number:
            await self.moved.park()


def plan_of(agreed: Plain, bots: Sequence[BotRow], sizes: tuple[int, ...]) -> Plan:
    """The schedule's plan, from what was agreed."""
    return Plan(
        format=agreed["format"],
        entries=tuple(Entry(bot.name, bot.wave) for bot in bots),
        seats=agreed["seats"],
        blocks=agreed["blocks"],
        seed=agreed["seed"],
        advance=agreed["advance"],
        sizes=sizes,
    )
