"""garbage: answers with a list."""

from polite import enter, hear, pack, raw

question = enter()
raw(pack(["move", question["id"], 0]))
hear("bye")
