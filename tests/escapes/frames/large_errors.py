"""Answers with an error of a megabyte, each time another one: is anything of it kept?

told: E.
"""

import json
import os
import sys


def attack():
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    bases = [os.urandom(8).hex() + "\U0001f600" + "x" * 1_000_000]
    error = {"type": "E", "bases": bases, "text": "", "name": "", "frames": []}
    body = json.dumps({"n": frame.f_locals["request"]["n"], "e": error}).encode()
    data = len(body).to_bytes(4, "big") + body
    while data:
        data = data[os.write(3, data) :]
    return "held"


def answer():
    return attack()
