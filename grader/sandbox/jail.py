"""The processes of the jail: one launcher, and one jail for each submission.

On systems with fork, the launcher is a bare interpreter that forks a closed jail in a few milliseconds.
Elsewhere every jail is a new interpreter.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from grader.files import write_beside_cache
from grader.sandbox import wire
from grader.sandbox.budget import waited_for_processor
from grader.sandbox.errors import SandboxUnavailable, SubmissionStopped, forged_data
from grader.sandbox.packages import needed_by, site_packages, third_party
from grader.sandbox.stacks import LOOKS, StackSampler
from grader.sandbox.streams import PipeStream, SocketStream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from grader.manifest import Limits
    from grader.sandbox.errors import Frame
    from grader.sandbox.streams import Stream

LAUNCHER = Path(__file__).parent / "inside" / "launcher.py"
INTERPRETER = [sys.executable, "-P", "-s", "-S"]
ENVIRONMENT = {"PYTHONHASHSEED": "0"}
START_SECONDS, PACKAGES_SECONDS = (
    20.0,
    60.0,
)  # the second limit is for the import of packages from a cold disk
SEAL_SECONDS = 10  # for the imports of a jail that will be sealed
MAX_BYTES = 64 << 20  # from a jail during one test
_WITHOUT_FORK = dict.fromkeys(("rlimits", "landlock", "seccomp"), "this system has no fork")
CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")


class Process:
    """One jail; sends it requests, each with a deadline, and ends it."""

    def __init__(
        self,
        stream: Stream,
        launcher: Launcher,
        child: int | subprocess.Popen[bytes],
        limits: Limits,
        watch: StackSampler | None = None,
    ) -> None:
        self._stream, self._launcher, self._child, self._limits = stream, launcher, child, limits
        self._watch = watch
        self.stood: tuple[Frame, ...] = ()
        self._ready = False
        self._number = 0  # of the last message
        self.received = 0  # bytes since the test began
        self.ended = False

    def ask(self, message: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Send one request and return its reply. Raises as `send` and `receive` do."""
        self.send(message, deadline)
        return self.receive(deadline, looking=True)

    def send(self, message: dict[str, Any], deadline: float) -> None:
        """Send one message. `deadline` is a time of `time.monotonic`.

        Raises TimeoutError, SubmissionStopped and SandboxUnavailable; each of them means that the jail has ended.
        """
        # A random number, so that student code cannot reply in advance.
        self._number = message["n"] = int.from_bytes(os.urandom(6), "big")
        try:
            try:
                self._stream.send(wire.pack(message), deadline)
            finally:
                if not self._ready:  # also where sending failed: the jail may have sent the reason
                    self._wait_until_closed(deadline)
        except TimeoutError:
            self.end()
            raise
        except EOFError:
            raise self._cause_of_death(self.end(died=True)) from None

    def receive(self, deadline: float, *, looking: bool = False) -> dict[str, Any]:
        """Return the next reply to the last message. Raises as `send` does.

        With `looking`, a TimeoutError sets `stood` to the frames where the jail stood.
        """
        try:
            answer = wire.unpack(self._receive(deadline))
            if type(answer.get("n")) is not int or answer["n"] != self._number:
                raise forged_data("a reply that belongs to no request")
        except TimeoutError:
            self.stood = self.look() if looking else ()
            self.end()
            raise
        except EOFError:
            raise self._cause_of_death(self.end(died=True)) from None
        except SubmissionStopped:
            self.end()
            raise
        return answer

    def answers_by(self, deadline: float) -> bool:
        """Wait for a reply; return False if none has come by this time. A jail that has ended counts as a reply."""
        return self._stream.has_arrived(deadline)

    def look(self, times: int = LOOKS) -> tuple[Frame, ...]:
        """Return the student's frames in which the jail stands, outermost first; none if the system cannot tell."""
        return self._watch.look(times) if self._watch and not self.ended else ()

    @property
    def waited(self) -> float:
        """The seconds in which the jail was ready to work but had no processor."""
        is_there = isinstance(self._child, int) and not self.ended
        return waited_for_processor(str(self._child)) if is_there else 0.0

    def _wait_until_closed(self, deadline: float) -> None:
        """Read the first message, which precedes all student code. Raises SandboxUnavailable if the jail is not closed."""
        try:
            first = wire.unpack(self._receive(deadline))
        except EOFError:
            self._launcher.count_killed()
            first = {"e": "its process ended at once"}
        if "e" in first:
            self.end()
            raise SandboxUnavailable(f"the jail could not be closed: {first['e']}")
        self._ready = True

    def _receive(self, deadline: float) -> bytes:
        size = int.from_bytes(self._stream.receive(4, deadline), "big")
        self.received += size
        if size > wire.MAX_FRAME + 64:
            raise forged_data(f"a message of {size} bytes")
        if self.received > MAX_BYTES:
            raise forged_data(f"more than {MAX_BYTES >> 20} MB in one test")
        return self._stream.receive(size, deadline)

    def _cause_of_death(self, status: int) -> SubmissionStopped:
        if os.name != "posix" or not os.WIFSIGNALED(status):
            return SubmissionStopped(
                "the submission ended its own Python process; look for a call such as `os._exit`"
            )
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            seconds = _cpu_seconds(self._limits)
            return SubmissionStopped(
                f"the submission used more than {seconds} s of processor time; the limit `total_seconds` does not allow more",
                limit="total_seconds",
            )
        if number in (signal.SIGSEGV, signal.SIGBUS):
            return SubmissionStopped(
                "the submission's Python process crashed; look for `sys.setrecursionlimit` "
                "and a function that calls itself too often"
            )
        if number == signal.SIGKILL:
            self._launcher.count_killed()
            return SubmissionStopped(
                "the system ended the submission's Python process; the usual cause "
                "is too much processor time or memory (the limits `total_seconds` and `memory_mb`)"
            )
        known = {int(s): s.name for s in signal.Signals}
        return SubmissionStopped(
            f"the submission's Python process was ended by {known.get(number, f'signal {number}')}"
        )

    def end(self, *, died: bool = False) -> int:
        """Kill the jail; return its wait status if it died by itself, else 0."""
        if self.ended:
            return 0
        self.ended = True
        self._stream.close()
        if self._watch is not None:
            self._watch.close()
        return self._launcher.end(self._child, died=died)


