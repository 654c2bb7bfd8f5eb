"""Answers, while its cells are executed, all questions that will come, before they are asked.

guard: numbers
told: a reply that belongs to no request
"""

import json
import os

ANSWERS = [
    None,  # the cell has run
    {"size": 0, "text": ""},  # what was printed
    [],  # the cells have run again
    {"h": 1, "k": "function", "c": "attack"},
    "escaped: answered before it was asked",
]

for number, value in enumerate(ANSWERS):
    body = json.dumps({"n": number, "v": value}).encode()
    os.write(3, len(body).to_bytes(4, "big") + body)


def attack():
    return "held"


def answer():
    return 1.0
