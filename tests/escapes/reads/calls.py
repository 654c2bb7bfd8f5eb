"""Asks the kernel about a secret in ways that open nothing, so that Landlock is not asked.

It would learn when the hidden checks are opened, what is written beside them, which file they are,
and what the kernel has logged.

guard: seccomp
ways: inotify fanotify attributes handle

The log is refused to ordinary users on most machines anyway (kernel.dmesg_restrict).
"""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
SECRET = SECRET_FILES[0].encode()


def handle():
    found = (ctypes.c_uint32 * 40)(128)  # struct file_handle: room for 128 bytes
    return libc.name_to_handle_at(-100, SECRET, found, ctypes.byref(ctypes.c_int()), 0)


def fanotify():
    FID_AND_NAME = 0xE00  # what a user without privileges may ask for
    return libc.fanotify_mark(
        libc.fanotify_init(FID_AND_NAME, 0), 1, ctypes.c_uint64(0x20), -100, COURSE.encode()
    )


WAYS = {
    "inotify": lambda: libc.inotify_add_watch(libc.inotify_init(), SECRET, 0x20),  # IN_OPEN
    "fanotify": fanotify,
    "attributes": lambda: libc.listxattr(SECRET, None, 0),
    "handle": handle,
    "log": lambda: libc.klogctl(10, None, 0),  # the size of it
}


def attack():
    got = [name for name, way in WAYS.items() if way() >= 0]
    return "escaped: " + " ".join(got) if got else "held"
