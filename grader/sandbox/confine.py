"""Closing a jail: rlimits, Landlock and seccomp, and which of them are in force.

The only POSIX-only file. It is loaded by the launcher (see `worker.py`), which
builds the policy once; every fork applies it before the first line of student code.
"""

import contextlib
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]

DESCRIPTORS = 64
PAGE = 4096

# Ways out of the jail that Landlock does not close: sockets, programs, processes,
# other processes' memory and signals, and kernel interfaces that student code never needs.
DENIED = [
    "socket",
    "socketpair",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "execve",
    "execveat",
    "fork",
    "vfork",
    "kill",
    "tkill",
    "tgkill",
    "rt_sigqueueinfo",
    "rt_tgsigqueueinfo",
    "pidfd_open",
    "pidfd_getfd",
    "pidfd_send_signal",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "kcmp",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "add_key",
    "request_key",
    "keyctl",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsmount",
    "memfd_create",
    "memfd_secret",
    "shmget",
    "shmat",
    "msgget",
    "semget",
    "mq_open",
    "setsid",
    "setpgid",
    "prlimit64",
    "setrlimit",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "reboot",
    "swapon",
    "swapoff",
    "open_by_handle_at",
    "name_to_handle_at",
]
CLONE_THREAD = 0x10000
EPERM, ENOSYS = 1, 38
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2


class Policy:
    """What this machine can enforce: `in_force` names it, `apply` closes the calling process."""

    def __init__(self, sites: list[str]) -> None:
        self.sites = [Path(site) for site in sites]
        self.landlock = self.filter = None
        self.rulesets: dict[tuple[str, ...], Any] = {}
        if sys.platform.startswith("linux"):
            with _importing_from(sites):
                self.landlock = _landlock()
                self.filter = _seccomp()
            self.prepare(())
        measures = {"rlimits": resource, "landlock": self.landlock, "seccomp": self.filter}
        self.in_force: list[str] = [name for name, measure in measures.items() if measure]

    def prepare(self, imports: tuple[str, ...]) -> None:
        """Build the ruleset of jails that may import these third-party modules; once."""
        if self.landlock is None or imports in self.rulesets:
            return
        scoped = self.landlock.Scope.SIGNAL | self.landlock.Scope.ABSTRACT_UNIX_SOCKET
        ruleset = self.rulesets[imports] = self.landlock.Ruleset(scoped=scoped)
        read = self.landlock.AccessFS.READ_FILE
        for path in [*readable(), *_packages(imports, self.sites)]:
            ruleset.allow_path(path, read | self.landlock.AccessFS.READ_DIR if path.is_dir() else read)

    def apply(self, memory: int, cpu: int, imports: tuple[str, ...]) -> None:
        """Close this process for good: `memory` bytes beyond what it has, `cpu` seconds.

        `prepare` comes first. Raises OSError when a measure that is in force could not be taken.
        """
        if resource:
            _limit(resource.RLIMIT_AS, _address_space() + memory)
            _limit(resource.RLIMIT_CPU, cpu, hard=cpu + 1)  # the signal that names it, then the end
            _limit(resource.RLIMIT_FSIZE, 0)
            _limit(resource.RLIMIT_CORE, 0)
            _limit(resource.RLIMIT_NOFILE, DESCRIPTORS)
        os.chdir("/")
        if not sys.platform.startswith("linux"):
            return
        _prctl(PR_SET_PDEATHSIG, 9)
        _prctl(PR_SET_DUMPABLE, 0)
        _prctl(PR_SET_NO_NEW_PRIVS, 1)
        if self.landlock:
            self.rulesets[imports].restrict()
        if self.filter:
            _load_filter(self.filter)


@contextlib.contextmanager
def _importing_from(sites: list[str]) -> Iterator[None]:
    """Let the launcher import the jail libraries; the jails find no trace of them."""
    before = set(sys.modules)
    sys.path.extend(sites)
    try:
        yield
    finally:
        del sys.path[-len(sites) :]
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in {"landlockpy", "pyseccomp"}:
                del sys.modules[name]


def _landlock() -> Any:
    """The library, where the kernel has Landlock; else None."""
    try:
        import landlockpy
    except ImportError:
        return None
    return landlockpy if landlockpy.abi_version() else None


def _packages(imports: tuple[str, ...], sites: list[Path]) -> list[Path]:
    """The files of third-party modules, with the shared libraries that their wheels bring."""
    names = [f"{name}{suffix}" for name in imports for suffix in ("", ".py", ".libs")]
    return [path for site in sites for name in names if (path := site / name).exists()]


def readable() -> list[Path]:
    """The files and folders that a jail may read: the standard library and the system's libraries."""
    found = {Path(os.devnull), Path("/dev/urandom")}
    for name in ("stdlib", "platstdlib"):
        folder = Path(sysconfig.get_path(name))
        if folder.is_dir():
            found.update(p for p in folder.iterdir() if p.name not in {"site-packages", "dist-packages"})
    found.update(Path(line).parent for line in _mapped_libraries())
    return sorted(path for path in found if path.exists())


def _mapped_libraries() -> set[str]:
    with contextlib.suppress(ImportError):
        import ssl  # noqa: F401  brings the usual shared libraries in, so that their folder is seen
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return {
        parts[5]
        for line in maps
        if len(parts := line.split(None, 5)) == 6 and ".so" in parts[5] and "/site-packages/" not in parts[5]
    }


def _seccomp() -> bytes | None:
    """The filter as BPF, or None where libseccomp is missing."""
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError):
        return None
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in DENIED:
        with contextlib.suppress(OSError, ValueError):  # not a call of this architecture
            rules.add_rule(pyseccomp.ERRNO(EPERM), name)
    rules.add_rule(pyseccomp.ERRNO(ENOSYS), "clone3")  # its flags lie in memory; libc falls back
    no_thread = pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_THREAD, 0)
    rules.add_rule(pyseccomp.ERRNO(EPERM), "clone", no_thread)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    hard = soft if hard is None else hard
    most = resource.getrlimit(which)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))


def _address_space() -> int:
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * PAGE
    except OSError:  # macOS: no /proc, and RLIMIT_AS is not enforced there either
        return 1 << 40


def _libc() -> Any:
    import ctypes

    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if _libc().prctl(option, value, 0, 0, 0):
        raise OSError(f"prctl({option}) was refused")


def _load_filter(bpf: bytes) -> None:
    import ctypes

    class Program(ctypes.Structure):  # struct sock_fprog of <linux/filter.h>
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    program = Program(len(bpf) // 8, bpf)
    if _libc().prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp was refused")
