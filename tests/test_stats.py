from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.harness.blocks import Block, BlockResult, MatchResult, place_value
from dalang.harness.statistics.groups import cliques, strongest_cycle, tied_groups
from dalang.harness.statistics.intervals import (
    Estimate,
    OpenEstimate,
    chance_of,
    estimate,
    holm,
    student_reach,
    student_tail,
    with_room,
)
from dalang.harness.statistics.sample import Sample, exact_mean, mean_of
from dalang.harness.statistics.strength import strengths
from dalang.harness.statistics.summary import (
    BotLine,
    Statistics,
    duplicate_gain,
    letters,
    per_unit,
    percentiles,
    summary,
)
from tests.duels import drawn, lopsided

ROOT = Path(__file__).parent.parent

# ---- Tournaments with known truth

Round = list[tuple[tuple[str, ...], tuple[MatchResult, ...]]]
"""All line-ups on one deal: who, and their matches."""


def ranking(found: Statistics) -> list[BotLine]:
    return sorted(found.bots, key=lambda bot: -bot.place.mean)


def match(names: Sequence[str], strengths: Sequence[float]) -> MatchResult:
    """Who is stronger is before who is weaker, and scores more."""
    ranks = tuple(1 + sum(other > mine for other in strengths) for mine in strengths)
    return MatchResult(tuple(names), ranks, tuple(round(10 * each) for each in strengths), ("",) * len(names))


def some_round(random: Random, skills: dict[str, float], seats: int, luck: float = 1.0) -> Round:
    """The seats have their luck, a deal suits some bots more than others, and every match has its chances."""
    hands = [random.gauss(0, luck) for _ in range(seats)]
    form = {name: random.gauss(skill, 0.3) for name, skill in skills.items()}
    played = []
    for lineup in combinations(skills, seats):
        seatings = Block(0, 0, lineup, 0).seatings()
        matches = []
        for names in seatings:
            pairs = zip(names, hands, strict=True)
            matches.append(match(names, [form[name] + hand + random.gauss(0, 1) for name, hand in pairs]))
        played.append((lineup, tuple(matches)))
    return played


def tournament(rounds: Sequence[Round]) -> list[BlockResult]:
    blocks = [(deal, *each) for deal, played in enumerate(rounds) for each in played]
    return [
        BlockResult(Block(number, deal, who, deal), matches)
        for number, (deal, who, matches) in enumerate(blocks)
    ]


def place_of(name: str, pool: Sequence[Round]) -> float:
    matches = [match for played in pool for lineup, matches in played for match in matches if name in lineup]
    return mean_of([place_value(each.ranks, each.names.index(name)) for each in matches])


@cache
def pool(seats: int, *skills: float) -> list[Round]:
    """The world of a simulation: what holds on average here is the truth about tournaments drawn from it."""
    random = Random(f"{seats} {skills}")
    return [some_round(random, dict(zip("abcd", skills, strict=False)), seats) for _ in range(1000)]


def places(results: list[BlockResult], seed: str) -> dict[str, Estimate]:
    """Of a summary only what a simulation needs, for there are thousands."""
    return {name: estimate(per_unit(each), (0, 1), seed) for name, each in Sample(results, "").places.items()}


def test_a_simulation_sees_the_intervals_of_the_summary() -> None:
    results = tournament(pool(3, 0.0, 0.3, 0.6)[:20])
    assert places(results, "seed") == {bot.name: bot.place for bot in summary(results, "abc", "seed").bots}


