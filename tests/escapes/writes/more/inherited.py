"""Writes to whatever file is open, and to what is called standard output.

guard: inheriting+closing+files
"""

import os
import stat
import sys


def attack():
    for fd in range(1024):
        try:
            if not stat.S_ISSOCK(os.fstat(fd).st_mode):  # to the grader or the launcher: see promise 8
                os.write(fd, b"forged")
        except OSError:
            pass
    for stream in sys.stdout, sys.__stdout__, sys.__stderr__:
        if stream is not None:
            stream.write("forged")
            stream.flush()
    return "held"
