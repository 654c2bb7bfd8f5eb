"""Makes files past Python, with calls of the C library and of the kernel; one of them has no name at first.

guard: landlock+seccomp+files
ways: creat fopen mkstemp openat2 unnamed
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
NEW = MINE.encode() + b"/escaped"


def fopen():
    libc.fopen.restype = ctypes.c_void_p
    return 0 if libc.fopen(NEW, b"w") else -1


def openat2():
    how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o600, 0)  # number 437 on every architecture
    return libc.syscall(437, -100, NEW, how, 24)


def unnamed():
    fd = libc.open(MINE.encode(), os.O_TMPFILE | os.O_WRONLY, 0o600)
    return libc.linkat(-100, b"/proc/self/fd/%d" % fd, -100, NEW, 0x400)  # AT_SYMLINK_FOLLOW


WAYS = {
    "creat": lambda: libc.creat(NEW, 0o600),
    "fopen": fopen,
    "mkstemp": lambda: libc.mkstemp(ctypes.create_string_buffer(NEW + b"XXXXXX")),
    "openat2": openat2,
    "unnamed": unnamed,
}


def attack():
    got = []
    for name, way in WAYS.items():
        if way() >= 0:
            got.append(name)
            for left in os.listdir(MINE):
                os.unlink(f"{MINE}/{left}")
    return "escaped: " + " ".join(got) if got else "held"
