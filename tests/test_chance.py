"""Luck: stable for ever, aligned by stream, and honest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalang.engine.chance import (
    Bag,
    QuickChance,
    RecordingChance,
    ScriptedChance,
    ScriptError,
    SeededChance,
)

NAMES = ("red", "green", "blue")

KNOWN_DECK_0 = [910, 616, 681, 910, 754, 432, 197, 787, 867, 111]
KNOWN_DECK_1 = [443, 656, 893, 827, 733, 95, 89, 306, 528, 898]
KNOWN_DIE = [4, 2, 5, 3, 2, 2, 0, 3, 5, 3, 0, 4]
KNOWN_CARDS = ["red", "red", "green", "red", "red", "green", "green", "blue", "blue"]


def test_known_sequences_stay_as_they_are() -> None:
    """These numbers are in every record ever written: they may never change."""
    chance = SeededChance("Barong and Rangda")
    assert [chance.below(1000, "deck", 0) for _ in range(10)] == KNOWN_DECK_0
    assert [chance.below(1000, "deck", 1) for _ in range(10)] == KNOWN_DECK_1
    assert [chance.below(6, "die") for _ in range(12)] == KNOWN_DIE


def test_known_cards_stay_as_they_are() -> None:
    chance, bag = SeededChance("gamelan"), Bag(NAMES, [4, 3, 2])
    assert [NAMES[chance.draw(bag, "bag", 2)] for _ in range(9)] == KNOWN_CARDS


@given(st.lists(st.tuples(st.sampled_from(["deck", "dice"]), st.integers(-1, 5)), max_size=60))
def test_a_stream_does_not_hear_the_others(calls: list[tuple[str, int]]) -> None:
    busy, quiet = SeededChance("one seed"), SeededChance("one seed")
    mine = [busy.below(52, *call) for call in calls if call == ("deck", 0) or not busy.below(9, "noise", 7)]
    heard = [busy.below(52, "own", 3) for _ in range(5)]
    assert heard == [quiet.below(52, "own", 3) for _ in range(5)]
    assert all(0 <= number < 52 for number in mine)


def test_other_seeds_purposes_and_seats_are_other_streams() -> None:
    streams = {
        tuple(SeededChance(seed).below(2**60, purpose, seat) for _ in range(1))
        for seed in ("a", "b", "1/a")
        for purpose in ("deck", "die")
        for seat in (-1, 0, 1, 11)
    }
    assert len(streams) == 3 * 2 * 4


@pytest.mark.parametrize("chance", [SeededChance("even"), QuickChance(1)], ids=["seeded", "quick"])
def test_every_number_is_equally_likely(chance: SeededChance | QuickChance) -> None:
    counts = [0] * 7
    for _ in range(7000):
        counts[chance.below(7, "even")] += 1
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 22.5  # 0.1 % for 6 degrees of freedom


@pytest.mark.parametrize(
    "chance",
    [SeededChance("c"), RecordingChance("c"), QuickChance(3), ScriptedChance(["red"] * 4)],
    ids=["seeded", "recording", "quick", "script"],
)
def test_a_clone_has_the_same_future_and_its_own(chance: SeededChance | QuickChance | ScriptedChance) -> None:
    chance.draw(Bag(NAMES, [9, 0, 0]), "bag")
    twin = chance.clone()
    futures = [[each.draw(Bag(NAMES, [9, 9, 9]), "bag") for _ in range(3)] for each in (chance, twin)]
    assert futures[0] == futures[1]


@given(st.integers(), st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_drawing_empties_a_bag_of_exactly_its_cards(seed: int, counts: list[int]) -> None:
    bag, drawn, chance = Bag(NAMES, counts), [0, 0, 0], QuickChance(seed)
    while bag.size:
        drawn[chance.draw(bag)] += 1
    assert (drawn, bag.counts) == (counts, [0, 0, 0])


def test_a_bag_is_plain_data_and_back() -> None:
    bag = Bag(NAMES, [1, 2, 3])
    assert bag.named() == {"red": 1, "green": 2, "blue": 3}
    assert Bag.of(NAMES, bag.named()).counts == bag.counts
    twin = bag.clone()
    twin.add(0)
    assert (bag.size, twin.size) == (6, 7)


def test_a_script_gives_its_cards_and_nothing_else() -> None:
    chance, bag = ScriptedChance(["blue", "violet"]), Bag(NAMES, [1, 1, 1])
    assert chance.draw(bag, "bag") == 2
    with pytest.raises(ScriptError, match="number 1 of the script is 'violet', but 'bag' has none"):
        chance.draw(bag, "bag")
    with pytest.raises(ScriptError, match="the script has ended"):
        ScriptedChance([]).draw(bag, "bag")
    with pytest.raises(ScriptError, match="'violet', but 'die' wants a number from 0 to 5"):
        chance.below(6, "die")


def test_a_script_gives_numbers_too() -> None:
    chance = ScriptedChance([5, 6, "red"])
    assert chance.below(6, "die") == 5
    with pytest.raises(
        ScriptError, match="number 1 of the script is 6, but 'die' wants a number from 0 to 5"
    ):
        chance.below(6, "die")
    assert chance.given == [5]


def test_what_chance_gave_can_be_given_again() -> None:
    recording, bag = RecordingChance("dice"), Bag(NAMES, [3, 3, 3])
    given = [recording.below(6, "die"), recording.draw(bag, "bag"), recording.below(6, "die", 1)]
    script, again = ScriptedChance(recording.given), Bag(NAMES, [3, 3, 3])
    assert given == [script.below(6, "die"), script.draw(again, "bag"), script.below(6, "die", 1)]
    assert script.given == recording.given == [given[0], NAMES[given[1]], given[2]]
    plain = SeededChance("dice")
    assert given == [
        plain.below(6, "die"),
        plain.draw(Bag(NAMES, [3, 3, 3]), "bag"),
        plain.below(6, "die", 1),
    ]
