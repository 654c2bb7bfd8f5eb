"""Forks by the system calls of 32-bit programs, which bear other numbers.

guard: seccomp
told: SIGSYS
machine: x86_64
"""

import ctypes
import mmap
import os

FORK_OF_I386 = "53b802000000cd805bc3"  # push rbx; mov eax, 2; int 0x80; pop rbx; ret


def attack():
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(bytes.fromhex(FORK_OF_I386))
    fork = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    out, into = os.pipe()
    child = fork()
    if child == 0:
        os.write(into, b"a child ran")
        os._exit(0)
    if child < 0:
        return f"held: {child}"
    os.waitpid(child, 0)
    return f"escaped: {os.read(out, 100)}"
