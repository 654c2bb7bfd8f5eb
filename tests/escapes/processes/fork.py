"""Forks in every way that the kernel has.

guard: seccomp
ways: fork clone vfork clone3 libc

A child in a user namespace of its own (newuser) was seen too, where the kernel gives everybody one.
"""

import ctypes
import os
import signal

CLONE, CLONE3 = {"x86_64": 56, "aarch64": 220}[os.uname().machine], 435
CLONE_VM, CLONE_VFORK, CLONE_NEWUSER = 0x100, 0x4000, 0x10000000
libc = ctypes.CDLL(None, use_errno=True)


def raw(*arguments):
    """A system call past the C library; the child ends at once."""
    child = libc.syscall(*arguments, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return child


def fork():
    return os.fork() or os._exit(0)


def clone3():
    arguments = (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD)  # struct clone_args
    return raw(CLONE3, arguments, ctypes.sizeof(arguments))


def into_a_stack_of_its_own():
    """Shares the memory and is one C function, whose result is the exit status."""
    stack = ctypes.create_string_buffer(1 << 16)
    top = ctypes.c_void_p((ctypes.addressof(stack) + len(stack)) & ~15)
    child = libc.clone(libc.getuid, top, CLONE_VM | signal.SIGCHLD, None)
    if child > 0:
        os.waitpid(child, 0)
    return child


WAYS = {
    "fork": fork,
    "clone": lambda: raw(CLONE, signal.SIGCHLD, 0),
    "vfork": lambda: raw(CLONE, CLONE_VFORK | signal.SIGCHLD, 0),
    "newuser": lambda: raw(CLONE, CLONE_NEWUSER | signal.SIGCHLD, 0),
    "clone3": clone3,
    "libc": into_a_stack_of_its_own,
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way() > 0:
                got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
