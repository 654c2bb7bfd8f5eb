"""Helpers for checks that compare an answer with the student's engine: each first tests the engine itself."""

from __future__ import annotations

import functools
import math
import operator
from typing import TYPE_CHECKING, Any, NoReturn

from grader.autograd import inside
from grader.autograd.engine import go_back, grad_of, node_data, set_grad
from grader.autograd.nodes import (
    PlainNodes,
    assert_made_from,
    children,
    hand_on,
    kept_pairs,
    kept_slopes,
    own_nodes,
    reached,
    walk,
)
from grader.sandbox import StudentError, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.autograd.topic import AutogradStudent

# Errors that a wrong engine may raise.
_FAULTS = (
    StudentError,
    Undefined,
    AttributeError,
    TypeError,
    ValueError,
)


# --- Forward pass


def remembers(student: AutogradStudent) -> bool:
    """Return True if + and × compute right values and keep their operands."""
    try:
        with student.trial():
            a, b = student.leaves(a=5.0, b=-7.0)
        product, total = -1 * b, a + 0.5
        root = total * product
        assert_made_from(root, total, product)
        right = (float(node_data(total)), float(node_data(product)), float(node_data(root))) == (
            5.5,
            7.0,
            38.5,
        )
        return right and len(children(total)) == len(children(product)) == 2 and len(reached(root)) == 7
    except (AssertionError, *_FAULTS):
        return False


# --- Single operations

# Each with its value and its local derivatives.
_OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., float], Callable[..., tuple[float, ...]]]] = {
    "+": (lambda x, y: x + y, lambda x, y: x + y, lambda _x, _y: (1.0, 1.0)),
    "*": (lambda x, y: x * y, lambda x, y: x * y, lambda x, y: (y, x)),
    "relu": (lambda x: x.relu(), lambda x: max(x, 0.0), lambda x: (float(x > 0),)),
}


def works(student: AutogradStudent, *operations: str) -> bool:
    """Return True if these operations, of +, * and relu, give right values, hand on right contributions, and keep their inputs.

    So a check can walk a graph of them, and what it finds is the walk's. No `backward` of the student's takes part.
    Raises the error of the blank if neither + nor × is written.
    """
    try:
        with student.trial():
            return all(_works(student, *_OPERATIONS[name]) for name in operations)
    except NotImplementedError:
        if not _written(student):
            raise
        return False
    except (AssertionError, *_FAULTS):
        return False


def _works(
    student: AutogradStudent,
    apply: Callable[..., Any],
    value: Callable[..., float],
    slopes: Callable[..., tuple[float, ...]],
) -> bool:
    count = apply.__code__.co_argcount
    for numbers in ((3.5, -1.25), (-0.75, 2.5)):
        leaves = student.leaves(**dict(zip("ab", numbers[:count], strict=False)))
        for leaf in leaves:
            set_grad(leaf, 10.0)
        result = apply(*leaves)
        hand_on(student, result, -4.0)
        expected = [10.0 - 4.0 * slope for slope in slopes(*numbers[:count])]
        if not _close(
            (node_data(result), *(grad_of(leaf) for leaf in leaves)), (value(*numbers[:count]), *expected)
        ):
            return False
    if count == 1:
        return True
    (a,) = student.leaves(a=3.5)
    right, left = apply(a, 2.0), apply(2.0, a)
    row = apply(right, left)
    hand_on(student, row)
    x, y = value(3.5, 2.0), value(2.0, 3.5)
    owed = slopes(x, y)[0] * slopes(3.5, 2.0)[0] + slopes(x, y)[1] * slopes(2.0, 3.5)[1]
    return _close((node_data(right), node_data(left), node_data(row), grad_of(a)), (x, y, value(x, y), owed))


def built(
    student: AutogradStudent,
    build: Callable[..., Any],
    value: float,
    slopes: Sequence[float],
    **numbers: float,
) -> tuple[Any, ...] | None:
    """Return leaves of these numbers and what `build` makes of them; None unless that has this value and keeps these slopes.

    So what a walk over these nodes finds is the walk's. Raises the error of the blank if neither + nor × is written.
    """
    leaves = student.leaves(**numbers)
    try:
        root = build(*leaves)
        found = (node_data(root), *kept_slopes(root, **dict(zip(numbers, leaves, strict=True))))
        return (*leaves, root) if _close(found, (value, *slopes)) else None
    except NotImplementedError:
        if not _written(student):
            raise
        return None
    except (AssertionError, *_FAULTS):
        return None


