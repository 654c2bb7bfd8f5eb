"""Reads what /proc tells of its own process: where it lies, what is mapped and open there.

guard: landlock+dumpable
ways: environ cmdline maps mem fd mountinfo auxv task
"""

import os


def attack():
    got = []
    for name in "environ cmdline maps mem mountinfo auxv".split():
        try:
            os.close(os.open(f"/proc/self/{name}", os.O_RDONLY))
            got.append(name)
        except PermissionError:
            pass
    for name in "fd", "task":
        try:
            os.listdir(f"/proc/self/{name}")
            got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
