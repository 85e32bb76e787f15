"""garbage: prints to stdout between messages."""

from polite import answer, enter, hear, send

question = enter()
print("I think I will draw", flush=True)
send(answer(question))
hear("bye")
