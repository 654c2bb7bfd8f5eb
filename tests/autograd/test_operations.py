"""The operations whose rules are read, and the language in which rules are written."""

from __future__ import annotations

import math

import pytest

from grader.autograd.rules.expressions import Points, natural, parse, text, tidy, value
from grader.autograd.rules.operations import KNOWN, operations_of
from grader.errors import Refused
from grader.manifest import OperationSpec

SOFTPLUS = {
    "name": "softplus",
    "out": "math.log(1 + math.exp(self.data))",
    "self": "out.grad / (1 + math.exp(-self.data))",
}


@pytest.mark.parametrize("operation", KNOWN.values(), ids=lambda operation: operation.name)
def test_each_right_rule_is_the_derivative_of_the_forward_pass(operation):
    row = {"self.data": 1.3, "other.data": 0.7, "n": 3.0, "out.grad": 0.9}
    row["out.data"] = value(parse(operation.out), row)
    for name, rule in operation.rules.items():
        above, below = (
            value(parse(operation.out), row | {f"{name}.data": row[f"{name}.data"] + step})
            for step in (1e-6, -1e-6)
        )
        slope = (above - below) / 2e-6
        for spelling in (rule, *operation.spellings.get(name, ())):
            assert value(parse(spelling), row) == pytest.approx(0.9 * slope, rel=1e-6)


def test_how_operations_are_applied():
    applied = {
        name: operation.call_text("a", "b" if operation.binary else "2" * operation.takes_n)
        for name, operation in KNOWN.items()
    }
    assert applied == {
        "+": "a + b",
        "-": "a - b",
        "*": "a * b",
        "/": "a / b",
        "**": "a ** 2",
        "neg": "-a",
        "exp": "a.exp()",
        "tanh": "a.tanh()",
        "relu": "a.relu()",
    }


def test_an_operation_of_the_authors():
    known, softplus = operations_of(["+", OperationSpec(**SOFTPLUS)])
    assert known is KNOWN["+"]
    assert (softplus.binary, softplus.takes_n, softplus.call_text("a")) == (False, False, "a.softplus()")


WRONG = [
    (["tahn"], "`operations` names `tahn`, which is not known here (did you mean `tanh`?); known are"),
    (["+", "*", "+"], "`operations` names `+` twice; keep one of them"),
    ([{"name": "a b"}], "`operations` has the name `a b`; write a method's name or one of + - * / ** // % @"),
    ([{"name": "@"}], "`operations.@`: it has two inputs: add a line `other: ...`"),
    ([{"self": "out.data"}], "`operations.softplus.self`: `out.data` lacks the upstream gradient"),
    ([{"self": "self.grad * out.grad"}], "`operations.softplus.self`: `self.grad` is not allowed there"),
    ([{"out": "other.data"}], "`operations.softplus.out`: `other.data` is not allowed there; allowed are n, self"),
    ([{"out": "exp(self.data)"}], "`operations.softplus.out`: the function `exp` is not known here"),
    ([{"out": "self.data +"}], "`operations.softplus.out`: `self.data +` is not a Python expression"),
    ([{"out": "[self.data]"}], "operations.softplus.out`: the language of rules does not have `[self.data]`; write it with + - * / **"),
    ([{"out": "x"}], "operations.softplus.out`: `x` is not known here; known are self.data, other.data"),
    ([{"out": "math.exp(1, 2)"}], "operations.softplus.out`: `math.exp(1, 2)`: `math.exp` takes 1 operand here"),
    ([{"out": "__import__('os')"}], "the function `__import__` is not known here"),
    ([{"out": "1e999"}], "is too large; write one below 1e300"),
    ([{"out": "1+" * 600 + "1"}], "the formula has 1201 characters; write at most 1000"),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "complaint"), WRONG)
def test_a_declaration_that_cannot_be_used_is_named_with_the_remedy(declared, complaint):
    specs = [entry if isinstance(entry, str) else OperationSpec(**(SOFTPLUS | entry)) for entry in declared]
    with pytest.raises(Refused) as error:
        operations_of(specs)
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    "formula",
    [
        "n * self.data ** (n - 1) * out.grad",
        "1 - out.data**2 * out.grad",
        "-self.data / other.data**2",
        "(self.data > 0) * out.grad",
        "(1 if self.data > 0 else 0.01) * out.grad",
        "math.copysign(1, self.data) * abs(out.grad)",
        "self.data - (other.data - n)",
        "-(self.data // other.data)",
        "(self.data > 0) > 1",
        "other.data**-1",
        "(-self.data) ** 2",
        "-self.data**2",
        "2**-n",
    ],
)
def test_a_formula_is_written_as_it_was_read(formula):
    assert text(parse(formula)) == formula


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("1 * out.grad", "out.grad"),
        ("-1 * out.grad", "-out.grad"),
        ("self.data * -out.grad", "-self.data * out.grad"),
        ("self.data - -out.grad", "self.data + out.grad"),
        ("self.data ** (2 - 1)", "self.data"),
    ],
)
def test_a_formula_is_tidied(formula, written):
    assert text(tidy(parse(formula))) == written


def test_factors_stand_in_their_usual_order(snapshot):
    shuffled = parse("out.grad * (1 - out.data) * self.data * n * 2")
    assert text(natural(shuffled)) == snapshot


def test_what_python_cannot_compute_is_not_a_number():
    points = Points(
        [{"self.data": -4.0, "n": 0.5}, {"self.data": 4.0, "n": 0.5}, {"self.data": 0.0, "n": -1.0}]
    )
    rooted = points.values(parse("self.data**n"))
    assert (math.isnan(rooted[0]), rooted[1], math.isnan(rooted[2])) == (True, 2.0, True)
    assert [math.isnan(number) for number in points.values(parse("max(0, math.log(self.data))"))] == [
        True,
        False,
        True,
    ]
    assert all(map(math.isnan, points.values(parse("10**300 * 10**300 * (1 / (self.data - self.data))"))))
