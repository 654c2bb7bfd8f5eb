"""A sealed jail: what it does from its first cell on, no later jail can see."""

from __future__ import annotations

import contextlib
import errno
import os
import threading

import pytest
from helpers import COURSE

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox
from grader.sandbox.foreseen import foreseen_modules, named_modules
from grader.sandbox.inside import sealing
from grader.submissions.submission import Sources, read_submission

# Each leaves something that a later jail can find: an access time, a page in memory, a number that is given out once.
TRACES = """
import ctypes, os, select, threading
library = os.__file__
here = os.path.join(os.path.dirname(library), "json")
libc = ctypes.CDLL(None, use_errno=True)

def called(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")

def start():
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()

ways = {
    "open a file": lambda: open(library).read(1),
    "list a folder": lambda: os.listdir(here),
    "ask for a file": lambda: os.stat(library),
    "ask with lstat": lambda: os.lstat(library),
    "try to open a file": lambda: called(libc.access(library.encode(), os.R_OK)),
    "read a link": lambda: called(libc.readlink(b"/proc/self", ctypes.create_string_buffer(9), 9)),
    "go to a folder": lambda: os.chdir(here),
    "open a descriptor's folder": lambda: called(libc.openat(-100, here.encode(), 0)),
    "make a pipe": os.pipe,
    "make a poll": select.epoll,
    "start a thread": start,
}
def tried():
    done = []
    for name, way in ways.items():
        try:
            way()
        except (OSError, RuntimeError):
            continue
        done.append(name)
    return done
names = list(ways)
"""
# Of the jail's socket in each way, and of new memory that is shared.
MAPS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
def tried():
    found = []
    for flags, descriptor in ((1, 3), (2, 3), (3, 3), (0x21, -1)):
        ctypes.set_errno(0)
        libc.mmap(None, 4096, 1, flags, descriptor, 0)
        found.append(ctypes.get_errno())
    return found
"""
# Closed in every jail.
QUESTIONS = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
page = libc.getpid and ctypes.cast(libc.getpid, ctypes.c_void_p).value & ~4095
kept = ctypes.create_string_buffer(16)
def preadv():
    try:
        file = os.open(os.__file__, os.O_RDONLY)
        return os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
    except OSError:
        return -1
def clock():
    try:
        return time.clock_gettime(~os.getppid() << 3 | 2)
    except OSError:
        return -1
ways = {
    "is it in memory (mincore)": lambda: libc.mincore(ctypes.c_void_p(page), 4096, kept),
    "is it in memory (preadv2)": preadv,
    "fetch it (MADV_WILLNEED)": lambda: libc.madvise(ctypes.c_void_p(page), 4096, 3),
    "fetch it (MADV_POPULATE_READ)": lambda: libc.madvise(ctypes.c_void_p(page), 4096, 22),
    "evict it (MADV_PAGEOUT)": lambda: libc.madvise(ctypes.c_void_p(page), 4096, 21),
    "what the grader has computed": clock,
}
def tried():
    return [name for name, way in ways.items() if way() != -1]
"""
# Used for the first time in a sealed jail, which can read no file.
LAZILY = """
import codecs, collections, copy, datetime, decimal, fractions, json, random, threading, time, traceback, warnings
from dataclasses import dataclass

def kinds():
    @dataclass(order=True)
    class Pair:
        x: int
        y: int = 0
    try:
        1 / 0
    except ZeroDivisionError:
        told = traceback.format_exc()
    warnings.warn("slow")
    return [
        copy.deepcopy(Pair(1)) == Pair(1),
        "ZeroDivisionError" in told,
        "\\u20ac".encode("cp1252") == b"\\x80",
        "\\N{GREEK SMALL LETTER ALPHA}" == chr(945),
        eval(r'"\\N{EURO SIGN}"') == chr(8364),
        codecs.encode("a", "rot13") == "n",
        "a".encode("idna") == b"a",
        time.strptime("2026", "%Y").tm_year == 2026,
        datetime.datetime.strptime("2026", "%Y").year == 2026,
        time.localtime().tm_year > 2000,
        decimal.Decimal("1.5") + 1 == fractions.Fraction(5, 2),
        threading.Lock().acquire(),
        random.Random(3).random() < 1,
        "%s %r {}".format(1) != "",
        __import__("statistics").mean([1, 3]) == 2,
        not __import__("os").path.exists("data.csv"),
    ]
"""
NUMPY = """
import numpy as np
def kinds():
    np.testing.assert_allclose(np.linalg.inv(np.eye(2)), np.eye(2))
    return [
        bool(np.random.default_rng(0).random() < 1),
        bool(np.random.RandomState(0).randn() < 9),
        np.polynomial.Polynomial([1, 2])(1.0) == 3,
        np.fft.fft(np.ones(2))[0].real == 2,
        bool(np.ma.masked_array([1, 2], [0, 1]).sum() == 1),
        repr(np.ones(3)) == "array([1., 1., 1.])",
    ]
"""


