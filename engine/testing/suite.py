"""All checks, at all tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dalang.engine.game import Game, Plain, State
from dalang.engine.testing.checks import CHECKS
from dalang.engine.testing.playing import Table
from dalang.engine.testing.promise import Broken, Check
from dalang.engine.testing.shortening import shortest


def check_game(
    game: Game,
    seats: Iterable[int] | None = None,
    options: Iterable[Plain] | None = None,
    invariant: Callable[[State], None] | None = None,
    games: int = 10,
    seed: int = 0,
) -> list[Broken]:
    """Every promise that this game does not keep; an empty list is what you want.

    It is tried at every table size, or only with these numbers of `seats`; with the default options, and with each of
    the `options` that are given, or with the variants of its `promises` if none are. `invariant` is called with every
    state, real or imagined, and raises where something was lost. Every check plays this number of `games`, from this
    `seed` on; what breaks a promise is told by the shortest play that was found to do so.

    >>> import dalang
    >>> def no_gem_is_lost(state):
    ...     assert sum(state.wealth) + state.loot + state.temple == 350
    >>> rounding_up = {"fine_rounding": "up"}
    >>> check_game(dalang.game("kali"), seats=[2, 3], options=[rounding_up], invariant=no_gem_is_lost, games=1)
    []
    """
    tables = tables_of(game, seats, options, invariant)
    return [broken for table in tables for broken in broken_at(table, range(seed, seed + games))]


def tables_of(
    game: Game,
    seats: Iterable[int] | None = None,
    options: Iterable[Plain] | None = None,
    invariant: Callable[[State], None] | None = None,
) -> list[Table]:
    """Every table that `check_game` sits down at, for tests that take one at a time.

    >>> import dalang
    >>> print(*tables_of(dalang.game("bali_wrede"), seats=[2, 3], options=[{"oracle": True}]))
    bali_wrede-2p bali_wrede-2p-oracle-True bali_wrede-3p bali_wrede-3p-oracle-True
    """
    sizes = game.seats if seats is None else tuple(seats)
    option_sets = [{}, *(game.promises.variants if options is None else options)]
    return [Table(game, size, given, invariant) for size in sizes for given in option_sets]


def contract_of(
    game: Game,
    seats: Iterable[int] | None = None,
    options: Iterable[Plain] | None = None,
    invariant: Callable[[State], None] | None = None,
    games: int = 3,
) -> type:
    """A class of tests for pytest, one for each promise at each table of `tables_of`.

    >>> import dalang
    >>> TestKali = contract_of(dalang.game("kali"), seats=[2], options=[], games=1)
    >>> TestKali().test_places_follow_the_scores_at_kali_2p()
    """
    tests = {
        f"test_{check.__name__}_at_{table}".replace("-", "_"): promise_test(check, table, games)
        for check in CHECKS
        for table in tables_of(game, seats, options, invariant)
    }
    return type("Contract", (), tests)


def promise_test(check: Check, table: Table, games: int) -> Callable[[object], None]:
    def test(self: object) -> None:
        broken = first_broken(check, table, range(games))
        if broken is not None:
            raise shortest(check, broken)

    test.__doc__ = check.promise
    return test


def broken_at(table: Table, seeds: Sequence[int]) -> Iterator[Broken]:
    """One line for each broken promise, and only one for a fault that no check gets past."""
    known: set[str] = set()
    for check in CHECKS:
        broken = first_broken(check, table, seeds)
        if broken is not None and broken.fault() not in known:
            known.add(broken.fault())
            yield shortest(check, broken)


def first_broken(check: Check, table: Table, seeds: Sequence[int]) -> Broken | None:
    for seed in seeds:
        try:
            check(table, seed)
        except Broken as broken:
            return broken
    return None
