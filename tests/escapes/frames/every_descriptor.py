"""Writes to every descriptor what the launcher of jails says to the grader.

guard: closing
alone: yes
"""

import os


def attack():
    for descriptor in range(5, 256):  # 3 and 4 are its own, for answers and its stack
        try:
            os.write(descriptor, b'{"pid": 1, "status": 0}\n')
        except OSError:  # not open, or nothing that can be written to
            continue
        return f"escaped: {descriptor} takes what the launcher says"
    return "held"


def answer():
    return 1.0
