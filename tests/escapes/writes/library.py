"""Has the standard library write: temporary files, databases, logs, archives, compiled modules.

guard: landlock+seccomp+files
ways: tempfile sqlite dbm shelve logging zipfile profile touch compiled cache
"""

import cProfile
import dbm.dumb
import importlib
import logging.handlers
import os
import pathlib
import py_compile
import shelve
import shutil
import sqlite3
import sys
import tempfile
import zipfile

NEW = MINE + "/escaped"


def sqlite():
    base = sqlite3.connect(NEW)
    base.execute("create table t (a)")
    base.close()


def cache():
    sys.pycache_prefix, sys.dont_write_bytecode = NEW, False
    sys.modules.pop("colorsys", None)
    importlib.import_module("colorsys")
    os.stat(NEW)  # what cannot be written is silently left out


def log():
    handler = logging.handlers.RotatingFileHandler(NEW)
    handler.emit(logging.makeLogRecord({"msg": "here I was"}))
    handler.close()


WAYS = {
    "tempfile": lambda: tempfile.NamedTemporaryFile().write(b"here I was"),
    "sqlite": sqlite,
    "dbm": lambda: dbm.dumb.open(NEW).close(),
    "shelve": lambda: shelve.open(NEW).close(),
    "logging": log,
    "zipfile": lambda: zipfile.ZipFile(NEW, "w").close(),
    "profile": lambda: cProfile.Profile().dump_stats(NEW),
    "touch": lambda: pathlib.Path(NEW).touch(),
    "compiled": lambda: py_compile.compile(os.__file__, cfile=NEW),
    "cache": cache,
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            way()
            got.append(name)
        except (PermissionError, FileNotFoundError):  # tempfile finds no folder at all
            continue
        except (sqlite3.OperationalError, *dbm.error) as error:
            assert "open" in str(error) or "denied" in str(error).lower()
            continue
        for left in os.listdir(MINE):
            path = f"{MINE}/{left}"
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    return "escaped: " + " ".join(got) if got else "held"
