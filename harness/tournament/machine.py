"""The story of a tournament: which blocks are to be played, and which of them count.

No clocks, files or processes: whoever drives it asks for blocks and tells what came of them. Workers drive it, a file
that is resumed or verified, and simulations in tests. Blocks are played in any order and by anybody, but they count in
schedule order. So the number of workers, an interruption or a slow machine cannot change what comes out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.tournament.schedule import Plan, SoFar, find_format


class Listener:
    """Hears of blocks while a tournament is played; what it does not care for it need not say."""

    def counted(self, result: BlockResult) -> None:
        """The next block that counts, in schedule order."""

    def passed(self, blocks: int) -> None:
        """So many blocks count that nobody is told of one by one."""

    def round_over(self, turn: int) -> None:
        """All of this round has been played, or cannot be; the next is about to be drawn."""

    def dropped(self, block: Block) -> None:
        """A block that was under way is not wanted any more."""


@dataclass
class Count:
    """The blocks that count, in schedule order, and who was withdrawn for faulting all the time.

    Blocks that are complete need no schedule to be counted, only its order: so the standings of a file take this alone.
    """

    max_faults: int
    withdrawn: set[str] = field(default_factory=set)
    streaks: dict[str, int] = field(default_factory=dict)
    """Matches in a row in which a bot faulted, if it did in its last one."""

    def add(self, result: BlockResult) -> bool:
        """Whether this block, the next in schedule order, counts: not if somebody in it is out."""
        if not self.withdrawn.isdisjoint(result.block.lineup):
            return False
        for match in result.matches:
            if self.streaks or any(match.faults):
                self.add_faults(match)
        self.withdrawn |= {name for name in self.streaks if self.is_hopeless(name)}
        return True

    def add_faults(self, match: MatchResult) -> None:
        for name, fault in zip(match.names, match.faults, strict=True):
            streak = self.streaks.pop(name, 0)
            if fault:
                self.streaks[name] = streak + 1

    def is_hopeless(self, name: str) -> bool:
        return 0 < self.max_faults <= self.streaks[name]

    def copy(self) -> Count:
        return Count(self.max_faults, set(self.withdrawn), dict(self.streaks))

    def of(self, results: Iterable[BlockResult]) -> Iterator[BlockResult]:
        """Those of these complete blocks that count."""
        return filter(self.add, results)


@dataclass
class OpenBlock:
    """A block that is being played, or waits for those before it."""

    block: Block
    matches: dict[int, MatchResult]

    def is_complete(self) -> bool:
        return len(self.matches) == len(self.block.lineup)

    def result(self) -> BlockResult:
        return BlockResult(self.block, tuple(self.matches[rotation] for rotation in sorted(self.matches)))


class Tournament:
    """Ask for the `next_block` and `open` it; `add` its matches as they are finished, until all `is_over`."""

    def __init__(
        self,
        plan: Plan,
        retired: Mapping[str, int] | None = None,
        listeners: Iterable[Listener] = (),
        left_out: Collection[int] = (),
    ) -> None:
        self.plan = plan
        self.format = find_format(plan.terms.format)
        self.format.check(plan)
        self.retired = dict(retired or {})
        """Who was withdrawn by hand, and from which round on."""
        self.listeners = tuple(listeners)
        self.left_out_before = left_out
        """Numbers of blocks that could not be played, and that later rounds were drawn without."""
        self.left_out: list[Block] = []
        """Blocks that could not be played; they do not count."""
        self.count = Count(plan.terms.max_faults)
        self.so_far = SoFar()
        self.rounds = self.format.rounds(plan, self.so_far)
        self.rounds_begun = 0
        self.blocks: Sequence[Block] = ()
        """Those of the round that has begun, and which of them are still to be asked for."""
        self.round: Iterator[Block] = iter(())
        self.is_exhausted = False
        """Whether the schedule has no more blocks."""
        self.queue: deque[OpenBlock] = deque()
        self.opened: dict[int, OpenBlock] = {}

    # ---- What is to be played

    def passed_over(self, end: int) -> Iterator[Sequence[Block]]:
        """Leave out the first rounds, as far as all their blocks are before this number: they are known to be complete.

        Whoever does so counts them.
        """
        number = 0
        while not self.is_exhausted:
            self.begin_round()
            if self.is_exhausted or number + len(self.blocks) > end:
                return
            number += len(self.blocks)
            yield self.blocks
            self.round = iter(())

    def next_block(self) -> Block | None:
        """The next block of the schedule; None while the next round waits for this one, and when there is no more."""
        while not self.is_exhausted:
            for block in self.round:
                return block
            if self.format.adapts and self.queue:
                return None
            self.begin_round()
        return None

    def begin_round(self) -> None:
        if self.rounds_begun and self.format.adapts:
            for listener in self.listeners:
                listener.round_over(self.rounds_begun - 1)
        by_hand = {name for name, begin in self.retired.items() if begin <= self.rounds_begun}
        self.so_far.out = self.count.withdrawn | by_hand
        blocks = next(self.rounds, None)
        self.is_exhausted = blocks is None
        self.blocks = blocks or ()
        self.round = iter(self.blocks)
        self.rounds_begun += 1

    def open(self, block: Block, known: Mapping[int, MatchResult]) -> list[int]:
        """Begin a block of which some matches are known already; the rotations that are still to be played.

        What is missing of a block is not played if somebody in it is out.
        """
        missing = [rotation for rotation in range(len(block.lineup)) if rotation not in known]
        if missing and self.is_skipped(block):
            return []
        if missing and block.number in self.left_out_before:
            self.left_out.append(block)
            return []
        self.opened[block.number] = OpenBlock(block, dict(known))
        self.queue.append(self.opened[block.number])
        self.settle()
        return missing if block.number in self.opened else []

    def is_skipped(self, block: Block) -> bool:
        return self.is_void(block) or not self.retired.keys().isdisjoint(block.lineup)

    def leave_out(self, number: int) -> None:
        """This block cannot be played: all goes on without it."""
        self.left_out.append(self.opened[number].block)
        self.drop(self.opened[number])
        self.settle()

    def is_void(self, block: Block) -> bool:
        """Whether somebody in it faulted too often before it."""
        return not self.count.withdrawn.isdisjoint(block.lineup)

    def retire(self, name: str) -> None:
        """Nothing more is begun with this bot; a block of which something is finished is played to its end."""
        self.retired.setdefault(name, self.rounds_begun)
        for each in [each for each in self.queue if name in each.block.lineup and not each.matches]:
            self.drop(each)
        self.settle()

    def is_over(self) -> bool:
        return self.is_exhausted and not self.queue

    # ---- What counts

    def is_open(self, number: int) -> bool:
        """Whether matches of this block are still wanted."""
        return number in self.opened

    def add(self, number: int, rotation: int, match: MatchResult) -> None:
        """A match of an open block is finished."""
        self.opened[number].matches[rotation] = match

    def settle(self) -> None:
        """Count the blocks at the head of the queue that are complete, or that are not needed any more."""
        while self.queue and (self.queue[0].is_complete() or self.is_void(self.queue[0].block)):
            head = self.queue[0]
            if not head.is_complete():
                self.drop(head)
                continue
            self.close(head)
            if self.count.add(result := head.result()):
                self.tell_counted(result)

    def close(self, block: OpenBlock) -> None:
        self.queue.remove(block)  # at the head, but for those of a bot that was just taken out
        del self.opened[block.block.number]

    def drop(self, block: OpenBlock) -> None:
        self.close(block)
        for listener in self.listeners:
            listener.dropped(block.block)

    def tell_counted(self, result: BlockResult) -> None:
        if self.format.adapts:  # nobody else looks at it again, and a long run need not hold it
            self.so_far.results.append(result)
        for listener in self.listeners:
            listener.counted(result)


def walked(
    tournament: Tournament, known: Callable[[Block], Mapping[int, MatchResult]]
) -> Iterator[tuple[Block, Mapping[int, MatchResult]]]:
    """The schedule as far as finished matches tell it: each block with what is known of it."""
    while block := tournament.next_block():
        matches = known(block)
        yield block, matches
        tournament.open(block, matches)
