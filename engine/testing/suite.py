"""All checks, at all tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dalang.engine.game import Game, Plain, State
from dalang.engine.testing.checks import CHECKS, Broken, Check
from dalang.engine.testing.playing import Table


def check_game(
    game: Game,
    seats: Iterable[int] | None = None,
    options: Iterable[Plain] = (),
    invariant: Callable[[State], None] | None = None,
    games: int = 10,
    seed: int = 0,
) -> list[Broken]:
    """Every promise that this game does not keep; an empty list is what you want.

    It is tried at every table size, or only with these numbers of `seats`; with the default options, and with each of
    the `options` that are given. `invariant` is called with every state, real or imagined, and raises where something
    was lost. Every check plays this number of `games`, from this `seed` on.

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
    options: Iterable[Plain] = (),
    invariant: Callable[[State], None] | None = None,
) -> list[Table]:
    """Every table that `check_game` sits down at, for tests that take one at a time.

    >>> import dalang
    >>> print(*tables_of(dalang.game("bali_wrede"), seats=[2, 3], options=[{"oracle": True}]))
    bali_wrede-2p bali_wrede-2p-oracle-True bali_wrede-3p bali_wrede-3p-oracle-True
    """
    sizes = game.seats if seats is None else tuple(seats)
    option_sets = [{}, *options]
    return [Table(game, size, given, invariant) for size in sizes for given in option_sets]


def broken_at(table: Table, seeds: Iterable[int]) -> Iterator[Broken]:
    """One line for each broken promise, and only one for a fault that no check gets past."""
    known: set[tuple[str, str]] = set()
    for check in CHECKS:
        broken = first_broken(check, table, seeds)
        if broken is not None and (broken.where, broken.what) not in known:
            known.add((broken.where, broken.what))
            yield broken


def first_broken(check: Check, table: Table, seeds: Iterable[int]) -> Broken | None:
    for seed in seeds:
        try:
            check(table, seed)
        except Broken as broken:
            return broken
    return None
