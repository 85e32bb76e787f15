"""Skills by all matches together: no order, no drift, and little time."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalang.harness.blocks import MatchResult
from dalang.harness.statistics.rating import MU, SIGMA, Rating, rated, skill_of
from dalang.harness.statistics.skills import SkillFit
from tests.test_rating import NAMES, match, random_match


def fit(matches: list[MatchResult], names: list[str] = NAMES) -> SkillFit:
    found = SkillFit(names)
    for each in matches:
        found.add_match(each)
    return found


def some_matches(number: int, seed: str, bots: int = 10, seats: int = 4) -> list[MatchResult]:
    """Every bot is stronger than the one before it."""
    random, matches = Random(seed), []
    for _ in range(number):
        names = random.sample(NAMES[:bots], seats)
        form = [NAMES.index(name) + random.gauss(0, 4) for name in names]
        matches.append(match(tuple(names), tuple(1 + sum(other > mine for other in form) for mine in form)))
    return matches


@given(st.randoms(use_true_random=False), st.integers(0, 60))
@settings(deadline=None, max_examples=20)
def test_the_order_of_matches_changes_nothing_not_even_the_last_bit(random: Random, number: int) -> None:
    matches = [random_match(random) for _ in range(number)]
    expected = fit(matches).ratings()
    random.shuffle(matches)
    assert fit(matches).ratings() == expected


def test_nor_does_the_order_in_which_bots_entered_change_a_digit_that_is_shown() -> None:
    matches = some_matches(300, "entered")
    first, second = (fit(matches, names).ratings() for names in (NAMES, NAMES[::-1]))
    for name in NAMES:
        assert first[name].mu == pytest.approx(second[name].mu, abs=1e-5)
        assert first[name].sigma == pytest.approx(second[name].sigma, abs=1e-5)


@given(st.integers(2, 6), st.data())
@settings(deadline=None, max_examples=40)
def test_one_match_alone_moves_newcomers_as_the_package_moves_them(seats: int, data: st.DataObject) -> None:
    """But for the package's drift before a match, a ten-thousandth part of what is unknown of a newcomer."""
    ranks = data.draw(st.lists(st.integers(1, seats), min_size=seats, max_size=seats).map(sorted))
    ours = list(fit([match(tuple(NAMES[:seats]), tuple(ranks))]).ratings().values())
    theirs = rated([skill_of(MU, SIGMA)] * seats, ranks)
    for mine, (pi, tau) in zip(ours, theirs, strict=False):
        assert (mine.mu, mine.sigma) == pytest.approx((tau / pi, pi**-0.5), abs=0.02)


def test_a_fixed_point_is_the_same_from_wherever_it_is_looked_for() -> None:
    """Whoever looks on sees in the end what they see who come then, in all digits that are shown."""
    matches = some_matches(400, "looking on")
    followed, shown = SkillFit(NAMES), {}
    for number, each in enumerate(matches, 1):
        followed.add_match(each)
        if number % 100 == 0:
            shown = followed.copy().ratings()
    for name, rating in fit(matches).ratings().items():
        assert shown[name].mu == pytest.approx(rating.mu, abs=1e-5)
        assert shown[name].sigma == pytest.approx(rating.sigma, abs=1e-5)


def test_a_field_that_hangs_together_by_threads_settles_too() -> None:
    """News go from one end of a chain to the other link by link, so the skills move long, and little at a time."""
    random, names = Random("chain"), [f"link {number}" for number in range(20)]
    chain = [pair for pair in pairwise(names) for _ in range(100)]
    matches = [match(pair, (1, 2) if random.random() < 0.6 else (2, 1)) for pair in chain]
    followed, shown = SkillFit(names), {}
    for number, each in enumerate(random.sample(matches, len(matches)), 1):
        followed.add_match(each)
        if number % 380 == 0:
            shown = followed.copy().ratings()
    for name, rating in fit(matches, names).ratings().items():
        assert shown[name].mu == pytest.approx(rating.mu, abs=1e-5)


def test_what_is_added_to_a_copy_does_not_change_the_original() -> None:
    found = fit(some_matches(50, "copy"))
    before = found.ratings()
    twin = found.copy()
    for each in some_matches(50, "more"):
        twin.add_match(each)
    assert twin.ratings() != before
    for name, rating in found.ratings().items():
        assert rating.mu == pytest.approx(before[name].mu, abs=1e-5)


def test_matches_that_came_out_alike_count_like_as_many_others() -> None:
    """A bot that won 60 of 100 stands by its share, and is the surer of it the more matches there were."""
    few, many = (
        fit([match(("a", "b"), (1, 2))] * 6 * times + [match(("a", "b"), (2, 1))] * 4 * times, ["a", "b"])
        for times in (10, 100_000)
    )
    gaps = [found["a"].mu - found["b"].mu for found in (few.ratings(), many.ratings())]
    assert gaps[0] == pytest.approx(gaps[1], rel=0.1)
    assert many.ratings()["a"].sigma < few.ratings()["a"].sigma / 3


@given(st.lists(st.sampled_from(["ab", "ba", "bc", "cb", "abc", "cba"]), max_size=12), st.integers(1, 10**6))
@settings(deadline=None, max_examples=60)
def test_any_results_however_often_they_came_settle(tables: list[str], times: int) -> None:
    found = fit([match(tuple(table), tuple(range(1, len(table) + 1))) for table in tables], list("abc"))
    found.times = {finish: number * times for finish, number in found.times.items()}
    ratings = found.ratings()
    assert all(-1000 < rating.mu < 1000 and 0 < rating.sigma <= SIGMA + 1e-9 for rating in ratings.values())
    assert sum(rating.mu for rating in ratings.values()) / 3 == pytest.approx(MU, abs=1e-5)


def test_an_upset_beyond_all_measure_is_only_an_upset() -> None:
    found = fit([match(("a", "b"), (1, 2))] * 1000 + [match(("b", "a"), (1, 2))], ["a", "b"])
    ratings = found.ratings()
    assert ratings["a"].mu > ratings["b"].mu + 10


def test_parts_of_the_field_that_never_met_have_the_same_mean() -> None:
    ratings = fit([match(("a", "b"), (1, 2)), match(("c", "d"), (1, 1))], list("abcde")).ratings()
    assert ratings["a"].mu + ratings["b"].mu == pytest.approx(2 * MU)
    assert (ratings["c"].mu, ratings["d"].mu) == (pytest.approx(MU), pytest.approx(MU))
    assert ratings["e"] == Rating(pytest.approx(MU), pytest.approx(SIGMA))


def test_a_bot_against_itself_is_not_rated() -> None:
    found = fit([match(("a", "b", "a"), (1, 2, 3)), match(("a",), (1,))], ["a", "b"])
    assert found.ratings() == {"a": Rating(), "b": Rating()} and not found.can_rate()


def test_who_plays_more_is_not_ahead_for_that() -> None:
    """All are level, and the first has met everybody: it is as good as they are."""
    matches = [
        match(table, ranks)
        for other in NAMES[1:]
        for table, ranks in [((NAMES[0], other), (1, 2)), ((NAMES[0], other), (2, 1))]
    ]
    ratings = fit(matches * 5).ratings()
    assert all(rating.mu == pytest.approx(MU, abs=1e-6) for rating in ratings.values())
    assert ratings[NAMES[0]].exposure > ratings[NAMES[1]].exposure
