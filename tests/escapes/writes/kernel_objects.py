"""Keeps bytes in the kernel, where they would outlive it: System V's memory, queues and semaphores, and keys.

guard: seccomp
ways: memory queue semaphore key
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
ADD_KEY, KEYCTL = {"x86_64": (248, 250)}.get(os.uname().machine, (217, 219))
USER_KEYRING = -4


def key():
    made = libc.syscall(ADD_KEY, b"user", b"escaped", b"here I was", 10, USER_KEYRING)
    return -1 if made < 0 else libc.syscall(KEYCTL, 9, made, USER_KEYRING)  # KEYCTL_UNLINK


def removed(number, control, *arguments):
    return -1 if number < 0 else control(number, *arguments)


WAYS = {
    "memory": lambda: removed(libc.shmget(0, 4096, 0o1600), libc.shmctl, 0, None),
    "queue": lambda: removed(libc.msgget(0, 0o1600), libc.msgctl, 0, None),
    "semaphore": lambda: removed(libc.semget(0, 1, 0o1600), libc.semctl, 0, 0),
    "key": key,
}


def attack():
    got = [name for name, way in WAYS.items() if way() >= 0]
    return "escaped: " + " ".join(got) if got else "held"
