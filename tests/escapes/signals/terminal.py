"""Writes onto every terminal that it finds, and types into it as the user would.

guard: seccomp+landlock+session
"""

import fcntl
import glob
import os
import termios

TERMINALS = ["/dev/tty", "/dev/console", *(f"/dev/pts/{number}" for number in range(64))]


def writes(descriptor):
    return os.isatty(descriptor) and os.write(descriptor, b"escaped\n")


def types(descriptor):
    for letter in b"escaped\n":
        fcntl.ioctl(descriptor, termios.TIOCSTI, bytes([letter]))
    return True


def attack():
    got = set()
    descriptors = list(range(3))
    for path in TERMINALS:
        try:
            descriptors.append(os.open(path, os.O_RDWR | os.O_NOCTTY))
        except OSError:
            pass
    for descriptor in descriptors:
        for way in (writes, types):
            try:
                if way(descriptor):
                    got.add(way.__name__)
            except OSError:
                pass
    return "escaped: " + " ".join(sorted(got)) if got else "held"
