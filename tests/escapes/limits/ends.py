"""Ends its own process, or breaks what the interpreter stands on.

limits: check_seconds=1 total_seconds=20
told: ended its own Python process
"""

import builtins
import ctypes
import faulthandler
import gc
import mmap
import os
import resource
import signal
import sys
import threading
import time


def exits():
    """As a script does.

    told: SystemExit: 0
    """
    sys.exit(0)


def interrupts():
    """As the keyboard does.

    told: KeyboardInterrupt
    """
    raise KeyboardInterrupt


def goes():
    """Without a word."""
    os._exit(0)


def goes_in_a_thread():
    """Without a word, while the call waits."""
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(1)


def is_watched():
    """By a watchdog of its own."""
    faulthandler.dump_traceback_later(0.01, exit=True, file=sys.__stderr__)
    time.sleep(1)


def aborts():
    """As the C library does when it is in trouble.

    told: crashed
    """
    os.abort()


def reads_nothing():
    """At the address 0.

    told: crashed
    """
    ctypes.string_at(0)


def runs_nonsense():
    """Bytes that are no machine code.

    told: crashed | SIGILL
    """
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()


def is_alarmed():
    """By a clock of its own.

    told: SIGALRM
    """
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(1)


def closes():
    """Every descriptor."""
    os.closerange(0, 64)


def closes_and_stays():
    """Hangs up, and goes on computing."""
    os.close(3)
    while True:
        pass


def clears():
    """Clear the names that every line of Python needs."""
    vars(builtins).clear()


def forgets():
    """Every module.

    told: held
    """
    sys.modules.clear()
    return "held"


def deranges():
    """Change how the interpreter collects, switches and counts.

    told: held
    """
    gc.disable()
    gc.freeze()
    sys.setswitchinterval(1e-9)
    sys.setrecursionlimit(50)
    threading.stack_size(32 << 10)
    sys.stdout = sys.stderr = sys.stdin = None
    sys.excepthook = sys.unraisablehook = threading.excepthook = lambda *_: os._exit(0)
    return "held"


def lowers():
    """Its own limits, where the grader's next request would meet them.

    told: ValueError: not allowed
    """
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))


def opens():
    """Descriptors without end.

    told: Too many open files
    guard: descriptors
    """
    for _ in range(100):
        os.pipe()
    return "escaped: 200 descriptors"
