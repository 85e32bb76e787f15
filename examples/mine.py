"""The smallest bot: any move will do."""

from dalang.kit import run


def choose(request):
    return request.rng.choice(request.moves)


if __name__ == "__main__":
    run(choose, name="mine", wants=[])
