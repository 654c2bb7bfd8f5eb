"""Walks are read back: notes about wrong ones, and no note about right or unreadable ones."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

import pytest
from helpers import COURSE, cells, check
from reading import source_of
from sampled import every
from variety import SAMPLE

from grader.assignment import Course
from grader.autograd.factwords import words_for
from grader.autograd.walks import explain
from grader.autograd.walks.explain import explain_walks
from grader.grading.grader import open_grader
from grader.manifest import Limits
from grader.sandbox import Deadline, Sandbox
from grader.sandbox.live import Live
from grader.submissions.submission import read_submission
from grader.topic import Failing, Test, TestOutcome, TestResult

DAY3 = ("build_topo", "backward", "Value.backward")
DAY4 = ("Value.backward",)
DAY5 = ("build_topo", "Value.backward")


def failed(check, used):
    test = Test(check, "visible", "test", "forward", "")
    return Failing(check, [TestResult(test, TestOutcome.FAILED, used=used)])


@pytest.fixture
def notes(launcher):
    """Read the walks of these blocks, as if the tests of each named check had called these functions."""
    boxes = []

    def notes(blocks, walks, deadline=None, **used: tuple[str, ...]) -> Any:
        box = Sandbox(launcher, [dedent(block) for block in blocks], Limits(), ["numpy"], deadline=deadline)
        boxes.append(box)
        box.load()
        failing = [failed(check, dict.fromkeys(names, ("d",))) for check, names in used.items()]
        with box.explaining():
            found = explain_walks(box, walks, failing, lambda frame: frame)
        return {check: words_for([fact]).walk for check, fact in found.items()}

    yield notes
    for box in boxes:
        box.close()


def day3(*sources: str) -> list[str]:
    return [*cells("day3"), *sources]


# --- build_topo


SORT = """
def build_topo(root):
    order, visited = [], set()
    def visit(node):
        {visit}
    visit(root)
    return order
"""
STEP = """if node not in visited:
            visited.add(node)
            {before}
            for child in node._prev:
                visit(child)
            {after}"""


def sort(visit: str = "", before: str = "pass", after: str = "order.append(node)") -> str:
    return SORT.format(visit=visit or STEP.format(before=before, after=after))


REPEATED = "for child in node._prev:\n            visit(child)\n        order.append(node)"
LEVELS = """
def build_topo(root):
    order = [root]
    for node in order:
        order += [child for child in node._prev if child not in order]
    return order{turned}
"""


@pytest.mark.parametrize(
    ("source", "says", "look"),
    [
        (sort().replace("return order", "pass"), "`build_topo(d)` returns None: it ended without a `return`, or returned None.", ""),
        (sort().replace("return order", "return visited"), "an object of type set, not a list; a set has no order", ""),
        (sort().replace("return order", "return order[::-1]"), "d comes before b and c", "reversed: the root first"),
        (sort(after="pass"), "returns an empty list", ""),
        (sort(after="order.append(root)"), "a, b and c are missing, and d appears 4 times", ""),
        (sort(before="order.append(node)", after="pass"), "d comes before b and c", "as soon as it reaches it."),
        (
            sort(before="order.insert(0, node)", after="pass"),
            "comes before a, but ",
            "as soon as it reaches it, reversed",
        ),
        (sort(REPEATED), "a appears 2 times", "children first: a node appears once for each path"),
        (sort(STEP.format(before="pass", after="").rstrip() + "\n        order.append(node)"), "a appears 2 times", "each time it gets there"),
        (sort().replace("visit(root)\n", "visit(root)\n    order.pop()\n"), "d is missing", ""),
        (sort().replace("order.append(node)", "order.append(node) if node._prev else None"), "a is missing", ""),
        (LEVELS.format(turned=""), "d comes before b and c", "breadth-first walk: level by level"),
        (LEVELS.format(turned="[::-1]"), "c comes before b, but c is made from b", "breadth-first walk, reversed"),
        ("def build_topo(root):\n    return [*root._prev, root]", "a is missing", ""),
        (sort().replace("(root):", "(root, order=[]):").replace("order, visited = [], set()", "visited = set()"), "the second returns a, ", ""),
        (sort().replace("(root):", "(root, visited=set()):").replace("order, visited = [], set()", "order = []"), "the second returns an empty list", ""),
        (sort().replace("not in visited", "not in visited and node.data not in {v.data for v in visited}"), "different nodes hold the same number", ""),
        ("def build_topo(root):\n    return [root, 3]", "something that is not a node of the graph", ""),
    ],
)  # fmt: skip
def test_a_wrong_sort_is_reported(notes, source, says, look):
    """By its list, by the first wrong step, and by the name of a well-known order."""
    note = notes(day3(source), DAY3, sorting=["build_topo"])["sorting"]

    assert says in note.words
    assert look in note.words
    assert ("looks like" in note.words) == bool(look)


def test_a_kept_list_and_set_are_reported_by_the_nodes_of_an_earlier_graph(notes, snapshot):
    """If list and set are both kept between calls, a second call for the same root gives the same list."""
    source = "order, visited = [], set()\n" + sort().replace("order, visited = [], set()", "")
    note = notes(day3(source), DAY3, sorting=["build_topo"])["sorting"]
    assert note.words == snapshot


def test_both_orders_stand_side_by_side(notes, snapshot):
    """The right order is the one closest to the student's, and the first wrong step is marked."""
    note = notes(day3(LEVELS.format(turned="[::-1]")), DAY3, sorting=["build_topo"])["sorting"]
    assert note == snapshot


