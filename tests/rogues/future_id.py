"""garbage: answers a question that was not asked yet."""

from polite import answer, enter, hear, send

question = enter()
send(answer({"id": question["id"] + 1}))
hear("bye")
