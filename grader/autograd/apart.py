"""A test of `backward` apart from `build_topo`: a wrong sort does not fail it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

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

    @functools.wraps(test)
    def tried(student: AutogradStudent, **fixtures: object) -> None:
        try:
            return test(student, **fixtures)
        except (AssertionError, StudentError, Undefined):
            if not _passes_apart(test, student, fixtures):
                raise

    return tried


def _passes_apart(test: Callable[..., None], student: AutogradStudent, fixtures: dict[str, object]) -> bool:
    try:
        source = inside.source("nodes", "holding", "sorting")
        handed = student.helper(source, "handed")(student.quietly("backward"))
        if handed is None:
            return False
        vars(student)["backward"] = handed  # until the test ends
        test(student, **fixtures)
    except (AssertionError, StudentError, Undefined):
        return False
    finally:
        vars(student).pop("backward", None)
    return True
