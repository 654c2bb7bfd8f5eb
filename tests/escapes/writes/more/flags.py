"""Marks what all jails of one grader have open in common, and looks whether one before it has.

guard: seccomp
"""

import fcntl
import os


def attack():
    for fd in range(3):
        flags = fcntl.fcntl(fd, fcntl.F_GETFL)
        if flags & os.O_APPEND:
            return f"escaped: another was here, on descriptor {fd}"
        try:
            fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_APPEND)
        except OSError:
            pass
    return "held"
