"""The jail is closed, its processes end, and a dead launcher is the grader's fault."""

import contextlib
import errno
import io
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

import pytest
from stopped import crashed

from grader.manifest import Limits
from grader.sandbox import (
    Launcher,
    Process,
    Sandbox,
    SandboxUnavailable,
    SubmissionStopped,
    take_launcher,
    wire,
)
from grader.sandbox.inside.confine import DESCRIPTORS, readable
from grader.sandbox.jail import start_early
from grader.sandbox.packages import site_packages
from grader.sandbox.streams import SocketStream

BESIDE = next(  # Debian's has another name
    (path for path in Path(sysconfig.get_path("stdlib")).glob("*-packages")), Path(site_packages()[0])
).as_posix()
CLOSED = {
    "read a file of the system": "open('/etc/passwd').read()",
    "list a folder of the system": "os.listdir('/etc')",
    "read the tests of the grader": f"open({__file__!r}).read()",
    "list the installed packages": f"os.listdir({site_packages()[0]!r})",
    "list the packages beside the standard library": f"os.listdir({BESIDE!r})",
    "read an installed package": f"open({pytest.__file__!r}).read()",
    "list the home folder": f"os.listdir({str(Path.home())!r})",
    "read the environment of its parent": "open(f'/proc/{os.getppid()}/environ', 'rb').read()",
    "read its own memory map": "open('/proc/self/maps').read()",
    "write a file": "open(TARGET, 'w')",
    "make a folder": "os.mkdir(TARGET)",
    "write into shared memory": "open('/dev/shm/backgrade-test', 'w')",
    "open a socket": "socket.socket()",
    "open a socket of the machine": "socket.socket(socket.AF_UNIX)",
    "open two sockets": "socket.socketpair()",
    "start a program": "subprocess.run(['/bin/true'])",
    "become a program": "os.execv('/bin/true', ['true'])",
    "start a process": "os.fork()",
    "kill its parent": "os.kill(os.getppid(), 9)",
    "kill the grader": f"os.kill({os.getpid()}, 9)",
    "raise its own limits": "resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))",
}  # fmt: skip


@pytest.mark.parametrize("deed", CLOSED)
def test_the_jail_is_closed(jail, tmp_path, deed):
    """The attempt is refused and leaves nothing, and the next request is answered."""
    target = tmp_path / "target"
    code = CLOSED[deed].replace("TARGET", repr(str(target)))
    box = jail(f"import os, resource, socket, subprocess\ny = 1\ndef attempt(): return {code}")

    with pytest.raises((OSError, ValueError)) as caught:
        box.get("attempt")()

    assert caught.value.type in {"PermissionError", "ValueError"}
    assert box.get("y") == 1
    assert not target.exists()


def test_the_jail_knows_nothing_of_who_started_it(jail):
    """It has a neutral environment and folder, no module of the grader's, and two descriptors: for answers and for its stack."""
    box = jail("""
        import os, sys
        environment = dict(os.environ)
        folder = os.getcwd()
        modules = [name for name in sys.modules if name.startswith(("grader", "inside", "msgspec"))]
        def is_open(fd):
            try:
                os.fstat(fd)
            except OSError:
                return False
            return True
        descriptors = [fd for fd in range(256) if is_open(fd)]
    """)

    usual = {"PYTHONHASHSEED": "0", "PATH": os.defpath, "HOME": "/", "USER": "student"}  # the same everywhere
    assert box.get("environment") == usual
    assert box.get("folder") == "/"
    assert box.get("modules") == []
    assert box.get("descriptors") == [0, 1, 2, 3, 4]


def test_the_jails_arguments_are_neutral(jail):
    """They do not contain the folders of the course or the grader."""
    box = jail("import sys\narguments = ' '.join([*sys.argv, *sys.orig_argv[1:], *sys.path])")

    arguments = box.get("arguments")

    assert str(Path(__file__).parents[2]) not in arguments
    assert "site-packages" not in arguments


def test_a_jail_has_limits_of_its_own(jail):
    """It writes no file and no core, and has a bounded number of threads, beyond those of the whole system."""
    box = jail("""
        import resource
        def limits(): return [resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1] for name in NAMES]
        NAMES = ["FSIZE", "CORE", "NOFILE", "NPROC"]
    """)

    size, core, descriptors, threads = box.get("limits")()

    everybodys = int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[2])
    assert (size, core, descriptors) == (0, 0, DESCRIPTORS)
    assert 0 < threads < everybodys + 1_000


@pytest.mark.parametrize("whose", ["os.getppid()", "os.getpid()"])
def test_limits_are_asked_without_a_number(jail, whose):
    """With one, `prlimit` would reach other processes: to the jail there is no such call."""
    box = jail(f"import os, resource\ndef attempt(): return resource.prlimit({whose}, resource.RLIMIT_CPU)")

    with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)):
        box.get("attempt")()


def running(pid):
    """Return True while there is a process of that number, also one that is dead and not yet reaped."""
    return Path(f"/proc/{pid}").exists()


def test_closing_a_sandbox_ends_its_jail(any_jail):
    """Its process is gone at once."""
    box = any_jail("import os\npid = os.getpid()")
    pid = box.get("pid")
    assert running(pid)

    box.close()

    assert not running(pid)


def test_a_jail_that_was_closed_takes_nothing_from_the_next(any_launcher):
    """Of many jails one after another, each gets all of its answers."""
    for number in range(20 if any_launcher.fork else 8):  # an interpreter takes longer to start
        box = Sandbox(any_launcher, [f"x = {number}"], Limits(load_seconds=2))
        box.load()
        assert box.get("x") == number
        box.close()


