"""Looks for the grader's environment in its own: in Python's copy, in C's, and on the stack beneath it.

guard: environment
ways: python libc
"""

import ctypes
import os


def attack():
    got = []
    usual = {"PYTHONHASHSEED": "0", "PATH": os.defpath, "HOME": "/", "USER": "student"}  # the same everywhere
    if set(os.environ.items()) - set(usual.items()):
        got.append("python")
    variables = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    for line in variables:
        if line is None:
            break
        if not line.startswith(b"PYTHONHASHSEED="):
            got.append("libc")
            break
    return "escaped: " + " ".join(got) if got else "held"
