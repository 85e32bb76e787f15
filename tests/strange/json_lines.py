"""A bot without msgpack: JSON lines, the first move."""

import json
import sys


def say(**message):
    print(json.dumps(message), flush=True)


say(type="hello", protocol=1, name="json")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        say(type="move", id=message["id"], move=0, note=f"{len(message['moves'])} möglich")
    elif message["type"] == "bye":
        break
