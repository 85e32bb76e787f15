"""Liar's Dice: the contract, and its rules by their numbers."""

from __future__ import annotations

from typing import Any

from liars_dice import GAME

from dalang.testing import ScriptedChance, contract_of

TestContract = contract_of(GAME)


def dealt(*hands: list[int]) -> Any:
    """Two or more seats that have rolled this."""
    return GAME.start(len(hands), ScriptedChance([die - 1 for hand in hands for die in hand] * 2))


def test_s2_3_a_bid_is_higher_by_number_or_by_face() -> None:
    state = dealt([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])
    state.play(("bid", 2, 4))
    assert state.moves()[:4] == [("doubt",), ("bid", 2, 5), ("bid", 2, 6), ("bid", 3, 1)]
    assert state.moves()[-1] == ("bid", 10, 6)


def test_s2_4_ones_are_wild() -> None:
    state = dealt([1, 2, 3, 4, 5], [1, 1, 3, 4, 5])
    state.play(("bid", 5, 3))
    state.play(("doubt",))
    assert [len(dice) for dice in state.dice] == [5, 4]


def test_s3_2_who_bids_too_much_loses_a_die_and_s3_3_begins() -> None:
    state = dealt([2, 2, 3, 4, 5], [2, 2, 3, 4, 5])
    state.play(("bid", 5, 2))
    state.play(("doubt",))
    assert [len(dice) for dice in state.dice] == [4, 5]
    assert state.seat == 0
