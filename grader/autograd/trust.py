"""Helpers for checks that rely on the student's operations or functions, to judge only the work in question."""

from __future__ import annotations

import contextlib
import functools
import math
import operator
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from grader.autograd.engine import grad_of, node_data, set_grad
from grader.autograd.exact import derivatives
from grader.autograd.nodes import PlainNodes, hand_on, kept_pairs, kept_slopes, own_nodes, student_helper
from grader.sandbox import StudentError, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.autograd.topic import AutogradStudent

T = TypeVar("T")
_FAILURES = (AssertionError, StudentError, Undefined)  # of a test
# Errors that a wrong engine may raise.
_FAULTS = (
    StudentError,
    Undefined,
    AttributeError,
    TypeError,
    ValueError,
)


# --- Single operations

_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "*": operator.mul}


def works(student: AutogradStudent, *operations: str) -> bool:
    """Return True if these operations, of + and *, give right values, hand on right contributions, and keep their inputs.

    Then a check can walk a graph that they make, and a fault that it finds is a fault of the walk. The student's `backward`
    takes no part. Raises the error of the blank if neither + nor × is written.
    """

    def all_work() -> bool:
        with student.trial():
            return all(_works(student, _OPERATIONS[name]) for name in operations)

    return bool(_unless_wrong(student, all_work))


def _unless_wrong(student: AutogradStudent, work: Callable[[], T]) -> T | None:
    """Return what `work` returns; None for an error of a wrong engine. Raises a blank's error if no operation is written."""
    try:
        return work()
    except NotImplementedError:
        if not _has_operations(student):
            raise
    except (AssertionError, *_FAULTS):
        pass
    return None


def _works(student: AutogradStudent, apply: Callable[[Any, Any], Any]) -> bool:
    for x, y in ((3.5, -1.25), (-0.75, 2.5)):
        a, b = student.leaves(a=x, b=y)
        set_grad(a, 10.0)
        set_grad(b, 10.0)
        result = apply(a, b)
        hand_on(student, result, -4.0)
        value, slopes = derivatives(lambda a, b: apply(a, b), {"a": x, "b": y})  # noqa: PLW0108  operators take no names
        expected = (value, *(10.0 - 4.0 * slope for slope in slopes.values()))
        if not _close((node_data(result), grad_of(a), grad_of(b)), expected):
            return False
    (a,) = student.leaves(a=3.5)
    right, left = apply(a, 2.0), apply(2.0, a)
    row = apply(right, left)
    hand_on(student, row)
    value, slopes = derivatives(lambda a: apply(apply(a, 2.0), apply(2.0, a)), {"a": 3.5})
    expected = (apply(3.5, 2.0), apply(2.0, 3.5), value, slopes["a"])
    return _close((node_data(right), node_data(left), node_data(row), grad_of(a)), expected)


def _close(read: Sequence[Any], expected: Sequence[float]) -> bool:
    return all(math.isclose(float(have), want) for have, want in zip(read, expected, strict=True))


def built(
    student: AutogradStudent,
    build: Callable[..., Any],
    value: float,
    slopes: Sequence[float],
    **numbers: float,
) -> tuple[Any, ...] | None:
    """Return leaves with these numbers and the root that `build` makes of them; None unless it has this value and slopes.

    Then a fault in a walk over these nodes is a fault of the walk. Raises the error of the blank if neither + nor × is
    written.
    """
    leaves = student.leaves(**numbers)

    def make() -> tuple[Any, ...] | None:
        root = build(*leaves)
        found = (node_data(root), *kept_slopes(root, **dict(zip(numbers, leaves, strict=True))))
        return (*leaves, root) if _close(found, (value, *slopes)) else None

    return _unless_wrong(student, make)


