"""Calls a secret by other names: relative ones, ones with detours, ones through /proc and through a folder.

guard: landlock
ways: relative detour library cwd root folder again
"""

import os

NAME = "solutions/vault/salt.txt"
HERE = os.path.dirname(os.__file__)


def again():
    """A descriptor that is for the name only may be had; it is opened again through /proc."""
    fd = os.open(f"{COURSE}/{NAME}", os.O_PATH)
    return open(f"/proc/self/fd/{fd}").read()


def attack():
    os.chdir(COURSE)
    names = {
        "relative": NAME,
        "detour": f"{HERE}/json/../../../../../../../../../../{COURSE}//./{NAME}",
        "library": os.path.relpath(f"{COURSE}/{NAME}", HERE),
        "cwd": f"/proc/self/cwd/{NAME}",
        "root": f"/proc/self/root/{COURSE}/{NAME}",
    }
    ways = {name: lambda path=path: open(path).read() for name, path in names.items() if name != "library"}
    ways["library"] = lambda: (os.chdir(HERE), open(names["library"]).read())
    ways["folder"] = lambda: os.open(NAME, os.O_RDONLY, dir_fd=os.open(COURSE, os.O_PATH))
    ways["again"] = again
    got = []
    for name, way in ways.items():
        try:
            if way():
                got.append(name)
        except PermissionError:
            pass
    os.chdir("/")
    return "escaped: " + " ".join(got) if got else "held"