# --- backward on plain nodes, and on the student's own

CALLS = """
def backward(root):
    {}
"""
RIGHT = "for node in reversed(build_topo(root)):\n        node._backward()"
WALKS = [
    ("pass", "calls no `_backward`: no gradient below d changes", ""),
    ("root.grad = 1.0\n    root._backward()", "never calls c._backward and b._backward", ""),
    ("root.grad = 1.0\n    for _ in build_topo(root):\n        root._backward()", "never calls c._backward and b._backward, and it calls d._backward ", ""),
    ("root.grad = 1.0\n    for node in build_topo(root)[-2::-1]:\n        node._backward()", "never calls d._backward", ""),
    ("root.grad = 1.0\n    for node in build_topo(root):\n        node._backward()", "too early: d is made from", "children first, the root last"),
    (f"root.grad = 1.0\n    {RIGHT}\n    {RIGHT}", "calls d._backward 2 times", ""),
    (RIGHT, "d.grad is 0 when your `backward` calls d._backward", ""),
    (f"root.grad = 0.0\n    {RIGHT}", "sets d.grad to 0 before it calls d._backward", ""),
    (f"root.grad = root.data\n    {RIGHT}", "sets d.grad to 60, the number in d.data", ""),
    (f"root.data = 1.0\n    {RIGHT}", "d.grad is 0", ""),
    (f"{RIGHT}\n    root.grad = 1.0", "It is set to 1 only afterwards", ""),
    (f"build_topo(root)[0].grad = 1.0\n    {RIGHT}", "sets a.grad to 1 before the walk", ""),
    (f"for node in build_topo(root):\n        node.grad = 1.0\n    {RIGHT}", "sets a.grad, b.grad and c.grad to 1", ""),
    ("root.grad = 1.0\n    root._backward()\n    for child in root._prev:\n        backward(child)", "sets b.grad to 1 and overwrites what d contributed", ""),
    ("root.grad = 1.0\n    for node in reversed(build_topo(root)):\n        node._backward()\n        node.grad = 0.0", "sets d.grad to 0 after d has handed it on", ""),
    ("root.grad = 1.0\n    for node in reversed(build_topo(root)):\n        node.grad = 0.0\n        node._backward()", "sets d.grad to 1 and then to 0", ""),
    (f"root.grad = 1.0\n    {RIGHT}\n    for node in build_topo(root):\n        node.grad = 0.0", "to 0 at its end, so no result is left to read", ""),
    (f"for node in build_topo(root):\n        node.grad = 0.0\n    root.grad = 1.0\n    {RIGHT}", "a.grad is 10 before the walk", ""),
    ("root.grad = 1.0\n    order = [root]\n    for node in order:\n        node._backward()\n        order += [x for x in node._prev if x not in order]", "calls b._backward too early: c is", "breadth-first walk: level by level"),
    ("root.grad = 1.0\n    order = [root]\n    for node in order:\n        node._backward()\n        order += node._prev", "calls b._backward too early: c is made from b and must come first. It calls b._backward 2 times", "breadth-first walk that takes a node once for each path"),
    ("root.grad = 1.0\n    stack, seen = [root], set()\n    while stack:\n        node = stack.pop()\n        if node not in seen:\n            seen.add(node)\n            node._backward()\n            stack.extend(node._prev)", "calls b._backward too early: c is", "depth-first search that takes a node as soon"),
    ("def visit(node):\n        node._backward()\n        for child in node._prev:\n            visit(child)\n    root.grad = 1.0\n    visit(root)", "2 times", "depth-first walk that takes a node once for each path"),
    ("root.grad = 1.0\n    for node in sorted(build_topo(root), key=lambda node: -node.data):\n        node._backward()", "calls d._backward too early: e is", "a sort by data: the largest number first"),
]  # fmt: skip


