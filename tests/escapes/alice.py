"""Alice, an honest student: everything that her code sees of the world around it is in her report."""

from __future__ import annotations

import msgspec

from grader.report import Report

ALICE = """
import collections, ctypes, gc, hashlib, json, locale, math, os, random, signal, sys, threading

class Node:
    def __init__(self, name):
        self.name = name

def is_open(descriptor):
    try:
        return bool(os.fstat(descriptor))
    except OSError:
        return False

def attack():
    seen = dict(
        random=[random.random(), random.Random(3).random()],
        order="".join(node.name for node in {Node(letter) for letter in "abcdefgh"}) + "".join(set("abcdefgh")),
        hashes=[hash("a"), hash((1, "b"))],
        modules=sorted(sys.modules),
        library=[math.tau, math.exp(1), json.dumps([1]), sorted(vars(collections.Counter)), sorted(dir(builtins()))],
        world=[os.getcwd(), os.umask(0), dict(os.environ), sys.path, sys.argv, locale.setlocale(locale.LC_ALL)],
        signals=[str(signal.getsignal(number)) for number in range(1, 65)],
        python=[sys.getrecursionlimit(), sys.getswitchinterval(), gc.get_threshold(), threading.active_count()],
        open=[number for number in range(64) if is_open(number)],
        room=len(bytes(150 << 20)),
    )
    return " ".join(f"{key} {hashlib.sha256(repr(value).encode()).hexdigest()[:3]}" for key, value in seen.items())

def builtins():
    import builtins
    return builtins

def answer():
    raise ValueError(random.random())
"""


def timeless(report: Report) -> Report:
    """Return a report without its times, and without the name of the student's file."""
    checks = [msgspec.structs.replace(check, seconds=0) for check in report.checks]
    submission = msgspec.structs.replace(report.submission, modified="", path="")
    return msgspec.structs.replace(report, started="", seconds=0, checks=checks, submission=submission)
