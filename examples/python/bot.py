"""Any move will do: change choose(), and let run() ask for what it reads: wants=["view", "news"]."""

from dalang.kit import Request, run


def choose(request: Request) -> int:
    return request.rng.randrange(len(request.moves))


if __name__ == "__main__":
    run(choose, name="python", wants=[])
