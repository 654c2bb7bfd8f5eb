"""Rules are read back from real engines in a real jail: told truly, or not at all."""

from __future__ import annotations

import contextlib
import functools
import gc
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers import cells
from reading import ALL, COURSE_TESTS, MUL, OF_DAY, PATIENCE, be_patient, edited, graded, read_engine

from grader import topic
from grader.assignment import Course
from grader.autograd.rules import rules
from grader.autograd.rules.operations import operations_of
from grader.autograd.rules.rules import CAUSES, Cause, explain_rules, read_wrong
from grader.autograd.words import known_causes
from grader.grading.grader import grade
from grader.manifest import Limits
from grader.report import Outcome
from grader.sandbox import Deadline, Launcher, Proxy, Sandbox
from grader.sandbox.live import Live
from grader.sandbox.wire import Handle
from grader.topic import Failing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.autograd.rules.rules import Wrong

    Read = Callable[..., list[Wrong]]


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    """One launcher of jails for all engines."""
    with Launcher() as launcher:
        yield launcher


@pytest.fixture
def read(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> Read:
    """What is wrong about the engine in a source, however long that takes."""
    be_patient(monkeypatch)
    return functools.partial(read_engine, launcher)


def test_a_rule_is_told_in_the_names_of_the_test_with_its_place(launcher: Launcher, tmp_path: Path) -> None:
    """At the first check that failed with it: the statement, the words, the line of the closure."""
    (report,) = graded(launcher, tmp_path, "day2", edited("day2", MUL))

    (told,) = [check for check in report.checks if check.rules]
    (note,) = told.rules
    assert told.id == "swap_rule"
    assert (note.operation, note.input, note.wrote) == ("*", "self", "self.grad += self.data * out.grad")
    assert note.words.startswith("In a * b your engine does a.grad += a.data * out.grad.")
    assert note.where is not None
    assert (note.where.text, note.where.inside) == ("def _backward():", "Value.__mul__")


def test_a_right_submission_is_asked_nothing(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs no load and no request."""
    monkeypatch.setattr(rules, "ask_all", _unwanted)

    (report,) = graded(launcher, tmp_path, "day2", edited("day2"))

    assert report.score == report.max_score


def test_where_nodes_keep_local_gradients_these_are_told(launcher: Launcher, tmp_path: Path) -> None:
    """As `LOCAL * out.grad`, however one would write the product."""
    swapped = edited("day5", ("(1 / b, -a / b**2)", "(-a / b**2, 1 / b)"))

    (report,) = graded(launcher, tmp_path, "day5", swapped)

    rules = next(check for check in report.checks if check.id == "local_grads").rules
    assert [rule.wrote for rule in rules] == [
        "self.grad += -self.data / other.data**2 * out.grad",
        "other.grad += 1 / other.data * out.grad",
    ]
    assert "keeps -a.data / b.data**2 as the local gradient of a" in rules[0].words


def test_a_manifest_of_an_earlier_template_declares_nothing(
    launcher: Launcher, course: Path, tmp_path: Path
) -> None:
    """All operations that are known are read then."""
    path = course / "assignments/day2/assignment.yaml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("operations:")), encoding="utf-8")
    work = tmp_path / "mine.py"
    work.write_text(edited("day2", MUL), encoding="utf-8")

    report = grade(Course.find(course).assignment("day2"), work, launcher)

    rules = next(check for check in report.checks if check.id == "swap_rule").rules
    assert [rule.wrote for rule in rules] == ["self.grad += self.data * out.grad"]


def _unwanted(*_: object) -> list[Any]:
    raise AssertionError("nothing is to be asked")


# --- Silence


def fits(path: Path) -> str:
    """The last day that a variant fits."""
    return re.findall(r"day\d", path.read_text(encoding="utf-8").partition("\n")[0])[-1]


@pytest.mark.slow(after=10)
@pytest.mark.parametrize("path", sorted((COURSE_TESTS / "variants").glob("*.py")), ids=lambda path: path.stem)
def test_of_another_style_nothing_is_told(read: Read, path: Path) -> None:
    """Whatever holds the children, however rules are kept: right is right."""
    assert read(path.read_text(encoding="utf-8"), OF_DAY.get(fits(path), ALL)) == []


def test_of_the_lectures_engine_nothing_is_told_and_of_a_broken_one_all(read: Read) -> None:
    """Its product assigns, and uses its own factor; its tanh lacks parentheses."""
    lecture, broken = (
        (COURSE_TESTS.parent / "engines" / f"{name}.py").read_text(encoding="utf-8")
        for name in ("lecture", "broken")
    )

    assert read(lecture, ["+", "*", "tanh"]) == []
    assert {
        each.operation.name: [rule.wrote for rule in each.found] for each in read(broken, ["+", "*", "tanh"])
    } == {
        "*": ["self.grad = self.data * out.grad"],
        "tanh": ["self.grad += 1 - out.data**2 * out.grad"],
    }


SPELLINGS = {
    "self.grad += out.grad / other.data": "self.grad = self.grad + 1 / other.data * out.grad",
    "other.grad -= out.grad * self.data / other.data**2": "other.grad += out.grad * -out.data / other.data",
    "self.grad += (1 - t**2) * out.grad": "self.grad += out.grad * (1 + t) * (1 - t)",
    "self.grad += other.data * out.grad": "self.grad = out.grad * out.data / self.data + self.grad",
    "self.grad += n * self.data ** (n - 1) * out.grad": "self.grad += out.grad * n * out.data / self.data",
    "self.grad += out.data * out.grad": "self.grad += math.e**self.data * out.grad",
    "self.grad -= out.grad": "self.grad += out.grad * -1.0",
    'out = Value(self.data / other.data, (self, other), "/")': "return self * other**-1\n        out = self",
    "self.data = data": "self.data = int(data) if data == int(data) else data",
    "self.grad = 0.0": "self.grad = 0",
}


@pytest.mark.parametrize("spelled", SPELLINGS)
def test_of_another_spelling_nothing_is_told(read: Read, spelled: str) -> None:
    """What counts is the number that is added."""
    source = "\n".join(cells("day4")[:3])
    assert spelled in source

    assert read(source.replace(spelled, SPELLINGS[spelled])) == []


def test_of_float32_nothing_is_told(read: Read) -> None:
    """Seven digits are enough."""
    source = "\n".join(cells("day4")[:3])
    source = source.replace("self.data = data", "import numpy\n        self.data = numpy.float32(data)")

    assert read(source) == []


UNSTEADY = {
    "random": "import random\ndef factor(): return 1 + random.random()",
    "counter": "import itertools\ncount = itertools.count()\ndef factor(): return next(count) % 3",
    "late": "import itertools\ncount = itertools.count()\ndef factor(): return 1 if next(count) < 40 else 2",
    "clock": "import time\ndef factor(): return time.perf_counter()",
}


@pytest.mark.parametrize("kind", UNSTEADY)
def test_what_is_no_function_of_its_inputs_is_met_with_silence(read: Read, kind: str) -> None:
    """No statement gives its numbers."""
    source = UNSTEADY[kind] + "\n" + "\n".join(cells("day2")[:3])
    source = source.replace("self.grad += other.data *", "self.grad += factor() * other.data *")

    assert read(source, ["+", "*"]) == []


WHOLE = """
class Value:
    def __init__(self, data, links=()):
        self.data, self.grad, self.links = data, 0.0, links
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        links = [(self, lambda g: g * self.data), (other, lambda g: g * self.data)]
        return Value(self.data * other.data, links)
    def __pow__(self, n):
        return Value(self.data**n, [(self, lambda g: g * n * self.data ** (n - 1))])
    def __sub__(self, other):
        return self + other * -1
    def __truediv__(self, other):
        return self * other**-1
    def __rsub__(self, other):
        return Value(other) - self
    def __rtruediv__(self, other):
        return Value(other) / self
    __radd__, __rmul__ = __add__, __mul__
    def backward(self):
        order = []
        def visit(node):
            if node not in order:
                for child, _ in node.links:
                    visit(child)
                order.append(node)
        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for child, slope in node.links:
                child.grad += slope(node.grad)
"""


def test_a_product_is_read_where_there_is_only_backward_and_all_else_is_made_of_it(read: Read) -> None:
    """A power hands any upstream gradient on as well."""
    (wrong,) = read(WHOLE, ["+", "*", "-", "/", "**"])

    assert [found.wrote for found in wrong.found] == ["self.grad += self.data * out.grad"]


def test_a_shut_gate_that_leaves_the_gradient_alone_is_not_called_leaky(read: Read) -> None:
    """`=` below an open gate writes nothing where it is shut."""
    source = "\n".join(cells("day4")[:3])
    right = "self.grad += (1.0 if self.data > 0 else 0.0) * out.grad"
    assert right in source

    (wrong,) = read(source.replace(right, "if self.data > 0: self.grad = out.grad"))
    assert [found.relations for found in wrong.found] == [("assigned",)]


RSUB = "    def __rsub__(self, other):\n        return Value(other) - self\n"
HOLES = {
    "raises": "",
    "returns a number": "    def __rsub__(self, other):\n        return other - self.data\n",
    "returns its input": "    def __rsub__(self, other):\n        return self\n",
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_in_an_engine_of_another_style_says_nothing_about_the_rest(read: Read, hole: str) -> None:
    """Its results have no `_backward`, and need none."""
    source = WHOLE.replace(RSUB, HOLES[hole])
    found = read(source, ["+", "*", "-", "/", "**"])

    assert not [each for each in found if not each.beside_number and each.operation.name != "*"]
    assert "no_backward" not in {
        cause.id for each in found for cause in each.found if isinstance(cause, Cause)
    }


HANDS_BACK = """
class Value:
    def __init__(self, data, kids=()):
        self.data, self.grad, self.kids = data, 0.0, kids
        self._backward = lambda: ()
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        out._backward = lambda: (out.grad, out.grad)
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        out._backward = lambda: (self.data * out.grad, self.data * out.grad)
        return out
    __radd__, __rmul__ = __add__, __mul__
    def __pow__(self, n):
        out = Value(self.data**n, (self,))
        out._backward = lambda: (n * self.data ** (n - 1) * out.grad,)
        return out
    def backward(self):
        order = []
        def visit(node):
            if node not in order:
                for child in node.kids:
                    visit(child)
                order.append(node)
        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for child, brought in zip(node.kids, node._backward()):
                child.grad += brought
"""


@pytest.mark.parametrize("seed", ["self.grad = 1.0", "pass"])
def test_contributions_that_are_handed_back_are_read_or_met_with_silence(read: Read, seed: str) -> None:
    """They are not written by `_backward`, and arrive by `backward()`, if that works."""
    found = read(HANDS_BACK.replace("self.grad = 1.0", seed), ["+", "*", "**"])

    wrote = [rule.wrote for each in found for rule in each.found]
    assert wrote == (["self.grad += self.data * out.grad"] if seed != "pass" else [])


def test_of_an_engine_of_another_style_without_a_backward_nothing_is_told(read: Read) -> None:
    """Whether its results need a `_backward` cannot be known."""
    assert read(WHOLE.replace("def backward(", "def backprop("), ["+", "*", "**"]) == []


FIRST = [
    "self.grad = out.grad if self.grad == 0 else self.grad",
    "self.grad = out.grad if self.grad == 0 else self.grad + 2 * out.grad",
    "self.grad += 2 * out.grad if self.grad else out.grad",
]


@pytest.mark.parametrize("line", FIRST)
def test_what_a_first_contribution_does_is_not_left_out(read: Read, line: str) -> None:
    """A gradient of 0 is what an input has at first: what is told is so there, too."""
    source = "\n".join(cells("day2")[:3])
    assert "self.grad += out.grad\n" in source

    assert read(source.replace("self.grad += out.grad\n", f"{line}\n", 1), ["+"]) == []


READ_ONLY = "\n    @property\n    def grad(self):\n        return 0.0\n"
STRANGE = {
    "read only": ("        self.grad = 0.0\n", ""),
    "loud": (
        "        self.grad = 0.0\n",
        "        if data == 1.37: raise ValueError\n        self.grad = 0.0\n",
    ),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_of_gradients_that_cannot_be_set_nothing_is_told(read: Read, kind: str) -> None:
    """An error of the probe's own doing is no error of an operation."""
    before, after = STRANGE[kind]
    source = "\n".join(cells("day2")[:3]).replace(before, after, 1)
    source = source.replace("\n    def __repr__", READ_ONLY * (kind == "read only") + "\n    def __repr__", 1)

    assert read(source.replace(*MUL), ["+", "*"]) == []


# --- Causes

CLOSURE = "        out._backward = _backward\n        return out\n\n    def __mul__"
ADD = "out = Value(self.data + other.data"
WAYS = {
    "out._backward = None": "backward_none",
    "out._backward = _backward()": "backward_ran_early",
    "out._backward = _backward; _backward = self.grad = 0.0": "backward_ran_early",
    "del out._backward": "no_backward",
    "out._backward = 3.0": "backward_not_callable",
    "self._backward = _backward": "backward_on_input",
    "pass": "backward_unset",
    "return out\n        out._backward = _backward": "backward_unset",
    "del _backward": "backward_unset",
    "out._backward = lambda: self.nothing()": "backward_raises",
    "out._backward = lambda: [_backward(), setattr(self, 'data', 1.0)]": "changes_data",
    "out._backward = lambda: [_backward(), setattr(out, 'grad', 0.0)]": "changes_upstream",
    "made.append(out); out._backward = lambda: [_backward(), setattr(made[-2], 'grad', 0)]": "changes_older_node",
    "made.append(out); out._backward = lambda: setattr(self, 'grad', made[-1].grad)": "reads_later_node",
    "out._backward = _backward; self.data += 1": "forward_changes_data",
    "out._backward = _backward; return out.data": "returns_no_value",
    "out._backward = _backward; return None": "returns_no_value",
    "out._backward = _backward; out.data = other": "data_is_object",
    "out._backward = lambda: setattr(self, 'grad', other)": "grad_is_object",
    "out._backward = lambda: setattr(self, 'grad', 'text')": "grad_is_object",
    "raise IndexError('no')": "raises",
}


def with_plus(line: str) -> str:
    """Day 2's engine, in which `+` ends with another line."""
    source = "made = [Value(0.0) for _ in range(2)]" + "\n"
    engine = "\n".join(cells("day2")[:3])
    assert CLOSURE in engine
    return engine.replace(CLOSURE, CLOSURE.replace("out._backward = _backward", line, 1), 1) + "\n" + source


@pytest.mark.parametrize("line", WAYS)
def test_what_no_formula_shows_is_told_as_a_fact(read: Read, line: str) -> None:
    """The one cause, of the one operation."""
    wrong = read(with_plus(line), ["+", "*"])

    assert [each.operation.name for each in wrong if not each.beside_number] == ["+"]
    assert [found.id for found in wrong[0].found if isinstance(found, Cause)] == [WAYS[line]]


def test_every_cause_has_words_and_a_test() -> None:
    """The list of causes is that of the words; numbers on one side have a test of their own."""
    assert set(CAUSES) == known_causes()
    assert set(CAUSES) - set(WAYS.values()) == {"backward_default", "number_left_fails", "number_right_fails"}


def test_without_a_closure_the_default_does_nothing(read: Read) -> None:
    """The result is a leaf like any other."""
    source = "\n".join(cells("day2")[:3])
    source = re.sub(
        r"        def _backward\(\):.*?\n        return out",
        "        return out",
        source,
        count=1,
        flags=re.DOTALL,
    )

    (wrong,) = read(source, ["+", "*"])

    assert wrong.found == (Cause("backward_default"),)


NUMBERS = {
    "return self - other": (
        "number_left",
        "out.data = self.data - n",
        "In 2 - a your engine computes a.data - 2.",
    ),
    "return self": ("number_left", "out.data = self.data", "In 2 - a your engine computes a.data."),
    "return Value(other).no(self)": ("number_left", "", "2 - a raises AttributeError"),
}


@pytest.mark.parametrize("line", NUMBERS)
def test_a_number_on_the_left_is_told_where_two_values_are_right(read: Read, line: str) -> None:
    """The forward pass or the error: what follows of it is not told."""
    source = "\n".join(cells("day4")[:3]).replace("return Value(other) - self", line)
    variant, wrote, words = NUMBERS[line]

    (wrong,) = read(source)
    (note,) = rules.notes(wrong, ("2", "a"))

    assert (wrong.operation.name, wrong.variant, note.input, note.wrote) == ("-", variant, "out", wrote)
    assert note.words.startswith(words)


def test_a_number_on_the_right_that_is_not_wrapped_is_told(read: Read) -> None:
    """a * 2 raises; a * b is right."""
    source = "\n".join(cells("day2")[:3])
    head, wrap, tail = source.rpartition(
        "other = other if isinstance(other, Value) else Value(other)\n        "
    )
    assert wrap

    wrong = read(head + tail, ["+", "*"])

    assert [(each.variant, found.id) for each in wrong for found in each.found if isinstance(found, Cause)][
        :1
    ] == [("number_right", "number_right_fails")]


# --- Operations that are built from others

BUILT = """
    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1
"""


def built_from_others(*edits: tuple[str, str]) -> str:
    """Day 4's engine, in which - and / are made of other operations."""
    source = "\n".join(cells("day4")[:3]).replace("    def exp(self)", BUILT + "\n    def exp(self)", 1)
    for before, after in edits:
        assert before in source
        source = source.replace(before, after, 1)
    return source


def test_what_follows_from_another_operation_is_not_told(read: Read) -> None:
    """With a wrong product, negation, - and / are wrong as well."""
    wrong = read(built_from_others(MUL))

    assert [each.operation.name for each in wrong] == ["*"]


def test_a_built_operation_is_told_where_what_it_is_made_of_is_right(
    read: Read,
) -> None:
    """a / b as a * b: only the forward pass, for the gradients follow."""
    wrong = read(built_from_others(("self * other**-1", "self * other**2")))

    assert [(each.operation.name, [found.input for found in each.found]) for each in wrong] == [
        ("/", ["out"])
    ]


# --- Where it is told


def failing(check: str, *used: dict[str, tuple[str, ...]]) -> Failing:
    """A check whose tests failed, and the operations that they applied."""
    results = [
        topic.TestResult(topic.Test(check, "visible", f"test_{i}", "forward", ""), Outcome.FAILED, used=each)
        for i, each in enumerate(used)
    ]
    return Failing(check, results)


@pytest.fixture
def explain(launcher: Launcher) -> Callable[..., Any]:
    """What is told at which check."""

    def explain(
        source: str, *failed: Failing, waiting: Sequence[str] = (), operations: Sequence[str] = ("+", "*")
    ) -> Any:
        box = Sandbox(launcher, [source], Limits(), deadline=Deadline(PATIENCE))
        try:
            with box.explaining():
                return explain_rules(failed, set(waiting), box, operations_of(operations), lambda _: None)
        finally:
            box.close()

    return explain


def test_a_rule_is_told_at_each_check_that_used_it(explain: Callable[..., Any]) -> None:
    """In the names of the first one, for the report tells it there; not at one that did not use it."""
    source = "\n".join(cells("day2")[:3]).replace(*MUL)

    told = explain(
        source,
        failing("sums", {"+": ("x", "y")}),
        failing("products", {"+": ("x", "y")}, {"*": ("p", "q")}),
        failing("graphs", {"*": ("p", "q")}),
    )

    assert told.keys() == {"products", "graphs"}
    assert [note.words.split(".")[0] for note in told["products"].rules] == ["In p * q your engine does p"]
    assert told["graphs"].rules == told["products"].rules


def test_what_only_the_students_functions_use_is_told_at_the_first_check(explain: Callable[..., Any]) -> None:
    """Their calls are all that a test has made."""
    source = "\n".join(cells("day2")[:3]).replace(*MUL)

    told = explain(source, failing("answers", {}), failing("neuron", {"neuron": ("x",)}))

    assert [note.operation for note in told["neuron"].rules] == ["*"]
    assert told.keys() == {"neuron"}


def test_what_only_blocked_checks_use_is_told_when_they_no_longer_wait(explain: Callable[..., Any]) -> None:
    """A check that is blocked explains nothing."""
    source = "\n".join(cells("day2")[:3]).replace(*MUL)

    assert explain(source, failing("sums", {"+": ("x", "y")}), waiting=["*", "+"]) == {}


def test_a_check_of_what_is_made_of_it_is_told_it_too(explain: Callable[..., Any]) -> None:
    """Where a - b is a + -1 * b, and the product is wrong."""
    source = built_from_others(MUL)

    told = explain(
        source, failing("minus", {"-": ("a", "b")}), failing("times", {"*": ("p", "q")}), operations=ALL
    )

    assert {check: [note.operation for note in found.rules] for check, found in told.items()} == {
        "minus": ["*"],
        "times": ["*"],
    }


def test_for_answers_alone_nothing_is_asked(
    explain: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No test has applied an operation."""
    monkeypatch.setattr(rules, "ask_all", _unwanted)

    assert explain("class Value: pass", failing("predictions", {}, {})) == {}


def test_an_error_that_the_test_tells_is_not_told_again(explain: Callable[..., Any]) -> None:
    """Nor that of an operation that no failing test has met."""
    source = with_plus("raise IndexError('no')")

    assert explain(source, failing("products", {"*": ("a", "b")})) == {}


@pytest.mark.parametrize(
    "source", ["", "Value = 3", "Value = ...", "class Value: pass", "def Value(x): return x", "1 / 0"]
)
def test_without_an_engine_there_is_silence(explain: Callable[..., Any], source: str) -> None:
    """Nothing is there to be read."""
    assert explain(source, failing("sums", {"+": ("a", "b")})) == {}


# --- Attacks

PROBED = """
import sys
def probed():
    frame = sys._getframe()
    while frame:
        if frame.f_code.co_name in ("probe", "do_call") and "asks" in frame.f_locals:
            return True
        frame = frame.f_back
    return False
"""
TRICKS = {
    "stalls": "while True: pass",
    "leaves": "raise SystemExit",
    "dies": "import os; os._exit(0)",
    "floods": "x = [Value(0.0) for _ in range(100_000)]",
    "recurses": "self + other",
    "lies": "return Value(float('nan'))",
}


@pytest.mark.slow(after=1)
@pytest.mark.parametrize("trick", TRICKS)
def test_who_answers_probes_otherwise_earns_and_stalls_nothing(
    launcher: Launcher, tmp_path: Path, trick: str
) -> None:
    """The verdicts are those of the same engine without the trick; explaining has its two seconds."""
    tricked = edited("day2", MUL).replace("# %%\nclass Value", f"# %%\n{PROBED}\nclass Value")
    line = "        other = other if isinstance(other, Value) else Value(other)\n"
    tricked = tricked.replace(line, f"{line}        if probed():\n            {TRICKS[trick]}\n", 1)
    assert "if probed():" in tricked

    plain, told = graded(launcher, tmp_path, "day2", edited("day2", MUL), tricked)

    assert [(c.id, c.outcome, c.score) for c in told.checks] == [
        (c.id, c.outcome, c.score) for c in plain.checks
    ]
    assert told.score == plain.score


@pytest.mark.parametrize(
    "answer",
    [
        None,
        3,
        "text",
        [],
        {},
        {"operations": 3},
        {"whole": True, "clears": False, "operations": [[{"rule": 1}]]},
        {"whole": 1, "clears": 2, "operations": []},
    ],
)
def test_an_answer_that_is_not_of_the_format_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    """Nothing is told of it."""

    class Box:
        deadline = Deadline()

        def load(self) -> None: ...

        def get(self, name: str) -> object:
            return Proxy(self, Handle(1), name)

        def budget(self, *_: object) -> Any:
            return contextlib.nullcontext()

        def helper(self, _: str, name: str) -> object:
            return self.get(name)

        def encode(self, value: object) -> object:
            return value

        def ask(self, *_: object, **__: object) -> object:
            return answer

    assert read_wrong(Box(), operations_of(["+"])) == []


# --- In a notebook


def test_a_kernel_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Garbage collection, profiler and the student's own objects."""
    be_patient(monkeypatch)
    gc.enable()  # commands that other tests run in this process turn it off
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("\n".join(cells("day2")[:3]).replace(*MUL), "<stdin>", "exec"), namespace)
    own = namespace["own"] = namespace["Value"](3.0)
    before, limit = dict(vars(own)), sys.getrecursionlimit()
    box = Sandbox(Live(namespace, lambda file: file == "<stdin>"), [], Limits(), deadline=Deadline(PATIENCE))

    with box.explaining():
        (wrong,) = read_wrong(box, operations_of(["+", "*"]))
    box.close()

    assert [found.wrote for found in wrong.found] == ["self.grad += self.data * out.grad"]
    assert dict(vars(own)) == before
    assert gc.isenabled()
    assert (sys.getprofile(), sys.getrecursionlimit()) == (None, limit)
