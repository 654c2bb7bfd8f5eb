"""The measures that close a jail: privileges, rlimits, Landlock and seccomp.

This is the only file that needs POSIX. The launcher builds the policy once; every fork applies it
before the first line of student code.
"""

import contextlib
import ctypes
import functools
import importlib.machinery
import os
import resource
import sys
import sysconfig
from collections.abc import Callable

from . import landlock, seccomp

DESCRIPTORS = 64
THREADS = 256
PAGE = 4096
NOBODY = 65534
NOBODYS = 0x7F000000  # to 0x7FFFFFFF: ids that no system gives out; one for each jail of root's
LINUX = sys.platform.startswith("linux")

# The system calls of an interpreter that computes, reads its library and uses an open descriptor.
# All others fail with ENOSYS, so that the jail also lacks calls that later kernels add.
ALLOWED = """
    read readv pread64 preadv write writev pwrite64 pwritev lseek
    open openat close close_range dup dup2 dup3 pipe pipe2
    stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat
    getdents getdents64 getcwd chdir fchdir umask
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
    mmap munmap mprotect mremap brk membarrier
    futex set_robust_list get_robust_list set_tid_address rseq arch_prctl sched_yield getcpu exit exit_group
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
    restart_syscall pause alarm setitimer getitimer
    nanosleep gettimeofday time times getrusage
    getpid gettid getppid getpgrp getuid geteuid getgid getegid getresuid getresgid getgroups
    getrlimit uname sysinfo getrandom
""".split()
# Known ways out. They fail with "Operation not permitted" (EPERM), a clearer message for a person.
REFUSED = """
    socket socketpair connect bind listen accept accept4 sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg
    execve execveat fork vfork kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo setsid setpgid
    pidfd_open pidfd_getfd pidfd_send_signal ptrace process_vm_readv process_vm_writev kcmp
    chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes utimensat futimesat
    setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    truncate ftruncate fallocate rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat
    mkdir mkdirat rmdir mknod mknodat creat memfd_create memfd_secret
    shmget shmat shmctl msgget msgsnd msgrcv msgctl semget semop semtimedop semctl mq_open
    io_uring_setup io_uring_enter io_uring_register bpf perf_event_open userfaultfd
    add_key request_key keyctl mount umount2 pivot_root chroot unshare setns
    setrlimit setpriority setuid setgid setreuid setregid setresuid setresgid setgroups capset
    inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark
""".split()
CLONE_THREAD = 0x10000
CLONE_NAMESPACES = 0x7E020000  # CLONE_NEWNS | ... | CLONE_NEWNET
# Allowed for certain arguments only: the position of the argument, and its values.
IN_PART = {
    # duplicate, read the flags; no F_SETOWN, which sends signals, no F_SETFL, which the next jail would see
    "fcntl": (1, (0, 1, 2, 3, 1030)),
    # Terminal settings and size, bytes to read, close-on-exec.
    "ioctl": (
        1,
        (0x5401, 0x5413, 0x541B, 0x5450, 0x5451),
    ),
    "prctl": (0, (15, 16, 0x53564D41)),  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
    "getpgid": (0, (0,)),  # of itself
    "getsid": (0, (0,)),
    "sched_getaffinity": (0, (0,)),
    "getpriority": (1, (0,)),
    # Give memory back, use large pages; nothing that fetches or evicts a page of a file, which the next jail would see.
    "madvise": (2, (4, 8, 14, 15)),
    # The clocks of the system and of itself; those of other processes tell what the grader computes.
    **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), (0, range(12))),
}
# Calls with effects that outlive the jail. A jail that sees hidden requests loses them before its first cell. Looking up
# a path changes access times, reading a file leaves it in the kernel's cache, each new pipe takes a number.
SEALED = """
    open openat stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat
    getdents getdents64 chdir fchdir pipe pipe2 epoll_create epoll_create1
""".split()
PRIVATE, ANONYMOUS, SHARING = 0x02, 0x20, 0x03  # of mmap: MAP_PRIVATE, MAP_ANONYMOUS, and both ways to share
EPERM, ENOENT, EAGAIN, ENOSYS = 1, 2, 11, 38
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2
CAPABILITIES_V3 = 0x20080522  # _LINUX_CAPABILITY_VERSION_3