def graph(student: AutogradStudent, edges: Mapping[str, Mapping[str, float]]) -> PlainNodes:
    """Return nodes of the student's class to walk, with these inputs and local derivatives, as `own_nodes` does.

    Where it cannot be seen how a node keeps its inputs, the student's + and × make the graph, if they are right: its other
    nodes are among `nodes`, too. Skips the test where neither can be done.
    """
    if own := own_nodes(student, edges):
        return own
    engine = student.engine
    if not works(student, "+", "*"):
        skip_test(
            f"It cannot be seen how {engine.a_node} keeps its inputs, and + or × is not right yet: no graph can be made."
        )
    nodes = dict[str, Any]()
    for name, slopes in edges.items():
        parts = [nodes[child] * slope for child, slope in slopes.items()] or student.leaves(**{name: 1.0})
        nodes |= {f"{name}.{place}": part for place, part in enumerate(parts)}
        (nodes[name],) = student.name(**{name: functools.reduce(operator.add, parts)})
    return PlainNodes(nodes, list)


def kept_graph(student: AutogradStudent, **edges: Mapping[str, float]) -> PlainNodes:
    """Return what `graph` does. Raises AssertionError with words unless the last node keeps a pair for each child."""
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
    """Return what `built` does, or else the leaves and the root, the last node, of `kept_graph`."""
    if made := built(student, build, value, slopes, **numbers):
        return made
    nodes = kept_graph(student, **edges)
    return tuple(nodes[name] for name in (*numbers, list(edges)[-1]))


def skip_test(reason: str) -> NoReturn:
    """End the test: it cannot judge this submission before another check passes."""
    import pytest  # late: it takes time to import, and a test has it

    pytest.skip(reason)


def _written(student: AutogradStudent) -> bool:
    with student.trial():
        a, b = student.leaves(a=3.5, b=-1.25)
    for apply in (operator.add, operator.mul):
        try:
            apply(a, b)
        except NotImplementedError:
            continue
        except _FAULTS:
            return True
        return True
    return False


# --- Closures that the check walks over


def trusted(student: AutogradStudent, answer: str = "", *, tanh: bool = False) -> bool:
    """Return True if the student's + and × (and tanh) give right gradients.

    Raises Undefined or Unanswered if `answer` is still to be written. The answer is not recorded as
    read: if the engine is wrong, the answer has no part in the failure.
    """
    if answer:
        student.glance(answer)
    try:
        with student.trial():
            right = _right_product_and_sum(student)
            return right and (not tanh or all(_right_tanh(student, x) for x in (0.5, -0.8)))
    except _FAULTS:
        return False


def _right_product_and_sum(student: AutogradStudent) -> bool:
    a, b, c = student.leaves(a=5.0, b=-7.0, c=0.5)
    d = a * b
    e = d + c
    f = e * a
    walk([f, e, d], f)
    return (float(grad_of(a)), float(grad_of(b)), float(grad_of(c))) == (-69.5, 25.0, 5.0)


def _right_tanh(student: AutogradStudent, number: float) -> bool:
    (x,) = student.leaves(x=number)
    t = x.tanh()
    y = t * 2
    walk([y, t], y)
    return math.isclose(float(grad_of(x)), 2 * (1 - math.tanh(number) ** 2), rel_tol=1e-9)


# --- A whole `backward()`


def _twice(a: Any) -> Any:
    b = 3 * a
    return (b + 1) * (b * 2)


def _far(a: Any) -> Any:
    b = 3 * a
    return b * (3 * (b + 1))


