"""A bot for *Die Augen der Kali* that counts cards: it dares another only while that is likely to go well."""

from dalang.kit import run


def choose(request):
    deck = request.view["deck"]
    danger = (deck["noise"] + deck["fright"]) / sum(deck.values())
    wanted = ["draw"] if danger < 0.2 else ["stop"]
    return wanted if wanted in request.moves else request.moves[-1]


if __name__ == "__main__":
    run(choose, name="wary", games={"kali": [2, 3, 4, 5, 6]}, wants=["view"])
