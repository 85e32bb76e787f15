"""Any move, each as likely as the others."""

from dalang.kit import LegalMove, Request, run


def choose(request: Request) -> LegalMove:
    return request.rng.choice(request.moves)


if __name__ == "__main__":
    run(choose, name="random", wants=[])
