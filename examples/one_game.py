"""One game in Python: python examples/one_game.py [GAME] [SEED]"""

import sys
from random import Random

import dalang
from dalang.engine.record import discrepancies, enact, retold

name, seed = (sys.argv[1:] + ["kali", "any text"][len(sys.argv) - 1 :])[:2]
game, rng = dalang.game(name), Random(seed)
record = enact(game, game.seats[-1], seed, lambda state: rng.choice(state.moves()))

for event in retold(record, game).events:
    print(game.sentence(event))
print(record.outcome, "proved" if not discrepancies(record, game) else "disproved")
