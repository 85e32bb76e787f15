"""Wants the words on its command line, and breaks down when it is told anything else, or less."""

import json
import sys

FIELDS = {"view": "view", "news": "events"}
wants = sys.argv[1:]


def say(**message):
    print(json.dumps(message), flush=True)


def check(message, fields):
    wrong = [field for word, field in fields.items() if (field in message) != (word in wants)]
    assert not wrong, f"{wrong} in {message}, where {wants} are wanted"


say(type="hello", protocol=1, name="picky", wants=wants)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        check(message, FIELDS)
        say(type="move", id=message["id"], move=0)
    elif message["type"] == "end":
        check(message, {"news": "events"})
    elif message["type"] == "bye":
        break
