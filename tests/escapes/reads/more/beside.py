"""Reads what was handed in beside it, and itself.

guard: landlock
ways: notes helper library itself
"""

import ctypes
import importlib
import sys

sys.path.insert(0, MINE)
WAYS = {
    "notes": lambda: open(MINE + "/notes.txt").read(),
    "helper": lambda: importlib.import_module("helper").x,
    "library": lambda: ctypes.CDLL(MINE + "/tool.so"),
    "itself": lambda: open(MINE + "/vault.py").read(),
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except (PermissionError, ModuleNotFoundError):
            pass
        except OSError as error:
            assert "Permission denied" in str(error)  # in the words of the dynamic linker
    return "escaped: " + " ".join(got) if got else "held"
