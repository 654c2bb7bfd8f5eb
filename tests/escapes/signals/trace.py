"""Reads and writes the launcher's memory, and takes its descriptors.

guard: seccomp+landlock
ways: readv writev mem getfd seize

Its descriptors could be compared (kcmp) as well; madvise asks for more privileges.
"""

import ctypes
import os

CALLS = {"x86_64": (310, 311, 312, 101), "aarch64": (270, 271, 272, 117)}[os.uname().machine]
PROCESS_VM_READV, PROCESS_VM_WRITEV, KCMP, PTRACE = CALLS
PIDFD_OPEN, PIDFD_GETFD, PROCESS_MADVISE, PTRACE_SEIZE, MADV_COLD = 434, 438, 440, 0x4206, 20
libc = ctypes.CDLL(None)
parent = os.getppid()
mine = ctypes.create_string_buffer(8)


class Span(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t)]


here = Span(ctypes.addressof(mine), 8)
there = Span(id(None), 8)  # the launcher was forked: what was old then lies at the same place
spans = (ctypes.byref(here), 1, ctypes.byref(there), 1, ctypes.c_long(0))
page = Span(id(None) & ~4095, 4096)


def readv():
    return libc.syscall(PROCESS_VM_READV, parent, *spans) == 8


def writev():
    """The same bytes again."""
    ctypes.memmove(mine, id(None), 8)
    return libc.syscall(PROCESS_VM_WRITEV, parent, *spans) == 8


def mem():
    descriptor = os.open(f"/proc/{parent}/mem", os.O_RDWR)
    return os.pread(descriptor, 8, id(None))


def getfd():
    descriptor = libc.syscall(PIDFD_OPEN, parent, 0)
    return descriptor >= 0 and libc.syscall(PIDFD_GETFD, descriptor, 0, 0) >= 0


def madvise():
    descriptor = libc.syscall(PIDFD_OPEN, parent, 0)
    advice = (descriptor, ctypes.byref(page), 1, MADV_COLD, 0)
    return descriptor >= 0 and libc.syscall(PROCESS_MADVISE, *advice) >= 0


WAYS = {
    "readv": readv,
    "writev": writev,
    "mem": mem,
    "getfd": getfd,
    "kcmp": lambda: libc.syscall(KCMP, os.getpid(), parent, 0, 0, 0) >= 0,
    "seize": lambda: libc.syscall(PTRACE, PTRACE_SEIZE, parent, 0, 0) == 0,
    "madvise": madvise,
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