def graph(student: AutogradStudent, edges: Mapping[str, Mapping[str, float]]) -> PlainNodes:
    """Return nodes of the student's class to walk, with these inputs and local derivatives, as `own_nodes` does.

    If it is unclear how a node keeps its inputs, the student's + and × make the graph, if they are right; `nodes` then also
    has the nodes in between. Skips the test if neither is possible.
    """
    if own := own_nodes(student, edges):
        return own
    engine = student.engine
    if not works(student, "+", "*"):
        skip_test(
            f"This check cannot see how {engine.a_node} keeps its inputs, and + or × is not right yet, so the check has no graph to walk. Make + and × right first."
        )
    nodes = dict[str, Any]()
    for name, slopes in edges.items():
        parts = [nodes[child] * slope for child, slope in slopes.items()] or student.leaves(**{name: 1.0})
        nodes |= {f"{name}.{place}": part for place, part in enumerate(parts)}
        (nodes[name],) = student.name(**{name: functools.reduce(operator.add, parts)})
    for node in nodes.values():
        if grad_of(node) is None:  # as own nodes begin
            set_grad(node, 0.0)
    return PlainNodes(nodes, list)


def kept_graph(student: AutogradStudent, **edges: Mapping[str, float]) -> PlainNodes:
    """Return the graph of `graph`. Raises AssertionError with words unless the last node keeps a pair for each child."""
    nodes = graph(student, edges)
    kept_pairs(nodes[list(edges)[-1]])
    return nodes


def walkable(
    student: AutogradStudent,
    build: Callable[..., Any],
    value: float,
    slopes: Sequence[float],
    edges: Mapping[str, Mapping[str, float]],
    **numbers: float,
) -> tuple[Any, ...]:
    """Return the nodes of `built`, or else the leaves and the root of `kept_graph`; the root is the last node."""
    if made := built(student, build, value, slopes, **numbers):
        return made
    nodes = kept_graph(student, **edges)
    return tuple(nodes[name] for name in (*numbers, list(edges)[-1]))


def skip_test(reason: str, excuse: str = "") -> NoReturn:
    """End the test, which cannot judge this submission before another check passes.

    If the check `excuse` does not pass, the test counts as passed: it found no other fault.
    """
    import pytest  # late: it takes time to import, and a test has already imported it

    skipped = pytest.skip.Exception(reason)
    skipped.add_note(excuse)
    raise skipped


def _has_operations(student: AutogradStudent) -> bool:
    with student.trial():
        a, b = student.leaves(a=3.5, b=-1.25)
    for apply in (operator.add, operator.mul):
        try:
            apply(a, b)
        except NotImplementedError:
            continue
        except _FAULTS:
            pass
        return True
    return False


# --- One function, judged without the faults of another


def apart_from_sort(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes with a right `build_topo`, if nodes have a method `backward`.

    A `backward` outside of the class is judged with the student's own `build_topo`. A failure is reported from the first run.
    """
    return _apart(
        test, ("holding", "sorting"), lambda student: [getattr(student.node_class, student.engine.backward)]
    )


def apart_from_unbroadcast(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes with a right `unbroadcast`. A failure is reported from the first run."""
    return _apart(test, ["standins"], lambda student: [student.node_class, "unbroadcast"])


def apart_from_log_softmax(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes with a right `log_softmax`. A failure is reported from the first run."""
    return _apart(test, ["standins"], lambda student: [student.node_class, "log_softmax"])


def _apart(
    test: Callable[..., None], files: Sequence[str], given: Callable[[AutogradStudent], list[Any]]
) -> Callable[..., None]:
    """Return the test with a second run, before which `stand_in` of these files replaces the function.

    `given` returns its arguments: objects by which it finds the submission's names.
    """

    @functools.wraps(test)
    def tried(student: AutogradStudent, **fixtures: Any) -> None:
        rng = fixtures.get("rng")
        state = rng.getstate() if rng else None
        try:
            return test(student, **fixtures)
        except _FAILURES:
            if rng:
                rng.setstate(state)  # the second run has the same numbers
            with contextlib.suppress(*_FAILURES):
                # A picture shows only one run.
                if (
                    not student.watched()
                    and student_helper(student, "stand_in", *files)(*given(student)) is True
                ):
                    return test(student, **fixtures)
            raise

    return tried
