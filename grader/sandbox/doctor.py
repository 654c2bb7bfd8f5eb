"""The doctor: tries each of the jail's promises on this machine and reports which hold.

docs/promises.md has the promises. A probe attacks one of them, as a submission might, in a real jail. It returns a
line for each successful attempt, and nothing if the promise holds. A success harms no machine.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import secrets
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader import __version__
from grader.manifest import Limits
from grader.sandbox import Sandbox, StudentError, SubmissionStopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.sandbox import Launcher

LIMITS = Limits(load_seconds=5, check_seconds=0.1, total_seconds=20, memory_mb=128, output_kb=1)
START_SECONDS = 60


# --- The examination


@dataclass(frozen=True)
class _PromiseFinding:
    """The result for one promise: `broken` has a line for each successful attempt."""

    number: int
    promise: str
    broken: list[str]


@dataclass(frozen=True)
class _Diagnosis:
    """The measures in force on this machine, the missing ones with their reasons, and a finding for each promise."""

    in_force: dict[str, str]
    missing: dict[str, str]
    findings: list[_PromiseFinding]

    @property
    def sound(self) -> bool:
        """True if every promise holds."""
        return not any(finding.broken for finding in self.findings)


def examine(launcher: Launcher) -> _Diagnosis:
    """Try every promise. Raises SandboxUnavailable if no jail can be started."""
    findings = []
    with tempfile.TemporaryDirectory(prefix="backgrade-doctor-") as folder:
        room = _Room(launcher, Path(folder).resolve(), secrets.token_hex(16))
        (room.folder / "secret.txt").write_text(room.secret, encoding="utf-8")
        for number, (promise, probe) in enumerate(PROMISES.items(), start=1):
            try:
                broken = probe(room)
            except (StudentError, SubmissionStopped) as error:
                broken = [f"the probe was ended early: {error}"]
            findings.append(_PromiseFinding(number, promise, broken))
    return _Diagnosis(launcher.in_force, launcher.missing, findings)


# --- The page


def render(diagnosis: _Diagnosis) -> str:
    """Return the diagnosis as text for a terminal."""
    lines = [_machine(), ""]
    for measure, what in diagnosis.in_force.items():
        lines += _hanging(f"  {measure:<10}  in force  ", what)
    for measure, why in diagnosis.missing.items():
        lines += _hanging(f"  {measure:<10}  missing   ", why)
    lines += ["", "Promises: a submission"]
    for finding in diagnosis.findings:
        state = "broken" if finding.broken else "holds"
        lines.append(f"  {finding.number:>2}  {state:<6}  {finding.promise}")
        for what in finding.broken[:4]:
            lines += _hanging(" " * 14, what)
        if len(finding.broken) > 4:
            lines.append(" " * 14 + f"and {len(finding.broken) - 4} more")
    lines.append("")
    if diagnosis.sound:
        lines.append("Every promise holds on this machine.")
    else:
        lines += _hanging(
            "",
            "Not every promise holds on this machine. Grade only your own work here; for the work of others use "
            "Linux with Landlock and seccomp, or a dev container.",
        )
    lines.append("docs/promises.md in Backgrade's repository says what is promised and what is not.")
    return "\n".join(lines) + "\n"


def _machine() -> str:
    who = "root" if hasattr(os, "geteuid") and os.geteuid() == 0 else "an ordinary user"
    system = f"{platform.system()} {platform.release()} ({platform.machine()})"
    return f"Backgrade {__version__}, Python {platform.python_version()}, {system}, as {who}"


def _hanging(beginning: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, 96, initial_indent=beginning, subsequent_indent=" " * len(beginning), break_on_hyphens=False
    )


# --- The probes, one for each promise


@dataclass
class _Room:
    """The environment of the probes: jails, and a folder with a secret outside them."""

    launcher: Launcher
    folder: Path
    secret: str

    @contextlib.contextmanager
    def jail(self, source: str, limits: Limits = LIMITS) -> Any:
        """Open a jail and load this source as its submission."""
        box = Sandbox(self.launcher, [textwrap.dedent(source)], limits)
        try:
            box.load()
            yield box
        finally:
            box.close()

    def run_probe(self, source: str, *arguments: object) -> list[str]:
        """Return the result of `probe(*arguments)` of that source: a line for each successful attempt."""
        with self.jail(source) as box:
            return [str(name) for name in box.get("probe")(*arguments)]


def _reads(room: _Room) -> list[str]:
    paths = [str(room.folder / "secret.txt"), str(Path(__file__)), "/etc/passwd"]
    paths += [f"/proc/{who}/environ" for who in ("self", os.getpid())]
    return room.run_probe(
        """
        import os
        def probe(home, *paths):
            got = []
            for path in paths:
                try:
                    with open(path, "rb") as file:
                        file.read(1)
                    got.append("it read " + path)
                except OSError:
                    pass
            try:
                os.listdir(home)
                got.append("it listed " + home)
            except OSError:
                pass
            return got
        """,
        str(Path.home()),
        *paths,
    )


def _writes(room: _Room) -> list[str]:
    return room.run_probe(
        """
        import os
        def probe(folder, secret):
            got = []
            def attempt(what, deed):
                try:
                    deed()
                    got.append("it could " + what)
                except (OSError, AttributeError):
                    pass
            attempt("make a file", lambda: open(os.path.join(folder, "made.txt"), "w").close())
            attempt("change a file", lambda: open(secret, "a").close())
            attempt("make a folder", lambda: os.mkdir(os.path.join(folder, "made")))
            attempt("change a file's mode", lambda: os.chmod(secret, 0o600))
            attempt("change a file's time", lambda: os.utime(secret))
            attempt("link a file", lambda: os.link(secret, os.path.join(folder, "link")))
            attempt("make a file in memory", lambda: os.close(os.memfd_create("made")))
            return got
        """,
        str(room.folder),
        str(room.folder / "secret.txt"),
    )


def _sockets(room: _Room) -> list[str]:
    return room.run_probe(
        """
        import socket
        def probe():
            got = []
            for family in range(46):
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, 3):
                    try:
                        socket.socket(family, kind).close()
                        got.append(f"it opened a socket of family {family}")
                    except OSError:
                        pass
            return sorted(set(got))
        """
    )


def _processes(room: _Room) -> list[str]:
    return room.run_probe(
        """
        import os, sys
        def child(start):
            pid = start()
            if pid == 0:
                os._exit(0)
            os.waitpid(pid, 0)
        def probe():
            ways = {
                "fork": lambda: child(os.fork),
                "start a program": lambda: os.waitpid(os.posix_spawn(sys.executable, [sys.executable, "-V"], {}), 0),
                "leave its session": os.setsid,
            }
            got = []
            for what, deed in ways.items():
                try:
                    deed()
                    got.append("it could " + what)
                except (OSError, AttributeError):
                    pass
            return got
        """
    )


def _signals(room: _Room) -> list[str]:
    return room.run_probe(
        """
        import ctypes, os
        def probe(grader):
            got = []
            for who, pid in (("the launcher", os.getppid()), ("the grader", grader)):
                try:
                    os.kill(pid, 0)
                    got.append("it may send signals to " + who)
                except OSError:
                    pass
            try:
                libc = ctypes.CDLL(None, use_errno=True)
                here = ctypes.create_string_buffer(8)
                class Vector(ctypes.Structure):
                    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
                local = Vector(ctypes.addressof(here), 8)
                for pid in (os.getppid(), grader):
                    remote = Vector(id(None), 8)
                    if libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) >= 0:
                        got.append("it read the memory of another process")
                        break
                    if ctypes.get_errno() not in (1, 38):  # EFAULT: access was granted, the address was wrong
                        got.append("it may look into another process")
                        break
            except (AttributeError, OSError, TypeError):
                pass
            return got
        """,
        os.getpid(),
    )


def _bounds(room: _Room) -> list[str]:
    broken = []
    with room.jail(
        """
        print("x" * 5_000)
        def loop():
            while True: pass
        def memory(): return len(bytearray(1 << 28))
        def recursion(): return recursion()
        def answer(): return "x" * 10_000_000
        """
    ) as box:
        size, kept = box.printed
        if size < 5_000 or len(kept) > LIMITS.output_kb << 10:
            broken.append("its output is not bounded")
        for name, error in (("memory", "MemoryError"), ("recursion", "RecursionError")):
            try:
                box.get(name)()
                broken.append(f"its {name} is not bounded")
            except StudentError as raised:
                if raised.type != error:
                    broken.append(f"past its {name} it raised {raised.type}")
        if isinstance(box.get("answer")(), str):
            broken.append("its messages are not bounded")
        loop = box.get("loop")
        try:
            with box.budget.within("check_seconds", LIMITS.check_seconds):
                loop()
        except SubmissionStopped as error:
            if error.limit != "check_seconds":
                broken.append(f"an endless loop was ended for {error.limit}")
    return broken


def _secrets(room: _Room) -> list[str]:
    expected = float(int(room.secret[:8], 16)) + 0.5
    with room.jail(
        """
        import gc, sys
        class Yes(float):
            def __eq__(self, other): return True
            def __sub__(self, other): return 0.0
            __rsub__ = __sub__
            __hash__ = float.__hash__
        answer = Yes(1.0)
        def texts(found, depth=0):
            for thing in found:
                if isinstance(thing, (str, float)):
                    yield thing
                elif isinstance(thing, (dict, list, tuple)) and depth < 3:
                    yield from texts(list(thing.values()) if isinstance(thing, dict) else list(thing), depth + 1)
        def found():
            frames, frame = [], sys._getframe()
            while frame is not None:
                frames.append({**frame.f_locals, **frame.f_globals})
                frame = frame.f_back
            return [str(text) for text in texts([gc.get_objects(), frames])]
        def probe(beginning, length):
            end = [text for text in found() if text.startswith(beginning) and len(text) == length]
            modules = [name for name in sys.modules if name.split(".")[0] in ("grader", "_pytest", "pytest")]
            return (["it found a text that only the grader should know"] if end else []) + ["it sees " + name for name in modules]
        """
    ) as box:
        broken = [str(name) for name in box.get("probe")(room.secret[:6], len(room.secret))]
        if box.get("answer") == expected or type(box.get("answer") - expected) is not float:
            broken.append("a number that claims to equal everything was believed")
    return broken


def _bytes(room: _Room) -> list[str]:
    broken = []
    forged = json.dumps({"n": 1, "v": 42}).encode()
    for name, data in {
        "a reply in advance": len(forged).to_bytes(4, "big") + forged,
        "a message of four gigabytes": b"\xff" * 8,
        "bytes that are no message": b"\x00\x00\x00\x04\xfe\xfe\xfe\xfe",
    }.items():
        source = f"import os\nvalue = 7\ndef probe():\n    os.write(3, {data!r})\n    return []\n"
        with room.jail(source) as box:
            probe = box.get("probe")
            try:
                probe()
                box.get("value")
                broken.append(f"{name} was taken")
            except SubmissionStopped as error:
                if not error.forged:
                    raise
    return broken


def _neighbours(room: _Room) -> list[str]:
    with room.jail("import builtins, math, random\nmath.pi = builtins.sum = random.random = 3\nx = sum"):
        pass
    return room.run_probe(
        """
        import math, random
        def probe():
            changed = [math.pi == 3, sum == 3, random.random == 3]
            return ["it sees a change that the submission before it made"] if any(changed) else []
        """
    )


# The files next to a submission; a file that is executed leaves a mark.
_SPY = 'from pathlib import Path\nPath(__file__).with_name(Path(__file__).stem + ".ran").touch()\n'
_COURSE = {
    "assignments/probe/assignment.yaml": (
        'format: 1\ntitle: Probe\nsubmission: probe.ipynb\nchecks: {one: {points: 1, hints: ["a"]}}\n'
    ),
    "assignments/probe/probe.ipynb": '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
    "assignments/probe/checks/test_one.py": (
        '"""One is one."""\n\nfrom _helpers import ONE\n\n\ndef test_one(student):\n    """One is one."""\n'
        "    assert student.one == ONE\n"
    ),
    "assignments/probe/checks/_helpers.py": "ONE = 1\n",
    "mine/probe.py": "one = 1\n",
    "mine/pytest.ini": "[pytest]\naddopts = --collect-only\n",
    **{
        f"mine/{name}.py": _SPY
        for name in ("_helpers", "conftest", "random", "click", "pytest", "json", "sitecustomize")
    },
}


def _start(room: _Room) -> list[str]:
    """Start the real command among files and settings that a careless grader would execute."""
    for name, text in _COURSE.items():
        path = room.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    mine = room.folder / "mine"
    start = "from grader.cli import main; main()"
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-c",
            start,
            "probe",
            "probe.py",
            "--format",
            "json",
            "--allow-weak-isolation",
        ],
        cwd=mine,
        env=os.environ | {"PYTEST_ADDOPTS": "-p conftest", "PYTEST_PLUGINS": "conftest"},
        capture_output=True,
        timeout=START_SECONDS,
        check=False,
    )
    broken = [f"{path.stem}.py beside the submission was executed" for path in sorted(mine.glob("*.ran"))]
    if done.returncode != 0:
        broken.append(f"a correct submission beside them got exit code {done.returncode}")
    return broken


PROMISES: dict[str, Callable[[_Room], list[str]]] = {
    "reads nothing but Python's library, the allowed imports and itself": _reads,
    "writes nothing": _writes,
    "opens no socket": _sockets,
    "starts no program and no process": _processes,
    "cannot signal, trace or read the grader": _signals,
    "is bounded in time, memory, recursion, output and message size": _bounds,
    "cannot forge a result or learn an expected value": _secrets,
    "cannot confuse the grader with what it sends": _bytes,
    "cannot change another submission's result": _neighbours,
    "has no say in how the grader starts": _start,
}
