"""Follows what Python knows of itself to the grader, its environment and everything installed there.

guard: landlock
ways: main source sites suite venv
"""

import inspect
import os
import sys
import sysconfig

MAIN = sys.modules["__main__"]
SITE = sysconfig.get_path("purelib", "posix_prefix", {"base": os.path.dirname(os.path.dirname(PYTHON))})
WAYS = {
    "main": lambda: open(MAIN.__file__).read(),
    "source": lambda: inspect.getsource(MAIN.main),
    "sites": lambda: os.listdir(SITE),
    "suite": lambda: open(SITE + "/grader/grading/suite.py").read(),
    "venv": lambda: open(os.path.dirname(os.path.dirname(sys.executable)) + "/pyvenv.cfg").read(),
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except OSError:  # inspect's "could not get source code" is one
            pass
    return "escaped: " + " ".join(got) if got else "held"
