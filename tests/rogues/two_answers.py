"""flood: two answers to one question."""

from polite import answer, enter, hear, send

question = enter()
send(answer(question), answer(question))
hear("bye")