@pytest.mark.parametrize("fork", [True, False], ids=["fork", "pipe"])
def test_closing_the_launcher_leaves_no_process(fork):
    """The launcher ends, and so do its jails that are still open."""
    before = set(_children())
    with Launcher(fork=fork) as launcher:
        boxes = [Sandbox(launcher, ["import os\npid = os.getpid()"], Limits()) for _ in range(2)]
        for box in boxes:
            box.load()
        pids = [box.get("pid") for box in boxes]

    left = [pid for pid in pids if running(pid)]
    children = set(_children()) - before
    for box in boxes:
        with contextlib.suppress(OSError):
            box.close()  # lets go of the sockets

    assert left == []
    assert children == set()


def _children():
    return Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text(encoding="ascii").split()


def test_nothing_outlives_a_grader_that_is_killed():
    """A jail in an endless loop ends with the grader that asked it."""
    source = "import os\npid = os.getpid()\ndef spin():\n    while True: pass"
    code = f"""if True:
        from grader.manifest import Limits
        from grader.sandbox import Launcher, Sandbox
        box = Sandbox(Launcher(), [{source!r}], Limits())
        box.load()
        print(box.get("pid"), flush=True)
        box.get("spin")()
    """
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as grader:
        pid = int(grader.stdout.readline())
        assert running(pid)
        os.kill(grader.pid, signal.SIGKILL)

    deadline = time.monotonic() + 60
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)

    assert not running(pid)


def test_a_sandbox_may_be_closed_after_its_launcher():
    """Its jail has ended already, so closing does nothing."""
    with Launcher() as launcher:
        box = Sandbox(launcher, ["x = 1"], Limits())
        box.load()

    box.close()

    with pytest.raises(SubmissionStopped, check=crashed, match="process has ended"):
        box.get("x")


def test_a_closed_sandbox_opens_no_jail(launcher):
    """Nobody would end that one."""
    box = Sandbox(launcher, ["x = 1"], Limits())
    box.close()

    with pytest.raises(AssertionError, match="the sandbox is closed"):
        box.load()


def test_a_jail_that_died_before_it_was_asked_says_why(launcher):
    """Its last message is read, though nothing can be sent to it; it is not the submission's fault."""
    assert launcher.in_force  # it is up
    ours, theirs = socket.socketpair()
    theirs.sendall(wire.pack({"n": 0, "e": "OSError: seccomp was refused"}))
    theirs.close()
    process = Process(SocketStream(ours), launcher, 0, Limits())

    with pytest.raises(SandboxUnavailable, match="could not be closed: OSError: seccomp was refused"):
        process.ask({"op": "names", "by_line": []}, time.monotonic() + 20)


def test_a_launcher_that_has_died_is_the_graders_fault():
    """Its jails end with it; the error is not a crash of the submission."""
    with Launcher() as launcher:
        box = Sandbox(launcher, ["import os\nlauncher = os.getppid()"], Limits())
        box.load()
        os.kill(box.get("launcher"), signal.SIGKILL)

        with pytest.raises(SandboxUnavailable):
            _load_until_it_fails(box)


def _load_until_it_fails(box):
    """Load again and again, for a signal takes a moment to arrive."""
    while True:
        box.load()


def test_a_launcher_that_started_early_is_taken_once():
    """The next one is another, and nobody has to take it."""
    start_early()

    with take_launcher() as early, take_launcher() as other:
        assert early is not other
        assert early.in_force == other.in_force

    start_early()
    take_launcher().close()


def test_a_closed_launcher_starts_no_jail():
    """The error says that it is the grader's fault."""
    with Launcher() as launcher:
        assert "rlimits" in launcher.in_force

    with pytest.raises(SandboxUnavailable, match="the launcher of jails has ended"):
        launcher.open(Limits())


def test_a_launcher_that_dies_while_it_starts_a_jail(monkeypatch):
    """The grader closes both ends of the stream to that jail."""
    pairs, make = [], socket.socketpair
    with Launcher() as launcher:
        assert launcher.in_force  # it is up
        monkeypatch.setattr(launcher, "_lines", io.BytesIO())  # it does not answer
        monkeypatch.setattr(socket, "socketpair", lambda: pairs.append(make()) or pairs[-1])

        with pytest.raises(SandboxUnavailable, match="the launcher of jails has ended"):
            launcher.open(Limits())

    assert [end.fileno() for pair in pairs for end in pair] == [-1, -1]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds nothing to a core")
def test_grader_and_jail_share_a_core_until_the_end():
    """They share one core until the launcher is closed; then the thread has all its cores again."""
    found = []

    def one_jail():
        os.sched_setaffinity(0, range(os.cpu_count()))  # the fixtures' launcher has bound the main thread
        everything = os.sched_getaffinity(0)
        with Launcher() as launcher:
            box = Sandbox(launcher, ["x = 1"], Limits())
            box.load()
            found.append(os.sched_getaffinity(0))
            box.close()
        found.append(os.sched_getaffinity(0) == everything)

    thread = threading.Thread(target=one_jail)
    thread.start()
    thread.join()

    assert [len(found[0]), found[1]] == [1, True]


# --- What it may read


def test_a_jail_reads_the_standard_library_and_no_installed_package():
    """Neither those beside the standard library nor those of a virtual environment; a manifest names what it opens."""
    closed = [*site_packages(), BESIDE, Path(start_early.__code__.co_filename).parents[1]]

    open_ = [Path(path) for path in readable()]

    assert Path(sysconfig.get_path("stdlib"), "json") in open_
    for folder in map(Path, closed):
        within = [
            path for path in open_ if folder == path or folder in path.parents or path in folder.parents
        ]
        assert within == [], f"a jail reads {folder}"
