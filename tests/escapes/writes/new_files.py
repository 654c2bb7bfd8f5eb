"""Leaves a file wherever it might: beside itself, in the course, at home, with a neighbour, where all may.

guard: landlock+seccomp+files
ways: mine course home neighbour tmp vartmp shm
"""

import os

PLACES = {
    "mine": MINE,
    "course": COURSE + "/solutions/vault/checks",
    "home": HOME,
    "neighbour": os.path.dirname(NEIGHBOUR),
    "tmp": "/tmp",
    "vartmp": "/var/tmp",
    "shm": "/dev/shm",
    "here": ".",
    "root": "/root",
    "run": "/run",
    "etc": "/etc",
    "mqueue": "/dev/mqueue",
}


def attack():
    got = []
    for name, folder in PLACES.items():
        try:
            with open(f"{folder}/escaped-{os.getpid()}", "w") as file:
                file.write("here I was")
            got.append(name)
            os.unlink(file.name)
        except (PermissionError, FileNotFoundError):
            pass
    return "escaped: " + " ".join(got) if got else "held"
