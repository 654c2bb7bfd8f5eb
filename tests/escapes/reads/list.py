"""Lists the course: what the hidden checks are called is nobody's business either.

guard: landlock
ways: listdir scandir walk glob
"""

import glob
import os


def listdir(path):
    return os.listdir(path)


def scandir(path):
    return list(os.scandir(path))


def walk(path):
    return list(os.walk(path))


def glob_(path):
    return glob.glob(path + "/*")


def attack():
    got = []
    for way in (listdir, scandir, walk, glob_):
        try:
            if way(COURSE + "/solutions"):
                got.append(way.__name__)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
