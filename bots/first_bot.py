"""Always the first move of the list."""

from dalang.kit import Request, run


def choose(request: Request) -> int:
    return 0


if __name__ == "__main__":
    run(choose, name="first", wants=[])
