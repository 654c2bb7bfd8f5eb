"""Asks the kernel for what watches other processes: counters, keys, page faults, programs in the kernel.

Without seccomp and Landlock four of the five were had on Linux 6.18 (not bpf, which is root's). What
a kernel or a container offers of them differs, so that there is no test of it.
"""

import ctypes
import os

CALLS = {"x86_64": (298, 323, 321, 250, 248), "aarch64": (241, 282, 280, 219, 217)}[os.uname().machine]
PERF, USERFAULTFD, BPF, KEYCTL, ADD_KEY = CALLS
libc = ctypes.CDLL(None)
libc.syscall.restype = ctypes.c_long


def perf():
    counter = bytearray(128)
    counter[0:8] = (1).to_bytes(4, "little") + (128).to_bytes(4, "little")  # software; of this size
    counter[40] = 0b1100000  # neither in the kernel nor in a hypervisor
    buffer = (ctypes.c_char * 128).from_buffer(counter)
    return libc.syscall(PERF, buffer, os.getppid(), -1, -1, 0) >= 0


WAYS = {
    "perf": perf,
    "userfaultfd": lambda: libc.syscall(USERFAULTFD, 1) >= 0,
    "bpf": lambda: libc.syscall(BPF, 0, (ctypes.c_char * 128)(1), 128) >= 0,
    "keyctl": lambda: libc.syscall(KEYCTL, 0, -3, 0, 0, 0) >= 0,  # the number of the session's key ring
    "add_key": lambda: libc.syscall(ADD_KEY, b"user", b"escaped", b"x", 1, -2) >= 0,
}


def attack():
    got = [name for name, way in WAYS.items() if way()]
    return "escaped: " + " ".join(got) if got else "held"
