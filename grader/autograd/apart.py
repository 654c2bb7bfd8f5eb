"""Tests of one function apart from another one: a wrong `build_topo` or `unbroadcast` does not fail them."""

from __future__ import annotations

import functools
import random
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
    return _tried(test, _with_a_right_sort)


def apart_from_unbroadcast(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes if the operations do what they should with a right `unbroadcast`.

    It runs as it is first. If it fails and the student's `unbroadcast` is wrong or a blank, it runs once more with a right
    one. A failure is that of the first run.
    """
    return _tried(test, _with_a_right_sum)


def _tried(test: Callable[..., None], repaired: Callable[[AutogradStudent], bool]) -> Callable[..., None]:
    @functools.wraps(test)
    def tried(student: AutogradStudent, **fixtures: object) -> None:
        rng = fixtures.get("rng")
        state = rng.getstate() if isinstance(rng, random.Random) else None
        try:
            return test(student, **fixtures)
        except (AssertionError, StudentError, Undefined):
            if isinstance(rng, random.Random) and state:
                rng.setstate(state)  # the second run has the same numbers
            if not _passes_apart(test, student, fixtures, repaired):
                raise

    return tried


def _passes_apart(
    test: Callable[..., None],
    student: AutogradStudent,
    fixtures: dict[str, object],
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


def _with_a_right_sum(student: AutogradStudent) -> bool:
    return student.helper(inside.source("summing"), "replaced")(student.node_class) is True
