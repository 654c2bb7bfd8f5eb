"""Uses what root may do, as a jail that root has started: capabilities, and the way back to user 0.

guard: privileges+seccomp+landlock
ways: capabilities groups chown raw read setuid

A device (mknod) and a mount were made too, where root is not a container's.
"""

import ctypes
import os
import socket
import stat

CAPGET = {"x86_64": 125, "aarch64": 90}[os.uname().machine]
libc = ctypes.CDLL(None)
escaped = MINE + "/escaped"


def capabilities():
    """Effective, permitted and inheritable ones, two words each."""
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    return libc.syscall(CAPGET, header, data) == 0 and any(data)


def tell(function, *arguments):
    function(*arguments)
    return True


def mknod():
    os.mknod(escaped, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    os.remove(escaped)
    return True


def mount():
    return libc.mount(b"none", MINE.encode(), b"tmpfs", 0, None) == 0 and libc.umount2(MINE.encode(), 0) == 0


WAYS = {
    "capabilities": capabilities,
    "groups": lambda: tell(os.setgroups, [0, 1]),
    "chown": lambda: tell(os.chown, MINE, 1234, 1234),
    "mknod": mknod,
    "mount": mount,
    "raw": lambda: tell(socket.socket, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    "read": lambda: open(ROOT + "/students/bob/private.txt").read(),
    "setuid": lambda: tell(os.setresuid, 1234, 1234, 0) and tell(os.setresuid, 0, 0, 0),
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
