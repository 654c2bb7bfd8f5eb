"""Looks for what an earlier submission changed in its process, then changes all of it for the next one.

guard: process
alone: yes
ways: module class builtin imported path folder umask environ locale signal thread open gc codec
"""

import builtins
import codecs
import collections
import ctypes
import gc
import json
import locale
import math
import os
import random
import sys
import threading
import time

libc = ctypes.CDLL(None)
LIBRARY = os.path.dirname(os.__file__)


def patch():
    math.tau = json.dumps = random.random = 6
    collections.Counter.escaped = builtins.escaped = sys.modules["escaped"] = True
    sys.path.append("escaped")
    os.environ["ESCAPED"] = "yes"
    codecs.register_error("escaped", str)
    gc.set_threshold(123)


def change():
    os.chdir(LIBRARY)
    os.umask(0o135)
    locale.setlocale(locale.LC_CTYPE, "C")
    libc.signal(10, 1)  # SIGUSR1 is ignored
    threading.Thread(target=time.sleep, args=(1,), name="escaped", daemon=True).start()
    os.dup2(os.open(os.__file__, os.O_RDONLY), 40)


def is_open(descriptor):
    try:
        return os.fstat(descriptor)
    except OSError:
        return None


def has_codec():
    try:
        return codecs.lookup_error("escaped")
    except LookupError:
        return None


def attack():
    found = {
        "module": math.tau == 6,
        "class": hasattr(collections.Counter, "escaped"),
        "builtin": hasattr(builtins, "escaped"),
        "imported": "escaped" in sys.modules,
        "path": "escaped" in sys.path,
        "folder": os.getcwd() == LIBRARY,
        "umask": os.umask(0) == 0o135,
        "environ": "ESCAPED" in os.environ,
        "locale": locale.setlocale(locale.LC_CTYPE) == "C",
        "signal": libc.signal(10, 1) == 1,
        "thread": any(thread.name == "escaped" for thread in threading.enumerate()),
        "open": is_open(40),
        "gc": gc.get_threshold()[0] == 123,
        "codec": has_codec(),
    }
    patch()
    change()
    ways = [way for way, there in found.items() if there]
    return "escaped: " + " ".join(ways) if ways else "held"


def answer():
    return 1.0
