"""The modules that a sealed jail may need: it imports them before it loses the right to open files."""

from __future__ import annotations

import itertools
import re
import sys
from typing import TYPE_CHECKING

from grader.sandbox.packages import needed_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST, DEEPEST = 400, 6  # names, and dots in one: a text of a million dots costs nothing
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_FROM = re.compile(r"\bfrom\s+([\w.]+)\s+import[\s(]+(?=([\w,\s]{1,300}))")
# Modules that `numpy.NAME` imports and the launcher has not: they would take longer than everything else there.
_OF_NUMPY = re.compile(r"""[.'"](char|ctypeslib|ma|polynomial|rec|strings|testing|typing)\b""")
_READS = re.compile(r"""[.'"](load|loadtxt|genfromtxt)\b""")
_READERS = ("bz2", "gzip", "lzma", "urllib.parse", "zipfile")  # what these functions import
_ACTIVE = {"antigravity", "this"}  # which do something when they are imported


def named_modules(text: str, allowed: Sequence[str]) -> list[str]:
    """Return the modules of the standard library or of `allowed` packages whose names are in a text."""
    allowed = needed_by(tuple(allowed)).modules
    known = (sys.stdlib_module_names | set(allowed)) - _ACTIVE
    found = [*_DOTTED.findall(text)]
    pairs = (match.groups() for match in itertools.islice(_FROM.finditer(text), MOST))
    found += [f"{of}.{name}" for of, names in pairs for name in re.findall(r"\w+", names)]
    if "numpy" in allowed:  # which has another name in most texts
        found += [f"numpy.{name}" for name in set(_OF_NUMPY.findall(text))]
        found += _READERS if _READS.search(text) else ()
    dotted = [name.split(".")[:DEEPEST] for name in dict.fromkeys(found) if name.partition(".")[0] in known]
    return list(
        dict.fromkeys(name for parts in dotted for name in itertools.accumulate(parts, "{}.{}".format))
    )


def foreseen_modules(named: Iterable[str], seen: Iterable[str], allowed: Sequence[str]) -> list[str]:
    """Return the `named` modules, and those of the same kind that a jail reports as `seen`."""
    of_kind = named_modules(" ".join(seen), allowed)
    return list(itertools.islice(dict.fromkeys([*of_kind, *named]), MOST))
