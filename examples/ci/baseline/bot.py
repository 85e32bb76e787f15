"""Die Augen der Kali: as the bot was last time, a little too greedy."""

from dalang.kit import run


def choose(request):
    greedy = request.decision == "go_on" and request.view["loot"] < 15
    return ["draw"] if greedy else request.moves[-1]


if __name__ == "__main__":
    run(choose, name="committed", games={"kali": [2, 3, 4, 5, 6]}, wants=["view"])
