"""Wrong rules in a report: at which check, in which names, with which line of code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers import cells
from msgspec.structs import replace
from reading import ALL, MUL, PATIENCE, built_from_others, edited, graded, with_plus

from grader import topic
from grader.assignment import Course
from grader.autograd.factwords import words_for as brought
from grader.autograd.rules import wrong as wrongs
from grader.autograd.rules.explain import explain_rules
from grader.autograd.rules.operations import operations_of
from grader.autograd.rules.probe import ask_all
from grader.grading.grader import grade
from grader.manifest import Limits
from grader.sandbox import Deadline, Launcher, Sandbox, StudentError
from grader.topic import Failing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.autograd.rules.wrong import WrongOperation

    Read = Callable[..., list[WrongOperation]]


# --- In a whole grading


def test_a_wrong_rule_is_in_the_report_and_a_right_submission_costs_nothing(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot
) -> None:
    """The note is at the first check that failed: statement, sentences, and the line of the closure."""
    asked = []
    monkeypatch.setattr(wrongs, "ask_all", lambda *of: asked.append(of) or ask_all(*of))

    right, wrong = graded(launcher, tmp_path, "day2", edited("day2"), edited("day2", MUL))

    assert right.score == right.max_score
    assert len(asked) == 1  # for the wrong one
    (explained,) = [check for check in wrong.checks if check.rules]
    (note,) = explained.rules
    assert explained.id == "swap_rule"
    assert note.operation == "*"
    assert note.input == "self"
    assert note.wrote == snapshot
    assert note.words == snapshot
    assert note.where is not None
    assert (note.where.text, note.where.inside) == ("self.grad += self.data * out.grad", "Value.__mul__")


def test_a_gradient_that_a_line_before_has_changed_is_not_called_0(
    launcher: Launcher, tmp_path: Path, snapshot
) -> None:
    """The second line reads what the first one has added."""
    edit = ("other.grad += self.data * out.grad", "other.grad += self.grad * out.grad")

    (report,) = graded(launcher, tmp_path, "day2", edited("day2", edit))

    (explained,) = [check for check in report.checks if check.rules]
    assert explained.rules[-1].words == snapshot


ONE_RULE = """
class Value:
    def __init__(self, data, _prev=(), _op="", slopes=()):
        self.data, self.grad, self._prev, self._op, self.slopes = data, 0.0, _prev, _op, slopes

    def _backward(self):
        for node, slope in zip(self._prev, self.slopes):
            node.grad += slope * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+", (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*", (self.data, other.data))

    __radd__, __rmul__ = __add__, __mul__
