"""Looks in its memory for what an earlier submission kept there, then keeps something for the next one.

guard: process
"""

import ctypes
import gc
import math
import os
import re
import sys

KEPT = re.compile(rb"escaped-[0-9a-f]{8}")  # this text itself does not match


def pages():
    found = set()
    for thing in [*gc.get_objects(), *sys.modules.values()]:
        found.add(id(thing) >> 12)
        found.update(id(inner) >> 12 for inner in gc.get_referents(thing))
    for page in sorted(found):
        yield ctypes.string_at(page << 12, 1 << 12)


def attack():
    found = [match[0].decode() for page in pages() if (match := KEPT.search(page))]
    math.kept = ["escaped-" + os.urandom(4).hex() for _ in range(100)]
    return found[0] if found else "held"


def answer():
    return 1.0