@pytest.mark.ci
@pytest.mark.parametrize(("body", "says", "look"), WALKS)
def test_a_wrong_walk_is_reported(notes, body, says, look):
    """By the first fault, on the smallest graph that shows it."""
    found = notes(day3(CALLS.format(body)), DAY3, sorting=["build_topo"], walking=["backward"])
    note = found["walking"]

    assert says in note.words
    assert look in note.words
    assert ("looks like" in note.words) == bool(look)
    assert "sorting" not in found


@pytest.mark.ci
@pytest.mark.parametrize(
    ("body", "says", "look"), every(3, [row for row in WALKS if "10 before" not in row[1]])
)
def test_the_same_is_reported_of_a_method_of_the_students_nodes(notes, body, says, look):
    """On the student's own nodes, of which only `data`, `grad` and `_backward` are known."""
    method = f"def walk(self, backward=lambda child: child.backward()):\n    build_topo = order_of\n    root = self\n    {body}"
    source = f"def order_of{SORT.format(visit=STEP.format(before='pass', after='order.append(node)')).strip()[14:]}\n{method}\nValue.backward = walk\n"
    note = notes([*cells("day4"), source], DAY4, walking=["backward"])["walking"]

    rough = {"calls d._backward too early: e is": "calls "}  # fmt: skip
    cleared = "d.grad to 0" if "after d has handed" in says else says
    assert rough.get(says, cleared) in note.words
    assert look in note.words


def test_a_sort_by_number_is_reported_on_nodes_with_equal_numbers(notes, snapshot):
    """The note names the missing node, and says that only equal numbers show the fault."""
    source = sort().replace("not in visited", "not in visited and node.data not in {v.data for v in visited}")
    source = source.replace("def build_topo(root)", "def sorted_nodes(root)")
    source += "\ndef walk(self):\n    self.grad = 1.0\n    for node in reversed(sorted_nodes(self)):\n        node._backward()\nValue.backward = walk"
    note = notes([*cells("day4"), source], DAY4, walking=["backward"])["walking"]
    assert "never calls " in note.words
    assert note.words == snapshot


def test_children_that_a_node_does_not_keep_are_reported(notes, snapshot):
    """A walk never reaches them, and that is not the walk's fault."""
    source = "old_init = Value.__init__\ndef init(self, data, children=(), op=''):\n    old_init(self, data, tuple(children)[:1], op)\nValue.__init__ = init"
    note = notes([*cells("day4"), source], DAY4, walking=["backward"])["walking"]
    assert note.words == snapshot


ENDS = "\n    for node in build_topo(root):\n        {}"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("does", "says"),
    [
        ("node._prev = set()", "removes the children from `_prev` of b, c and d."),
        ("node._prev.clear()", "removes the children from `_prev` of b, c and d."),
        ("node._prev = None", "removes the children from `_prev` of b, c and d."),
        ("node._backward = lambda: None", "replaces the `_backward` of b, c and d."),
        ("node._prev, node._backward = (), None", "removes the children from `_prev` of b, c and d."),
    ],
)
def test_a_walk_that_takes_the_graph_apart(notes, does, says):
    """The gradients are right, and a later walk finds no graph any more: on plain nodes and on the student's own."""
    ends = f"root.grad = 1.0\n    {RIGHT}{ENDS.format(does).replace('build_topo(root)', 'build_topo(root)[::-1]')}"
    method = f"{sort()}\ndef walk(root):\n    {ends}\nValue.backward = walk\n"

    plain = notes(day3(CALLS.format(ends)), DAY3, walking=["backward"])["walking"]
    own = notes([*cells("day4"), method], DAY4, walking=["backward"])["walking"]

    assert says in plain.words
    assert says in own.words
    assert "A later walk" in own.words