"""


@pytest.mark.ci
def test_where_a_right_operation_has_the_same_rule_the_method_is_shown(
    launcher: Launcher, tmp_path: Path
) -> None:
    """What `*` hands to the rule is wrong, not the rule, which is right for `+`."""
    (engine,) = [cell for cell in cells("day2") if "class Value:" in cell]

    (report,) = graded(launcher, tmp_path, "day2", edited("day2", (engine, ONE_RULE)), only="swap_rule")

    (swap_rule,) = [check for check in report.checks if check.id == "swap_rule"]
    assert {rule.where.inside for rule in swap_rule.rules if rule.where} == {"Value.__mul__"}


@pytest.mark.ci
def test_where_nodes_keep_local_gradients_these_are_reported(
    launcher: Launcher, tmp_path: Path, snapshot
) -> None:
    """As `LOCAL * out.grad`, in this form."""
    swapped = edited("day5", ("(1 / b, -a / b**2)", "(-a / b**2, 1 / b)"))

    (report,) = graded(launcher, tmp_path, "day5", swapped)

    rules = next(check for check in report.checks if check.id == "local_grads").rules
    assert [rule.wrote for rule in rules] == snapshot
    assert rules[0].words == snapshot


def test_a_manifest_of_an_earlier_template_declares_nothing(
    launcher: Launcher, course: Path, tmp_path: Path, snapshot
) -> None:
    """Then all known operations are read."""
    path = course / "assignments/day2/assignment.yaml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("operations:")), encoding="utf-8")
    work = tmp_path / "mine.py"
    work.write_text(edited("day2", MUL), encoding="utf-8")

    report = grade(Course.find(course).assignment("day2"), work, launcher)

    rules = next(check for check in report.checks if check.id == "swap_rule").rules
    assert [rule.wrote for rule in rules] == snapshot


def _unwanted(*_: object) -> list[Any]:
    raise AssertionError("nothing is to be asked")


# --- Where it is told


def failing(check: str, *used: dict[str, tuple[str, ...]]) -> Failing:
    """A check whose tests failed, and the operations that they applied."""
    results = [
        topic.TestResult(
            topic.Test(check, "visible", f"test_{i}", "forward", ""), topic.TestOutcome.FAILED, used=each
        )
        for i, each in enumerate(used)
    ]
    return Failing(check, results)


@pytest.fixture
def explain(launcher: Launcher) -> Callable[..., Any]:
    """Return the explanations by check."""

    def explain(
        source: str, *failed: Failing, waiting: Sequence[str] = (), operations: Sequence[str] = ("+", "*")
    ) -> Any:
        box = Sandbox(launcher, [source], Limits(), deadline=Deadline(PATIENCE))
        try:
            with box.explaining():
                found = explain_rules(failed, set(waiting), box, operations_of(operations), lambda _: None)
                return {check: brought(facts) for check, facts in found.items()}
        finally:
            box.close()

    return explain


def test_a_rule_is_reported_at_each_check_that_used_it(explain: Callable[..., Any], snapshot) -> None:
    """In the names of the first one, where the report shows it; not at a check that did not use it."""
    source = "\n".join(cells("day2")[:3]).replace(*MUL)

    told = explain(
        source,
        failing("sums", {"+": ("x", "y")}),
        failing("products", {"+": ("x", "y")}, {"*": ("p", "q")}),
        failing("graphs", {"*": ("p", "q")}),
    )

    assert told.keys() == {"products", "graphs"}
    assert [note.words.split(".")[0] for note in told["products"].rules] == snapshot
    assert told["graphs"].rules == told["products"].rules


def test_the_operation_of_the_message_comes_first(explain: Callable[..., Any]) -> None:
    """The first failing test used * alone; + is told at its check, too."""
    source = (
        "\n".join(cells("day2")[:3]).replace(*MUL).replace("self.grad += out.grad", "self.grad = out.grad")
    )

    told = explain(source, failing("products", {"*": ("p", "q")}, {"+": ("a", "b")}))

    assert [note.operation for note in told["products"].rules] == ["*", "+"]


def test_what_only_the_students_functions_use_is_reported_at_the_first_check(
    explain: Callable[..., Any],
) -> None:
    """The tests only called functions."""
    source = "\n".join(cells("day2")[:3]).replace(*MUL)

    told = explain(source, failing("answers", {}), failing("neuron", {"neuron": ("x",)}))

    assert [note.operation for note in told["neuron"].rules] == ["*"]
    assert told.keys() == {"neuron"}


def test_one_check_alone_is_not_told_of_an_operation_that_it_does_not_use(
    launcher: Launcher, tmp_path: Path
) -> None:
    """The tests of gradient_descent apply no division: its failure has another cause."""
    wrong = edited(
        "day4",
        (
            "other.grad -= out.grad * self.data / other.data**2",
            "other.grad -= out.grad * self.data / other.data",
        ),
        ("parameter.data -= rate", "parameter.data += rate"),
    )

    for check, operations in (("gradient_descent", []), ("divide", ["/"])):
        (report,) = graded(launcher, tmp_path, "day4", wrong, only=check)

        (told,) = report.checks
        assert told.id == check
        assert [rule.operation for rule in told.rules] == operations


def test_what_only_blocked_checks_use_is_reported_when_they_no_longer_wait(
    explain: Callable[..., Any],
) -> None:
    """A check that is blocked explains nothing."""
    source = "\n".join(cells("day2")[:3]).replace(*MUL)

    assert explain(source, failing("sums", {"+": ("x", "y")}), waiting=["*", "+"]) == {}


def test_a_check_of_an_operation_made_of_it_shows_it_too(explain: Callable[..., Any]) -> None:
    """If a - b is a + -1 * b, and the product is wrong."""
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
    monkeypatch.setattr(wrongs, "ask_all", _unwanted)

    assert explain("class Value: pass", failing("predictions", {}, {})) == {}


def test_an_error_in_the_message_is_not_reported_again(explain: Callable[..., Any]) -> None:
    """Neither is that of an operation that no failing test has used."""
    source = with_plus("raise IndexError('no')")

    assert explain(source, failing("products", {"*": ("a", "b")})) == {}


UNWRAPPED = ("        other = other if isinstance(other, Value) else Value(other)\n", "")
SHOWN = {
    "'int' object has no attribute 'data'": ["x + 2.5 raises AttributeError"],
    "'Value' object has no attribute 'lable'": [],
}


@pytest.mark.parametrize("text", SHOWN)
def test_a_plain_number_is_named_only_where_a_test_met_one(explain: Callable[..., Any], text: str) -> None:
    """An error of the same type about two Values has another cause."""
    (result,) = (failed := failing("sums", {"+": ("x", "y")})).results
    failed = failed._replace(results=[replace(result, error=StudentError("AttributeError", text))])
    source = "\n".join(cells("day2")[:3])
    assert UNWRAPPED[0] in source

    told = explain(source.replace(*UNWRAPPED, 1), failed)

    notes = [note for found in told.values() for note in found.rules]
    assert [note.words.split(":")[0].split(". ")[0] for note in notes] == SHOWN[text]


@pytest.mark.parametrize(
    "source", ["", "Value = 3", "Value = ...", "class Value: pass", "def Value(x): return x", "1 / 0"]
)
def test_without_an_engine_there_is_silence(explain: Callable[..., Any], source: str) -> None:
    """There is nothing to read."""
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


@pytest.mark.parametrize(
    "trick",
    [name if name in {"lies", "leaves"} else pytest.param(name, marks=pytest.mark.ci) for name in TRICKS],
)
def test_who_answers_probes_otherwise_earns_and_stalls_nothing(
    launcher: Launcher, tmp_path: Path, trick: str
) -> None:
    """The verdicts are those of the same engine without the trick; explanations have two seconds."""
    tricked = edited("day2", MUL).replace("# %%\nclass Value", f"# %%\n{PROBED}\nclass Value")
    line = "        other = other if isinstance(other, Value) else Value(other)\n"
    tricked = tricked.replace(line, f"{line}        if probed():\n            {TRICKS[trick]}\n", 1)
    assert "if probed():" in tricked

    plain, told = graded(launcher, tmp_path, "day2", edited("day2", MUL), tricked)

    assert [(c.id, c.outcome, c.score) for c in told.checks] == [
        (c.id, c.outcome, c.score) for c in plain.checks
    ]
    assert told.score == plain.score
