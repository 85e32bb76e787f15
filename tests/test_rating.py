from __future__ import annotations

import subprocess
import sys
import warnings
from itertools import permutations
from math import isfinite
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.harness.blocks import Block, BlockResult, MatchResult
from dalang.harness.statistics.rating import Rating, RatingFold, rated, ratings, skill_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # a docstring of the package, see harness/rating.py
    import trueskill

ROOT = Path(__file__).parent.parent
NAMES = [f"bot {number}" for number in range(10)]


def match(names: tuple[str, ...], ranks: tuple[int, ...]) -> MatchResult:
    return MatchResult(names, ranks, (0,) * len(names), ("",) * len(names))


def result(number: int, *matches: MatchResult) -> BlockResult:
    return BlockResult(Block(number, 0, matches[0].names, 0), matches)


def random_match(random: Random) -> MatchResult:
    seats = random.randint(2, 8)
    return match(tuple(random.sample(NAMES, seats)), tuple(random.randint(1, seats) for _ in range(seats)))


def by_the_package(matches: list[MatchResult]) -> dict[str, trueskill.Rating]:
    environment = trueskill.TrueSkill()
    skills = {name: environment.create_rating() for name in NAMES}
    for each in matches:
        # The package keeps tied players in the order in which it gets them: here that of the list of names.
        seats = sorted(range(len(each.names)), key=lambda seat: NAMES.index(each.names[seat]))
        groups = [(skills[each.names[seat]],) for seat in seats]
        for seat, (skill,) in zip(
            seats, environment.rate(groups, [each.ranks[s] for s in seats]), strict=True
        ):
            skills[each.names[seat]] = skill
    return skills


@pytest.mark.parametrize("seed", range(4))
def test_ratings_are_those_of_the_trueskill_package(seed: int) -> None:
    random = Random(seed)
    matches = [random_match(random) for _ in range(400)]
    ours = ratings([result(number, each) for number, each in enumerate(matches)], NAMES)
    for name, theirs in by_the_package(matches).items():
        assert ours[name].mu == pytest.approx(theirs.mu, abs=1e-9)
        assert ours[name].sigma == pytest.approx(theirs.sigma, abs=1e-9)


def test_the_stronger_always_winning_is_rated_like_in_the_package() -> None:
    random = Random("sure")
    tables = [tuple(sorted(random.sample(NAMES, 4), key=NAMES.index)) for _ in range(400)]
    matches = [match(table, (1, 2, 3, 4)) for table in tables]
    ours = ratings([result(number, each) for number, each in enumerate(matches)], NAMES)
    for name, theirs in by_the_package(matches).items():
        assert (ours[name].mu, ours[name].sigma) == pytest.approx((theirs.mu, theirs.sigma), abs=1e-9)


@given(
    st.lists(
        st.tuples(st.floats(-300, 300), st.floats(0.1, 20), st.integers(1, 4)), min_size=2, max_size=6
    ).map(lambda players: sorted(players, key=lambda player: player[2]))
)
def test_any_match_is_rated_like_in_the_package_or_refused_like_there(
    players: list[tuple[float, float, int]],
) -> None:
    environment = trueskill.TrueSkill()
    ranks = [rank for _, _, rank in players]
    try:
        theirs = environment.rate(
            [(environment.create_rating(mu, sigma),) for mu, sigma, _ in players], ranks
        )
    except (ArithmeticError, ValueError):
        with pytest.raises((ArithmeticError, ValueError)):
            rated([skill_of(mu, sigma) for mu, sigma, _ in players], ranks)
        return
    try:
        ours = rated([skill_of(mu, sigma) for mu, sigma, _ in players], ranks)
    except (ArithmeticError, ValueError):
        assert not all(isfinite(skill.mu) and isfinite(skill.sigma) for (skill,) in theirs)
        return
    for (pi, tau), (skill,) in zip(ours, theirs, strict=True):
        assert (tau / pi, pi**-0.5) == pytest.approx((skill.mu, skill.sigma), rel=1e-9, abs=1e-9)


def test_tied_bots_are_rated_alike_from_whatever_seats() -> None:
    table = tuple(zip(NAMES[:4], (1, 2, 2, 2), strict=True))
    first, *others = [
        ratings([result(0, match(*zip(*seating, strict=True)))], NAMES) for seating in permutations(table)
    ]
    assert all(other == first for other in others)


def test_blocks_count_in_schedule_order_whatever_order_they_come_in() -> None:
    random = Random("order")
    results = [result(number, random_match(random), random_match(random)) for number in range(50)]
    expected = ratings(results, NAMES)
    random.shuffle(results)
    assert ratings(results, NAMES) == expected


def test_a_fold_knows_the_ratings_at_any_time() -> None:
    random = Random("fold")
    results = [result(number, random_match(random)) for number in range(20)]
    fold = RatingFold(NAMES)
    for number, each in enumerate(results, 1):
        fold.add(each)
        assert fold.ratings() == ratings(results[:number], NAMES)


def test_a_bot_that_always_faults_sinks() -> None:
    random = Random("sinks")
    matches = []
    for _ in range(200):
        others = random.sample(range(1, 4), 3)
        matches.append(match(("good", "faulty", "fair", "other"), (others[0], 4, others[1], others[2])))
    found = ratings([result(number, each) for number, each in enumerate(matches)], ["faulty", "good"])
    assert min(found, key=lambda name: found[name].mu) == "faulty"
    assert found["faulty"].mu + 3 * found["faulty"].sigma < found["good"].exposure
    assert list(found) == ["faulty", "good", "fair", "other"]


def test_a_bot_against_itself_is_not_rated() -> None:
    fold = RatingFold(["a", "b"])
    fold.add_match(match(("a", "b", "a"), (1, 2, 3)))
    assert fold.ratings() == {"a": Rating(), "b": Rating()} and fold.unrated == 1


def test_nobody_to_compare_with_and_no_results_leave_newcomers() -> None:
    assert ratings([result(0, match(("a",), (1,)))], []) == {"a": Rating()}
    assert ratings([], ["a"]) == {"a": Rating()} and ratings([], []) == {}
    assert Rating().exposure == 0


def test_an_upset_beyond_floats_leaves_the_ratings_as_they_were() -> None:
    fold = RatingFold(["sure", "hopeless"])
    fold.skills = {"sure": skill_of(1000, 0.1), "hopeless": skill_of(-1000, 0.1)}
    before = fold.ratings()
    fold.add_match(match(("hopeless", "sure"), (1, 2)))
    fold.add_match(match(("hopeless", "sure"), (1, 1)))
    assert fold.ratings() == before and fold.unrated == 2


def test_a_known_table() -> None:
    """TrueSkill's own example of four newcomers, and one with ties."""
    clear = ratings([result(0, match(("a", "b", "c", "d"), (1, 2, 3, 4)))], "abcd")
    assert [round(clear[name].mu, 3) for name in "abcd"] == [33.207, 27.401, 22.599, 16.793]
    assert [round(clear[name].sigma, 3) for name in "abcd"] == [6.348, 5.787, 5.787, 6.348]
    tied = ratings([result(0, match(("a", "b", "c", "d"), (1, 1, 1, 1)))], "abcd")
    assert all(tied[name].mu == pytest.approx(25, abs=0.01) for name in "abcd")


def test_it_can_be_imported_where_warnings_are_errors(tmp_path: Path) -> None:
    """The package warns only when it is compiled, so nothing compiled may be at hand."""
    command = [
        sys.executable,
        "-W",
        "error",
        "-X",
        f"pycache_prefix={tmp_path}",
        "-c",
        "import dalang.harness.statistics.rating",
    ]
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)
