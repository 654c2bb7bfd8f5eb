"""Changes what is kept about files: rights, owners, times, attributes, locks; Landlock guards none of it.

The files of an ordinary user's course belong to the same user as the jail.

guard: seccomp
ways: chmod through chown utime times lock

With its guard out fchmodat2 (Linux 6.6) and the attribute (where /tmp is a file system that has them)
were seen to succeed as well.
"""

import ctypes
import fcntl
import os

HIDDEN = COURSE + "/solutions/vault/checks/test_answer.py"
FOUND = os.stat(HIDDEN)
TIMES = (FOUND.st_atime_ns, FOUND.st_mtime_ns)
libc = ctypes.CDLL(None, use_errno=True)


def fchmodat2():
    """The newest way to it: number 452 on every architecture, since Linux 6.6."""
    if libc.syscall(452, -100, HIDDEN.encode(), FOUND.st_mode & 0o777, 0):
        raise OSError(ctypes.get_errno(), "")


def through():
    """A descriptor that is for the name only gives no rights, but a name in /proc."""
    os.chmod(f"/proc/self/fd/{os.open(HIDDEN, os.O_PATH)}", FOUND.st_mode & 0o777)


def xattr():
    os.setxattr(HIDDEN, "user.escaped", b"1")
    os.removexattr(HIDDEN, "user.escaped")


def lock():
    fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)


WAYS = {
    "chmod": lambda: os.chmod(HIDDEN, FOUND.st_mode & 0o777),
    "fchmodat2": fchmodat2,
    "through": through,
    "chown": lambda: os.chown(HIDDEN, -1, FOUND.st_gid),
    "utime": lambda: os.utime(HIDDEN, ns=TIMES),
    "times": lambda: os.utime(
        os.path.basename(HIDDEN), ns=TIMES, dir_fd=os.open(COURSE + "/solutions/vault/checks", os.O_PATH)
    ),
    "xattr": xattr,
    "lock": lock,
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            way()
            got.append(name)
        except PermissionError:
            pass
        except OSError as error:
            if error.errno not in (38, 95):  # what does not exist in the jail, or nowhere here
                raise
    return "escaped: " + " ".join(got) if got else "held"
