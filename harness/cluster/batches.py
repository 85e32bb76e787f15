"""How many jobs are sent at once: enough that Dask costs little, and so few that nobody waits for the last of them."""

from __future__ import annotations

from math import ceil

from dalang.harness.cluster.member import Member

SHORTEST_BATCH, LONGEST_BATCH = 2.0, 10.0
"""Seconds: a task costs the client and the scheduler some ten milliseconds."""
TASKS_PER_SECOND = 50
"""What a scheduler is to do; it can do about twice as much."""
BATCHES_PER_SLOT = 2
"""Batches for each slot: one that is played, one that waits, so that no slot waits for us."""
GROWTH = 4
"""Times as many jobs as in the last batch: the first ones pay for the start of bots, too."""
FIRST_BATCH = 4
SUSPECTS_SHARE = 16
"""Times fewer jobs than usual at which somebody has died."""
MOST_IN_A_BATCH = 10_000
MOST_IN_THE_AIR = 200_000
"""Jobs that are with somebody else: each needs some memory here until it counts."""


def seconds_of_batch(slots: int) -> float:
    """How long a batch should take if there are so many slots in all."""
    return min(LONGEST_BATCH, max(SHORTEST_BATCH, slots / TASKS_PER_SECOND))


def wanted_jobs(member: Member, slots: int) -> int:
    """Jobs of a batch that takes as long as it should, as far as that is known."""
    if member.pace is None:
        return FIRST_BATCH
    fitting = ceil(seconds_of_batch(slots) / max(member.pace, 1e-6))
    return max(1, min(fitting, GROWTH * max(member.last_size, FIRST_BATCH), most_jobs(slots)))


def most_jobs(slots: int) -> int:
    return max(1, min(MOST_IN_A_BATCH, MOST_IN_THE_AIR // (BATCHES_PER_SLOT * max(1, slots))))


def note_pace(member: Member, jobs: int, seconds: float) -> None:
    """What a batch took: the newest counts as much as all before it."""
    seen = seconds / jobs
    member.pace = seen if member.pace is None else (member.pace + seen) / 2
    member.last_size = jobs


def even_share(waiting: int, free: int) -> int:
    """Jobs for each of so many free places if those that wait were shared by all: nobody is left without at the end."""
    return max(1, ceil(waiting / max(1, free)))


def suspects_at_once(jobs: int, deaths: int) -> int:
    """Of the jobs of a batch that was lost, how many go together: a few at first, then each alone, to find the one."""
    return max(1, jobs // SUSPECTS_SHARE) if deaths == 1 else 1
