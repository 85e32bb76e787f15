"""Die Augen der Kali: stops with the first gems worth keeping, and takes nobody's place.

A bot that searches would count what it tries instead of looking at the clock: in CI `request.clock` is None,
so that two runs are the same.
"""

from dalang.kit import run

ENOUGH = 3


def choose(request):
    if request.decision == "go_on":
        return ["stop"] if request.view["loot"] >= ENOUGH else ["draw"]
    return request.moves[-1]


if __name__ == "__main__":
    run(choose, name="careful", games={"kali": [2, 3, 4, 5, 6]}, wants=["view"])