def test_pairs_that_are_taken_out_of_the_graph(notes, snapshot):
    """Day 5 keeps children in another attribute."""
    loop = LOOP.format(nodes=TOPO, pair=PAIR, does=ADDS) + "        node._children = ()\n"

    note = notes([*cells("day5"), loop], DAY5, walking=["backward"])["walking"]

    assert note.words == snapshot


def test_what_depends_on_the_order_of_a_set_is_reported(notes, snapshot):
    """Here the result depends on the child that a loop over a set meets first."""
    source = """
    def backward(root):
        root.grad = 1.0
        order = build_topo(root)[::-1]
        kids = list(root._prev)
        if len(order) == 4 and len(kids) == 2 and kids[0] in kids[1]._prev:
            order[1:3] = kids
        for node in order:
            node._backward()
    """
    note = notes(day3(source), DAY3, walking=["backward"])["walking"]
    assert "calls b._backward too early: c is" in note.words
    assert note.words == snapshot


def test_a_walk_that_remembers_earlier_graphs(notes):
    """It calls their nodes again, and gradients that are right now are wrong there."""
    source = """
    def backward(root, order=[]):
        order += [node for node in build_topo(root) if node not in order]
        root.grad = 1.0
        for node in reversed(order):
            node._backward()
    """
    note = notes(day3(source), DAY3, walking=["backward"])["walking"]
    assert note.words.endswith("your `backward` also reaches nodes from the graph of an earlier call.")


def test_a_gradient_that_the_class_holds_is_read_there(notes):
    """The root is watched without an attribute of its own."""
    source = """
    Value.__init__ = lambda self, data, children=(), _op="": vars(self).update(
        data=data, _prev=set(children), _op=_op, _backward=lambda: None
    )
    Value.grad = 0.0

    def backward(root):
        root.grad = 0.0
        for node in reversed(build_topo(root)):
            node._backward()
    """
    note = notes(day3(source), DAY3, walking=["backward"])["walking"]
    assert "sets d.grad to 0 before it calls d._backward" in note.words


def test_that_a_node_is_never_called_comes_before_the_order_of_the_others(notes, snapshot):
    """A walk one level deep also calls nodes too early, on a smaller graph."""
    body = "root.grad = 1.0\n    root._backward()\n    for child in root._prev:\n        child._backward()"
    note = notes(day3(CALLS.format(body)), DAY3, walking=["backward"])["walking"]
    assert note.words == snapshot


# --- Nodes that keep local gradients


LOOP = """
def backward(root):
    root.grad = 1.0
    for node in {nodes}:
        for {pair}:
            {does}
"""
TOPO = "reversed(build_topo(root))"
PAIR = "child, local in zip(node._children, node._local_grads)"
ADDS = "child.grad += local * node.grad"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("source", "says", "look"),
    [
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad = local * node.grad"), "does the same as `c.grad = local * d.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += node._local_grads[0] * node.grad"), "keeps for b, its first child", ""),
        (LOOP.format(nodes=TOPO, pair=f"{PAIR[:16]}list({PAIR[16:]})[:1]", does=ADDS), "hands nothing on from d to c", ""),
        (LOOP.format(nodes="build_topo(root)", pair=PAIR, does=ADDS), "hand on too early: d is", "children first, the root last"),
        (LOOP.format(nodes="[*build_topo(root)[::-1]] * 2", pair=PAIR, does=ADDS), "lets d hand on 2 times", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does=ADDS).replace("root.grad = 1.0", "pass"), "d.grad is 0 when", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does=ADDS).replace("root.grad = 1.0", "pass") + "    root.grad = 1.0", "It is set to 1 only afterwards", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="node.grad += local * child.grad"), "does the same as `d.grad += local * c.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += local"), "does the same as `b.grad += local` where c hands on to b.", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += node.grad"), "does the same as `c.grad += d.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += local + node.grad"), "does the same as `c.grad += local + d.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad -= local * node.grad"), "does the same as `c.grad -= local * d.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad *= local * node.grad"), "does the same as `c.grad *= local * d.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += local * child.grad"), "does the same as `c.grad += local * c.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += child.data * node.grad"), "does the same as `c.grad += c.data * d.grad`", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += local * node.data"), "does the same as `c.grad += local * d.data`", ""),
        (LOOP.format(nodes=TOPO, pair="child, local in zip(node._children, node._local_grads[::-1])", does=ADDS), "`local` is the local gradient that d keeps for b.", ""),
        (LOOP.format(nodes=TOPO, pair=f"{PAIR[:16]}list({PAIR[16:]})[-1:]", does=ADDS), "hands nothing on from d to b", ""),
        (LOOP.format(nodes="[root]", pair=PAIR, does=ADDS), "never lets c and b hand on", ""),
        (LOOP.format(nodes="sorted(build_topo(root), key=lambda n: -n.data)", pair=PAIR, does=ADDS), "lets d hand on too early: e is", "the largest number first"),
        ("\ndef backward(root):\n    root.grad = 1.0", "lets no node hand on", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does=ADDS).replace("root.grad = 1.0", "root.grad = root.data"), "the number in d.data", ""),
        (LOOP.format(nodes=TOPO, pair=PAIR, does=ADDS) + "        node.grad *= not node._children", "sets d.grad to 0 after d has handed it on", ""),
    ],
)  # fmt: skip
def test_a_wrong_loop_is_reported(notes, source, says, look):
    """Day 5 has no calls: the order is read from changes of gradients."""
    note = notes([*cells("day5"), source], DAY5, walking=["backward"])["walking"]

    assert says in note.words
    assert look in note.words
    assert ("looks like" in note.words) == bool(look)
    assert (note.where.block, note.where.function) == (
        len(cells("day5")),
        "backward",
    )  # not the method, which calls it


