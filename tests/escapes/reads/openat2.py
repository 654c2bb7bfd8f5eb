"""Opens a secret by a system call that an interpreter does not need.

guard: landlock+seccomp
"""

import ctypes


def attack():
    how = (ctypes.c_uint64 * 3)()  # flags, mode, resolve: number 437 on every architecture
    opened = ctypes.CDLL(None).syscall(437, -100, SECRET_FILES[0].encode(), how, 24) >= 0
    return "escaped" if opened else "held"
