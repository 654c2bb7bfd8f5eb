"""Answers in the jail's place, a byte every twentieth of a second: something is always coming.

guard: deadline
told: check_seconds
"""

import os
import sys
import time


def attack():
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    body = b'{"n":%d,"v":"escaped: nobody lost patience"}' % frame.f_locals["request"]["n"]
    for byte in len(body).to_bytes(4, "big") + body:
        os.write(3, bytes([byte]))
        time.sleep(0.05)
    return "held"


def answer():
    return 1.0
