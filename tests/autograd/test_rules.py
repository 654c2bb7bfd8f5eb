"""Rules are read back from real engines in a real jail: a note is true, or there is none."""

from __future__ import annotations

import gc
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
import variety
from helpers import cells
from reading import (
    ALL,
    MUL,
    OF_DAY,
    PATIENCE,
    be_patient,
    built_from_others,
    edited,
    graded,
    source_of,
    with_plus,
)

from grader.autograd.factwords import words_for
from grader.autograd.rules.explain import facts_of
from grader.autograd.rules.operations import operations_of
from grader.autograd.rules.wrong import Cause, read_wrong
from grader.autograd.words import CAUSES
from grader.manifest import Limits
from grader.sandbox import Deadline, Proxy, Sandbox
from grader.sandbox.budget import Budget
from grader.sandbox.live import Live
from grader.sandbox.wire import Handle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from variety import Variant

    from grader.autograd.rules.wrong import WrongOperation
    from grader.sandbox import Launcher

    Read = Callable[..., list[WrongOperation]]


@pytest.mark.ci
@pytest.mark.parametrize("variant", variety.SAMPLE, ids=lambda variant: variant.name)
def test_of_another_style_nothing_is_reported(read: Read, variant: Variant) -> None:
    """Children and rules may be kept in any way."""
    assert read(variant.source, OF_DAY.get(max(variant.days), ALL)) == []


def test_of_the_lectures_engine_nothing_is_reported_and_of_a_broken_one_all(read: Read, snapshot) -> None:
    """Its product assigns, and uses its own factor; its tanh lacks parentheses."""
    lecture, broken = variety.VARIANTS["lecture_set"].source, source_of("broken")

    assert read(lecture, ["+", "*", "tanh"]) == []
    assert {
        each.operation.name: [rule.wrote for rule in each.found] for each in read(broken, ["+", "*", "tanh"])
    } == snapshot


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


@pytest.mark.ci
@pytest.mark.parametrize("spelled", SPELLINGS)
def test_of_another_spelling_nothing_is_reported(read: Read, spelled: str) -> None:
    """Only the number that is added counts."""
    source = "\n".join(cells("day4")[:3])
    assert spelled in source

    assert read(source.replace(spelled, SPELLINGS[spelled])) == []


def test_of_float32_nothing_is_reported(read: Read) -> None:
    """Its seven digits are enough to tell right from wrong."""
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
def test_what_is_no_function_of_its_inputs_gives_no_note(read: Read, kind: str) -> None:
    """No statement gives its numbers."""
    source = UNSTEADY[kind] + "\n" + "\n".join(cells("day2")[:3])
    source = source.replace("self.grad += other.data *", "self.grad += factor() * other.data *")

    assert read(source, ["+", "*"]) == []


WHOLE = source_of("whole")  # its product is wrong


def test_a_product_is_read_where_there_is_only_backward_and_all_else_is_made_of_it(
    read: Read, snapshot
) -> None:
    """A power can pass any upstream gradient on, too."""
    (wrong,) = read(WHOLE, ["+", "*", "-", "/", "**"])

    assert [found.wrote for found in wrong.found] == snapshot


def test_a_shut_gate_that_leaves_the_gradient_alone_is_not_called_leaky(read: Read) -> None:
    """`=` in an open gate, and no write in a shut one."""
    source = "\n".join(cells("day4")[:3])
    right = "self.grad += (1.0 if self.data > 0 else 0.0) * out.grad"
    assert right in source

    (wrong,) = read(source.replace(right, "if self.data > 0: self.grad = out.grad"))
    assert [found.relations for found in wrong.found] == [("assigned",)]


@pytest.mark.parametrize("gate", ["self.grad > 0", "self.grad >= 0", "out.grad > 0"])
def test_a_gate_that_asks_a_gradient_is_reported(read: Read, gate: str) -> None:
    """At 0, as new gradients are, it is shut or open."""
    source = "\n".join(cells("day4")[:3])
    right = "(1.0 if self.data > 0 else 0.0) * out.grad"
    assert right in source

    (wrong,) = read(source.replace(right, f"({gate}) * out.grad"))

    assert [found.wrote for found in wrong.found] == [f"self.grad += ({gate}) * out.grad"]
    assert [found.relations for found in wrong.found] == [
        ("gate_upstream" if "out" in gate else "gate_own_gradient",)
    ]