_libc = ctypes.CDLL(None, use_errno=True)
_CAPSET_HEADER = (ctypes.c_uint32 * 2)(CAPABILITIES_V3, 0)
_NO_CAPABILITIES = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: two words each


class Policy:
    """The measures that this machine can enforce; `apply` closes a process with them.

    `in_force` maps each measure to what it covers, `missing` each of the others to the reason.
    """

    def __init__(self) -> None:
        self.filter = b""
        self.sealable, self.seal = (
            b"",
            b"",
        )  # the filter with the right to load a second one, and the second one
        self.rulesets: dict[tuple[str, ...], landlock.Ruleset] = {}
        self.nobody: dict[tuple[str, ...], bool] = {}
        self.size, self.tasks = 0, 0  # of this process in bytes; threads of the whole system
        self.in_force = {"rlimits": "processor time, memory, descriptors; no file and no core is written"}
        self.missing: dict[str, str] = {}
        self.descriptors = DESCRIPTORS
        _limit(resource.RLIMIT_NOFILE, DESCRIPTORS)  # for the launcher, and so for every jail
        self._find("landlock", self._use_landlock)
        self._find("seccomp", self._use_seccomp)
        self._find("privileges", self._use_privileges)
        self._try()

    def _find(self, measure: str, use: Callable[[], tuple[str, str]]) -> None:
        """Record one measure; `use` returns what it covers, or an empty text and the reason why it is missing."""
        covered, why_not = use() if LINUX else ("", "only Linux has it")
        if covered:
            self.in_force[measure] = covered
        else:
            self.missing[measure] = why_not

    def _use_landlock(self) -> tuple[str, str]:
        version = landlock.version()
        if not version:
            return "", "the kernel has no Landlock, or it is switched off (Linux 5.13 or later has it)"
        also = [what for since, what in ((4, "TCP"), (6, "signals")) if version >= since]
        return f"{', '.join(['files', *also])} (version {version} of the kernel's interface)", ""

    def _use_seccomp(self) -> tuple[str, str]:
        if sys.maxsize < 1 << 32:
            return "", "the list of system calls is for 64-bit systems"
        try:
            self.filter = _filter()
        except OSError as error:
            return "", f"libseccomp cannot be loaded ({error}); Debian and Ubuntu: apt install libseccomp2"
        return f"{len(ALLOWED) + len(IN_PART)} system calls are allowed, all others fail", ""

    def _use_privileges(self) -> tuple[str, str]:
        self.prepare((), [])
        if os.geteuid() != 0:
            return "there are none to give up", ""
        if self.nobody[()]:
            return "root gives up its capabilities, and each jail becomes a user of its own", ""
        covered = (
            "root gives up its capabilities; only root can read the interpreter, so jails stay "
            "user 0, whose threads the kernel does not count"
        )
        return covered, ""

    def _try(self) -> None:
        """Close a forked process as a trial; a measure that a container or the kernel refuses is not in force."""
        if self._works():
            return
        for measure in ("landlock", "seccomp"):
            if measure in self.in_force and not self._works(measure):
                del self.in_force[measure]
                self.missing[measure] = "the system refuses it to this process (a container's own rules?)"

    def _works(self, only: str | None = None) -> bool:
        pid = os.fork()
        if not pid:
            try:
                self.apply(1 << 30, 60, (), os.getppid(), only)
                _read(os.__file__)
                os._exit(0)
            finally:
                os._exit(1)
        return os.waitpid(pid, 0)[1] == 0

    def prepare(self, imports: tuple[str, ...], sites: list[str]) -> None:
        """Prepare `apply` for a fork that may read these files of third-party modules in the folders `sites`.

        This happens before the fork, because a fork has to copy every page of memory that it touches.
        """
        self.size, self.tasks = _address_space(), _tasks()
        if imports in self.nobody:
            return
        for name in imports:  # Python caches the contents of these folders; a jail cannot list them
            importlib.machinery.PathFinder.find_spec(name, sites)
        paths = [p for site in sites for name in imports if os.path.exists(p := os.path.join(site, name))]
        if () in self.nobody:  # widens this policy; closed jails keep theirs
            nobody, ruleset = self.nobody.pop(()), self.rulesets.pop((), None)
        else:
            paths += readable()
            nobody, ruleset = LINUX and os.geteuid() == 0, None
            if "landlock" in self.in_force:
                ruleset = landlock.Ruleset()
                ruleset.allow(os.devnull, landlock.WRITE_FILE)
        self.nobody[imports] = nobody and _readable_by_nobody(paths)
        if ruleset is None:
            return
        self.rulesets[imports] = ruleset
        for path in paths:
            also = landlock.READ_DIR if os.path.isdir(path) else 0
            ruleset.allow(path, landlock.READ_FILE | also)

    def apply(
        self,
        memory: int,
        cpu: int,
        imports: tuple[str, ...],
        parent: int,
        only: str | None = None,
        *,
        sealed: bool = False,
    ) -> None:
        """Close this process for good, with `memory` bytes beyond its present size and `cpu` seconds.

        It ends with the process `parent`. `prepare` must be called before. `only` applies just one of Landlock
        and seccomp. One that will be `sealed` may load a second filter. Raises OSError if a measure that is in force
        could not be taken.
        """
        wanted = [measure for measure in self.in_force if only in (None, measure)]
        _limit(resource.RLIMIT_AS, self.size + memory)
        _limit(resource.RLIMIT_CPU, cpu, hard=cpu + 1)  # first SIGXCPU, which names the cause, then SIGKILL
        _limit(resource.RLIMIT_FSIZE, 0)
        _limit(resource.RLIMIT_CORE, 0)
        os.chdir("/")
        if LINUX:
            _limit(resource.RLIMIT_NPROC, self.tasks + THREADS)
            _drop_privileges(change_user=self.nobody[imports])
            _prctl(PR_SET_PDEATHSIG, 9)  # after the privileges: giving them up clears it
            _prctl(PR_SET_DUMPABLE, 0)
            _prctl(PR_SET_NO_NEW_PRIVS, 1)
            if os.getppid() != parent:
                raise OSError("the launcher has ended")
        if "landlock" in wanted:
            self.rulesets[imports].restrict()
        if "seccomp" in wanted:
            _load_filter(self.sealable if sealed else self.filter)

    def prepare_seal(self) -> None:
        """Make the filters of jails that will be sealed."""
        if "seccomp" in self.in_force:
            self.sealable, self.seal = _filter((PR_SET_SECCOMP,)), _sealing_filter()

    def apply_seal(self) -> None:
        """Load the second filter: from here on, a later jail can see nothing that this process does."""
        if "seccomp" in self.in_force:
            _load_filter(self.seal)


