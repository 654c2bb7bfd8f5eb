"""Helpers for checks about nodes: what a node keeps, plain nodes that log their calls, orders of calls."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from grader.autograd.engine import engine_of, grad_of, node_data
from grader.autograd.inside import source
from grader.sandbox import Proxy
from grader.sandbox.kinds import kind_words
from grader.sandbox.proxy import box_of, label_of, label_value, operand, relabel, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from grader.autograd.topic import AutogradStudent

DEEPEST = 8  # levels below the root: the graphs of checks on local gradients have three or four


def student_helper(student: AutogradStudent, name: str, *files: str) -> Any:
    """Return a function of these files, which runs in the jail. A check calls it like a function of the student's."""
    return student.helper(source(*files, renames=student.engine.renames), name)


# --- What a node was made from


def children(node: Any) -> list[Any]:
    """Return the nodes in `node._prev`, each once; a set, a tuple or a list may hold them.

    Raises AssertionError with words for an object that is not a node, or for a node that holds anything else.
    """
    engine = engine_of(node)
    assert isinstance(node, Proxy), (
        f"{getattr(node, 'label', '') or 'The result'} is {kind_words(node)}; it must be {engine.a_node}."
    )
    kept = getattr(node, engine.prev)
    assert isinstance(kept, set | frozenset | tuple | list), (
        f"`{engine.prev}` of {short(node)} is {kind_words(kept)}; it must be a set, a tuple or a list."
    )
    for child in kept:
        assert isinstance(child, Proxy), (
            f"`{engine.prev}` of {short(node)} should hold the {engine.nodes} that it was made from, "
            f"but it holds {kind_words(child)}."
        )
    return list(dict.fromkeys(kept))


def assert_made_from(node: Any, *inputs: Any) -> None:
    """Verify that the children of the node are these very objects. Raises AssertionError with words."""
    found = children(node)
    if set(found) == set(inputs):
        return
    known = sorted(short(child) for child in found if child in inputs)
    others = len(found) - len(known)
    held = " and ".join([*known, *([f"{others} other{'s' * (others > 1)}"] if others else [])])
    raise AssertionError(
        f"`{engine_of(node).prev}` of {short(node)} should hold {' and '.join(map(short, inputs)) or 'nothing'}; "
        f"it {f'holds {held}' if held else 'is empty'}."
    )


