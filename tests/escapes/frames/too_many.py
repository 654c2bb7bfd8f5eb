"""Answers in the jail's place, with a list of a hundred thousand values.

guard: caps
told: more than 20000 values
got: a list of 100001 entries
"""

import os
import sys


def attack():
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    values = b",".join([b"1"] * 100_001)
    body = b'{"n":%d,"v":{"l":[%s]}}' % (frame.f_locals["request"]["n"], values)
    data = len(body).to_bytes(4, "big") + body
    while data:
        data = data[os.write(3, data) :]
    return "held"


def answer():
    return 1.0
