"""Prints to stdout like a beginner; the kit keeps the line clean."""

import os

from dalang.kit import run


def choose(request):
    print("thinking about", request.decision, flush=True)
    os.system("echo a child prints too")
    return request.moves[0]


run(choose, name="chatty", version="2", author="somebody", games={"kali": [2, 3]})