@functools.cache
def readable() -> list[str]:
    """Return the files and folders that a jail may read: the standard library and the system's libraries."""
    found = {os.devnull, "/dev/urandom"}
    for name in ("stdlib", "platstdlib"):
        folder = sysconfig.get_path(name)
        if os.path.isdir(folder):
            names = set(os.listdir(folder)) - {"site-packages", "dist-packages"}
            found.update(os.path.join(folder, name) for name in names)
    # Libraries link to others in the same folder.
    for folder in {os.path.dirname(line) for line in _mapped_libraries()}:
        names = set(os.listdir(folder))
        if any(name.startswith("python3") for name in names):
            found.update(os.path.join(folder, name) for name in names if ".so" in name)
        else:
            found.add(folder)
    return sorted(path for path in found if os.path.exists(path))


def _mapped_libraries() -> set[str]:
    """Return the shared libraries of an interpreter with `ssl` (in a fork, so that this process does not load them)."""
    mine, its = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            with contextlib.suppress(OSError, AttributeError):  # it is built in, or there is none
                ctypes.CDLL(importlib.machinery.PathFinder.find_spec("_ssl").origin)  # type: ignore[union-attr]
            with open("/proc/self/maps", "rb") as maps:
                os.write(its, maps.read())
        finally:
            os._exit(0)
    os.close(its)
    with os.fdopen(mine, encoding="utf-8") as file:
        lines = file.read().splitlines()
    os.waitpid(pid, 0)
    return {
        parts[5]
        for line in lines
        if len(parts := line.split(None, 5)) == 6 and ".so" in parts[5] and "/site-packages/" not in parts[5]
    }