@pytest.fixture
def opened(launcher):
    """A function: a cell -> a loaded sandbox, sealed with the modules that are foreseen."""
    boxes = []

    def load(source, foreseen=None, **how):
        boxes.append(Sandbox(launcher, [source], Limits(load_seconds=9), foreseen=foreseen, **how))
        boxes[-1].load()
        assert boxes[-1].errors == {}
        return boxes[-1]

    yield load
    for box in boxes:
        box.close()


def called(box, name):
    """Call a function of the submission that takes nothing."""
    return box.get(name)()


def test_a_sealed_jail_leaves_nothing_behind(opened):
    """Each way that works in a jail is closed in one that is sealed."""
    open_jail, sealed = opened(TRACES), opened(TRACES, named_modules(TRACES, ()))

    assert called(open_jail, "tried") == open_jail.get("names")
    assert called(sealed, "tried") == []


def test_a_sealed_jail_maps_no_file_and_shares_no_memory(opened):
    """The system itself refuses the jail's socket, which is no file, with another number (ENODEV)."""
    open_jail, sealed = opened(MAPS, None), opened(MAPS, named_modules(MAPS, ()))

    assert called(open_jail, "tried") == [errno.ENODEV, errno.ENODEV, errno.ENODEV, 0]
    assert called(sealed, "tried") == [errno.EPERM] * 4


def test_libraries_are_read_to_their_ends():
    """No page of them is left for a submission to fetch; one that cannot be read stops nothing."""
    end, begin = os.pipe()
    left = [3 << 20]

    def write():
        with contextlib.suppress(BrokenPipeError):
            while left[0]:
                left[0] -= os.write(begin, bytes(left[0]))
        os.close(begin)

    writer = threading.Thread(target=write)
    writer.start()

    sealing.read_all(["/no/such/library", f"/dev/fd/{end}"])

    os.close(end)  # so that a writer who is not done stops
    writer.join()
    assert left == [0]


@pytest.mark.parametrize("foreseen", [None, []])
def test_no_jail_asks_what_is_in_memory(opened, foreseen):
    """Nor fetches or evicts a page of a file, nor reads the clock of another process."""
    assert called(opened(QUESTIONS, foreseen), "tried") == []


def test_what_python_loads_lazily_is_there(opened):
    """Encodings, names of characters, tracebacks, dates: code that runs in one jail runs in a sealed one."""
    assert set(called(opened(LAZILY, named_modules(LAZILY, ())), "kinds")) == {True}


def test_what_numpy_loads_lazily_is_there(opened):
    box = opened(NUMPY, named_modules(NUMPY, ["numpy"]), imports=["numpy"], arrays=True)

    assert set(called(box, "kinds")) == {True}


def test_a_sealed_jail_cannot_be_sealed_again(opened):
    """It has no right to load a filter any more, and one that is not sealed never had it."""
    source = "import ctypes\ndef load(): return ctypes.CDLL(None).prctl(22, 2, 0, 0, 0)"

    assert called(opened(source, ["ctypes"]), "load") == -1
    assert called(opened(source), "load") == -1


def test_modules_are_foreseen_by_their_names():
    """The text decides: imports anywhere, dotted names, names in a text; what nobody may import is left out."""
    text = """
def f():
    import xml.dom.minidom, requests, this
    from concurrent import futures
    from os import (path,
        fsencode)
    return __import__("statistics").mean, np.mean
"""
    named = named_modules(text, ["np"])

    assert {"xml.dom.minidom", "concurrent.futures", "os.path", "statistics", "np"} <= set(named)
    assert not {"requests", "this", "f"} & set(named)
    assert foreseen_modules(["bisect"], ["csv", "no_such", "this", "json.decoder"], ()) == [
        "csv",
        "json",
        "json.decoder",
        "bisect",
    ]


@pytest.mark.parametrize(
    "text", ["# math" + ".a" * 200_000, "from os import a, b, c\n" * 20_000, "math.a " * 100_000], ids=len
)
def test_no_text_makes_many_names(text):
    """Beginnings of a name with a hundred thousand dots would take gigabytes in the grader."""
    assert sum(map(len, named_modules(text, ()))) < 1_000_000


def test_imports_that_only_hidden_tests_reach_cost_nothing(tmp_path):
    """A right notebook that imports at its first use, in each jail anew, keeps all points."""
    reference = (COURSE / "solutions/day2/day2_backward_pass.py").read_text(encoding="utf-8")
    path = tmp_path / "day2_backward_pass.py"
    lazy = (
        "import importlib, statistics, xml.dom.minidom as _; importlib.import_module('email' + '.mime.text')"
    )
    head = "def __add__(self, other):\n"
    assert reference.count(head) == 1
    path.write_text(reference.replace(head, f"{head}        {lazy}\n"), encoding="utf-8")
    submission = read_submission(path)

    with Launcher() as launcher, open_grader(Course(COURSE).assignment("day2"), launcher) as grader:
        report = grader.grade_sources(submission.info, Sources(submission.blocks))

    assert report.hidden_checks
    assert report.score == report.max_score
