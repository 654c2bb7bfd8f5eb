"""Landlock's system calls: a ruleset lists the files that a process can still open, and closes all other rights."""

import ctypes
import os
import struct

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # on every architecture
READ_FILE, READ_DIR, WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
_RULE_PATH_BENEATH, _ASK_VERSION = 1, 1
# <linux/landlock.h>: how many rights there are since a version of the interface; each is one bit, from the lowest on.
_ON_FILES = {1: 13, 2: 14, 3: 15, 5: 16, 9: 17}
_ON_PORTS = {4: 2, 10: 4}
_SCOPES = {6: 2}  # abstract sockets, signals

_libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Return the version of the kernel's interface; 0 if it is missing or switched off."""
    found: int = _libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    return max(found, 0)


class Ruleset:
    """Everything that this kernel's Landlock can close; `allow` opens files and folders again."""

    def __init__(self) -> None:
        since = version()
        self.rights = _supported_rights(_ON_FILES, since)
        attributes = struct.pack(
            "=QQQ", self.rights, _supported_rights(_ON_PORTS, since), _supported_rights(_SCOPES, since)
        )
        self.fd: int = _libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
        _check(self.fd)
        os.set_inheritable(self.fd, False)

    def allow(self, path: str, rights: int) -> None:
        """Grant rights on a file, or on a folder and all below it. Raises OSError."""
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = struct.pack("=Qi", rights & self.rights, beneath)
            _check(_libc.syscall(ADD_RULE, self.fd, _RULE_PATH_BENEATH, rule, 0))
        finally:
            os.close(beneath)

    def restrict(self) -> None:
        """Close this process for good. Raises OSError if the kernel refuses."""
        _check(_libc.syscall(RESTRICT_SELF, self.fd, 0))


def _supported_rights(rights: dict[int, int], version: int) -> int:
    return (1 << max((count for since, count in rights.items() if since <= version), default=0)) - 1


def _check(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"Landlock: {os.strerror(ctypes.get_errno())}")