@pytest.mark.parametrize(
    ("loop", "says"),
    [
        (
            LOOP.format(nodes=TOPO, pair=PAIR, does=ADDS).replace(
                "root.grad = 1.0",
                "root.grad = 1.0\n    for node in build_topo(root):\n        node.grad = 0.0",
            ),
            "sets d.grad to 1 and then to 0 before it lets d hand on",
        ),
        (
            LOOP.format(nodes=TOPO, pair=PAIR, does=f"child.grad = 0.0\n            {ADDS}"),
            "sets a.grad to 0, and what the walk contributed is lost",
        ),
        (
            LOOP.format(nodes=TOPO, pair=PAIR, does="child.grad += local * child.data * node.grad"),
            "local * c.data * d.grad",
        ),
    ],
)
def test_what_does_harm_comes_before_a_harmless_clearing(notes, loop, says):
    """Gradients that are set to 0 before the walk are right for a graph that is walked once."""
    assert says in notes([*cells("day5"), loop], DAY5, walking=["backward"])["walking"].words


def test_a_child_at_two_places_that_gets_one_contribution(notes):
    """Something is handed on: a note that nothing is would be false."""
    loop = LOOP.format(
        nodes=TOPO, pair="child, local in dict(zip(node._children, node._local_grads)).items()", does=ADDS
    )

    found = notes([*cells("day5"), loop], DAY5, walking=["backward"])

    assert not found or "nothing" not in found["walking"].words


def test_a_seed_that_is_no_number_gives_no_note(notes):
    """It is not 0, and the message of the check shows it."""
    seeded = CALLS.format(f"root.grad = Value(1.0)\n    {RIGHT}")

    assert notes(day3(sort(), seeded), DAY3, walking=["backward"]) == {}


@pytest.mark.parametrize(
    "loop",
    [
        LOOP.format(nodes=TOPO, pair="child, local in zip(node._children, node._children)", does=ADDS),
        LOOP.format(
            nodes=TOPO,
            pair="child, local in [(c, x) for c in node._children for x in node._local_grads]",
            does=ADDS,
        ),
        LOOP.format(
            nodes=TOPO,
            pair="child, local in zip(node._children, node._local_grads)",
            does="child.grad = child.grad or local * node.grad",
        ),
    ],
    ids=[
        "a gradient becomes a Value",
        "every child with every local gradient",
        "only where nothing is yet",
    ],
)
def test_a_loop_that_cannot_be_read_gives_no_note(notes, loop):
    """Even if some graphs look like a known walk: a mistake or the numbers explain it."""
    assert notes([*cells("day5"), loop], DAY5, walking=["backward"]) == {}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("topo.append(node)\n        elif True:", "appears 2 times"),
        ("topo.insert(0, node)\n        elif node not in visited:", "d comes before b and c"),
        (
            "topo.append(node)\n        elif node.data not in {n.data for n in visited}:",
            "hold the same number",
        ),
    ],
)
def test_a_wrong_sort_below_a_right_loop_is_reported(notes, change, says):
    """With a right sort the walk is right: so the note is about the sort and its location."""
    source = next(source for source in cells("day5") if source.startswith("def build_topo"))
    changed = re.sub(r"topo\.append\(node\)\s+elif node not in visited:", change, source)
    note = notes([*cells("day5"), changed], DAY5, walking=["backward"])["walking"]
    assert "`build_topo(" in note.words
    assert says in note.words
    assert (note.where.block, note.where.function) == (len(cells("day5")), "build_topo")