RSUB = "    def __rsub__(self, other):\n        return Value(other) - self\n"
HOLES = {
    "raises": "",
    "returns a number": "    def __rsub__(self, other):\n        return other - self.data\n",
    "returns its input": "    def __rsub__(self, other):\n        return self\n",
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_in_an_engine_of_another_style_says_nothing_about_the_rest(read: Read, hole: str) -> None:
    """Its results have no `_backward`, which is no fault here."""
    source = WHOLE.replace(RSUB, HOLES[hole])
    found = read(source, ["+", "*", "-", "/", "**"])

    assert not [each for each in found if not each.beside_number and each.operation.name != "*"]
    assert "no_backward" not in {
        cause.id for each in found for cause in each.found if isinstance(cause, Cause)
    }


@pytest.mark.parametrize("seed", ["self.grad = 1.0", "pass"])
def test_contributions_that_are_handed_back_are_read_or_left_out(read: Read, seed: str, snapshot) -> None:
    """`_backward` does not write them; `backward()` adds them, if it works."""
    wrong = source_of("hands_back").replace("other.data * out.grad", "self.data * out.grad")

    found = read(wrong.replace("self.grad = 1.0", seed), ["+", "*", "**"])

    wrote = [rule.wrote for each in found for rule in each.found]
    assert wrote == snapshot


def test_of_an_engine_of_another_style_without_a_backward_nothing_is_reported(read: Read) -> None:
    """It is unknown whether its results need a `_backward`."""
    assert read(WHOLE.replace("def backward(", "def backprop("), ["+", "*", "**"]) == []


FIRST = [
    "self.grad = out.grad if self.grad == 0 else self.grad",
    "self.grad = out.grad if self.grad == 0 else self.grad + 2 * out.grad",
    "self.grad += 2 * out.grad if self.grad else out.grad",
]


@pytest.mark.parametrize("line", FIRST)
def test_what_a_first_contribution_does_is_not_left_out(read: Read, line: str) -> None:
    """A statement must also hold for a gradient of 0 before, which every input has at first."""
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
def test_of_gradients_that_cannot_be_set_nothing_is_reported(read: Read, kind: str) -> None:
    """An error that the probe causes is not an error of an operation."""
    before, after = STRANGE[kind]
    source = "\n".join(cells("day2")[:3]).replace(before, after, 1)
    source = source.replace("\n    def __repr__", READ_ONLY * (kind == "read only") + "\n    def __repr__", 1)

    assert read(source.replace(*MUL), ["+", "*"]) == []


# --- Causes

WAYS = {
    "out._backward = None": "backward_none",
    "out._backward = _backward()": "backward_ran_early",
    "_backward(); pass": "backward_ran_early",
    "def seven(): return 7\n        seven()": "backward_unset",
    "out._backward = _backward; self.grad = 0.0": "forward_changes_grad",
    "del out._backward": "no_backward",
    "out._backward = 3.0": "backward_not_callable",
    "out._backward = lambda: (out.grad, out.grad)": "backward_returns",
    "out._backward = lambda: _backward": "backward_returns_function",
    "out._backward = lambda: [_backward(), self._backward()]": "repeats_inputs",
    "self._backward = _backward": "backward_on_input",
    "self._backward = out._backward = _backward": "on_input",
    "pass": "backward_unset",
    "return out\n        out._backward = _backward": "backward_unset",
    "del _backward": "backward_default",
    "out._backward = lambda: self.nothing()": "backward_raises",
    "out._backward = lambda: [_backward(), setattr(self, 'data', 1.0)]": "changes_data",
    "out._backward = lambda: [_backward(), setattr(out, 'grad', 0.0)]": "changes_upstream",
    "out._backward = _backward; self.data += 1": "forward_changes_data",
    "out._backward = _backward; return out.data": "returns_no_value",
    "out._backward = _backward; return None": "returns_no_value",
    "out._backward = _backward; out.data = other": "data_is_object",
    "out._backward = lambda: setattr(self, 'grad', other)": "grad_is_object",
    "out._backward = lambda: setattr(self, 'grad', 'text')": "grad_is_object",
    "raise IndexError('no')": "raises",
}


@pytest.mark.ci
@pytest.mark.parametrize("line", WAYS)
def test_what_no_formula_shows_is_reported_as_a_fact(read: Read, line: str) -> None:
    """Exactly this cause, for exactly this operation."""
    wrong = read(with_plus(line), ["+", "*"])

    assert [each.operation.name for each in wrong if not each.beside_number] == ["+"]
    assert [found.id for found in wrong[0].found if isinstance(found, Cause)] == [WAYS[line]]


def test_a_rule_that_uses_values_of_a_later_call_is_not_read(read: Read) -> None:
    """Its numbers depend on more than its inputs."""
    line = "made.append(out); out._backward = lambda: setattr(self, 'grad', made[-1].grad)"
    assert read(with_plus(line), ["+", "*"]) == []


ELSEWHERE = {
    *("number_left_fails", "number_right_fails"),
    *(
        "counted_once",
        "input_cut",
        "input_not_kept",
        "keeps_no_inputs",
        "local_is_object",
        "grad_starts",
        "equal_values_share_grad",
        "values_share_grad",
    ),
}


def test_a_cause_that_a_second_look_does_not_show_is_not_reported(read: Read) -> None:
    """Here data changes from the thirtieth sum on. Nothing tells which look is the right one."""
    late = "made.append(out); out._backward = lambda: [_backward(), len(made) > 30 and setattr(self, 'data', 1.0)]"

    assert read(with_plus(late), ["+", "*"]) == []


def test_every_cause_has_a_test() -> None:
    """Those about plain numbers and about every Value have tests of their own."""
    assert set(CAUSES) - set(WAYS.values()) == ELSEWHERE


@pytest.mark.parametrize("line", ["return out", "self * 2; return out"])
def test_without_a_closure_the_default_does_nothing(read: Read, line: str) -> None:
    """The result keeps the `_backward` of a leaf; a node that the method makes beside it may have one."""
    source = "\n".join(cells("day2")[:3])
    source = re.sub(
        r"        def _backward\(\):.*?\n        return out",
        f"        {line}",
        source,
        count=1,
        flags=re.DOTALL,
    )

    (wrong,) = read(source, ["+", "*"])

    assert wrong.found == (Cause("backward_default"),)


# --- Every Value

BY_KEY = """
    grads = {}

    @property
    def grad(self):
        return Value.grads.get(KEY, 0.0)

    @grad.setter
    def grad(self, number):
        Value.grads[KEY] = number
"""
OF_VALUES = {
    "self.grad = 1": ("grad_starts", "1"),
    "self.grad = -0.5": ("grad_starts", "-0.5"),
    "self.grad = self.data": ("grad_starts", "its data"),
    "self.data": ("equal_values_share_grad", ""),
    "self._op": ("values_share_grad", ""),
}


def with_gradients(kept: str) -> str:
    """Return day 4's engine, made of others, whose gradients start or are kept in another way."""
    if kept.startswith("self.grad"):
        return built_from_others(("self.grad = 0.0", kept))
    head = "    def __init__"
    return built_from_others(
        ("        self.grad = 0.0\n", ""), (head, BY_KEY.replace("KEY", kept) + f"\n{head}")
    )


@pytest.mark.parametrize("kept", OF_VALUES)
def test_what_is_wrong_about_every_value_is_reported_alone(read: Read, kept: str) -> None:
    """Operations follow from it, so nothing is told of them."""
    name, kind = OF_VALUES[kept]

    (wrong,) = read(with_gradients(kept).replace(*MUL))

    assert (wrong.operation.name, wrong.found) == ("Value", (Cause(name, kind=kind),))


def test_gradients_that_start_at_1_and_are_cleared_are_not_reported(read: Read) -> None:
    """`backward()` sets them to 0 before it hands anything on."""
    source = variety.VARIANTS["clears_first"].source

    assert read(re.sub(r"self\.grad = 0(\.0)?\n", "self.grad = 1.0\n", source, count=1)) == []


def test_a_probe_has_the_kind_of_number_that_leaves_have(read: Read) -> None:
    """This engine asks a gradient for its dimensions, which a float has not."""
    source = "\n".join(cells("day4")[:3])
    source = source.replace("self.grad = 0.0", "import numpy\n        self.grad = numpy.float64(0.0)")
    line = "            self.grad += out.grad\n"
    assert line in source

    assert (
        read(source.replace(line, f"            assert self.grad.ndim == out.grad.ndim == 0\n{line}", 1))
        == []
    )


NUMBERS = {
    "return self - other": (
        "number_left",
        "out.data = self.data - n",
        "In 2 - a your code computes the same as `a.data - 2`.",
    ),
    "return self": (
        "number_left",
        "out.data = self.data",
        "In 2 - a your code computes the same as `a.data`.",
    ),
    "return Value(other).no(self)": ("number_left", "", "2.5 - a raises AttributeError"),
}


@pytest.mark.parametrize("line", NUMBERS)
def test_a_number_on_the_left_is_reported_where_two_values_are_right(read: Read, line: str) -> None:
    """Only the forward pass or the error is reported, not its consequences."""
    source = "\n".join(cells("day4")[:3]).replace("return Value(other) - self", line)
    variant, wrote, words = NUMBERS[line]

    (wrong,) = read(source)
    (note,) = words_for([*facts_of(wrong, ("2", "a"))]).rules

    assert (wrong.operation.name, wrong.variant, note.input, note.wrote) == ("-", variant, "out", wrote)
    assert note.words.startswith(words)


def test_a_number_on_the_right_that_is_not_wrapped_is_reported(read: Read) -> None:
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


EARLY = {
    "": "backward_default",
    "def other_one(): return 7\n            ": "backward_unset",
}


@pytest.mark.parametrize("first", EARLY)
def test_a_function_is_said_to_be_defined_only_where_it_was(
    launcher: Launcher, tmp_path: Path, first: str
) -> None:
    """The method returns for a number before its `def` runs, or after another one."""
    wrap = "other = other if isinstance(other, Value) else Value(other)\n"
    early = f'if not isinstance(other, Value):\n            {first}return Value(self.data + other, (self,), "+")\n'

    (report,) = graded(launcher, tmp_path, "day2", edited("day2", (wrap, early)))

    (check,) = [check for check in report.checks if check.facts]
    (fact,) = check.facts
    assert (check.id, fact.get("cause"), fact.get("call")) == ("add_rule", EARLY[first], "a + 2")
    assert fact.where is not None
    assert fact.where.text == "def __add__(self, other):"


def test_a_sum_that_fails_beside_every_number_is_reported(read: Read) -> None:
    """It has no result to compare, and a difference that is made of it waits for one."""
    source = "\n".join(cells("day1"))
    wrap = "other = other if isinstance(other, Value) else Value(other)"
    assert wrap in source

    wrong = read(source.replace(wrap, "pass", 1), OF_DAY["day1"])

    assert [
        (each.operation.name, found.id) for each in wrong for found in each.found if isinstance(found, Cause)
    ] == [("+", "number_right_fails"), ("+", "number_left_fails")]


CUT = {
    "int(other)": [],  # that the number is cut is not told
    "abs(other)": [
        "In a * 2 your code computes the same as `a.data * abs(2)`.",
        "In 2 * a your code computes the same as `abs(2) * a.data`.",
    ],
    "other + math.sin(9 * other)": [],
}


@pytest.mark.ci
@pytest.mark.parametrize("number", CUT)
def test_a_number_that_another_takes_the_place_of_is_reported_with_a_number_that_shows_it(
    read: Read, number: str
) -> None:
    """Two Values are right. What the gradients are follows from the forward pass, and is not told."""
    head, wrapped, tail = "\n".join(cells("day4")[:3]).partition("    def __mul__")
    tail = tail.replace("else Value(other)", f"else Value({number})", 1)

    wrong = read(head + wrapped + tail)

    assert [note.words for each in wrong for note in words_for([*facts_of(each, ("a", "b"))]).rules] == CUT[
        number
    ]


# --- A Value with itself

TWICE = {
    "for node in {self, other}: node.grad += out.grad": [
        "In x + x your engine adds one contribution to x.grad."
    ],
    "for node in {self: 1, other: 1}: node.grad += out.grad": [
        "In x + x your engine adds one contribution to x.grad."
    ],
    "for node in (self, other): node.grad += out.grad * (1 + (self is other))": [],
}


@pytest.mark.parametrize("line", TWICE)
def test_a_value_with_itself_that_counts_once_is_reported(read: Read, line: str) -> None:
    """Both sides are the same object. Other wrong numbers are told as they are read, by the check."""
    source = built_from_others(
        ("            self.grad += out.grad\n            other.grad += out.grad\n", f"            {line}\n")
    )

    wrong = read(source)

    assert [
        note.words.partition(" x is on both sides")[0]
        for each in wrong
        for note in words_for([*facts_of(each, ("x", "y"))]).rules
    ] == TWICE[line]


# --- What a result keeps

PLUS = 'out = Value(self.data + other.data, (self, other), "+")'
BUILT_RULES = "return self * other**-1"
KEPT = {
    "a number of the divisor": (
        (BUILT_RULES, "return self * getattr(other, 'data', other) ** -1"),
        [("/", "input_cut", "other")],
    ),
    "a copy of the divisor": (
        (BUILT_RULES, "return self * Value(other.data) ** -1"),
        [("/", "input_cut", "other")],
    ),
    "a copy of a summand": ((PLUS, f"self = Value(self.data)\n        {PLUS}"), [("+", "input_cut", "self")]),
    "one summand": ((PLUS, PLUS.replace("(self, other)", "(self,)")), [("+", "input_not_kept", "other")]),
    "no summand": ((PLUS, PLUS.replace("(self, other)", "()")), [("+", "keeps_no_inputs", "out")]),
}


@pytest.mark.parametrize("kept", KEPT)
def test_an_input_that_a_result_does_not_keep_is_reported(read: Read, kept: str) -> None:
    """A walk from the result does not come to it, or nothing at all leads to it."""
    edit, found = KEPT[kept]

    wrong = read(built_from_others(edit))

    assert [(each.operation.name, cause.id, cause.input) for each in wrong for cause in each.found] == found


def test_the_value_beside_a_number_has_its_own_name(read: Read, snapshot) -> None:
    """`2 - a` is made from the number of a: the sentence is about a, the one Value there."""
    (wrong,) = read(
        built_from_others(("return Value(other) - self", "return Value(other) - Value(self.data)"))
    )
    (note,) = words_for([*facts_of(wrong, ("a", "b"))]).rules

    assert note.input == "self"
    assert note.words.partition(",")[0] == snapshot


def test_where_no_result_keeps_anything_nothing_is_reported_of_operations(read: Read) -> None:
    """This engine may find its way by other means."""
    assert read(built_from_others(("self._prev = set(children)", "self._prev = set()"))) == []


def test_an_error_beside_a_number_that_is_not_about_the_number_is_reported_as_it_is(
    read: Read, snapshot
) -> None:
    """The number becomes a Value, but of a class that is not there."""
    head, wrapped, tail = "\n".join(cells("day4")[:3]).partition("    def __mul__")

    wrong = read(head + wrapped + tail.replace("else Value(other)", "else Valeu(other)", 1))

    assert [note.words for note in words_for([*facts_of(wrong[0], ("a", "b"))]).rules] == snapshot


def test_an_object_that_the_class_holds_is_not_the_result(read: Read) -> None:
    """The function was called where it is stored, so there is nothing to call."""
    (wrong,) = read(edited("day2", ("Value.tanh = tanh", "Value.tanh = tanh(Value(0.5))")), ["tanh"])

    assert [(cause.id, cause.error) for cause in wrong.found] == [
        ("raises", "TypeError: 'Value' object is not callable")
    ]


# --- Operations that are built from others


def test_what_follows_from_another_operation_is_not_told(read: Read) -> None:
    """With a wrong product, negation, - and / are wrong as well."""
    wrong = read(built_from_others(MUL))

    assert [each.operation.name for each in wrong] == ["*"]


def test_a_built_operation_is_reported_where_what_it_is_made_of_is_right(
    read: Read,
) -> None:
    """a / b as a * b: only the forward pass is reported, for the gradients follow from it."""
    wrong = read(built_from_others(("self * other**-1", "self * other**2")))

    assert [(each.operation.name, [found.input for found in each.found]) for each in wrong] == [
        ("/", ["out"])
    ]


@pytest.mark.parametrize(
    ("edits", "inputs"),
    [
        ([("if self.data > 0 else 0.0, (self,)", "if self.data > 0 else 0.01 * self.data, (self,)"), ("if self.data > 0 else 0.0) ", "if self.data > 0 else 0.01) ")], ["out"]),
        ([("math.tanh(self.data)", "math.sin(self.data)"), ("1 - t**2", "(1 - t**2) ** 0.5")], ["out"]),
        ([("self.data + other.data", "self.data - other.data"), ("other.grad += out.grad", "other.grad -= out.grad")], ["out"]),
        ([("self.data + other.data", "self.data - other.data"), ("other.grad += out.grad", "other.grad = out.grad")], ["out", "other"]),
    ],
)  # fmt: skip
def test_of_a_wrong_result_no_derivative_is_told(
    read: Read, edits: list[tuple[str, str]], inputs: list[str]
) -> None:
    """It may be that of what the engine computes; a contribution that replaces others is wrong whatever that is."""
    source = "\n".join(cells("day4")[:3])
    for before, after in edits:
        assert before in source
        source = source.replace(before, after, 1)

    assert [found.input for each in read(source) for found in each.found] == inputs


CALLS = "\n            self._backward()\n            other._backward()\n\n        out._backward"


def test_a_built_operation_whose_parts_call_their_inputs_is_not_twice_its_rule(read: Read) -> None:
    """No line of `-` or `/` is wrong: the nodes between are called by a `_backward`, and again by the walk."""
    source = built_from_others().replace("\n\n        out._backward", CALLS, 2)

    wrong = read(source)

    assert [(each.operation.name, found.id) for each in wrong for found in each.found] == [
        ("+", "repeats_inputs"),
        ("*", "repeats_inputs"),
    ]


@pytest.mark.parametrize(
    ("kept", "kind"),
    [
        ("math.exp", "a function"),
        ("(1, 2)", "a tuple"),
        ("'1'", "a text"),
        ("None", "None"),
        ("self", "a Value"),
    ],
)
def test_a_local_gradient_that_is_no_number_is_told_of_what_is_kept(read: Read, kept: str, kind: str) -> None:
    """It is not a gradient: `backward` has not run."""
    source = edited("day5", ("Value(e, (self,), (e,))", f"Value(e, (self,), ({kept},))"))

    (wrong,) = read(source, ["exp", "+"])

    assert wrong.found == (Cause("local_is_object", "self", kind=kind),)


# --- Answers that are no answers


@pytest.mark.parametrize(
    "answer",
    [
        None,
        3,
        "text",
        [],
        {},
        {"operations": 3},
        [True, {}, [[{"rule": 1}]]],
        [2, {}, []],
        [False, {"start": 0.0}, [], 1],
    ],
)
def test_an_answer_that_is_not_of_the_format_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    """It gives no notes."""

    class Box:
        budget = Budget(Limits())

        def load(self) -> None: ...

        def get(self, name: str) -> object:
            return Proxy(self, Handle(1), name)

        def helper(self, _: str, name: str) -> object:
            return self.get(name)

        def encode(self, value: object) -> object:
            return value

        def ask(self, *_: object, **__: object) -> object:
            return answer

    assert read_wrong(Box(), operations_of(["+"])) == []


# --- In a notebook


def test_a_kernel_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch, snapshot) -> None:
    """Garbage collection, profiler and the student's own objects are unchanged."""
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

    assert [found.wrote for found in wrong.found] == snapshot
    assert dict(vars(own)) == before
    assert gc.isenabled()
    assert (sys.getprofile(), sys.getrecursionlimit()) == (None, limit)
