"""flood: answers the question before this one again."""

from polite import answer, enter, hear, send

question = enter()
send(answer(question))
hear("decide")
send(answer(question))
hear("bye")
