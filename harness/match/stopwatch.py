"""What a bot is charged for an answer: the time on the wall, or what its processes used of the processor."""

from __future__ import annotations

import sys
from time import perf_counter

from dalang.engine.game import SetupError
from dalang.harness.match.faults import Timeout
from dalang.harness.match.limits import CPU, Clock, Limits
from dalang.harness.match.process import BotProcess

WALL_PER_CPU = 4
"""How many times as long as its processor time would last a bot may take on the wall: one that only waits, or has to
share its core, must come to an end as well."""


class Stopwatch:
    """By the clock on the wall."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def begin(self, bot: BotProcess) -> float:
        """It is about to be asked; the seconds that are waited for its answer."""
        return self.clock.allowance()

    def spent(self, bot: BotProcess) -> float:
        """On the answer that has come; at the pipe, for packing is our own affair."""
        return bot.wire.answered_at - bot.wire.asked_at

    def spent_in_vain(self, bot: BotProcess) -> float:
        """When no answer has come."""
        return perf_counter() - bot.wire.asked_at

    def is_over(self, seconds: float) -> bool:
        """Whether an answer that has come took longer than it may: here it would not have been waited for."""
        return False

    def too_late(self) -> Timeout:
        return Timeout(f"no answer within {self.clock.allowance():.3g} s, the bank included")


class CpuStopwatch(Stopwatch):
    """By the processor time of all its processes."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.used_before = 0.0

    def begin(self, bot: BotProcess) -> float:
        self.used_before = bot.rest.used()
        bot.wire.is_spent = lambda: self.spent_in_vain(bot) > self.clock.allowance()
        return WALL_PER_CPU * self.clock.allowance()

    def spent(self, bot: BotProcess) -> float:
        bot.wire.is_spent = None
        return self.spent_in_vain(bot)

    def spent_in_vain(self, bot: BotProcess) -> float:
        return max(0.0, bot.rest.used() - self.used_before)

    def is_over(self, seconds: float) -> bool:
        return seconds > self.clock.allowance()

    def too_late(self) -> Timeout:
        seconds = self.clock.allowance()
        return Timeout(
            f"no answer within {seconds:.3g} s of processor time, the bank included, or {WALL_PER_CPU * seconds:.3g} s "
            "on the wall"
        )


def check_measurable(limits: Limits) -> None:
    if limits.clock == CPU and sys.platform != "linux":
        raise SetupError("processor time can be measured on Linux only; write clock = true")


def stopwatch_for(limits: Limits, clock: Clock) -> Stopwatch:
    return CpuStopwatch(clock) if limits.clock == CPU else Stopwatch(clock)
