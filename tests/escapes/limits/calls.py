"""Does not come to an end in a call.

limits: check_seconds=0.12 total_seconds=20
told: check_seconds
"""

import hashlib
import os
import re
import select
import signal
import sys
import threading
import time
import weakref


def _forever(*_):
    while True:
        pass


def loops():
    """Python that goes round."""
    _forever()


def powers():
    """A number without end, computed in C."""
    return 10**10**9


def matches():
    """A pattern that tries everything."""
    return re.match("(a*)*b", "a" * 100)


def naps():
    """A little more than there is time for, and then an answer.

    guard: deadline
    """
    time.sleep(0.3)
    return "escaped"


def waits():
    """For what never comes: a lock, then bytes, a signal, a descriptor."""
    threading.Timer(100, _forever).start()
    select.select([os.pipe()[0]], [], [])
    signal.pause()


def swallows():
    """Deaf to every signal, and to every exception."""
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        try:
            _forever()
        except BaseException:
            pass


def crowds():
    """As many threads as there can be, each of them at work outside of Python's lock."""

    def burn():
        hashlib.pbkdf2_hmac("sha256", b"x", b"y", 10**9)

    threading.stack_size(64 << 10)
    try:
        for _ in range(300):
            threading.Thread(target=burn).start()
    except RuntimeError:
        pass
    burn()


def keeps_the_lock():
    """A thread that does not give Python's lock back."""
    sys.setswitchinterval(1e6)
    threading.Thread(target=_forever).start()
    return "held"


def forgets():
    """A weak reference whose callback runs as the call returns."""

    class Thing:
        pass

    thing = Thing()
    globals()["kept"] = weakref.ref(thing, _forever)
    return "held"


def types():
    """Ask for input without a keyboard.

    told: EOFError
    """
    return input("a number: ")
