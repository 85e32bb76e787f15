"""Can play one game only."""

from dalang.kit import run

run(lambda request: 0, name="only bali", games={"bali_wrede": [2]})
