"""Answers in the jail's place, with a text of three megabytes; the number of the question is in its caller.

guard: caps
told: a message of
"""

import os
import sys


def attack():
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    body = b'{"n":%d,"v":"escaped: %s"}' % (frame.f_locals["request"]["n"], b"x" * 3_000_000)
    data = len(body).to_bytes(4, "big") + body
    while data:
        data = data[os.write(3, data) :]
    return "held"


def answer():
    return 1.0
