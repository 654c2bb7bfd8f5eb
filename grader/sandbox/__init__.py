"""The jail: student code runs in a process of its own, and only plain data comes out.

    SandboxError
      SandboxUnavailable     the jail could not be started: the grader's fault, never a zero
      SubmissionStopped      the jail had to be ended: the submission's doing
        LimitExceeded        ... because it ran past a limit, which is named
        JailCrashed          ... because its process died
        ProtocolViolation    ... because it sent something that is not of the format
    StudentError             student code raised: an exception as data
    Undefined                the submission does not define a name

What is promised of it stands in docs/promises.md.
"""

from grader.sandbox.deadline import EXPLAIN_SECONDS, Deadline, safely
from grader.sandbox.errors import (
    Frame,
    JailCrashed,
    LimitExceeded,
    ProtocolViolation,
    SandboxError,
    SandboxUnavailable,
    StudentError,
    SubmissionStopped,
    Undefined,
)
from grader.sandbox.jail import Launcher, Process
from grader.sandbox.proxy import Proxy, Reading
from grader.sandbox.sandbox import ORDERS, SLOW_SECONDS, Event, Opens, Record, Sandbox

__all__ = [
    "EXPLAIN_SECONDS",
    "ORDERS",
    "SLOW_SECONDS",
    "Deadline",
    "Event",
    "Frame",
    "JailCrashed",
    "Launcher",
    "LimitExceeded",
    "Opens",
    "Process",
    "ProtocolViolation",
    "Proxy",
    "Reading",
    "Record",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "StudentError",
    "SubmissionStopped",
    "Undefined",
    "safely",
]
