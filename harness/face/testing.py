"""What the tests of a game import. One line checks everything that the engine expects of any game:

>>> import dalang
>>> from dalang.testing import CHECKS, ScriptedChance, check_game, tables_of
>>> kali = dalang.game("kali")
>>> check_game(kali, seats=[2], games=1)
[]

With pytest it is a class of tests, one for each promise at each table:

>>> from dalang.testing import contract_of
>>> TestKali = contract_of(kali)

Or each promise is called by a test of your own:

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
from dalang.engine.testing.checks import CHECKS
from dalang.engine.testing.comparing import told_apart
from dalang.engine.testing.playing import (
    Play,
    Table,
    imagined,
    play_out,
    random_record,
    record_digest,
    some,
    start,
    walk,
)
from dalang.engine.testing.promise import Broken
from dalang.engine.testing.suite import check_game, contract_of, tables_of

__all__ = [
    "CHECKS",
    "Broken",
    "Play",
    "ScriptedChance",
    "Table",
    "check_game",
    "contract_of",
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
