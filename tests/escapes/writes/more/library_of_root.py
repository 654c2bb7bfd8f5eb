"""Opens a file of the library for reading, as it may, and changes its rights and times: it is its owner.

guard: seccomp
ways: rights owner times attribute
"""

import os


def attribute(fd):
    os.setxattr(fd, "user.escaped", b"1")
    os.removexattr(fd, "user.escaped")


def attack():
    fd, found, got = os.open(os.__file__, os.O_RDONLY), os.stat(os.__file__), []
    ways = {
        "rights": lambda: os.fchmod(fd, found.st_mode & 0o7777),
        "owner": lambda: os.fchown(fd, found.st_uid, found.st_gid),
        "times": lambda: os.utime(fd, ns=(found.st_atime_ns, found.st_mtime_ns)),
        "attribute": lambda: attribute(fd),
    }
    for name, way in ways.items():
        try:
            way()
            got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
