"""Takes away, blocks or ends what the jail is asked through; CASE says how.

told: ended its own Python process
"""

import ctypes
import os
import socket
import threading
import time


def read_along():
    while True:
        os.read(3, 1 << 16)


def beside(function, *args):
    threading.Thread(target=function, args=args, daemon=True).start()
    time.sleep(0.1)


def shut_down():
    return ctypes.CDLL(None, use_errno=True).shutdown(3, socket.SHUT_RDWR)


OVER = "ended its own Python process"

# What is done, and a part of what is told; nothing where it is a race.
CASES = {
    "closed": (OVER, lambda: os.close(3)),
    "closed beside it": (OVER, lambda: beside(os.close, 3)),
    "all closed": (OVER, lambda: os.closerange(0, 64)),
    "a pipe in its place": (OVER, lambda: os.dup2(os.pipe()[1], 3)),
    "its own other end in its place": (OVER, lambda: os.dup2(os.pipe()[0], 3)),
    "does not wait": ("", lambda: os.set_blocking(3, False)),
    "read by another": ("", lambda: beside(read_along)),
    "shut down": ("held", shut_down),
    "crashed": ("crashed", lambda: ctypes.string_at(0)),
    "exited": (OVER, lambda: os._exit(0)),
    "exited beside it": (OVER, lambda: beside(os._exit, 0)),
}
CASE = "closed"


def attack():
    CASES[CASE][1]()
    return "held"


def answer():
    return 1.0
