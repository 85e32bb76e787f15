"""Starts a child at its first decision and never ends it."""

import subprocess

from dalang.kit import run

children = []


def choose(request):
    if not children:
        children.append(
            subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        )
    return request.moves[0]


run(choose, name="leaves a child")
