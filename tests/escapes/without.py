"""A grader with one guard taken out, to see which guard stops an attack.

    without.py GUARD FILE...    prints one report as JSON a line
    without.py GUARD doctor     prints what `grade doctor` prints

Everything else is as it always is: the real launcher, jail, suite and report.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.report import to_json
from grader.sandbox import Launcher, jail, wire
from grader.sandbox.doctor import examine, render
from grader.submissions.submission import read_submission

HERE = Path(__file__).parent
INSIDE = Path(jail.__file__).parent / "inside"


def weak_launcher(guard: str) -> None:
    """Leave out one of the kernel's measures in the launcher; see weak_launcher.py."""
    jail.LAUNCHER = HERE / "weak_launcher.py"
    start = jail.subprocess.Popen

    def popen(command: list[str], **options: Any) -> Any:
        if str(jail.LAUNCHER) not in command:
            return start(command, **options)
        at = command.index(str(jail.LAUNCHER)) + 1
        options["close_fds"] = "inheriting" not in guard.split("+")
        return start([*command[:at], str(INSIDE), guard, *command[at:]], **options)

    jail.subprocess.Popen = popen  # type: ignore[misc,assignment]


def same_process() -> None:
    """Run the jail as a thread of the grader, as graders do that import student code."""
    sys.path.insert(0, str(INSIDE.parent))
    from inside import worker  # type: ignore[import-not-found]

    read = worker._read
    worker._read = lambda fd, size: read(fd, size) or sys.exit()  # ends the thread, not the grader

    def open_(
        self: Launcher, limits: Any, imports: Any = (), *, arrays: bool = False, sealed: bool = False
    ) -> Any:
        ours, theirs = socket.socketpair()
        served = worker.Jail(theirs.fileno(), theirs.fileno())
        served.keep = theirs

        def serve() -> None:
            served.send({"n": 0, "v": None})
            served.serve()

        threading.Thread(target=serve, daemon=True).start()
        return jail.Process(jail.SocketStream(ours), self, 0, limits)

    Launcher.open = open_  # type: ignore[method-assign]
    Launcher.end = lambda *_, **__: 0  # type: ignore[method-assign,assignment]


def no_numbers() -> None:
    """Take every message as the answer to the last request."""
    pack, unpack, asked = wire.pack, wire.unpack, [0]

    def packing(message: dict[str, Any]) -> bytes:
        asked.append(message["n"])
        return pack(message)

    wire.pack = packing
    wire.unpack = lambda body: unpack(body) | {"n": asked[-1]}


def no_caps() -> None:
    """Accept messages of any size, depth and number."""
    wire.MAX_FRAME = wire.MAX_DEPTH = wire.MAX_ITEMS = wire.MAX_TEXT = wire.MAX_DIGITS = 1 << 40
    jail.MAX_BYTES = 1 << 60


def no_deadline() -> None:
    """Wait for an answer without a deadline."""
    jail.SocketStream._arm = lambda self, _: self.sock.settimeout(None)  # type: ignore[method-assign]


def little_processor_time() -> None:
    """Take no guard out, but let the processor time run out long before the wall time."""
    jail._cpu_seconds = lambda _: 1


def same_session() -> None:
    """Let the launcher share the grader's terminal."""
    start = jail.subprocess.Popen
    jail.subprocess.Popen = lambda *args, **kw: start(*args, **(kw | {"start_new_session": False}))  # type: ignore[misc,assignment]


def whole_environment() -> None:
    """Let the launcher have the grader's environment."""
    jail.ENVIRONMENT = dict(os.environ)


KERNEL = (
    "landlock",
    "seccomp",
    "privileges",
    "memory",
    "cpu",
    "files",
    "threads",
    "descriptors",
    "death",
    "dumpable",
    "closing",
    "inheriting",
    "late",
)
GUARDS = {
    **{name: (lambda name=name: weak_launcher(name)) for name in KERNEL},
    "process": same_process,
    "numbers": no_numbers,
    "caps": no_caps,
    "deadline": no_deadline,
    "session": same_session,
    "little": little_processor_time,
    "environment": whole_environment,
    "nothing": lambda: None,  # no guard is taken out
}


def main(guards: str, *paths: str) -> None:
    """Take the guards out, then grade each file in one warm grader."""
    kernel = [guard for guard in guards.split("+") if guard in KERNEL]
    if kernel:
        weak_launcher("+".join(kernel))
    for guard in guards.split("+"):
        if guard not in KERNEL:
            GUARDS[guard]()
    if paths == ("doctor",):
        with Launcher() as launcher:
            print(render(examine(launcher)), file=sys.__stdout__, flush=True)
        return
    course = Course.find(Path.cwd())

    with Launcher() as launcher, open_grader(course.assignment("vault"), launcher) as grader:
        for path in paths:
            report = to_json(grader.grade(read_submission(Path(path)))).replace("\n", "")
            print(report, file=sys.__stdout__, flush=True)  # a jail in this process has its own stdout


if __name__ == "__main__":
    main(*sys.argv[1:])
