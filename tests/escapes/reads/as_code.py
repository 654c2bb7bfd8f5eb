"""Lets Python import or run the solution, instead of opening it.

guard: landlock
ways: path spec loader runpy data
"""

import importlib.machinery
import importlib.util
import pkgutil
import runpy
import sys

FOLDER = COURSE + "/solutions/vault"


def path():
    sys.path.insert(0, FOLDER)
    return importlib.import_module("vault").answer()


def spec():
    found = importlib.util.spec_from_file_location("v", FOLDER + "/vault.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module.answer()


def loader():
    return importlib.machinery.SourceFileLoader("w", FOLDER + "/vault.py").get_data(FOLDER + "/salt.txt")


def run():
    return runpy.run_path(FOLDER + "/vault.py")["answer"]()


def data():
    return pkgutil.get_data("json", "../" * 20 + FOLDER + "/salt.txt")


def attack():
    got = []
    for way in (path, spec, loader, run, data):
        try:
            if way():
                got.append({"run": "runpy"}.get(way.__name__, way.__name__))
        except (PermissionError, ModuleNotFoundError):
            pass
    return "escaped: " + " ".join(got) if got else "held"
