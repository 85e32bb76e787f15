"""Has a bug."""

from bots.kit import run


def choose(request):
    return request.view["no such key"]


run(choose, name="raises")