@pytest.mark.slow
def test_the_intervals_cover_the_truth_in_95_of_100_tournaments() -> None:
    world, random = pool(3, 0.0, 0.3, 0.6), Random("coverage")
    truth = {name: place_of(name, world) for name in "abc"}
    covered = []
    for number in range(1000):
        found = places(tournament(random.choices(world, k=20)), str(number // 100))
        covered += [found[name].low <= truth[name] <= found[name].high for name in found]
    assert 0.93 <= mean_of(covered) <= 0.97


@pytest.mark.slow
def test_the_intervals_cover_the_truth_where_opponents_differ_and_deals_are_shared() -> None:
    """Were the blocks of a round taken for independent, these intervals would be far from 95 %."""
    world, random = pool(2, 0.0, 0.3, 0.6, 2.0), Random("round robin")
    truth = {name: place_of(name, world) for name in "abcd"}
    covered = []
    for number in range(500):
        found = places(tournament(random.choices(world, k=20)), str(number // 100))
        covered += [found[name].low <= truth[name] <= found[name].high for name in found]
    assert 0.925 <= mean_of(covered) <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "deals"), [(2, 12), (3, 20)])
def test_identical_bots_are_told_apart_in_at_most_5_of_100_tournaments(seats: int, deals: int) -> None:
    skills = dict.fromkeys("abc", 0.0)
    random = Random(f"identical {seats}")
    apart = 0
    for _ in range(1000):
        sample = Sample(tournament([some_round(random, skills, seats) for _ in range(deals)]), "abc")
        apart += len(set(tied_groups("abc", strengths(sample)).values())) > 1
    assert apart / 1000 <= 0.05 + 3 * (0.05 * 0.95 / 1000) ** 0.5


def test_bots_of_different_strength_are_told_apart_in_the_end() -> None:
    found = summary(tournament(pool(2, 0.0, 0.3, 0.6, 2.0)[:150]), "abcd", "seed")
    assert [letters(bot.groups) for bot in ranking(found)] == ["a", "b", "c", "d"]
    assert [bot.name for bot in ranking(found)] == ["d", "c", "b", "a"]


# ---- Any data


@st.composite
def any_results(draw: st.DrawFn) -> list[BlockResult]:
    def any_match(names: tuple[str, ...]) -> MatchResult:
        def seats(values: st.SearchStrategy) -> tuple:
            return tuple(draw(st.lists(values, min_size=len(names), max_size=len(names))))

        huge = st.one_of(st.integers(-3, 3), st.integers(-(10**400), 10**400))
        return MatchResult(
            names, seats(st.integers(1, 4)), seats(huge), seats(st.sampled_from(["", "", "crash", "timeout"]))
        )

    results = []
    for number in range(draw(st.integers(0, 12))):
        lineup = tuple(draw(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4)))
        block = Block(number, 0, lineup, draw(st.integers(0, 8)))
        matches = [any_match(seating) for seating in block.seatings()]
        results.append(BlockResult(block, tuple(matches[: draw(st.sampled_from([0, 9, 9]))])))
    return results


@given(any_results(), st.sampled_from(["", "abc", "abcdefg"]), st.booleans())
@settings(deadline=None)
def test_any_results_give_finite_numbers(results: list[BlockResult], names: str, live: bool) -> None:
    found = summary(results, names, "seed", live)
    json.dumps(found.plain(), allow_nan=False)
    for each in [line.place for line in (*found.bots, *found.seats)] + [bot.strength for bot in found.bots]:
        assert 0 <= each.low <= each.mean <= each.high <= 1
    for bot in found.bots:
        assert bot.score.low is None or bot.score.low <= bot.score.mean <= bot.score.high
        assert 0 <= bot.wins <= 1
        assert bool(bot.groups) == bool(bot.blocks)
    assert all(0 <= cell.result <= 1 and 0 < cell.chance <= 1 for cell in found.crosstable)
    assert 0 <= found.gain.low <= found.gain.mean <= found.gain.high <= 100


@given(any_results(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_results_count_in_schedule_order(results: list[BlockResult], random: Random) -> None:
    expected = summary(results, "abc", "seed")
    random.shuffle(results)
    assert summary(results, "abc", "seed") == expected


def known() -> Statistics:
    random = Random("known")
    return summary(
        tournament([some_round(random, {"a": 0, "b": 0.5, "c": 1}, 2) for _ in range(30)]), "abc", "seed"
    )


def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    code = "import json, tests.test_stats as t; print(json.dumps(t.known().plain()))"
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.stdout.strip() == json.dumps(known().plain())


def test_a_known_tournament() -> None:
    found = known()
    assert [(bot.name, bot.blocks, bot.matches, letters(bot.groups)) for bot in found.bots] == [
        ("a", 60, 120, "b"),
        ("b", 60, 120, "a"),
        ("c", 60, 120, "a"),
    ]
    assert [(bot.place.mean, bot.place.low, bot.place.high) for bot in found.bots] == [
        (0.3166666667, 0.2416666667, 0.4),
        (0.5416666667, 0.45, 0.6333333333),
        (0.6416666667, 0.5416666667, 0.7333333333),
    ]
    assert found.gain == Estimate(1.171766177, 0.6636101966, 1.892386061)


def test_another_seed_draws_other_resamples_but_means_stay() -> None:
    blocks = tournament(pool(3, 0.0, 0.3, 0.6)[:30])
    one, other = (summary(blocks, "abc", seed) for seed in ("one", "other"))
    assert [bot.place.mean for bot in one.bots] == [bot.place.mean for bot in other.bots]
    assert [bot.place for bot in one.bots] != [bot.place for bot in other.bots]
    assert [bot.score for bot in one.bots] == [bot.score for bot in other.bots]


# ---- The single figures


def block(number: int, *matches: MatchResult) -> BlockResult:
    return BlockResult(Block(number, 0, matches[0].names, number), matches)


def test_wins_are_shared_by_those_who_share_the_first_place() -> None:
    found = summary([block(0, match("abc", [2, 2, 1]), match("abc", [1, 3, 3]))], "abc", "seed")
    assert [bot.wins for bot in found.bots] == [0.25, 0.5, 0.25]


def test_faults_are_counted_by_kind() -> None:
    faulty = MatchResult(("a", "b"), (2, 1), (0, 1), ("crash", ""))
    late = MatchResult(("b", "a"), (1, 2), (1, 0), ("", "timeout"))
    found = summary([block(0, faulty, late), block(1, faulty, faulty)], "abc", "seed")
    assert [bot.faults for bot in found.bots] == [{"crash": 3, "timeout": 1}, {}, {}]


def test_a_crosstable_is_its_own_mirror_image() -> None:
    cells = {
        (cell.row, cell.column): cell
        for cell in summary(tournament(pool(3, 0.0, 0.3, 2.0)[:30]), "abc", "s").crosstable
    }
    assert len(cells) == 6
    for (row, column), cell in cells.items():
        assert cell.result + cells[column, row].result == pytest.approx(1) and cell.blocks == 30
        assert cell.chance == cells[column, row].chance
    assert cells["c", "a"].result > 0.6 and cells["c", "a"].significant


def test_one_block_tells_nothing() -> None:
    found = summary([block(0, match("ab", [2, 1]), match("ba", [1, 2]))], "ab", "seed")
    assert [(bot.place.low, bot.place.high) for bot in found.bots] == [(0, 1), (0, 1)]
    assert [letters(bot.groups) for bot in found.bots] == ["a", "a"]
    assert found.bots[0].score == OpenEstimate(20)


def test_many_line_ups_do_not_make_up_for_few_deals() -> None:
    """Whoever else played them: two deals are two deals, and one tells nothing."""
    two = tournament(pool(2, 0.0, 0.3, 0.6, 2.0)[:2])
    assert len(two) > 10
    found = summary(two, "abcd", "seed")
    assert found.units == 2 and all(bot.place.high - bot.place.low > 0.5 for bot in found.bots)
    first = [result for result in two if result.block.deal == 0]
    assert {(bot.place.low, bot.place.high) for bot in summary(first, "abcd", "seed").bots} == {(0.0, 1.0)}


def test_winning_every_time_is_not_certainty() -> None:
    found = summary(
        [block(number, match("ab", [2, 1]), match("ba", [1, 2])) for number in range(20)], "ab", "seed"
    )
    best = ranking(found)[0]
    assert best.place.mean == best.place.high == 1 and best.place.low == pytest.approx(0.025 ** (1 / 20))
    assert [letters(bot.groups) for bot in found.bots] == ["a", "b"]
    few = summary(
        [block(number, match("ab", [2, 1]), match("ba", [1, 2])) for number in range(5)], "ab", "seed"
    )
    assert [letters(bot.groups) for bot in few.bots] == ["a", "a"]


def test_bots_that_never_tie_down_anything_are_level() -> None:
    found = summary(
        [block(number, match("ab", [1, 1]), match("ba", [1, 1])) for number in range(9)], "ab", "seed"
    )
    assert [bot.place.mean for bot in found.bots] == [0.5, 0.5] and found.gain == Estimate(1, 0, 100)
    assert not any(cell.significant for cell in found.crosstable)


def test_the_first_seat_can_be_an_advantage() -> None:
    names = ["ab", "ba"]
    results = [block(number, *[match(each, [2, 1]) for each in names]) for number in range(10)]
    first, second = summary(results, "ab", "seed").seats
    assert (first.players, first.seat, first.place.mean, second.place.mean) == (2, 0, 1, 0)


def test_duplicate_deals_gain_where_the_deal_decides_and_nothing_where_it_does_not() -> None:
    random = Random("gain")
    skills = {"a": 0.0, "b": 0.0}
    lucky = Sample(tournament([some_round(random, skills, 2, luck=4) for _ in range(400)]), "ab")
    plain = Sample(tournament([some_round(random, skills, 2, luck=0) for _ in range(400)]), "ab")
    assert duplicate_gain(lucky).low > 3
    assert 0.7 < duplicate_gain(plain).low < 1 < duplicate_gain(plain).high < 1.3


def test_a_few_deals_promise_no_great_gain() -> None:
    """Where luck cancels to the last, and where the truth is 1.2 and three deals are all there is."""
    only_luck = Sample([block(n, match("ab", [2, 1]), match("ba", [2, 1])) for n in range(5)], "ab")
    assert (duplicate_gain(only_luck).mean, duplicate_gain(only_luck).high) == (2, 100)
    random, skills = Random("few"), {"a": 0.0, "b": 0.5, "c": 1.0}
    found = [
        duplicate_gain(
            Sample(tournament([some_round(random, skills, 2, luck=1) for _ in range(deals)]), "abc")
        )
        for deals in [3] * 200 + [1000]
    ]
    truth = found.pop().mean
    assert mean_of([gain.mean for gain in found]) == pytest.approx(truth, abs=0.25)
    assert mean_of([gain.low <= truth <= gain.high for gain in found]) >= 0.9


def test_bots_that_never_met_are_compared_if_their_company_was_the_same() -> None:
    """In a gauntlet everybody meets only the champion, on the same deals."""
    results = []
    for deal in range(20):
        for number, (rival, strength) in enumerate([("good", 2), ("bad", 0)]):
            matches = (match(("hero", rival), [1, strength]), match((rival, "hero"), [strength, 1]))
            results.append(BlockResult(Block(2 * deal + number, deal, ("hero", rival), deal), matches))
    found = {bot.name: bot for bot in summary(results, ["hero", "good", "bad"], "seed").bots}
    assert not set(found["good"].groups) & set(found["bad"].groups)


def test_bots_that_have_nobody_in_common_are_not_compared() -> None:
    results = [
        block(n, match(table, [2, 1]), match(table[::-1], [1, 2]))
        for n in range(40)
        for table in [("ab", "cd")[n % 2]]
    ]
    found = {bot.name: bot.groups for bot in summary(results, "abcd", "seed").bots}
    assert not set(found["a"]) & set(found["b"]) and set(found["a"]) & set(found["d"])


def test_strength_is_what_was_beaten_where_all_met_equally_often() -> None:
    found = summary(tournament(pool(2, 0.0, 0.3, 0.6, 2.0)[:40]), "abcd", "seed")
    for bot in found.bots:
        assert bot.strength.mean == pytest.approx(bot.place.mean, abs=0.001)
        assert bot.strength.low == pytest.approx(bot.place.low, abs=0.02)
        assert bot.strength.high == pytest.approx(bot.place.high, abs=0.02)


def test_two_deals_that_came_out_alike_are_no_certainty() -> None:
    """Each was won once and tied once, so the blocks differ and the deals do not."""
    results = []
    for deal, table in [(deal, table) for deal in range(2) for table in ("ab", "ac", "bc")]:
        won = [2, 1] if table == "ab" else [1, 1]
        matches = match(table, won), match(table[::-1], won[::-1])
        results.append(BlockResult(Block(len(results), deal, tuple(table), deal), matches))
    best = summary(results, "abc", "seed").bots[0]
    assert best.strength.low < 0.2 and best.strength.high > 0.9
    assert best.strength.low == pytest.approx(best.place.low, abs=0.01)


def test_who_met_only_the_strong_is_as_strong_as_who_beat_only_the_weak() -> None:
    """b and c are equals, but b met nobody except the best, and c nobody except the worst and b."""
    results = []
    for number in range(60):
        table, first = [("ab", number % 4 > 0), ("cd", number % 4 > 0), ("bc", number % 2 > 0)][number % 3]
        strengths = [2, 1] if first else [1, 2]
        results.append(block(number, match(table, strengths), match(table[::-1], strengths[::-1])))
    found = {bot.name: bot for bot in summary(results, "abcd", "seed").bots}
    assert found["c"].place.mean - found["b"].place.mean > 0.2
    assert abs(found["c"].strength.mean - found["b"].strength.mean) < 0.05


@pytest.mark.parametrize(
    ("edges", "cycle"),
    [
        ({}, ""),
        ({"ab": 0.9, "bc": 0.8, "ac": 0.7}, ""),
        ({"ab": 0.9, "bc": 0.8, "ca": 0.7}, "abc"),
        ({"ab": 0.6, "bc": 0.6, "ca": 0.6, "cd": 0.9, "de": 0.8, "ef": 0.7, "fc": 0.7}, "cdef"),
        ({"ab": 0.9, "bc": 0.9, "cd": 0.9, "da": 0.8, "ca": 0.8}, "abc"),
    ],
)
def test_the_strongest_cycle_is_found(edges: dict[str, float], cycle: str) -> None:
    found = "".join(strongest_cycle({(winner, loser): by for (winner, loser), by in edges.items()}))
    assert sorted(found) == sorted(cycle)
    assert not found or found in cycle * 2


def test_bots_that_beat_each_other_in_a_circle_are_named() -> None:
    results = [
        block(3 * number + at, match(table, [2, 1]), match(table[::-1], [1, 2]))
        for number in range(12)
        for at, table in enumerate(("ab", "bc", "ca"))
    ]
    found = summary(results, "abc", "seed")
    assert sorted((pair.row, pair.column) for pair in found.cycle) == [("a", "b"), ("b", "c"), ("c", "a")]
    assert not summary(results[:6], "abc", "seed").cycle and not known().cycle


def test_groups_are_shared_exactly_by_those_who_are_not_apart() -> None:
    random = Random("cliques")
    for _ in range(200):
        names = "abcdefgh"[: random.randint(1, 8)]
        apart = {frozenset(pair) for pair in combinations(names, 2) if random.random() < 0.4}
        groups = cliques(names, apart)
        for pair in combinations(names, 2):
            assert (frozenset(pair) in apart) != any(set(pair) <= set(group) for group in groups)
        assert all(any(name in group for group in groups) for name in names)


def test_letters_and_percentiles() -> None:
    assert letters([1, 2]) == "ab" and letters([26, 27]) == "z(27)" and letters([]) == ""
    assert percentiles([]) == (0, 0, 0) and percentiles([3]) == (3, 3, 3)
    assert percentiles(range(100, 0, -1)) == (50, 99, 100)


# ---- The mathematics


@pytest.mark.parametrize(
    ("freedom", "reach"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (10, 2.2281), (29, 2.0452), (10**6, 1.96)],
)
def test_students_distribution_is_that_of_the_tables(freedom: int, reach: float) -> None:
    assert student_reach(freedom) == pytest.approx(reach, abs=1e-4)
    assert student_tail(reach, freedom) == pytest.approx(0.05, abs=1e-4) and student_tail(0, freedom) == 1


def test_holm_multiplies_the_smallest_by_all_and_keeps_their_order() -> None:
    assert holm([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06] and holm([]) == [] and holm([0.9, 0.8]) == [1, 1]


def test_a_few_signs_prove_nothing() -> None:
    assert chance_of([1, 1, 1, 1, 1]) == 0.0625 and chance_of([1] * 5000) < 1e-100
    assert chance_of([]) == chance_of([1]) == chance_of([0, 0, 0]) == 1


def test_the_bounds_of_an_interval_stay_within_what_is_possible() -> None:
    for number in (0, 1, 2, 5, 15, 50, 500):
        for found in (estimate([1, 0.5] * number, (0, 1), "seed"), with_room([1, 0.5] * number, (0, 1))):
            assert 0 <= found.low <= found.mean <= found.high <= 1


@pytest.mark.parametrize("number", [8, 20, 50])
def test_a_guarded_interval_covers_the_truth_where_what_is_rare_was_not_seen(number: int) -> None:
    """Differences of blocks with many ties, and scores with a long tail; without the guard it is 70 to 85 %."""
    random = Random(f"guarded {number}")
    worlds = [drawn(lopsided(*sides, ties, 0.15)) for ties in (0.7, 0.9) for sides in ((1, 0.2), (0.2, 1))]
    worlds += [lambda rng: min(9.0, rng.expovariate(1) ** 2)]
    spans = [(-1.0, 1.0)] * 4 + [(0.0, 9.0)]
    for draw, span in zip(worlds, spans, strict=True):
        truth = mean_of([draw(random) for _ in range(20_000)])
        found = [with_room([draw(random) for _ in range(number)], span) for _ in range(400)]
        assert mean_of([each.low <= truth <= each.high for each in found]) >= 0.93


def test_equal_units_are_known_for_equal_whatever_they_are_made_of() -> None:
    """5/6 as a mean of thirds and halves, of which floats are no exact pictures."""
    ways = [[1.0, 2 / 3], [2 / 3, 1.0], [5 / 6, 5 / 6], [1 / 3 + 1 / 3 + 1 / 6, 5 / 6], [0.7, 29 / 30]]
    assert {exact_mean(values) for values in ways} == {5 / 6}
    assert exact_mean([0.1 + 1e-7, 0.2]) == pytest.approx(0.15 + 5e-8, abs=1e-15)


def test_eight_of_eight_are_told_by_the_exact_interval() -> None:
    assert with_room([1.0] * 8, (0, 1)) == estimate([1.0] * 8, (0, 1), "seed")
    assert with_room([1.0] * 8, (0, 1)).low == pytest.approx(0.025 ** (1 / 8))
