"""Ends its jail in every way, or leaves it exhausted; CASE says how.

told: ended its own Python process
"""

import ctypes
import hashlib
import os
import sys
import threading
import time


def bomb():
    kept = []
    while True:
        kept.append(bytearray(1 << 22))


def deep():
    sys.setrecursionlimit(10**9)
    exec("def f(*x): return max(map(f, x))\nf(1)")


def threads(work, *args):
    threading.stack_size(1 << 16)
    try:
        while True:
            threading.Thread(target=work, args=args, daemon=True).start()
    except RuntimeError:
        return "no more"


def burn(data=bytes(1 << 20)):
    while True:
        hashlib.sha256(data)


def descriptors():
    while True:
        os.dup(3)


def raw(data):
    while data:
        data = data[os.write(3, data) :]


CASES = {
    "an exit": lambda: os._exit(0),
    "a crash": lambda: ctypes.string_at(0),
    "a recursion": deep,
    "a memory bomb": bomb,
    "sleeping threads": lambda: threads(time.sleep, 9),
    "burning threads": lambda: threads(burn),
    "descriptors": descriptors,
    "a loop": lambda: [None for _ in iter(int, 1)],
    "garbage": lambda: raw(b"\xff" * 4),
    "a flood": lambda: raw(b"\0\0\0\7{}     " * 99_999),
    "output": lambda: [print("x" * 99_999) for _ in range(999)],
    "silence": lambda: os.close(3),
}
CASE = "an exit"


def attack():
    CASES[CASE]()
    return "held"


def answer():
    return 1.0
