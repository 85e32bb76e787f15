"""The jobs at hand of a worker are played in waves: one rotation after the other, and none is forgotten."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from dalang.harness.blocks import Block
from dalang.harness.tournament.worker import AtHand, Job

SEATS = 4


def jobs_of(blocks: range) -> list[Job]:
    return [
        Job(Block(number, 0, tuple("abcd"), number), rotation, "seed")
        for number in blocks
        for rotation in range(SEATS)
    ]


def all_taken(at_hand: AtHand) -> list[Job]:
    return list(iter(at_hand.take, None))


def test_jobs_of_one_rotation_are_played_one_after_the_other() -> None:
    at_hand = AtHand()
    at_hand.add(jobs_of(range(5)))
    waves = [
        (rotation, len(list(wave))) for rotation, wave in groupby(job.rotation for job in all_taken(at_hand))
    ]
    assert waves == [(rotation, 5) for rotation in range(SEATS)]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=30))
def test_every_job_is_taken_once_whenever_it_comes(steps: list[tuple[int, int]]) -> None:
    at_hand, given_out, taken = AtHand(), 0, []
    for blocks, number in steps:
        at_hand.add(jobs_of(range(given_out, given_out + blocks)))
        given_out += blocks
        taken += [job for job in (at_hand.take() for _ in range(number)) if job]
    taken += all_taken(at_hand)
    assert sorted(job.key for job in taken) == [job.key for job in jobs_of(range(given_out))]


def test_after_a_wave_the_block_that_has_waited_longest_comes_first() -> None:
    at_hand = AtHand()
    at_hand.add(jobs_of(range(2))[1:])  # rotation 0 of block 0 is played elsewhere
    assert [at_hand.take() for _ in range(2)] == [jobs_of(range(2))[index] for index in (1, 5)]
    at_hand.add(jobs_of(range(2, 3)))
    assert at_hand.take() == jobs_of(range(3))[9]  # the wave goes on with what has come meanwhile
    assert at_hand.take() == jobs_of(range(3))[2]