def _cpu_seconds(limits: Limits) -> int:
    """Return the processor time that a jail may use. A loop in one thread reaches the wall-clock limit first."""
    return 2 * int(limits.total_seconds) + 1  # once for tests, once for later loads


def _one_threaded(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the variables that keep these packages in one thread: a fork has only one, and its limits would count others.

    matplotlib draws without a screen, uses its own fonts, and keeps the list of them in our cache.
    """
    found = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    found |= {"MPLBACKEND": "agg", "MPL_IGNORE_SYSTEM_FONTS": "1", "MPLCONFIGDIR": os.devnull}
    with contextlib.suppress(OSError):  # there is no home, or the cache is not the user's alone
        if "matplotlib" in needed_by(packages).modules:
            found["MPLCONFIGDIR"] = str(write_beside_cache("matplotlib", "kept", b"").parent)
    return found


class Launcher:
    """Starts jails. A process of the grader needs only one; use it as a context manager.

    Its process starts at once, and the first jail waits for it; the grader can do other work meanwhile. From the
    first jail until `close`, the calling thread and its jails share one core: they only wait for each other, and waking
    another core takes longer than most requests (docs/decisions/settled.md).
    """

    def __init__(self, *, fork: bool = CAN_FORK, packages: tuple[str, ...] = ()) -> None:
        """Every jail has the modules `packages`, imported before it is closed."""
        self.fork, self.packages = fork, packages
        self.foresees = False  # True if a sealed jail follows: the launcher prepares it meanwhile
        self._others: dict[tuple[str, ...], Launcher] = {}  # further launchers, by their packages
        self._killed = 0
        self._lost = False  # True once the launcher has failed to reply
        self._cores: set[int] | None = None  # of the calling thread before the first jail
        self._measures: dict[str, dict[str, str]] = {} if fork else {"ready": {}, "missing": _WITHOUT_FORK}
        self._process: subprocess.Popen[bytes] | None = None
        self._children: set[subprocess.Popen[bytes]] = set()  # jails on systems without fork
        if fork:
            self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [*INTERPRETER, str(LAUNCHER), *self._options],
                stdin=theirs.fileno(),
                env=self._variables,
                cwd="/",
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # no terminal: Ctrl-C does not reach the jails
            )
        except OSError as error:
            ours.close()
            raise SandboxUnavailable(f"the jail's interpreter did not start: {error}") from error
        finally:
            theirs.close()
        self._control = ours
        self._control.settimeout(START_SECONDS + PACKAGES_SECONDS * bool(self.packages))
        self._lines = self._control.makefile("rb")

    @property
    def _options(self) -> list[str]:
        return ["--packages", ",".join(self.packages), *site_packages()] if self.packages else []

    @property
    def _variables(self) -> dict[str, str]:
        """The environment; for packages also variables that keep them in one thread, and matplotlib's files in our cache."""
        return ENVIRONMENT | (_one_threaded(self.packages) if self.packages else {})

    @property
    def kill_count(self) -> int:
        """The number of jails that were killed, perhaps by something else on this machine."""
        return self._killed + sum(other.kill_count for other in self._others.values())

    def count_killed(self) -> None:
        """Count a jail that was killed."""
        self._killed += 1

    @property
    def alive(self) -> bool:
        """True while it can start further jails."""
        runs = not self._lost and self._process is not None and self._process.poll() is None
        return (runs or not self.fork) and all(other.alive for other in self._others.values())

    @property
    def in_force(self) -> dict[str, str]:
        """The measures in force (rlimits, landlock, seccomp, privileges), and what each covers."""
        self._measures = self._measures or self._reply()
        return self._measures["ready"]

    @property
    def missing(self) -> dict[str, str]:
        """The measures that are not in force, and the reason for each."""
        self._measures = self._measures or self._reply()
        return self._measures["missing"]

    def _reply(self) -> dict[str, Any]:
        try:
            reply: dict[str, Any] = json.loads(self._lines.readline())
            return reply
        except (OSError, ValueError) as error:
            self._lost = True  # a late reply would pass for the reply to the next request
            raise SandboxUnavailable(
                "the launcher of jails does not answer; try `grade` again, and if that does not help, "
                f"reinstall Backgrade with {sys.executable}"
            ) from error

    def open(
        self, limits: Limits, imports: Sequence[str] = (), *, arrays: bool = False, sealed: bool = False
    ) -> Process:
        """Start a jail that may import the third-party modules `imports`. Raises SandboxUnavailable.

        A further launcher that has imported these modules forks it: imports take time and memory. With `arrays`, numpy
        arrays are values. Without, a jail that may import only numpy does so on demand. A jail that will be `sealed` has
        the modules that it cannot import afterwards.
        """
        packages = tuple(name for name in third_party(imports) if arrays or name != "numpy")
        if packages != self.packages:
            if packages not in self._others:
                self._others[packages] = Launcher(fork=self.fork, packages=packages)
            other = self._others[packages]
            other.foresees = self.foresees
            return other.open(limits, imports, arrays=arrays, sealed=sealed)
        if not self.fork:
            return self._open_interpreter(limits, arrays=arrays)
        self.in_force  # noqa: B018  waits until it is ready
        ours, theirs = socket.socketpair()
        stacks, their_stacks = os.pipe()
        request = {
            "op": "fork",
            "memory": limits.memory_mb << 20,
            "cpu": _cpu_seconds(limits) + (SEAL_SECONDS if sealed else 0),
            "sealed": sealed,
            "foresee": self.foresees,
            "imports": list(needed_by(tuple(imports)).files),
            "sites": site_packages() if imports else [],
            "arrays": arrays,
            "core": self._settle(),
        }
        try:
            descriptors = [theirs.fileno(), their_stacks]
            socket.send_fds(self._control, [json.dumps(request).encode()], descriptors)
            child = self._reply()["pid"]
        except (OSError, SandboxUnavailable) as error:
            ours.close()
            os.close(stacks)
            self._lost = True
            raise SandboxUnavailable("the launcher of jails has ended") from error
        finally:
            theirs.close()
            os.close(their_stacks)
        watch = StackSampler(stacks, functools.partial(self._look, child))
        return Process(SocketStream(ours), self, child, limits, watch)

    def _look(self, child: int) -> None:
        """Have a jail write its stack. Raises OSError, SandboxUnavailable."""
        self._control.sendall(json.dumps({"op": "look", "pid": child}).encode())
        self._reply()

    def _settle(self) -> int | None:
        """Bind this thread to the core that it runs on, and return that core (Linux only)."""
        try:
            fields = Path("/proc/thread-self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            core = int(fields[36])  # `processor` in proc(5)
            self._cores = self._cores or os.sched_getaffinity(0)
            os.sched_setaffinity(0, {core})
        except (OSError, AttributeError, ValueError, IndexError):
            return None
        return core

    def _open_interpreter(self, limits: Limits, *, arrays: bool) -> Process:
        try:
            child = subprocess.Popen(
                [*INTERPRETER, str(LAUNCHER), *(["--arrays"] if arrays else []), "--alone", *self._options],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._variables
                | {k: v for k, v in os.environ.items() if k == "SYSTEMROOT"},  # for Windows
                cwd=LAUNCHER.anchor,
            )
        except OSError as error:
            raise SandboxUnavailable(f"the jail's interpreter did not start: {error}") from error
        self._children.add(child)
        return Process(PipeStream(child), self, child, limits)

    def end(self, child: int | subprocess.Popen[bytes], *, died: bool) -> int:
        """Kill and reap a jail; return its wait status if it had died by itself, else 0."""
        if isinstance(child, int):
            if self._process is None:
                return 0  # ended with the launcher
            request = {"op": "end", "pid": child, "died": died}
            try:
                self._control.sendall(json.dumps(request).encode())
            except OSError as error:
                self._lost = True
                raise SandboxUnavailable("the launcher of jails has ended") from error
            return int(self._reply()["status"])
        self._children.discard(child)
        child.kill()
        child.wait()
        return 0

    def close(self) -> None:
        """End the launcher and all its jails."""
        for other in self._others.values():
            other.close()
        for child in list(self._children):
            self.end(child, died=False)
        if self._cores is not None:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, self._cores)
        if self._process is not None:
            if not self._measures:
                self._process.kill()  # never used, and perhaps still starting
            self._lines.close()
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_WR)  # then it ends its jails and itself
                self._control.settimeout(2)
                while self._control.recv(4096):  # until it has ended; `Popen.wait` with a timeout would poll
                    pass
            self._control.close()
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_early: list[Launcher] = []


def start_early() -> None:
    """Start the launcher that `take_launcher` will return, so that it gets ready during further imports."""
    with contextlib.suppress(SandboxUnavailable):  # `take_launcher` will report it
        _early.append(Launcher())
        atexit.register(_early[-1].close)


def take_launcher() -> Launcher:
    """Return the launcher that was started early, or start one. Raises SandboxUnavailable."""
    return _early.pop() if _early else Launcher()
