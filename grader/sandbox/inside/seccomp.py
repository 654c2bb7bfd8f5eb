"""libseccomp, which makes a filter of system calls: it knows their numbers on every architecture."""

import ctypes
import os

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NE, EQ, MASKED_EQ = 1, 4, 7
_OPTIMIZE = 8  # an attribute: 2 is a binary tree


class _Condition(ctypes.Structure):
    """`struct scmp_arg_cmp` of <seccomp.h>."""

    _fields_ = [
        ("argument", ctypes.c_uint),
        ("comparison", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    ]


class Filter:
    """A filter under construction. Raises OSError if libseccomp is not here."""

    def __init__(self, default: int) -> None:
        self._library = library = _load()
        library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(default)))
        if not self._context:
            raise OSError("seccomp_init failed")
        # A binary tree, which the kernel loads faster; older libraries than 2.5 refuse it.
        library.seccomp_attr_set(self._context, _OPTIMIZE, 2)

    def add(self, action: int, name: str, *conditions: tuple[int, ...]) -> None:
        """Add a rule for a system call; nothing, if this architecture or library does not know the call.

        A condition is the position of an argument, a comparison, and its value or its mask and value.
        """
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        array = (_Condition * len(conditions))(*(_Condition(*each) for each in conditions))
        self._library.seccomp_rule_add_array(
            self._context, ctypes.c_uint32(action), number, ctypes.c_uint(len(conditions)), array
        )

    def export(self) -> bytes:
        """Return the filter as BPF. Raises OSError."""
        theirs, ours = os.pipe()  # large enough for any filter
        try:
            failed = self._library.seccomp_export_bpf(self._context, ours)
            if failed:
                raise OSError(-failed, "seccomp_export_bpf failed")
            return os.read(theirs, 1 << 16)
        finally:
            os.close(ours)
            os.close(theirs)


def _load() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libseccomp.so.2")
    except OSError:
        from ctypes.util import find_library  # starts several processes

        return ctypes.CDLL(find_library("seccomp") or "libseccomp.so.2")