# Each expression with its leaves and their gradients, worked out by hand. Every fault shows under each order of sets:
# `=` for `+=` in the first four, nodes compared by their number in the relu of 2 * a, a node that is called at its
# first use in _twice, calls level by level in _far.
_CASES: list[tuple[Callable[..., Any], dict[str, float], tuple[float, ...]]] = [
    (lambda a, b: (a + b) * a, {"a": 2.0, "b": -3.0}, (1.0, 2.0)),
    (lambda a, b: (b + a) * a, {"a": 2.0, "b": -3.0}, (1.0, 2.0)),
    (lambda a, b: a * b + a, {"a": 2.0, "b": -3.0}, (-2.0, 2.0)),
    (lambda a, b: b * a + a, {"a": 2.0, "b": -3.0}, (-2.0, 2.0)),
    (lambda a, b, c: (3 * a - b) ** 2 / c, {"a": 2.0, "b": 4.0, "c": -4.0}, (-3.0, 1.0, -0.25)),
    (lambda a: 5 * (a.relu() + a), {"a": 2.0}, (10.0,)),
    (lambda a: 5 * (a.relu() + a), {"a": -1.0}, (5.0,)),
    (lambda a: 3 * (2 * a).relu(), {"a": 2.0}, (6.0,)),
    (lambda a: 2 * a.tanh() + a, {"a": 0.5}, (3 - 2 * math.tanh(0.5) ** 2,)),
    (_twice, {"a": 2.0}, (78.0,)),
    (_far, {"a": 2.0}, (117.0,)),
]


def trusted_engine(student: AutogradStudent) -> bool:
    """Return True if + - × / ** tanh relu and `backward()` give right gradients.

    Only operators, methods and attributes are used, so engines with and without closures are tested alike.
    """
    try:
        with student.trial():
            return all(_right(student, *case) for case in _CASES)
    except _FAULTS:
        return False


def _right(
    student: AutogradStudent, build: Callable[..., Any], numbers: dict[str, float], slopes: tuple[float, ...]
) -> bool:
    leaves = student.leaves(**numbers)
    go_back(build(*leaves))
    return all(
        math.isclose(float(grad_of(leaf)), slope, abs_tol=1e-9)
        for leaf, slope in zip(leaves, slopes, strict=True)
    )


def trusted_backward(student: AutogradStudent, *, divide: bool = False, keeps: bool = False) -> bool:
    """Return True if `backward()` is right on +, × and relu.

    With `divide` also on /. With `keeps`, a later change of the data must have no effect on the gradients,
    as is the case for local gradients.
    """
    try:
        with student.trial():
            right = _right_sum(student)
            right = right and (not divide or _right_quotient(student))
            return right and (not keeps or _keeps_numbers(student))
    except _FAULTS:  # also where an operation gave a plain number
        return False


def _right_sum(student: AutogradStudent) -> bool:
    a, b, c = student.leaves(a=5.0, b=-7.0, c=40.5)
    f = (a * b + c).relu() * a
    go_back(f)
    (x,) = student.leaves(x=-3.0)
    y = (x * 2).relu() + x * 5
    go_back(y)
    return _close(
        (node_data(f), grad_of(a), grad_of(b), grad_of(c), node_data(y), grad_of(x)),
        (27.5, -29.5, 25.0, 5.0, -15.0, 5.0),
    )


def _right_quotient(student: AutogradStudent) -> bool:
    a, b = student.leaves(a=5.0, b=-4.0)
    q = a / b
    go_back(q)
    return _close((grad_of(a), grad_of(b)), (-0.25, -0.3125))


def _keeps_numbers(student: AutogradStudent) -> bool:
    a, b = student.leaves(a=7.0, b=11.0)
    p = a * b
    setattr(a, student.engine.data, 13.0)
    go_back(p)
    return _close((grad_of(a), grad_of(b)), (11.0, 7.0))


def _close(read: Sequence[Any], expected: Sequence[float]) -> bool:
    return all(math.isclose(float(have), want) for have, want in zip(read, expected, strict=True))


# --- One function apart from another


def apart_from_sort(test: Callable[..., None]) -> Callable[..., None]:
    """Return a test that also passes with a right `build_topo`, unless nodes have no method `backward`.

    A function that stands alone is judged as it is. A failure is that of the first run.
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
            if student.watched() or not _passes(test, student, fixtures, repaired):  # a picture shows one run
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
    return True


def _with_a_right_sort(student: AutogradStudent) -> bool:
    source = inside.source("holding", "sorting", renames=student.engine.renames)
    method = getattr(student.node_class, student.engine.backward)
    return student.helper(source, "stand_in")(method) is True


def _with_a_right(name: str, student: AutogradStudent) -> bool:
    source = inside.source("standins", renames=student.engine.renames)
    return student.helper(source, "stand_in")(student.node_class, name) is True
