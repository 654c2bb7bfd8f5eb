"""Fills the disk: with many files, with one that is huge and full of holes, with one that is huge and full.

guard: landlock+seccomp+files
ways: many holes full
"""

import os

NEW = MINE + "/escaped"


def many():
    names = [f"{folder}/escaped-{i}" for i in range(5000) for folder in (MINE, "/dev/shm")]
    made = []
    for name in names:
        try:
            with open(name, "wb") as file:
                file.write(bytes(1000))
            made.append(name)
        except PermissionError:
            pass
        if len(made) == 10:  # enough to see it
            break
    for name in made:
        os.unlink(name)
    return made


def holes():
    with open(NEW, "wb") as file:
        file.seek(1 << 40)
        file.write(b".")
    os.unlink(NEW)
    return True


def full():
    with open(NEW, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 64 << 20)
    os.unlink(NEW)
    return True


def attack():
    got = []
    for way in many, holes, full:
        try:
            if way():
                got.append(way.__name__)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
