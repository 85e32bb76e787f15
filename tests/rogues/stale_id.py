"""garbage: answers the question before this one."""

from polite import answer, enter, hear, send

question = enter()
send(answer(question))
hear("decide")
send(answer(question))
hear("bye")