# --- Where it is told


def test_a_walk_is_given_to_each_check_that_used_it(notes):
    """A check whose tests called no such function gets no note."""
    found = notes(day3(CALLS.format(RIGHT)), DAY3, other=["tanh"], seed=["backward"], diamond=["backward"])
    assert list(found) == ["seed", "diamond"]
    assert found["seed"] == found["diamond"]


def test_a_walk_over_a_wrong_sort_is_the_sort(notes):
    """One cause gives one note."""
    found = notes(day3(sort(REPEATED)), DAY3, sorting=["build_topo"], walking=["backward"])
    assert found["sorting"] == found["walking"]


def test_two_causes_are_both_told(notes):
    """A wrong sort does not hide that the seed is missing."""
    found = notes(
        day3(sort(REPEATED), CALLS.format(RIGHT)), DAY3, sorting=["build_topo"], walking=["backward"]
    )
    assert "appears 2 times" in found["sorting"].words
    assert "d.grad is 0 when" in found["walking"].words


def test_a_function_that_a_helper_of_the_check_called_counts_as_used(launcher):
    """A check may pass the function on: `call(student.backward, root)`."""
    box = Sandbox(launcher, day3(CALLS.format(RIGHT)), Limits(), ["numpy"])
    failing = [failed("deep", {"call": ("backward", "n99")})]
    with box.explaining():
        found = explain_walks(box, DAY3, failing, lambda frame: frame)
        found = {check: words_for([fact]).walk for check, fact in found.items()}
    box.close()
    assert "d.grad is 0 when" in found["deep"].words


def test_the_report_tells_the_walk_where_it_is_first_checked(launcher, tmp_path, snapshot):
    """In a whole grading: the note has both orders and its location, and the next check refers to it."""
    course = Course.find(COURSE)
    path = tmp_path / "submission.py"
    level = CALLS.format(WALKS[18][0])
    path.write_text("\n\n".join(f"# %%\n{source}" for source in day3(level)), encoding="utf-8")
    with open_grader(course.assignment("day3"), launcher) as grader:
        report = grader.grade(read_submission(path))
    told = {check.id: check.walk for check in report.checks if check.walk}
    assert list(told) == ["reverse_order"]
    note = told["reverse_order"]
    assert (note.student, note.right, note.wrong) == (["d", "b", "c"], ["d", "c", "b"], 1)
    assert note.words == snapshot
    assert note.where.text.strip() == "def backward(root):"
    assert check(report, "shared_nodes").message == snapshot


# --- Silence


@pytest.mark.parametrize(
    ("blocks", "walks"),
    [
        (day3(), DAY3),
        (cells("day4"), DAY4),
        (cells("day5"), DAY5),
        (["x = 1"], DAY3),
        pytest.param([cell.replace("out._backward =", "self._backward =") for cell in cells("day4")], DAY4, marks=pytest.mark.ci),
    ],
    ids=["day3", "day4", "day5", "nothing", "rules on inputs"],
)  # fmt: skip
def test_what_is_right_or_missing_gives_no_note(notes, blocks, walks):
    """A wrong rule below a right walk gives no note about the walk either."""
    wrong = "class Value(Value):\n    def __mul__(self, other):\n        return self + other" if "Value" in "".join(blocks) else ""  # fmt: skip
    for extra in ("", wrong):
        found = notes([*blocks, extra], walks, sorting=["build_topo"], walking=["backward"])
        assert found == {}


