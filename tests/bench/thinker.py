"""Thinks for one millisecond of computing, then takes the first move."""

from time import perf_counter

from dalang.kit import Request, run


def choose(request: Request) -> int:
    end = perf_counter() + 0.001
    while perf_counter() < end:
        pass
    return 0


if __name__ == "__main__":
    run(choose, name="thinker")
