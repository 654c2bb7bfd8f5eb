"""The tree of exceptions in grader/errors.py."""

import builtins
import importlib
import inspect
import pkgutil
import re

import grader
from grader import errors


def is_ours(name: str, kind: type, module: str) -> bool:
    """True for an exception of that module; warnings and private ones need no place in the tree."""
    public = not name.startswith("_") and not issubclass(kind, Warning)
    return public and issubclass(kind, BaseException) and kind.__module__ == module


def test_the_tree_is_the_classes() -> None:
    """Each class is below its base, with its module; the subject of a topic is known in its room alone."""
    found = (m.name for m in pkgutil.walk_packages(grader.__path__, "grader."))
    own = {
        name: (kind.__base__.__name__, module.removeprefix("grader.").replace(".", "/") + ".py")
        for module in found
        if not module.endswith("__main__") and not module.startswith("grader.autograd")
        for name, kind in inspect.getmembers(importlib.import_module(module), inspect.isclass)
        if is_ours(name, kind, module)
    }

    above: dict[int, str] = {}
    tree = {}
    for line in errors.__doc__.splitlines():
        if row := re.fullmatch(r"    ([|` -]*)(\w+)(?: .*\((\S+)\))?", line):
            above[len(row[1])] = row[2]
            tree[row[2]] = (above.get(len(row[1]) - 4, ""), row[3])

    assert {name: row for name, row in tree.items() if not hasattr(builtins, name)} == own
