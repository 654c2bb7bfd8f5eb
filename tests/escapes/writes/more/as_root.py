"""Opens for writing what belongs to root, which it has stayed: the kernel's switches, accounts, the library.

guard: landlock
ways: library switches accounts
"""

import os

PATHS = {
    "library": os.__file__,
    "switches": "/proc/sys/kernel/core_pattern",
    "accounts": "/etc/passwd",
    "start": "/etc/ld.so.preload",
    "disk": "/dev/vda",
}


def attack():
    got = []
    for name, path in PATHS.items():
        try:
            os.close(os.open(path, os.O_WRONLY))
            got.append(name)
        except (PermissionError, FileNotFoundError):
            pass
    return "escaped: " + " ".join(got) if got else "held"
