"""Signals the launcher, its group and everybody, by every call there is; one that does nothing if it comes.

guard: seccomp+landlock
ways: kill probe group everybody sigqueue tkill tgkill rt_sigqueueinfo pidfd
"""

import ctypes
import os
import signal

CALLS = {"x86_64": (200, 234, 129), "aarch64": (130, 131, 138)}[os.uname().machine]
TKILL, TGKILL, RT_SIGQUEUEINFO = CALLS
PIDFD_OPEN, PIDFD_SEND_SIGNAL = 434, 424
libc = ctypes.CDLL(None)
parent, number = os.getppid(), signal.SIGCONT


def call(*arguments):
    return libc.syscall(*arguments, 0, 0) == 0


def tell(function, *arguments):
    function(*arguments)
    return True


def queued():
    information = (ctypes.c_int * 32)(number, 0, -1, 0, os.getpid(), os.getuid())  # siginfo_t, of SI_QUEUE
    return call(RT_SIGQUEUEINFO, parent, number, information)


def pidfd():
    descriptor = libc.syscall(PIDFD_OPEN, parent, 0)
    return descriptor >= 0 and call(PIDFD_SEND_SIGNAL, descriptor, number, None)


WAYS = {
    "kill": lambda: tell(os.kill, parent, number),
    "probe": lambda: tell(os.kill, parent, 0),
    "group": lambda: tell(os.killpg, os.getpgid(parent), number),
    "everybody": lambda: tell(os.kill, -1, number),
    "sigqueue": lambda: libc.sigqueue(parent, number, None) == 0,
    "tkill": lambda: call(TKILL, parent, number),
    "tgkill": lambda: call(TGKILL, parent, parent, number),
    "rt_sigqueueinfo": queued,
    "pidfd": pidfd,
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
