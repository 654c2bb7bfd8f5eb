"""Writes a program into memory, where no folder's rules apply, and executes it.

guard: seccomp+files
"""

import ctypes
import os
import struct

MACHINE, CODE = {  # write(1, "a program ran", 13); exit(0)
    "x86_64": (62, "6a01586a015f488d350f0000006a0d5a0f056a3c5831ff0f05909090"),
    "aarch64": (183, "200080d2e1000010a20180d2080880d2010000d4000080d2a80b80d2010000d4"),
}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)


def program():
    """An executable file of one segment."""
    code = bytes.fromhex(CODE) + b"a program ran"
    base, head = 0x400000, 64 + 56
    elf = b"\x7fELF\2\1\1".ljust(16, b"\0")
    elf += struct.pack("<HHIQQQIHHHHHH", 2, MACHINE, 1, base + head, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    elf += struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, head + len(code), head + len(code), 4096)
    return elf + code


def attack():
    try:
        file = os.memfd_create("escaped")
        os.write(file, program())
        out, into = os.pipe()
        child = os.fork()
    except OSError:
        return "held"
    if child == 0:
        os.dup2(into, 1)
        try:
            os.execve(file, ["escaped"], {})
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    os.close(into)
    return f"escaped: {os.read(out, 100)}"
