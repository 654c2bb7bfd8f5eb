"""The line that a check's feedback points at: an error's own, an answer's, a rule's, a function's, or none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from helpers import COURSE, copy_course, edit_manifest, reference

from grader.autograd.facts import RuleFact, WalkFact
from grader.autograd.topic import AutogradTopic
from grader.fleet.session import Session
from grader.grading.locations import loop_at
from grader.grading.suite import Suite
from grader.render.terminal import render_terminal
from grader.report import CheckResult, Fact, Location, Outcome, Report
from grader.sandbox import Frame, Sandbox
from grader.submissions.submission import Block
from grader.submissions.work import Work


@pytest.fixture
def report_on(session: Callable[[Path, str], Session]) -> Callable[..., Report]:
    """Grade a day's reference after some changes."""

    def graded(day: str, *changes: tuple[str, str], course: Path = COURSE) -> Report:
        source = reference(day)
        for old, new in changes:
            assert source.count(old) == 1, old
            source = source.replace(old, new)
        return session(course, day).grade(
            Work("mine.py", data=source.encode(), submitted="2025-11-22T00:00:00+00:00")
        )

    return graded


def of(report: Report, name: str) -> CheckResult:
    """The check of that name."""
    return next(check for check in report.checks if check.id == name)


def places(report: Report) -> dict[str, str]:
    """The text of the line that each check points at."""
    return {check.id: check.where.text for check in report.checks if check.where}


# --- Answers and functions


def test_an_answer_is_shown_by_its_line(report_on):
    """File and line, and nothing of the engine."""
    source = reference("day2")
    line = source[: source.index('strongest = "a"')].count("\n") + 1
    report = report_on("day2", ('strongest = "a"', 'strongest = "c"'))

    text = " ".join(render_terminal(report).split())

    assert f'mine.py, line {line}: strongest = "c"' in text
    assert places(report) == {"leverage": 'strongest = "c"'}


def test_a_blank_is_shown_by_its_line(report_on):
    """As an answer that is wrong is."""
    report = report_on("day2", ("quiz_df_da = 10", "quiz_df_da = ..."))

    assert of(report, "quiz").outcome is Outcome.TODO
    assert places(report) == {"quiz": "quiz_df_da = ..."}


@pytest.mark.ci
def test_a_function_is_shown_by_its_first_line(report_on, tmp_path):
    """The one that the test asked for by its name. `backward`, which uses it, may be right: it has no place."""
    course = copy_course(tmp_path)
    edit_manifest(course, "day3", checks={"diamond": {"needs": []}})
    report = report_on("day3", ("order.append(node)", "order.insert(0, node)"), course=course)

    assert of(report, "diamond").outcome is Outcome.FAILED
    assert places(report) == {"build_topo": "def build_topo(root):"}


@pytest.mark.ci
def test_a_function_with_decorators_is_shown_by_its_def(report_on):
    """The line of the first decorator says little."""
    decorated = "import functools\n@functools.lru_cache\n@functools.wraps(print)\ndef build_topo(root):"
    report = report_on(
        "day3", ("order.append(node)", "order.insert(0, node)"), ("def build_topo(root):", decorated)
    )

    assert places(report)["build_topo"] == "def build_topo(root):"


@pytest.mark.ci
def test_each_test_has_its_own_function(report_on):
    """Of a check with several the first that fails counts."""
    report = report_on("day4", ("-= rate * parameter.grad", "+= rate * parameter.grad"))

    assert places(report) == {"gradient_descent": "def descend(parameters, rate):"}


ALL_PAIRS = (
    "        for child, local in zip(node._children, node._local_grads, strict=True):",
    "        for child, local in ((child, local) for child in node._children for local in node._local_grads):",
)


@pytest.mark.ci
def test_a_method_that_only_calls_a_function_is_not_the_place(report_on):
    """The course gives `Value.backward`; the function that it calls is the student's."""
    report = report_on("day5", ALL_PAIRS)

    assert places(report) == {"backward": "def backward(root):"}


@pytest.mark.ci
def test_a_method_that_does_more_is_the_place(report_on):
    """The loop may be right, and the line before it wrong."""
    call = "        backward(self)\n"
    report = report_on("day5", (call, f"{call}        self.grad = 2.0\n"))

    assert {"backward": "def backward(self):"}.items() <= places(report).items()


@pytest.mark.ci
def test_of_two_classes_with_a_method_it_is_that_of_the_object(report_on):
    """`model.parameters()` is MLP's, though Linear has one, too."""
    names = "parameter for layer in self.layers for parameter in layer.parameters()"
    report = report_on("day7", (names, "layer.parameters() for layer in self.layers"))

    assert of(report, "mlp").where.inside == "MLP.parameters"


