"""The modules and libraries of a sealed jail: imported and read into memory before the second filter.

A sealed jail sees hidden requests. It can neither open nor map a file, so it imports nothing more; and no page of a
library that it touches may be read from the disk, for the next jail could notice that it is in memory.
"""

import contextlib
import ctypes
import importlib
import os
import sys
from collections.abc import Iterable
from typing import Any

# Modules that Python itself imports at first use, and those that submissions and helpers of checks use.
LAZY = """
    ast base64 bisect calendar codecs collections.abc concurrent.futures.thread contextlib copy copyreg dataclasses
    datetime decimal enum fractions functools gc heapq inspect io itertools json keyword linecache locale math numbers
    operator pickle pprint queue random re reprlib statistics string stringprep struct textwrap threading time timeit
    token tokenize traceback tracemalloc types typing unicodedata uuid warnings weakref zlib _strptime
    encodings.ascii encodings.base64_codec encodings.charmap encodings.cp437 encodings.cp850 encodings.cp1252
    encodings.hex_codec encodings.idna encodings.iso8859_1 encodings.iso8859_15 encodings.latin_1 encodings.mac_roman
    encodings.punycode encodings.raw_unicode_escape encodings.rot_13 encodings.unicode_escape encodings.utf_8
    encodings.utf_8_sig encodings.utf_16 encodings.utf_16_be encodings.utf_16_le encodings.utf_32 encodings.utf_32_be
    encodings.utf_32_le encodings.utf_7
""".split()


def import_all(names: Iterable[str]) -> bool:
    """Import those of the modules that exist here; return True if one was new."""
    before = len(sys.modules)
    for name in names:
        with contextlib.suppress(BaseException):  # it is missing, or not for this system
            importlib.import_module(name)
    return len(sys.modules) > before


def read_all(paths: Iterable[str]) -> None:
    """Read these files, so that the kernel keeps all of their pages."""
    for path in paths:
        with contextlib.suppress(OSError), open(path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass


def mapped_files() -> set[str]:
    """Return all files that this process maps."""
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf-8") as file:
        parts = [line.rstrip("\n").split(None, 5) for line in file]
        return {path for *_, path in parts if os.path.isfile(path)}
    return set()


class _DlPhdrInfo(ctypes.Structure):
    """The first fields of `struct dl_phdr_info` of <link.h>."""

    _fields_ = [("address", ctypes.c_void_p), ("name", ctypes.c_char_p)]


def libraries() -> set[str]:
    """Return the shared libraries of this process, which cannot read /proc."""
    found: set[str] = set()

    def note(loaded: Any, _size: int, _data: object) -> int:
        found.add(os.fsdecode(loaded[0].name))
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_DlPhdrInfo), ctypes.c_size_t, ctypes.c_void_p)
    ctypes.CDLL(None).dl_iterate_phdr(kind(note), None)
    return found
