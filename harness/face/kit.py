"""What a bot in Python imports.

A bot is a function that chooses a move, and `run`, which does the talking:

>>> from dalang.kit import LegalMove, Request, run
>>> def choose(request: Request) -> LegalMove:
...     return request.moves[-1]
>>> if __name__ == "__main__":
...     run(choose, name="mine")

It greets the referee, answers whatever it is asked, and ends when it is told goodbye or stdin closes:

>>> import subprocess, sys
>>> bot = "from dalang.kit import run; run(lambda request: 0, name='mine')"
>>> subprocess.run([sys.executable, "-c", bot], input=b"", capture_output=True).stdout.count(b"hello")
1

To try the function without a referee, make the request yourself:

>>> request = Request(
...     {"game": "kali", "seats": 2, "seat": 0, "options": {}, "limits": {}, "seed": "any text"}
... )
>>> request.take({"decision": "go_on", "events": [], "view": {}, "moves": [["draw"], ["stop"]]})
>>> choose(request)
['stop']

`help(Request)` tells all that a request has: the match and the question, `memory` that lasts until the match ends, and
`note` for what people are to read.

>>> request.memory["asked"] = request.memory.get("asked", 0) + 1
>>> request.note = f"asked {request.memory['asked']} times"
"""

from dalang.bots.kit import LegalMove, Request, run

__all__ = ["LegalMove", "Request", "run"]
