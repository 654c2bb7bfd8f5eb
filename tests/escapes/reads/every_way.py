"""Opens a secret with everything in the library that opens files, and past it with the system's own calls.

guard: landlock
ways: low mmap path codecs linecache tokenize fileinput copy fopen
"""

import codecs
import ctypes
import fileinput
import linecache
import mmap
import os
import pathlib
import shutil
import tokenize

SECRET = SECRET_FILES[0]
libc = ctypes.CDLL(None, use_errno=True)
WAYS = {
    "low": lambda: os.read(os.open(SECRET, os.O_RDONLY), 100),
    "mmap": lambda: mmap.mmap(os.open(SECRET, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:100],
    "path": lambda: pathlib.Path(SECRET).read_bytes(),
    "codecs": lambda: codecs.open(SECRET, encoding="latin-1").read(),
    "linecache": lambda: linecache.getlines(SECRET),
    "tokenize": lambda: tokenize.open(SECRET).read(),
    "fileinput": lambda: list(fileinput.input(SECRET)),
    "copy": lambda: shutil.copyfile(SECRET, os.devnull),
    "fopen": lambda: fopen(),
}


def fopen():
    libc.fopen.restype = ctypes.c_void_p
    return libc.fopen(SECRET.encode(), b"r")


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