@pytest.mark.ci
def test_functions_that_do_not_use_each_other(report_on):
    """Both are shown."""
    report = report_on(
        "day4",
        ("        parameter.grad = 0.0", "        parameter.grad = 1.0"),
        ("    leaf = node = Value(start)", "    leaf = node = Value(start + 1)"),
    )

    assert places(report) == {
        "zero_grad": "def zero_grad(parameters):",
        "chain_products": "def chain_gradient(layer, start, n):",
    }


# --- Errors


def test_own_frames_of_an_error_are_shown(report_on, snapshot):
    """Outermost first, each with its source, and nothing of the grader's."""
    helper = "\ndef slope(t):\n    return 1 / (t - t)\n\n\ndef tanh(self):\n"
    report = report_on(
        "day2", ("\ndef tanh(self):\n", helper), ("(1 - t**2) * out.grad", "slope(t) * out.grad")
    )

    failed = of(report, "tanh_neuron")

    assert [frame.text for frame in failed.frames] == snapshot
    assert [frame.inside for frame in failed.frames] == ["tanh", "slope"]
    assert failed.where == failed.frames[-1]
    assert "worker.py" not in render_terminal(report)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("day", "old", "new", "check"),
    [
        ("day3", "def build_topo(root):", "def build_topo():", "build_topo"),
        ("day2", "def __mul__(self, other):", "def __mul__(self):", "swap_rule"),
        ("day3", "Value.backward = backward", "Value.backward = lambda: backward", "pytorch_parity"),
    ],
)
def test_a_call_with_other_arguments_is_shown_by_the_definition(report_on, day, old, new, check):
    """Python names the function that does not take them; its lines never ran."""
    report = report_on(day, (old, new))

    assert "TypeError" in of(report, check).message
    assert places(report)[check] == new


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("self._prev = tuple(_children)", "self._prev = {_children}", "self._prev = {_children}"),
        ("self.data = data", "self.date = data", "self.date = data"),
        ("self.label = label", "self.label: str = _op", "self.label: str = _op"),
        ('return f"Value(data={self.data})"', "print(self.data)", "def __repr__(self):"),
    ],
    ids=["children", "a misspelt name", "another argument", "a text that is not returned"],
)
def test_what_a_new_object_holds_is_shown_by_the_line_that_sets_it(report_on, old, new, text):
    """Of the first failed check: nothing but objects were made, and Python's own error has no line."""
    report = report_on("day1", (old, new))

    failed = next(check for check in report.checks if check.outcome is Outcome.FAILED)

    assert failed.where is not None, failed.message
    assert failed.where.text == text


@pytest.mark.ci
@pytest.mark.parametrize(
    ("day", "change", "check", "place"),
    [
        ("day2", (".grad", ".gradient"), "add_rule", "def __init__"),
        (
            "day3",
            ("Value.backward = backward", "Value.backward = backward(Value(1.0))"),
            "pytorch_parity",
            "",
        ),
    ],
)
def test_what_a_result_lacks_is_no_fault_of_its_operation(report_on, day, change, check, place):
    """An attribute that no object has is the constructor's to set; a method that is None was not set by `*`."""
    source = reference(day)

    report = report_on(day, (source, source.replace(*change)))

    assert places(report).get(check, "").partition("(")[0] == place


@pytest.mark.ci
def test_where_two_lines_set_it_the_def_is_shown(report_on):
    change = "self._prev = tuple(_children)"
    report = report_on("day1", (change, "self._prev = ()\n        self._prev = [_children]"))

    assert places(report)["leaf"].startswith("def __init__(")


def test_a_closure_that_wants_an_argument(report_on, snapshot):
    """It is found by its qualified name."""
    source = reference("day2")
    start = source.index("def _backward():", source.index("def __mul__"))
    old = source[source.index("def __mul__") : start + len("def _backward():")]
    report = report_on("day2", (old, old.replace("def _backward():", "def _backward(out):")))

    found = of(report, "swap_rule")

    assert found.message == snapshot
    assert found.where is not None
    assert (found.where.text, found.where.inside) == ("def _backward(out):", "Value.__mul__")


@pytest.mark.parametrize(
    ("body", "line", "loop"),
    [
        ("while True:\n    try:\n        n = int('x')\n    except:\n        pass", 4, 1),
        ("for i in iter(int, 1):\n    if n:\n        n = n + 1", 3, 1),
        ("for i in range(3):\n    n = i\nwhile n:\n    n = 1\n    n = 2", 4, 3),
        ("n = n + 1\nn = sum(iter(int, 1))", 2, 2),
        ("for i in [n]:\n    def g():\n        return sum(iter(int, 1))\n    g()", 3, 3),
    ],
    ids=["in a try", "in an if", "the second loop", "no loop", "in a function of its own"],
)
def test_the_loop_around_the_line_where_code_stood(body, line, loop):
    """The nearest loop of the same function; without one the line itself."""
    source = "def first(n):\n" + indent(body, "    ")

    found = loop_at(Frame(0, line + 1, "first"), [Block("mine.py", None, 1, source)])

    assert found.line == loop + 1