def reached(root: Any) -> list[Any]:
    """Return the root and every node below it, each once, in no particular order."""
    found, waiting = dict.fromkeys([root]), [root]
    while waiting:
        new = [child for child in children(waiting.pop()) if child not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return list(found)


# --- What a node keeps for its local gradients


def kept_pairs(node: Any) -> list[tuple[Any, float]]:
    """Return the children that a node keeps, each with its local gradient.

    Raises AssertionError with words where children and local gradients do not pair.
    """
    name, engine = short(node), engine_of(node)
    children = _items(getattr(node, engine.children), f"The `{engine.children}` of `{name}`")
    numbers = _items(getattr(node, engine.local_grads), f"The `{engine.local_grads}` of `{name}`")
    assert len(children) == len(numbers), (
        f"`{name}` keeps {len(children)} child{'ren' * (len(children) != 1)} and {len(numbers)} local "
        f"gradient{'s' * (len(numbers) != 1)}; each child needs one local gradient."
    )
    for child in children:
        assert not isinstance(child, int | float), (
            f"The `{engine.children}` of `{name}` hold {kind_words(child)}; each child must be {engine.a_node}."
        )
    for number in numbers:
        assert isinstance(number, int | float), (
            f"A local gradient of `{name}` is {kind_words(number)}; it must be a plain number."
        )
    return list(zip(children, numbers, strict=True))


def kept_slopes(root: Any, **leaves: Any) -> list[float]:
    """Return the slope for each leaf by the kept pairs: local gradients, multiplied along every path and added up.

    So a - b may keep two pairs, or be made of + and negation: both give 1 and -1.
    """
    found = {name: [0.0, 0.0] for name in leaves}
    for name, slope, levels in _paths(root, 1.0, leaves, 0):
        found[name] = [found[name][0] + slope, max(found[name][1], levels)]
    return _labelled_slopes(root, leaves, found.values())


def _labelled_slopes(root: Any, leaves: Iterable[str], found: Iterable[Sequence[float]]) -> list[float]:
    """Return slopes with labels; `found` has each slope with the number of levels of its longest path."""
    return [
        label_value(slope, f"the {'slope' if levels > 1 else 'local gradient'} of {short(root)} for {name}")
        for name, (slope, levels) in zip(leaves, found, strict=True)
    ]


def _paths(node: Any, slope: float, leaves: dict[str, Any], levels: int) -> Iterator[tuple[str, float, int]]:
    """Yield each path to a leaf: the leaf's name, the product of the local gradients, the number of levels."""
    name = next((name for name, leaf in leaves.items() if leaf is node), None)
    if name is not None:
        yield name, slope, levels
        return
    assert levels < DEEPEST, "The graph does not end where it should: is a node its own child?"
    for child, local in kept_pairs(node):
        yield from _paths(child, slope * local, leaves, levels + 1)


def value_and_slopes(student: AutogradStudent, result: Any, **leaves: Any) -> tuple[float, ...]:
    """Return the data of an operation's result, and the slope for each leaf by the kept pairs.

    Raises AssertionError with words if it is not a Value.
    """
    engine = student.engine
    assert isinstance(result, getattr(student, engine.node)), (
        f"The operation returned {kind_words(result)}, not {engine.a_node}. Look at its `return`."
    )
    found = student_helper(student, "slopes", "pairs")(result, list(leaves.values()))
    try:
        return (
            node_data(result),
            *_labelled_slopes(result, leaves, msgspec.convert(found, list[tuple[float, float]])),
        )
    except (msgspec.ValidationError, ValueError):  # the node keeps something unusual: kept_pairs says what
        return (node_data(result), *kept_slopes(result, **leaves))


def double(student: AutogradStudent, node: Any) -> float:
    """Double the local gradients that a node keeps, by hand, and return 2.0; 1.0 if they cannot be set from outside.

    The gradients below the node follow if `backward` reads what nodes keep.
    """
    return 2.0 if student_helper(student, "double", "holding", "own")(node) is True else 1.0


def _items(kept: object, what: str) -> list[Any]:
    assert not isinstance(kept, set | frozenset) or len(kept) <= 1, (  # of one thing a set has an order
        f"{what} are a set. A set has no order, and it keeps a value that is used twice only once."
    )
    assert kind_words(kept) not in {"a generator", "a map", "a zip"}, (
        f"{what} can be read only once: keep a tuple or a list instead."
    )
    assert isinstance(kept, list | tuple | set | frozenset | Proxy), (
        f"{what} should be a tuple or a list; here it is {kind_words(kept)}."
        f"{' A tuple with one item needs a comma: (x,).' * isinstance(kept, int | float)}"
    )
    return list(kept)


# --- Plain nodes, and orders of calls


class PlainNodes:
    """A graph of plain nodes in the jail: `nodes[name]`, and `log()`, the calls so far."""

    def __init__(self, nodes: dict[str, Any], log: Callable[[], list[str]]) -> None:
        self.nodes, self.log = nodes, log

    def __getitem__(self, name: str) -> Any:
        return self.nodes[name]

    def names(self, found: object) -> list[str]:
        """Return the names of the nodes in a student's list."""
        known = {id(node): name for name, node in self.nodes.items()}
        items = found if isinstance(found, list | tuple) else [found]
        # The list may have a node of an earlier test.
        return [
            known.get(id(item))
            or f"{short(item)} (not a node{' of this graph' if isinstance(item, Proxy) else ''})"
            for item in items
        ]


def plain_nodes(
    student: AutogradStudent,
    edges: Mapping[str, Mapping[str, float]],
    only: Iterable[str] | None = None,
    *,
    kept: str = "_prev",
) -> PlainNodes:
    """Return nodes that belong to no engine. `edges` has children first: `{"a": {}, "b": {"a": 1.0}}`.

    The number at an edge is the local derivative; each node's `_backward` logs its name. `kept` is the attribute with
    a node's children: `_prev`, a set, or `_children`, a tuple. Of a large graph, `only` names the nodes that the check
    will use.
    """
    made = student_helper(student, "graph", "nodes")(student.engine.own(kept))
    return _build_plain(made, edges, list(edges if only is None else only))


def own_nodes(student: AutogradStudent, edges: Mapping[str, Mapping[str, float]]) -> PlainNodes | None:
    """Return nodes as `plain_nodes` does, but of the student's class `Value` or `Tensor`, so that its methods can walk them.

    No operation makes them: their children and local derivatives are those of `edges`. If they keep `_local_grads`, they
    get these, else a `_backward` that logs. None if it is unclear where a Value keeps its children.
    """
    made = student_helper(student, "own_graph", "nodes", "holding", "own")(student.node_class)
    return None if made is None else _build_plain(made, edges, list(edges))


def _build_plain(
    made: tuple[Callable[..., Any], Callable[[], list[str]]],
    edges: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
) -> PlainNodes:
    build, log = made
    found = build([(name, list(slopes.items())) for name, slopes in edges.items()], list(names))
    nodes = {name: found[name] for name in names}  # only names that we sent; others in the answer are ignored
    for name, node in nodes.items():
        relabel(node, name)
    return PlainNodes(nodes, log)


def listed(student: AutogradStudent, nodes: PlainNodes, root: str, note: str = "order") -> list[str]:
    """Return the names of the nodes that the student's `build_topo` lists for `root`; a failure shows them as `note`.

    Raises AssertionError with words if the result is not a list.
    """
    found = student.build_topo(nodes[root])
    assert isinstance(found, list | tuple), (
        f"`build_topo` returned {kind_words(found)}; it must return a list of nodes."
    )
    names = nodes.names(found)
    student.note(note, names)
    return names


def assert_sorted(names: Sequence[str], edges: Mapping[str, Mapping[str, float]]) -> None:
    """Verify that each node of `edges` is listed once and after its children. Raises AssertionError with words."""
    assert sorted(names) == sorted(edges), (
        f"The list must have each node exactly once. Your list has {', '.join(names) or 'no node'}."
    )
    place = {name: i for i, name in enumerate(names)}
    pairs = [(place[child], place[parent]) for parent, below in edges.items() for child in below]
    is_chain = len(pairs) < len(names)  # which reads backwards in many wrong sorts
    assert is_chain or not all(child > parent for child, parent in pairs), (
        "The list has the right nodes in reverse: each node comes before the nodes that it is made from."
    )
    for parent, below in edges.items():
        for child in below:
            if place[child] > place[parent]:
                raise AssertionError(f"`{child}` must come before `{parent}`, which is made from it.")


def hand_on(student: AutogradStudent, root: Any, upstream: Any = 1.0) -> None:
    """Give `root` an upstream gradient; let it and every node below it hand on their gradients, users first.

    The student's `backward` takes no part: each `_backward` is called once, in a right order. Without `_backward`, kept
    local gradients are followed. An engine with neither is walked by its own `backward()`. `upstream` is a number, or an
    array of the root's shape.

    Raises AssertionError with words if a `_backward` changes the gradient of the root, its data or a leaf's.
    """
    if student.watched() and _call_each(student, root, upstream):
        return
    box_of(root).note_given(f"{operand(root)}.{student.engine.grad}", upstream)
    once = vars(student)  # one helper a test
    if "_hand_on" not in once:
        once["_hand_on"] = student_helper(student, "hand_on", "holding", "handing")
    leaves = once.get("_leaves", [])
    seeded = isinstance(upstream, int | float) and upstream == 1.0
    _assert_kept(student, root, leaves, once["_hand_on"](root, upstream, leaves, seeded))


def _assert_kept(student: AutogradStudent, root: Any, leaves: list[Any], found: object) -> None:
    """Verify that a `_backward` did not change the data or gradients that it may only read."""
    engine = student.engine
    labels = [
        label if (label := label_of(node) or "out").isidentifier() else f"({label})"
        for node in (root, *leaves)
    ]
    names = [f"{labels[0]}.{engine.grad}", *(f"{label}.{engine.data}" for label in labels)]
    sides = [side for side in found if isinstance(side, list)] if isinstance(found, list) else []
    for name, before, after in zip(names, *sides, strict=False) if len(sides) == 2 else ():
        unread = isinstance(before, Proxy)  # such as an array in a course of numbers
        assert unread or before == after or before != before, (  # noqa: PLR0124  NaN that stays NaN
            f"`{engine.closure}` changes {name} from {short(before)} to {short(after)}: it may only add to the "
            f"gradients of its inputs."
        )


def _call_each(student: AutogradStudent, root: Any, upstream: Any) -> bool:
    """Call each `_backward` in a separate request, for a picture of the test; return False if there is none."""
    nodes = student_helper(student, "order", "holding")(root)
    for node in nodes:
        if label_of(node).startswith("order("):  # a node that the test has not named has no name
            relabel(node, "")
    if nodes:
        walk(nodes, root, upstream)
    return bool(nodes)


def walk(nodes: Iterable[Any], root: Any, seed: Any = 1.0) -> None:
    """Seed the root and call `_backward` of each node in that order."""
    engine = engine_of(root)
    setattr(root, engine.grad, seed)
    for node in nodes:
        getattr(node, engine.closure)()


def visit_order(
    student: AutogradStudent, name: str, nodes: Mapping[str, Any], leaves: Iterable[str] = ()
) -> list[str]:
    """Return the student's answer `name`, a list of names of nodes, without the leaves.

    Leaves may be listed: their `_backward` does nothing. Raises AssertionError with
    words for an answer that is not a list of these names.
    """
    answer, allowed = (
        student.quietly(name),
        sorted([*nodes, *leaves]),
    )  # sorted: another order would give the answer away
    known = f"the nodes are {', '.join(allowed)}"
    assert isinstance(answer, list | tuple), (
        f"`{name}` is {kind_words(answer)}; write a list of names, such as [{allowed[0]!r}, ...]. {known[0].upper()}{known[1:]}."
    )
    for item in answer:
        assert isinstance(item, str), (
            f"`{name}` holds {kind_words(item)}, which is not a name in quotes; {known}."
        )
        assert item in allowed, f"`{name}` names {item[:20]!r}, but {known}."
    return [item for item in answer if item in nodes]


def judge_order(student: AutogradStudent, name: str, edges: dict[str, dict[str, float]]) -> None:
    """Walk plain nodes in the order of the student's answer `name`, a list of names, and compare every gradient.

    `edges` are as in `plain_nodes`; the last one is the root. Raises AssertionError, which describes the order
    and shows no gradient.
    """
    from grader.autograd.walks.runs import right_gradients  # late: few checks ask

    inner, leaves = {n: s for n, s in edges.items() if s}, [n for n, s in edges.items() if not s]
    order = visit_order(student, name, dict.fromkeys(reversed(inner)), leaves)
    nodes = plain_nodes(student, edges)
    walk([nodes[item] for item in order], nodes[next(reversed(inner))])
    place = {node: i for i, node in enumerate(edges)}
    pairs = [[(place[child], slope) for child, slope in below.items()] for below in edges.values()]
    right = right_gradients([0.0] * len(edges), pairs)
    assert all(
        math.isclose(float(grad_of(nodes[node])), due or 0.0, rel_tol=1e-9)
        for node, due in zip(edges, right, strict=True)
    ), f"`{name}` {_order_words(order, inner, student.engine.closure)}"


def _order_words(order: Sequence[str], inner: dict[str, dict[str, float]], closure: str = "_backward") -> str:
    """Return words for the fault of an order of calls; `inner` has the children of each inner node, the root last."""
    root = next(reversed(inner))
    if root not in order:
        return (
            f"leaves out the root. {root} is seeded with 1, but unless its `{closure}` is called, nothing arrives "
            "below it."
        )
    if len(order) > 1 and list(order) == [name for name in inner if name in order]:
        return (
            "goes from the inputs to the output. A node may hand its gradient on only when it has all of it: begin "
            "at the root."
        )
    below = {name: " and ".join(children) for name, children in inner.items()}
    if lost := next((name for name in reversed(inner) if name not in order), ""):
        return f"leaves out {lost}, so what {lost} has to hand on never reaches {below[lost]}."
    if twice := next((name for name in order if order.count(name) > 1), ""):
        return (
            f"lists {twice} more than once, so it hands on to {below[twice]} each time. List every node once."
        )
    for name in order:
        for user in (user for user, children in inner.items() if name in children):
            if order.index(name) < order.index(user):
                return (
                    f"lists {name} before {user}: {name} hands its gradient on before {user} has added to it, so that "
                    f"part never reaches {below[name]}."
                )
    return "does not bring every gradient to its place."
