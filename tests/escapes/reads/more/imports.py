"""Goes from the one module that the manifest allows to those that are installed beside it.

guard: landlock
ways: list suite detour import
"""

import importlib
import os
import sys

import iniconfig

SITE = os.path.dirname(os.path.dirname(iniconfig.__file__))
sys.path.append(SITE)
WAYS = {
    "list": lambda: os.listdir(SITE),
    "suite": lambda: open(SITE + "/grader/grading/suite.py").read(),
    "detour": lambda: open(SITE + "/iniconfig/../pluggy/__init__.py").read(),
    "import": lambda: importlib.import_module("pluggy").PluginManager,
}


def attack():
    assert iniconfig.IniConfig("its.ini", data="[a]\nb = 1")["a"]["b"] == "1"
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except (PermissionError, ModuleNotFoundError):
            pass
    return "escaped: " + " ".join(got) if got else "held"
