"""Changes how the launcher runs: its limits, cores, priority, memory; each to what it has.

guard: seccomp+landlock
ways: prlimit affinity priority scheduler ioprio

Its pages (pages) were reached too, where no container forbids it.
"""

import ctypes
import os
import resource

CALLS = {"x86_64": (251, 252, 279), "aarch64": (30, 31, 239)}[os.uname().machine]
IOPRIO_SET, IOPRIO_GET, MOVE_PAGES = CALLS
libc = ctypes.CDLL(None)
parent = os.getppid()


def tell(function, *arguments):
    function(*arguments)
    return True


def prlimit():
    libc.getpid()
    return resource.prlimit(parent, resource.RLIMIT_CORE, resource.prlimit(parent, resource.RLIMIT_CORE))


WAYS = {
    "prlimit": prlimit,
    "affinity": lambda: tell(os.sched_setaffinity, parent, os.sched_getaffinity(parent)),
    "priority": lambda: tell(os.setpriority, os.PRIO_PROCESS, parent, 0),
    "scheduler": lambda: tell(os.sched_setscheduler, parent, os.SCHED_OTHER, os.sched_param(0)),
    "ioprio": lambda: libc.syscall(IOPRIO_SET, 1, parent, libc.syscall(IOPRIO_GET, 1, parent)) == 0,
    "pages": lambda: libc.syscall(MOVE_PAGES, parent, 0, None, None, None, 0) == 0,
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except OSError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
