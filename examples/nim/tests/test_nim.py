from nim import GAME

from dalang.testing import ScriptedChance, contract_of

TestContract = contract_of(GAME)


def test_s3_who_takes_the_last_stone_wins() -> None:
    state = GAME.start(2, ScriptedChance([]), heaps=[1, 1, 2])
    for move in (("take", 1, 0), ("take", 1, 1), ("take", 2, 2)):
        state.play(move)
    assert state.outcome().ranks == (1, 2)
