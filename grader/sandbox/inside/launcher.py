"""The clean launcher: forks a closed jail for each request, ends and reaps it.

Started by its path; it never sees a submission and holds no secret.

    launcher.py                forks jails, on requests from descriptor 0
    launcher.py --alone                  is one jail on stdin and stdout, on systems that cannot fork
    launcher.py --arrays --alone         the same, and numpy's arrays are values
    ... --packages NAME,... FOLDER ...   jails that have these modules, which are installed in the folders
"""

import _socket  # faster to import than `socket`
import contextlib
import faulthandler
import gc
import importlib
import io
import json
import os
import signal
import sys
import time
import types
from collections.abc import Iterator
from typing import Any

STACKS = 4  # the descriptor to which a jail writes its stack
USUAL = {"PATH": os.defpath, "HOME": "/", "USER": "student"}  # variables that cells look up
READY = b'\0\0\0\x10{"n":0,"v":null}'  # the first message of a jail that is closed


def load(name: str) -> Any:
    """Import a module from this folder; jails find no trace of its package."""
    package = types.ModuleType("inside")
    package.__path__ = [os.path.dirname(__file__)]
    sys.modules["inside"] = package
    try:
        return importlib.import_module(f"inside.{name}")
    finally:
        for module in [m for m in sys.modules if m.partition(".")[0] == "inside"]:
            del sys.modules[module]


@contextlib.contextmanager
def _no_hooks_at_fork() -> Iterator[None]:
    """Keep modules imported in the block from registering hooks that run after a fork.

    Those of `threading` and `random` would take as long as the fork itself. They are not needed: the launcher has
    one thread, and a jail seeds `random` at every load.
    """
    register, os.register_at_fork = os.register_at_fork, lambda **_: None
    try:
        yield
    finally:
        os.register_at_fork = register


def _again_with(packages: list[str]) -> None:
    """Restart with only these packages: that ends threads of the other packages, which each jail then imports."""
    options = ["--packages", *packages] if packages[0] else []
    os.execv(sys.executable, [*sys.orig_argv[: sys.orig_argv.index(__file__) + 1], *options])  # noqa: S606  itself


