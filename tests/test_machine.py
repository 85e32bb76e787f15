"""The story of a tournament without matches: whatever order results come in, the same counts in the end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.tournament.machine import Count, Listener, Tournament, walked
from dalang.harness.tournament.schedule import FORMATS, Plan, find_format
from tests.simulated import entries, planned, simulate

ADAPTING = sorted(name for name, format in FORMATS.items() if format.adapts)
in_any_order = st.integers(0, 2**32)


class Heard(Listener):
    """All that there was to hear."""

    def __init__(self) -> None:
        self.results: list[BlockResult] = []
        self.complete: list[BlockResult] = []
        """All blocks that were played to their end, whether they count or not: what a file would hold."""
        self.not_needed: list[Block] = []

    def counted(self, result: BlockResult) -> None:
        self.results.append(result)

    def dropped(self, block: Block) -> None:
        self.not_needed.append(block)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    seats = draw(st.integers(2, 4))
    bots = draw(st.integers(seats, 9))
    name = draw(st.sampled_from(sorted(FORMATS)))
    return planned(name, entries(bots), seats, draw(st.integers(1, 4)), "machine", max_faults=3)


def matches_of(block: Block, faulty: Collection[str] = ()) -> dict[int, MatchResult]:
    return dict(enumerate(simulate(block, faulty=faulty).matches))


def driven(
    plan: Plan,
    random: Random | None = None,
    faulty: Collection[str] = (),
    known: Mapping[int, Mapping[int, MatchResult]] | None = None,
    retired: Mapping[str, int] | None = None,
    impossible: Collection[int] = (),
    left_out: Collection[int] = (),
) -> Heard:
    """Play it: one match after the other, or many at once that end in any order; what is known is not played, and some
    blocks cannot be."""
    heard = Heard()
    tournament = Tournament(plan, retired, [heard], left_out)
    under_way: list[tuple[Block, int]] = []
    while not tournament.is_over():
        wants_more = not under_way or (random is not None and random.random() < 0.5)
        block = tournament.next_block() if wants_more else None
        if block:
            missing = tournament.open(block, (known or {}).get(block.number, {}))
            under_way += [(block, rotation) for rotation in missing]
        elif under_way:
            block, rotation = under_way.pop(random.randrange(len(under_way)) if random else 0)
            if block.number in impossible:
                if tournament.is_open(block.number):
                    tournament.leave_out(block.number)
                continue
            if all(other.number != block.number for other, _ in under_way):
                heard.complete.append(simulate(block, faulty=faulty))
            if tournament.is_open(block.number):
                tournament.add(block.number, rotation, matches_of(block, faulty)[rotation])
                tournament.settle()
    return heard


@given(plans(), in_any_order, st.sets(st.sampled_from(["b0", "b1", "b2"]), max_size=2))
@settings(deadline=None)
def test_what_counts_does_not_depend_on_the_order_in_which_matches_end(
    plan: Plan, seed: int, faulty: set[str]
) -> None:
    assert driven(plan, Random(seed), faulty).results == driven(plan, None, faulty).results


@given(plans(), in_any_order, st.data())
@settings(deadline=None)
def test_a_tournament_of_which_anything_is_known_already_ends_like_one_that_began_anew(
    plan: Plan, seed: int, data: st.DataObject
) -> None:
    whole = driven(plan).results
    known = {
        result.block.number: {
            rotation: match
            for rotation, match in enumerate(result.matches)
            if data.draw(st.booleans(), label=f"block {result.block.number}, rotation {rotation}")
        }
        for result in whole[:10]
    }
    assert driven(plan, Random(seed), known=known).results == whole


@given(plans(), st.integers(-5, 30))
@settings(deadline=None)
def test_rounds_that_are_passed_over_leave_the_others_as_they_are(plan: Plan, end: int) -> None:
    assume(find_format(plan.terms.format).passes)
    whole, hurried = Tournament(plan), Tournament(plan)
    blocks = list(iter(whole.next_block, None))
    passed = [block for of_round in hurried.passed_over(end) for block in of_round]
    later = list(iter(hurried.next_block, None))
    assert passed + later == blocks
    assert all(block.number < end for block in passed)
    assert hurried.rounds_begun == whole.rounds_begun and hurried.is_exhausted


@given(plans(), in_any_order)
@settings(deadline=None)
def test_blocks_count_in_the_order_of_the_schedule(plan: Plan, seed: int) -> None:
    numbers = [result.block.number for result in driven(plan, Random(seed)).results]
    assert numbers == sorted(numbers)


@given(plans(), in_any_order)
@settings(deadline=None)
def test_who_faults_all_the_time_is_played_no_more_and_nothing_is_waited_for(plan: Plan, seed: int) -> None:
    heard = driven(plan, Random(seed), faulty={"b1"})
    played = [match for result in heard.results for match in result.matches if "b1" in match.names]
    longest_block = plan.seats
    assert len(played) <= plan.terms.max_faults - 1 + longest_block
    for block in heard.not_needed:
        assert "b1" in block.lineup


@given(plans(), in_any_order, st.sets(st.integers(0, 20)))
@settings(deadline=None)
def test_what_cannot_be_played_holds_nobody_up_and_later_rounds_stand(
    plan: Plan, seed: int, impossible: set[int]
) -> None:
    heard = driven(plan, Random(seed), impossible=impossible)
    assert impossible.isdisjoint(result.block.number for result in heard.results)
    known = {result.block.number: dict(enumerate(result.matches)) for result in heard.results}
    last_round = max((result.block.round for result in heard.results), default=-1)
    adapts = find_format(plan.terms.format).adapts
    left_out = {block.number for block in heard.not_needed if block.round < last_round} if adapts else set()
    resumed = driven(plan, Random(seed), known=known, left_out=left_out).results
    assert [result for result in resumed if result.block.number in known] == heard.results
    if adapts:
        assert all(result.block.round >= last_round for result in resumed if result.block.number not in known)
    else:
        assert resumed == driven(plan).results


def test_a_block_that_is_under_way_is_dropped_when_somebody_in_it_is_withdrawn_before_it() -> None:
    plan = planned("round-robin", entries(2), 2, 3, "dropped", max_faults=2)
    heard = Heard()
    tournament = Tournament(plan, listeners=[heard])
    blocks = [block for _ in range(3) if (block := tournament.next_block())]
    for block in blocks:
        tournament.open(block, {})
    for rotation, match in matches_of(blocks[0], faulty={"b1"}).items():
        tournament.add(blocks[0].number, rotation, match)
    tournament.settle()
    assert heard.not_needed == blocks[1:]
    assert [result.block for result in heard.results] == blocks[:1]
    assert not tournament.is_open(blocks[1].number)


@pytest.mark.parametrize("format", ADAPTING)
def test_who_was_taken_out_by_hand_is_in_no_later_round(format: str) -> None:
    plan = planned(format, entries(8), 2, 3, "by hand")
    results = driven(plan, retired={"b0": 1}).results
    assert not [result for result in results if result.block.round > 0 and "b0" in result.block.lineup]


@pytest.mark.parametrize("format", ADAPTING)
def test_a_format_that_adapts_tells_no_round_before_the_last_one_is_over(format: str) -> None:
    tournament = Tournament(planned(format, entries(8), 2, 2, "wait"))
    blocks = []
    while block := tournament.next_block():
        tournament.open(block, {})
        blocks.append(block)
    assert {block.round for block in blocks} == {0}
    assert not tournament.is_over()
    for block in blocks:
        for rotation, match in matches_of(block).items():
            tournament.add(block.number, rotation, match)
    tournament.settle()
    following = tournament.next_block()
    assert following is not None and following.round == 1


def test_of_a_bot_that_was_taken_out_by_hand_what_it_played_counts_and_the_rest_is_not_played() -> None:
    plan = planned("round-robin", entries(4), 2, 2, "retired")
    whole = driven(plan).results
    known = {result.block.number: dict(enumerate(result.matches)) for result in whole[:5]}
    results = driven(plan, known=known, retired={"b0": 1}).results
    assert results[:5] == whole[:5]
    assert results[5:] == [result for result in whole[5:] if "b0" not in result.block.lineup]


def test_of_a_bot_that_is_taken_out_in_the_middle_only_what_is_begun_is_played() -> None:
    plan = planned("round-robin", entries(3), 2, 2, "middle")
    heard = Heard()
    tournament = Tournament(plan, listeners=[heard])
    blocks = [block for _ in range(3) if (block := tournament.next_block())]
    for block in blocks:
        tournament.open(block, {})
    begun, other = [block for block in blocks if "b0" in block.lineup]
    tournament.add(begun.number, 0, matches_of(begun)[0])
    tournament.retire("b0")
    assert heard.not_needed == [other]
    assert tournament.is_open(begun.number)
    later = [block for _ in range(3) if (block := tournament.next_block()) and tournament.open(block, {})]
    assert later == [block for block in driven_blocks(plan)[3:] if "b0" not in block.lineup]


def driven_blocks(plan: Plan) -> list[Block]:
    return [result.block for result in driven(plan).results]


def test_a_file_is_walked_as_far_as_it_goes() -> None:
    plan = planned("swiss", entries(4), 2, 3, "walk")
    whole = driven(plan).results
    known = {result.block.number: dict(enumerate(result.matches)) for result in whole[:3]}
    told = [block for block, _ in walked(Tournament(plan), lambda block: known.get(block.number, {}))]
    assert told == [result.block for result in whole[:4]]  # two rounds of two blocks, then nobody knows


@given(plans(), in_any_order, st.sets(st.sampled_from(["b0", "b1"]), max_size=1))
@settings(deadline=None)
def test_a_file_of_complete_blocks_counts_like_the_run_that_made_it(
    plan: Plan, seed: int, faulty: set[str]
) -> None:
    heard = driven(plan, Random(seed), faulty)
    in_the_file = sorted(heard.complete, key=lambda result: result.block.number)
    assert list(Count(plan.terms.max_faults).of(in_the_file)) == heard.results
