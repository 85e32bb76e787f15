"""How quickly a tournament goes on, so that it can be told how long the rest of it takes."""

from __future__ import annotations

from collections import deque
from statistics import median


class Pace:
    """How long a match takes: the median over slices of the run, so that a stall does not count.

    A slice is as long as it takes for some matches to be finished, and at least a second: reports come in bursts. The
    first begins with the first match that is finished. Of the slices the later half counts, and of a few none: at the
    beginning bots are being started. Where there are few although some time has passed, all matches since the first
    say it.
    """

    SLICE_SECONDS, SLICE_MATCHES, SLICES, FEWEST_SLICES = 1.0, 4, 60, 5
    LONG_SECONDS = 20.0

    def __init__(self) -> None:
        self.begin: float | None = None
        self.slice_begin = self.last = 0.0
        self.matches = self.in_slice = 0
        """Those after the first."""
        self.slices: deque[float] = deque(maxlen=self.SLICES)
        """Seconds per match, of the last ones."""

    def add(self, matches: int, now: float) -> None:
        if not matches:
            return  # they were of a block that does not count any more
        if self.begin is None:
            self.begin = self.slice_begin = now
            return
        self.last = now
        self.matches += matches
        self.in_slice += matches
        if self.in_slice >= self.SLICE_MATCHES and now - self.slice_begin >= self.SLICE_SECONDS:
            self.slices.append((now - self.slice_begin) / self.in_slice)
            self.slice_begin, self.in_slice = now, 0

    def seconds_per_match(self) -> float | None:
        """None until enough is known."""
        if len(self.slices) >= self.FEWEST_SLICES:
            return median(list(self.slices)[len(self.slices) // 2 :])
        if self.begin is None or self.last - self.begin < self.LONG_SECONDS:
            return None
        return (self.last - self.begin) / self.matches
