"""Looks through all descriptors for one that the grader has left open.

guard: closing
"""

import os


def attack():
    null = os.stat(os.devnull).st_rdev
    for fd in {*range(1024)} - {3, 4}:  # its own, for answers and its stack
        try:
            found = os.fstat(fd)
        except OSError:
            continue
        if found.st_rdev != null:
            return f"escaped: descriptor {fd} is {os.readlink(f'/proc/self/fd/{fd}')}"
    return "held"