def _readable_by_nobody(paths: list[str]) -> bool:
    """Return True if the user that root becomes can read all of these (a fork tries it)."""
    starts = [*paths, *(start for path in paths if os.path.exists(start := f"{path}/__init__.py"))]
    pid = os.fork()
    if not pid:
        try:
            _drop_privileges(change_user=True)
            os._exit(0 if all(os.access(path, os.R_OK) for path in starts) else 1)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _filter(prctl: tuple[int, ...] = ()) -> bytes:
    """Return the filter of system calls as BPF, with more options of prctl. Raises OSError if libseccomp is not here."""
    refused = seccomp.ERRNO | EPERM
    rules = seccomp.Filter(seccomp.ERRNO | ENOSYS)
    for name in ALLOWED:
        rules.add(seccomp.ALLOW, name)
    for name in REFUSED:
        rules.add(refused, name)
    for name, (position, values) in IN_PART.items():
        for value in values:
            rules.add(seccomp.ALLOW, name, (position, seccomp.EQ, value))
    for option in prctl:
        rules.add(seccomp.ALLOW, "prctl", (0, seccomp.EQ, option))
    rules.add(seccomp.ALLOW, "prlimit64", (0, seccomp.EQ, 0), (2, seccomp.EQ, 0))
    rules.add(refused, "prlimit64", (2, seccomp.NE, 0))
    thread = (0, seccomp.MASKED_EQ, CLONE_THREAD | CLONE_NAMESPACES, CLONE_THREAD)
    rules.add(seccomp.ALLOW, "clone", thread)  # clone3, whose flags lie in memory, is ENOSYS: libc falls back
    rules.add(refused, "clone", (0, seccomp.MASKED_EQ, CLONE_THREAD, 0))
    return rules.export()


def _sealing_filter() -> bytes:
    """Return the second filter, for jails that see hidden requests. Raises OSError if libseccomp is not here."""
    rules = seccomp.Filter(seccomp.ALLOW)
    for name in SEALED:
        rules.add(seccomp.ERRNO | ENOENT, name)  # "no such file", the error that most code expects
    for kind in {0, PRIVATE, SHARING ^ PRIVATE, SHARING}:
        for source in {0, ANONYMOUS} - ({ANONYMOUS} if kind == PRIVATE else set()):
            mask = (3, seccomp.MASKED_EQ, SHARING | ANONYMOUS, kind | source)
            rules.add(seccomp.ERRNO | EPERM, "mmap", mask)
    rules.add(seccomp.ERRNO | EPERM, "prctl", (0, seccomp.EQ, PR_SET_SECCOMP))
    rules.add(seccomp.ERRNO | EAGAIN, "clone")  # Python says: can't start new thread
    return rules.export()


def _limit(which: int, soft: int, hard: int | None = None) -> None:
    hard = soft if hard is None else hard
    most = resource.getrlimit(which)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 256)
    finally:
        os.close(fd)


def _address_space() -> int:
    try:
        return int(_read("/proc/self/statm").split()[0]) * PAGE
    except OSError:  # macOS: no /proc, and RLIMIT_AS is not enforced there either
        return 1 << 40


def _tasks() -> int:
    """Return the number of threads of the whole system; this user has fewer."""
    try:
        return int(_read("/proc/loadavg").split()[3].partition(b"/")[2])
    except (OSError, ValueError, IndexError):
        return 1 << 12


def _drop_privileges(*, change_user: bool) -> None:
    """Give up every capability, and with `change_user` root's user id."""
    if change_user:
        os.setgroups([])
        try:
            _become(NOBODYS + os.getpid() % (1 << 24))
        except OSError:  # a user namespace without this id
            _become(NOBODY)
    if _libc.capset(_CAPSET_HEADER, _NO_CAPABILITIES):
        raise OSError(ctypes.get_errno(), "capset was refused")


def _become(number: int) -> None:
    os.setresgid(number, number, number)
    os.setresuid(number, number, number)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), f"prctl({option}) was refused")


class _Program(ctypes.Structure):
    """`struct sock_fprog` of <linux/filter.h>."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def _load_filter(bpf: bytes) -> None:
    program = _Program(len(bpf) // 8, bpf)
    if _libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp was refused")
