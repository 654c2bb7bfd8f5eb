"""Leaves what would end it: the signal at the launcher's death, its group, its session, its namespaces.

guard: seccomp
ways: lives_on adopts traceable group session

New namespaces (user, processes) were had too, where the kernel gives them to everybody.
"""

import ctypes
import os

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000
libc = ctypes.CDLL(None)


def group():
    os.setpgid(0, os.getpgid(os.getppid()))
    return True


WAYS = {
    "lives_on": lambda: libc.prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0) == 0,
    "adopts": lambda: libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0,
    "traceable": lambda: libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0,
    "group": group,
    "session": lambda: libc.setsid() > 0,
    "user": lambda: libc.unshare(CLONE_NEWUSER) == 0,
    "processes": lambda: libc.unshare(CLONE_NEWPID) == 0,
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
