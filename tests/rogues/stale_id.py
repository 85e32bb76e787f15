"""flood: answers the question before this one again."""

from polite import answer, hear, second_question, send

question = second_question()
send(answer({"id": question["id"] - 1}))
hear("bye")
