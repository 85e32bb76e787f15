"""What the tests of a game import. One line checks everything that the engine expects of any game:

>>> import dalang
>>> from dalang.testing import CHECKS, ScriptedChance, check_game, tables_of
>>> kali = dalang.game("kali")
>>> check_game(kali, seats=[2], games=1)
[]

With a test runner, each promise can be a test of its own, for each table:

>>> for table in tables_of(kali, seats=[2, 3]):
...     for check in CHECKS:
...         check(table, seed=1)

And where a rule is to be tested, the dice are loaded:

>>> state = kali.start(2, ScriptedChance(["step4", "noise"]))
>>> state.play(("draw",))
>>> state.field
5
"""

from dalang.engine.chance import ScriptedChance
from dalang.engine.testing.checks import CHECKS, Broken
from dalang.engine.testing.comparing import told_apart
from dalang.engine.testing.playing import (
    Table,
    imagined,
    play_out,
    random_record,
    record_digest,
    some,
    start,
    walk,
)
from dalang.engine.testing.suite import check_game, tables_of

__all__ = [
    "CHECKS",
    "Broken",
    "ScriptedChance",
    "Table",
    "check_game",
    "imagined",
    "play_out",
    "random_record",
    "record_digest",
    "some",
    "start",
    "tables_of",
    "told_apart",
    "walk",
]
