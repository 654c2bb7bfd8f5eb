"""Makes a shared library of its own and loads it, to run code that no check of Python's sees.

guard: landlock+seccomp+files
ways: memory beside
"""

import _ctypes
import ctypes
import os


def attack():
    code, beside = open(_ctypes.__file__, "rb").read(), f"{MINE}/escaped.so"
    ways = {
        "memory": lambda: f"/proc/self/fd/{os.memfd_create('escaped')}",
        "beside": lambda: beside,
    }
    got = []
    for name, way in ways.items():
        try:
            path = way()
            with open(path, "wb") as file:
                file.write(code)
            if ctypes.CDLL(path):
                got.append(name)
        except PermissionError:
            pass
    if "beside" in got:
        os.unlink(beside)
    return "escaped: " + " ".join(got) if got else "held"
