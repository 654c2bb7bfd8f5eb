"""Goes deeper than there is room for, in Python and in C; what comes of it depends on the version of Python.

limits: memory_mb=64 check_seconds=0.3 total_seconds=20
told: RecursionError | crashed | memory_mb | check_seconds | SystemError | too deep
"""

import ast
import copy
import itertools
import json
import pickle
import re
import sys
import threading


def _nested(depth, kind=list):
    found = kind()
    for _ in range(depth):
        found = kind((found,))
    return found


def calls():
    """A function that calls itself.

    told: RecursionError
    """
    calls()


def with_the_limit_raised():
    """The same, when Python was told to let it."""
    sys.setrecursionlimit(10**8)
    with_the_limit_raised()


def through_c():
    """By way of C, whose stack is what ends."""
    sys.setrecursionlimit(10**8)
    list(map(lambda _: through_c(), [1]))


def in_a_thread():
    """The same in a thread with a small stack."""
    threading.stack_size(64 << 10)
    thread = threading.Thread(target=through_c)
    thread.start()
    thread.join()
    while True:
        pass


def attributes():
    """`__getattr__` that asks for what it is asked for."""

    class Thing:
        def __getattr__(self, name):
            return getattr(self, name)

    sys.setrecursionlimit(10**8)
    return Thing().x


def hashes():
    """`hash` of tuples in tuples, which nobody counts."""
    return str(hash(_nested(10**6, tuple)))


def compares():
    """Lists in lists that are equal."""
    sys.setrecursionlimit(10**8)
    return str(_nested(3 * 10**5) == _nested(3 * 10**5))


def chains():
    """Iterators in iterators."""
    found = iter([1])
    for _ in range(10**5):
        found = map(abs, found)
    return str(next(found))


def reads():
    """The library's readers and writers, one after another.

    told: RecursionError | crashed | memory_mb | too deep | SystemError | JSONDecodeError
    """
    sys.setrecursionlimit(10**8)
    json.loads("[" * 10**6)


def writes():
    """JSON of lists in lists."""
    sys.setrecursionlimit(10**8)
    return json.dumps(_nested(10**5))[:10]


def pickles():
    """Pickle of lists in lists."""
    sys.setrecursionlimit(10**8)
    return str(len(pickle.dumps(_nested(10**5))))


def copies():
    """A deep copy."""
    return copy.deepcopy(_nested(10**5))


def matches():
    """A pattern of groups in groups."""
    return re.compile("(" * 10**4 + ")" * 10**4)


def compiles():
    """Source that is nested.

    told: SyntaxError | RecursionError | crashed | memory_mb | check_seconds
    """
    sys.setrecursionlimit(10**8)
    return ast.parse("x" + ".x" * 10**5) and compile("(" * 10**4 + ")" * 10**4, "x", "eval")


def answers():
    """An answer of lists in lists.

    told: a list of one entry
    """
    return _nested(10**5)


def circles():
    """An answer that holds itself.

    told: a list of one entry
    """
    found = []
    found.append(found)
    return found


def blames():
    """An exception with a hundred thousand causes.

    told: ValueError: the last one
    """
    error = ValueError("the first one")
    for _ in range(10**5):
        error, cause = ValueError("the last one"), error
        error.__cause__ = cause
    raise error
