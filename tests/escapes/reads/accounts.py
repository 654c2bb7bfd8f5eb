"""Asks the system's libraries, which read files by themselves, for the accounts of this machine.

guard: landlock
ways: passwd pwd grp home
"""

import grp
import os
import pwd

WAYS = {
    "passwd": lambda: open("/etc/passwd").read(),
    "shadow": lambda: open("/etc/shadow").read(),
    "pwd": lambda: pwd.getpwall(),
    "grp": lambda: grp.getgrall(),
    "home": lambda: os.path.expanduser("~daemon") != "~daemon",
}


def attack():
    got = []
    for name, way in WAYS.items():
        try:
            if way():
                got.append(name)
        except PermissionError:
            pass
    return "escaped: " + " ".join(got) if got else "held"
