"""Becomes another program, which answers the grader's question in its own words.

guard: seccomp+landlock
"""

import ctypes
import json
import os
import sys

EXECVEAT = {"x86_64": 322, "aarch64": 281}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)


def answer_in_advance():
    """The bytes that answer the question under way: its number stands in a frame above."""
    frame = sys._getframe()
    while "request" not in frame.f_locals:
        frame = frame.f_back
    body = json.dumps({"n": frame.f_locals["request"]["n"], "v": "escaped: another program"}).encode()
    return len(body).to_bytes(4, "big") + body


def attack():
    os.set_inheritable(3, True)
    program = [PYTHON, "-c", f"import os; os.write(3, {answer_in_advance()!r})"]
    arguments = (ctypes.c_char_p * 4)(*[word.encode() for word in program], None)
    ways = [
        lambda: os.execv(PYTHON, program),
        lambda: os.execvpe("python3", program, {"PATH": os.path.dirname(PYTHON)}),
        lambda: os.execve(os.open(PYTHON, os.O_PATH), program, {}),  # fexecve
        lambda: libc.execv(PYTHON.encode(), arguments),
        lambda: libc.syscall(EXECVEAT, -100, PYTHON.encode(), arguments, None, 0),
    ]
    for way in ways:
        try:
            way()
        except OSError:
            pass
    return "held"
