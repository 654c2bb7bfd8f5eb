"""The jail: student code runs in a separate process, and only plain data comes out.

    commands.py     `grade doctor`
    doctor.py       tries each promise on this machine, and reports which hold
    student.py      the object `student` of a check: the submission's names as attributes
    live.py         a live namespace instead of a jail, for `check()` in a notebook
    asked.py        the interfaces between a sandbox and the process that answers it
    loading.py      one submission in its jail: its loads, its requests, and the time for both
    sandbox.py      what checks and topics ask of it
    packages.py     the packages that a manifest allows, with all that they need
    foreseen.py     the modules that a jail imports before it is sealed
    replay.py       the recorded requests of a check in one message
    record.py       the record of one test: what it met and read
    proxy.py        the student's objects and numbers as a check sees them
    kinds.py        values in words
    arrays.py       arrays from the jail and for it, and their comparison with an expected array
    tables.py       DataFrames and Series, and the first cell in which two differ
    jail.py         the processes: the launcher, and one jail for each submission
    streams.py      the bytes to and from them
    wire.py         the format of requests and replies, and its caps
    hangs.py        calls that run out of time: where each stood, and a shorter limit for the same call
    stacks.py       the stack of a jail that does not reply
    budget.py       the time of a submission: the charged time, and the time of explanations
    errors.py       the exceptions
    inside/         everything that runs beside student code; imports nothing of the grader's

The exceptions:

    SandboxUnavailable    the jail could not be started: the grader's fault, never a zero
    SubmissionStopped     the jail had to be ended: the submission exceeded a limit (`limit` names it), sent
                          invalid data (`forged`), or its process died
    StudentError          student code raised: an exception as data
    Undefined             the submission does not define a name
    Unanswered            an answer is still the stub's blank (student.py)
    OutOfTime             the time for explanations is used up (budget.py)

docs/promises.md has what the jail promises.
"""

TYPE_CHECKING = False  # type checkers know this name; importing `typing` would cost time at every start
if TYPE_CHECKING:
    from grader.sandbox.asked import Opens
    from grader.sandbox.budget import EXPLAIN_SECONDS, Deadline, safely
    from grader.sandbox.errors import Frame, SandboxUnavailable, StudentError, SubmissionStopped, Undefined
    from grader.sandbox.jail import Launcher, Process, take_launcher
    from grader.sandbox.kinds import kind_words
    from grader.sandbox.loading import ORDERS, SLOW_SECONDS
    from grader.sandbox.proxy import Proxy, Reading
    from grader.sandbox.record import ReadEvent, Record
    from grader.sandbox.sandbox import Sandbox

__all__ = [
    "EXPLAIN_SECONDS",
    "ORDERS",
    "SLOW_SECONDS",
    "Deadline",
    "Frame",
    "Launcher",
    "Opens",
    "Process",
    "Proxy",
    "ReadEvent",
    "Reading",
    "Record",
    "Sandbox",
    "SandboxUnavailable",
    "StudentError",
    "SubmissionStopped",
    "Undefined",
    "kind_words",
    "safely",
    "take_launcher",
]


def __getattr__(name: str) -> object:
    """Import a name of `__all__` on demand: `grade --help` needs no jail."""
    from importlib import import_module

    if name in __all__:
        for module in ("errors", "asked", "budget", "record", "proxy", "kinds", "jail", "loading", "sandbox"):
            found = vars(import_module(f"{__name__}.{module}"))
            if name in found:
                return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
