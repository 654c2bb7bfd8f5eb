"""Uses the one descriptor that it has as the socket that it is: who is at the other end, what is kept there.

guard: seccomp
ways: peer options address peek
"""

import ctypes
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
SOL_SOCKET, SO_SNDBUF, SO_PEERCRED = 1, 7, 17
room, length = (ctypes.c_int * 32)(), ctypes.c_int(128)


def peek():
    found = libc.recv(3, room, 1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return 0 if ctypes.get_errno() == 11 else found  # EAGAIN: nothing has come, but it may look


WAYS = {
    "peer": lambda: libc.getsockopt(3, SOL_SOCKET, SO_PEERCRED, room, ctypes.byref(length)),
    "options": lambda: libc.setsockopt(3, SOL_SOCKET, SO_SNDBUF, (ctypes.c_int * 1)(1 << 16), 4),
    "address": lambda: libc.getpeername(3, room, ctypes.byref(length)),
    "peek": peek,
}


def attack():
    got = [name for name, way in WAYS.items() if way() >= 0]
    if not got and libc.shutdown(3, socket.SHUT_RD) == 0:
        return "escaped: it may hang up, too"
    return "escaped: " + " ".join(got) if got else "held"
