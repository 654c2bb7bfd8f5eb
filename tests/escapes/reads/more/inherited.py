"""Reads whatever is open.

guard: inheriting+closing
"""

import os


def attack():
    for fd in {*range(1024)} - {3}:  # which is its own way to the grader
        try:
            found = os.pread(fd, 100, 0)
        except OSError:
            continue
        if found:
            return f"escaped: {found}"
    return "held"
