"""Has a bug."""

from dalang.kit import run


def choose(request):
    return request.view["no such key"]


run(choose, name="raises")
