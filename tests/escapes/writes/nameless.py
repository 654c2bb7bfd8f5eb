"""Keeps bytes where they have no path: in memory that is a file, sealed too, in shared memory, in a queue.

guard: landlock+seccomp+files
ways: memory sealed shared queue
"""

import _posixshmem
import ctypes
import fcntl
import os

NAME = f"/escaped-{os.getpid()}"  # of nobody else: not of another run, nor of one that was interrupted


def sealed():
    fd = os.memfd_create("escaped", os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, 1 << 20)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)


def shared():
    fd = _posixshmem.shm_open(NAME, os.O_CREAT | os.O_RDWR, mode=0o600)
    os.ftruncate(fd, 1 << 20)
    _posixshmem.shm_unlink(NAME)


def queue():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mq_open(NAME.encode(), os.O_CREAT | os.O_WRONLY, 0o600, None) < 0:
        raise PermissionError(ctypes.get_errno())
    libc.mq_unlink(NAME.encode())


WAYS = {
    "memory": lambda: os.write(os.memfd_create("escaped"), b"here I was"),
    "sealed": sealed,
    "shared": shared,
    "queue": queue,
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            way()
            got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
