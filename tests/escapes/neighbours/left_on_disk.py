"""Looks for files that an earlier submission left where the next one could look, then leaves some.

guard: landlock+seccomp
ways: tmp shm students
"""

import os

NAME = "escaped-mail-" + os.path.basename(ROOT)  # so that only its own readers find it
PLACES = ["/tmp", "/var/tmp", "/dev/shm", MINE, os.path.dirname(NEIGHBOUR), HOME, COURSE]


def attack():
    found = []
    for place in PLACES:
        path = os.path.join(place, NAME)
        if os.path.exists(path):
            os.unlink(path)
            found.append(place)
        else:
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666))
            except PermissionError:
                pass
    return "escaped: " + " ".join(found) if found else "held"


def answer():
    return 1.0
