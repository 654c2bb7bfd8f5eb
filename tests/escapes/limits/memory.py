"""Asks for more memory than there is.

limits: memory_mb=64 check_seconds=5 total_seconds=20
told: memory_mb
guard: memory
"""

import ctypes
import gzip
import mmap

MB = 1 << 20


def _escaped(size):
    return f"escaped: {size >> 20} MB"


def blocks():
    """At once."""
    return _escaped(len(bytes(100 * MB)))


def pieces():
    """Many small objects."""
    return _escaped(100 * len([[] for _ in range(MB)]))


def doubles():
    """A text that doubles."""
    text = "x"
    while len(text) < 100 * MB:
        text += text
    return _escaped(len(text))


def replaces():
    """Each letter by many."""
    return _escaped(len(("x" * 10_000).replace("x", "x" * 10_000)))


def counts():
    """A table of numbers."""
    return _escaped(100 * len({n: n for n in range(MB)}))


def powers():
    """One number."""
    return _escaped((1 << (8 * 100 * MB)).bit_length() // 8)


def unpacks():
    """Unpack a small file into a large one."""
    return _escaped(len(gzip.decompress(gzip.compress(bytes(MB)) * 100)))


def maps():
    """From the system itself.

    told: Cannot allocate memory
    """
    return _escaped(len(mmap.mmap(-1, 100 * MB)))


def allocates():
    """Past Python.

    told: nothing was had
    """
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    return _escaped(100 * MB) if libc.malloc(ctypes.c_size_t(100 * MB)) else "nothing was had"


def prints():
    """A text to be printed."""
    print("x" * (100 * MB))
    return _escaped(100 * MB)


def keeps():
    """Nearly all of it, and stays with it.

    told: held
    guard: nothing
    """
    globals()["kept"] = bytes(40 * MB)
    return "held"


def begins_after_it():
    """The memory of an earlier test is free again.

    told: held
    guard: nothing
    """
    return "held" if bytes(40 * MB) else ""