@pytest.mark.parametrize(("day", "walks", "method"), [("day3", DAY3, "__add__"), ("day4", DAY4, "__mul__")])
def test_operations_that_give_back_earlier_nodes_give_no_note_about_a_right_walk(notes, day, walks, method):
    """Graphs that are made one after the other then share nodes."""
    kept = "return globals().setdefault('made', {}).setdefault((self.data, other.data), out)"
    blocks = [
        re.sub(rf"(def {method}\(.*?)return out", rf"\1{kept}", block, count=1, flags=re.DOTALL)
        for block in cells(day)
    ]
    assert notes(blocks, walks, walking=["backward"]) == {}


@pytest.mark.ci
@pytest.mark.parametrize(("day", "walks"), [("day3", DAY3), ("day4", DAY4), ("day5", DAY5)])
def test_engines_in_another_style_give_no_note(notes, day, walks, snapshot):
    """The exception is one that clears gradients first, on the day whose notebook asks it not to."""
    for variant in [variant for variant in SAMPLE if day in variant.days]:
        blocks = re.split(r"^# %%\n", variant.submission(day), flags=re.MULTILINE)
        found = notes(blocks, walks, sorting=["build_topo"], walking=["backward"])
        if variant.name == "clears_first" and day == "day3":
            assert found["walking"].words == snapshot
        else:
            assert (variant.name, found) == (variant.name, {})


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError('not yet')",
        "backward(root)",
        "root.grad = 1.0\n    nodes = build_topo(root)\n    random.shuffle(nodes)\n    for node in nodes:\n        node._backward()",
        "count.append(1)\n    root.grad = float(len(count) % 2)\n    for node in reversed(build_topo(root)):\n        node._backward()",
    ],
    ids=["raises", "recurses", "by chance", "counts"],
)
def test_what_is_no_walk_gives_no_note(notes, body):
    """The message shows an error; a walk that depends on chance or counts calls is left out."""
    source = f"import random\ncount = []\n{CALLS.format(body)}"
    found = notes(day3(source), DAY3, walking=["backward"])
    assert found == {}


def test_a_walk_without_end_gives_no_note(notes, monkeypatch):
    """One request has a limit of its own: the time for explanations may be long."""
    monkeypatch.setattr(explain, "SECONDS", 0.3)
    source = CALLS.format("while True:\n        root._backward()")
    assert notes(day3(source), DAY3, walking=["backward"]) == {}


def test_nodes_whose_rule_hands_its_contributions_back_give_no_note(notes):
    """Only their `backward` adds the contributions: the rules alone write nothing."""
    assert notes([source_of("hands_back")], DAY4, walking=["backward"]) == {}


def test_an_endless_sort_costs_the_time_for_explanations_and_nothing_else(notes):
    """The time limit ends the jail, and there is no note."""
    source = "def build_topo(root):\n    while True:\n        pass"
    found = notes(day3(source), DAY3, deadline=Deadline(0.3), sorting=["build_topo"])
    assert found == {}


def test_an_error_ends_the_walks_over_further_graphs():
    """Nothing is told of a walk that raises, and endless recursion on every graph would take all the time."""
    names: dict[str, Any] = {"__name__": "__main__", "walked": []}
    source = "\n".join(day3(CALLS.format("walked.append(root)\n    backward(root)")))
    exec(compile(source, "<stdin>", "exec"), names)
    box = Sandbox(Live(names, lambda file: file == "<stdin>"), [], Limits())
    with box.explaining():
        found = explain_walks(box, DAY3, [failed("walking", {"backward": ("d",)})], lambda frame: frame)
    box.close()

    assert found == {}
    assert len({id(node) for node in names["walked"]}) < 30


def test_a_live_kernel_is_left_as_it_was():
    """Replaced functions are restored, and no node of the student's has changed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    source = "\n".join(day3(sort(REPEATED), "a = Value(2.0)\nb = a * a"))
    exec(compile(source, "<stdin>", "exec"), names)
    before, state = dict(names), [vars(names["b"]).copy(), vars(names["a"]).copy()]
    box = Sandbox(Live(names, lambda file: file == "<stdin>"), [], Limits())
    with box.explaining():
        failing = [failed("walking", {"backward": ("d",)})]
        found = explain_walks(box, DAY3, failing, lambda frame: frame)
        found = {check: words_for([fact]).walk for check, fact in found.items()}
    box.close()
    assert "appears 2 times" in found["walking"].words
    assert names == before
    assert [vars(names["b"]), vars(names["a"])] == state