# --- Rules and walks


def explained(monkeypatch: pytest.MonkeyPatch, **found: list[Fact]) -> None:
    """Let the topic find this out about the checks that failed."""

    def explain(_: object, failing: Any, *__: object) -> dict[str, list[Fact]]:
        names = {each.check for each in failing}
        return {name: facts for name, facts in found.items() if name in names}

    monkeypatch.setattr(AutogradTopic, "explain", explain)


RULE = Location("mine.py", None, 3, "def _backward():", "Value.__mul__")
WALK = Location("mine.py", None, 9, "def backward(root):", "backward")
SWAPPED = (
    "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad",
    "self.grad += self.data * out.grad\n            other.grad += other.data * out.grad",
)


def test_a_rule_that_is_wrong_is_the_place(report_on, monkeypatch):
    """The first that has one."""
    places = (("out", None), ("self", RULE), ("other", WALK))
    facts = [RuleFact("*", name, "out.data = self.data").fact(where) for name, where in places]
    explained(monkeypatch, swap_rule=facts)

    assert of(report_on("day2", SWAPPED), "swap_rule").where == RULE


@pytest.mark.ci
def test_without_a_rule_the_walk_is_the_place(report_on, monkeypatch):
    """Rather than the function that was called."""
    explained(monkeypatch, build_topo=[WalkFact("backward", "earlier", "b = a").fact(WALK)])

    assert of(report_on("day3", ("order.append(node)", "order.insert(0, node)")), "build_topo").where == WALK


@pytest.mark.ci
def test_an_answer_that_is_wrong_has_its_line_beside_a_rule(report_on, monkeypatch):
    """The rule is reported elsewhere; a function that may only use it is not pointed at."""
    explained(monkeypatch, swap_rule=[RuleFact("*", "self").fact(RULE)])
    answer = ('strongest = "a"', 'strongest = "c"')
    report = report_on("day2", SWAPPED, answer)

    assert places(report) == {"swap_rule": RULE.text, "leverage": 'strongest = "c"'}


@pytest.mark.ci
def test_while_a_rule_is_wrong_no_function_is_pointed_at(report_on, monkeypatch):
    """A function that uses a wrong operation may be right."""
    explained(monkeypatch, build_topo=[RuleFact("+", "self").fact()])

    assert places(report_on("day3", ("order.append(node)", "order.insert(0, node)"))) == {}


@pytest.mark.ci
def test_a_function_that_takes_no_such_argument_has_its_line_beside_a_rule(report_on, monkeypatch):
    """The error that stopped the test has its line, whatever else is wrong."""
    explained(monkeypatch, swap_rule=[RuleFact("*", "self").fact(RULE)])
    closure = "def _backward():\n            ### BEGIN SOLUTION: Value.__add__"
    report = report_on("day2", SWAPPED, (closure, closure.replace("()", "(self)")))

    assert places(report)["add_rule"] == "def _backward(self):"


# --- What it costs


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the names that explanations ask jails for."""
    found: list[Any] = []
    real = Sandbox.find_definitions
    monkeypatch.setattr(Sandbox, "find_definitions", lambda box, of: found.append(list(of)) or real(box, of))
    return found


def test_a_right_submission_is_asked_nothing(report_on, asked):
    """A right submission needs no explanation."""
    assert report_on("day2").outcome is Outcome.PASSED
    assert asked == []


def test_a_wrong_one_is_asked_once(report_on, asked):
    """For all places together, each once."""
    report_on("day2", ('strongest = "a"', 'strongest = "c"'), ("quiz_df_da = 10", "quiz_df_da = 11"))

    assert asked == [["strongest", "quiz_df_da"]]


@pytest.mark.ci
def test_a_jail_that_ended_is_opened_again(report_on, monkeypatch):
    """As one that the last test ended by running out of time."""
    real = Suite.run

    def runs(suite: Suite, sandbox: Sandbox, only: Any, **how: Any) -> Any:
        found = real(suite, sandbox, only, **how)
        sandbox.close()
        return found

    monkeypatch.setattr(Suite, "run", runs)

    report = report_on("day3", ("order.append(node)", "order.insert(0, node)"))

    assert places(report) == {"build_topo": "def build_topo(root):"}


@pytest.mark.ci
def test_a_function_has_its_line_where_no_rule_is_told(report_on):
    """`unbroadcast` of day 6 is wrong; the check of whole expressions, which uses it, waits."""
    report = report_on("day6", ("grad = grad.sum(axis=0)", "grad = grad.sum(axis=-1)"))

    assert of(report, "pytorch_parity").outcome == "blocked"
    assert places(report)["unbroadcast"] == "def unbroadcast(grad, shape):"
