"""Any move will do: change choose()."""

from dalang.kit import Request, run


def choose(request: Request) -> int:
    return request.rng.randrange(len(request.moves))


if __name__ == "__main__":
    run(choose, name="python")
