"""Tests of one function apart from another one that it uses, which may be wrong or a blank."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from grader.autograd import inside
from grader.sandbox import StudentError, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.autograd.topic import AutogradStudent


def apart_from_sort(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes if `student.backward` does what it should with a right `build_topo`.

    It runs as it is first. If it fails and the student's `build_topo` is wrong or a blank, it runs once more, and the
    global name `build_topo` has a right sort while `backward` runs. A failure is that of the first run.
    """
    return _apart(test, _with_a_right_sort)


def apart_from_unbroadcast(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes with a right `unbroadcast`. A failure is that of the first run."""
    return _apart(test, functools.partial(_with_a_right, "unbroadcast"))


def apart_from_log_softmax(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes with a right `log_softmax`. A failure is that of the first run."""
    return _apart(test, functools.partial(_with_a_right, "log_softmax"))


def _apart(test: Callable[..., None], repaired: Callable[[AutogradStudent], bool]) -> Callable[..., None]:
    @functools.wraps(test)
    def tried(student: AutogradStudent, **fixtures: Any) -> None:
        rng = fixtures.get("rng")
        state = rng.getstate() if rng else None
        try:
            return test(student, **fixtures)
        except (AssertionError, StudentError, Undefined):
            if rng:
                rng.setstate(state)  # the second run has the same numbers
            if not _passes(test, student, fixtures, repaired):
                raise

    return tried


def _passes(
    test: Callable[..., None],
    student: AutogradStudent,
    fixtures: dict[str, Any],
    repaired: Callable[[AutogradStudent], bool],
) -> bool:
    try:
        if not repaired(student):
            return False
        test(student, **fixtures)
    except (AssertionError, StudentError, Undefined):
        return False
    finally:
        vars(student).pop(student.engine.backward, None)
    return True


def _with_a_right_sort(student: AutogradStudent) -> bool:
    name = student.engine.backward
    source = inside.source("nodes", "holding", "sorting", renames=student.engine.renames)
    handed = student.helper(source, "handed")(student.quietly(name))
    if handed is not None:
        vars(student)[name] = handed  # until the test ends
    return handed is not None


def _with_a_right(name: str, student: AutogradStudent) -> bool:
    source = inside.source("standins", renames=student.engine.renames)
    return student.helper(source, "stand_in")(student.node_class, name) is True