class JailForker:
    """Forks jails, ends and reaps them, on requests from its socket; never sees a submission."""

    def __init__(self, control: Any, worker: Any, policy: Any) -> None:
        self.control, self.worker, self.policy = control, worker, policy
        self.sealing, self.packages = load("sealing"), load("packages")
        self.children: set[int] = set()
        self.has_foreseen = False  # True once the modules that sealed jails may need are imported

    def serve(self) -> None:
        """Carry out requests until the grader has ended; then end every jail."""
        self.control.sendall(_line({"ready": self.policy.in_force, "missing": self.policy.missing}))
        # Once here instead of in every jail, where it takes 0.1 ms.
        faulthandler.register(signal.SIGUSR1, STACKS, all_threads=False)
        gc.collect()
        gc.freeze()
        while True:
            data, ancillary, _, _ = self.control.recvmsg(4096, _socket.CMSG_LEN(8))
            if not data:
                break
            request = json.loads(data.decode())
            if request["op"] == "fork":
                fds = memoryview(ancillary[0][2]).cast("i").tolist()
                self.control.sendall(_line({"pid": self.fork(request, *fds)}))
                if request["foresee"]:
                    self.foresee()  # while the jail works
            elif request["op"] == "look":
                self.control.sendall(_line({"looked": self.look(request["pid"])}))
            else:
                self.control.sendall(_line({"status": self.end(request["pid"], died=request["died"])}))
        for pid in list(self.children):
            self.end(pid)
        os._exit(0)  # nothing has to be cleaned up

    def fork(self, request: dict[str, Any], fd: int, stacks: int) -> int:
        """Fork a jail that takes requests on descriptor `fd`; return its process id.

        At SIGUSR1 it writes its stack to the descriptor `stacks`, a higher number.
        """
        imports = tuple(request["imports"])
        if request["sealed"]:
            self.foresee()
        self.policy.prepare(imports, request["sites"])
        parent = os.getpid()
        pid = os.fork()
        if pid:
            os.close(fd)
            os.close(stacks)
            self.children.add(pid)
            return pid
        try:
            os.setpgid(0, 0)
            if request["core"] is not None:
                os.sched_setaffinity(0, {request["core"]})
            self.control.close()
            try:
                self.policy.apply(
                    request["memory"], request["cpu"], imports, parent, sealed=request["sealed"]
                )
            except Exception as error:  # sent before any student code could run
                self.worker.Jail(fd, fd).send({"n": 0, "e": f"{type(error).__name__}: {error}"})
            else:
                fd = os.dup2(fd, 3, inheritable=False) if fd != 3 else fd
                if stacks != STACKS:
                    os.dup2(stacks, STACKS, inheritable=False)
                os.closerange(STACKS + 1, self.policy.descriptors)
                os.write(fd, READY)
                self.worker.Jail(fd, fd, self.seal, arrays=request["arrays"]).serve()
        finally:
            os._exit(70)

    def foresee(self) -> None:
        """Import the modules that Python and numpy load on first use: a sealed jail cannot, and doing it in each is slow."""
        if self.has_foreseen:
            return
        self.has_foreseen = True
        with _no_hooks_at_fork():
            self.sealing.import_all(self.sealing.LAZY)
            self.packages.import_lazy()
        self.policy.prepare_seal()
        self.sealing.read_all(self.sealing.mapped_files())
        gc.collect()
        gc.freeze()

    def seal(self, modules: list[str]) -> None:
        """Import these modules in this jail, then apply the second filter."""
        if self.sealing.import_all(modules):
            self.sealing.read_all(self.sealing.libraries())
        self.packages.open_fonts()
        self.policy.apply_seal()

    def look(self, pid: int) -> bool:
        """Have a jail write its stack; return False if there is no such jail."""
        if pid in self.children:
            os.kill(pid, signal.SIGUSR1)
        return pid in self.children

    def end(self, pid: int, *, died: bool = False) -> int:
        """Kill and reap a jail; return its wait status if it had `died` by itself, else 0."""
        if pid not in self.children:
            return 0
        self.children.discard(pid)
        patience = 50 if died else 0  # its descriptors close a little before it can be reaped
        for _ in range(patience):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return status
            time.sleep(0.002)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        return 0


def _line(message: object) -> bytes:
    return (json.dumps(message) + "\n").encode()


def _forget_the_outside() -> None:
    """Remove arguments that reveal the grader's folder, and point the standard streams at the null device."""
    sys.argv, sys.orig_argv = [""], [sys.executable]
    os.environ.pop("LC_CTYPE", None)  # which Python itself has added
    for name, value in USUAL.items():  # only in the mapping: the process itself has none of them
        vars(os.environ)["_data"].setdefault(os.environ.encodekey(name), os.environ.encodevalue(value))
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    sys.stdin = io.StringIO()


def _be_a_jail(worker: Any, *, arrays: bool) -> None:
    """Serve as one jail on stdin and stdout, on systems that cannot fork."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    if os.name == "nt":
        import msvcrt

        for fd in (read_fd, write_fd):
            msvcrt.setmode(fd, os.O_BINARY)  # type: ignore[attr-defined]
    _forget_the_outside()
    os.write(write_fd, READY)
    worker.Jail(read_fd, write_fd, arrays=arrays).serve()


def main(arguments: list[str]) -> None:
    """Start as the module's docstring says."""
    packages = arguments[arguments.index("--packages") + 1 :] if "--packages" in arguments else [""]
    names, folders = packages[0].split(",") if packages[0] else [], packages[1:]
    if "--alone" in arguments:
        worker = load("worker")
        load("packages").import_packages(names, folders)
        _be_a_jail(worker, arrays="--arrays" in arguments)
        return
    control = _socket.socket(fileno=os.dup(0))
    with _no_hooks_at_fork():
        worker, policy = load("worker"), load("confine").Policy()
        if not load("packages").import_packages(names, folders):
            _again_with(["numpy" if "numpy" in names else "", *folders])
    _forget_the_outside()  # here once, not in every jail
    JailForker(control, worker, policy).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
