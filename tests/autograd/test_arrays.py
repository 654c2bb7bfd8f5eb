"""Rules of arrays are read back from what an engine does: right engines are silent, slips are told as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import array_engines as engines
import numpy as np
import pytest
from array_course import CHECKS, course_files
from array_engines import METHODS, NAMES, RIGHT_ENGINES, applied, engine, readings
from helpers import check, hand_in, passed, write_files
from reading import edited, graded
from sampled import WHOLE, every

from grader.assignment import Course
from grader.autograd.arrays.explain import facts_of
from grader.autograd.arrays.formulas import SUMMED_FIRST
from grader.autograd.arrays.operations import DEFAULT, readable_operations, trials_of
from grader.autograd.arrays.search import Read
from grader.autograd.traces.arrays import contribution, result
from grader.autograd.words import operation_in_brief, operation_words
from grader.grading.grader import grade
from grader.render.walk import walk_text
from grader.sandbox.replay import ReplayingSandbox

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from grader.report import Report

ASKED = {"products of vectors": "@ 1-d", "stacks of matrices": "@ batched"}


def with_rules(name: str, *rules: str, out: str = "") -> str:
    """Return the engine in which one method has these rules; `...` keeps a right one."""
    method = METHODS[name]
    kept = [
        right if rule == "..." else rule
        for rule, right in zip(rules or ["..."] * 2, method.rules, strict=False)
    ]
    return engine({**METHODS, name: method._replace(rules=tuple(kept), out=out or method.out)})


def slip(name: str, *rules: str, out: str = "") -> tuple[str, str]:
    """Return an operation and the engine in which its method has these rules."""
    return NAMES.get(name, name), with_rules(name, *rules, out=out)


def told(operation: str, source: str) -> list[str]:
    """Return the sentences about what is read back as wrong of an operation, in the first way to apply it."""
    found = readings(source, [operation])[0]
    with np.errstate(all="ignore"):  # as where a report is made
        return operation_words([*facts_of(found, ("a", "b"))])


OFTEN = ("in place", "a new array", "begins as None", "one sum", "float32", "einsum", "stacks of matrices")


@pytest.mark.ci
@pytest.mark.parametrize(
    "spelling", [*OFTEN, *every(2, [name for name in RIGHT_ENGINES if name not in OFTEN])]
)
def test_right_engines_are_silent(spelling: str) -> None:
    names = (*DEFAULT, ASKED[spelling]) if spelling in ASKED else DEFAULT
    assert readings(RIGHT_ENGINES[spelling], names) == []


@pytest.mark.ci
def test_an_engine_for_one_shape_is_silent_if_it_is_asked_for_that() -> None:
    source = engine(unbroadcast="def unbroadcast(grad, shape): return grad\n")
    assert [each.operation.name for each in readings(source)] == ["+", "-", "*", "/"]
    assert readings(source, [f"{sign} same shape" for sign in "+-*/"]) == []


@pytest.mark.whole
@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 120 if WHOLE else 20), marks=pytest.mark.ci)], ids=str
)
def test_random_slips_are_told_truly(seeds: range) -> None:
    """At least 95 % of the wrong operations, and every reading predicts what the engine does with fresh shapes."""
    wrong, silent, false = 0, [], []
    for seed in seeds:
        made = engines.slipped(seed)
        for name in sorted(made.operations):
            found = readings(made.source, [name])
            false += [text for each in found for text in engines.lies(made.source, each, seed)]
            ways = [each for each in engines.readable_operations() if each.name == name]
            if any(engines.is_wrong(made.source, way, seed) for way in ways):
                wrong += 1
                silent += [] if found else [f"{name}: {made.slips}"]
    assert not false
    assert wrong > len(seeds) * 0.8
    assert len(silent) <= wrong * 0.05, silent


WORDS = {
    "not summed, in place": slip("__add__", "self.grad += out.grad", "other.grad += out.grad"),
    "not summed, a new array": slip("__add__", "...", "other.grad = other.grad + out.grad"),
    "averaged": slip("__add__", "...", "other.grad += np.mean(out.grad, axis=0)"),
    "a sum over all": slip("__add__", "...", "other.grad += out.grad.sum()"),
    "the other's shape": slip(
        "__add__", "...", "other.grad = other.grad + unbroadcast(out.grad, self.data.shape)"
    ),
    "summed before the product": slip(
        "__mul__",
        "self.grad += other.data * unbroadcast(out.grad, self.data.shape)",
        "other.grad += self.data * unbroadcast(out.grad, other.data.shape)",
    ),
    "summed before the product, and after it": slip(
        "__mul__",
        "...",
        "other.grad += unbroadcast(unbroadcast(out.grad, other.data.shape) * self.data, other.data.shape)",
    ),
    "summed over an axis before the product": slip(
        "__mul__", "...", "other.grad += self.data * out.grad.sum(axis=0)"
    ),
    "summed before the division": slip(
        "__truediv__", "self.grad += unbroadcast(out.grad, self.data.shape) / other.data", "..."
    ),
    "overwritten": slip("__mul__", "self.grad = unbroadcast(other.data * out.grad, self.data.shape)", "..."),
    "own value": slip("__mul__", "self.grad += unbroadcast(self.data * out.grad, self.data.shape)", "..."),
    "subtracted": slip("__sub__", "...", "other.grad += unbroadcast(out.grad, other.data.shape)"),
    "no transpose": slip("__matmul__", "self.grad += out.grad @ other.data", "..."),
    "the transpose": slip("__matmul__", "self.grad = self.grad + other.data @ out.grad.T", "..."),
    "no upstream": slip("__matmul__", "...", "other.grad += self.data.T @ np.ones_like(out.grad)"),
    "nothing": slip("__matmul__", "pass", "..."),
    "a rule for numbers": slip("relu", "self.grad += (out.grad > 0) * out.grad"),
    "an average as a sum": slip("mean", "self.grad += np.ones_like(self.data) * back(out.grad)"),
    "no axis put back": slip("sum", "self.grad += np.ones_like(self.data) * out.grad"),
    "a repeated row": slip("__getitem__", "self.grad[rows] += out.grad"),
    "a repeated row, subtracted": slip("__getitem__", "self.grad[rows] -= out.grad"),
    "a row, overwritten": slip(
        "__getitem__", "self.grad = np.zeros_like(self.data); self.grad[rows] = out.grad"
    ),
    "the derivative of each entry": slip("softmax", "self.grad += out.data * (1 - out.data) * out.grad"),
    "divided by the size": slip(
        "sum", "self.grad += np.ones_like(self.data) * back(out.grad) / self.data.size"
    ),
    "not divided": slip("cross_entropy", "self.grad += out.grad * (p - np.eye(p.shape[1])[targets])"),
    "another result": slip("__matmul__", out="self.data * other.data"),
    "stacks of matrices, not summed": (
        "@ batched",
        RIGHT_ENGINES["stacks of matrices"].replace(
            "other.grad += unbroadcast(self.data.swapaxes(-1, -2) @ out.grad, other.data.shape)",
            "other.grad = other.grad + self.data.swapaxes(-1, -2) @ out.grad",
        ),
    ),
    "stacks of matrices, all axes turned": (
        "@ batched",
        RIGHT_ENGINES["stacks of matrices"].replace("other.data.swapaxes(-1, -2)", "other.data.T"),
    ),
    "a vector, overwritten": (
        "@ 1-d",
        RIGHT_ENGINES["products of vectors"].replace("self.grad += np.outer", "self.grad = np.outer"),
    ),
    "np.dot without a transpose": slip("__matmul__", "self.grad += np.dot(out.grad, other.data)", "..."),
    "the upstream gradient changed": slip(
        "__mul__", "out.grad *= other.data; self.grad += unbroadcast(out.grad, self.data.shape)", "..."
    ),
}


@pytest.mark.ci
def test_the_words(snapshot: SnapshotAssertion) -> None:
    """What the engine does, where it shows, and why; each for a slip of one rule."""
    assert {title: told(*slip) for title, slip in WORDS.items()} == snapshot


def test_a_sum_to_another_shape_stands_in_the_statement() -> None:
    """Without it the statement would be a right one where the two shapes are equal."""
    rules = ("self.grad += unbroadcast(out.grad, other.data.shape)", "...")

    assert [each.partition(". ")[0] for each in told(*slip("__add__", *rules))] == [
        "In a + b your engine does the same as `a.grad += unbroadcast(out.grad, b.data.shape)`"
    ]


@pytest.mark.ci
@pytest.mark.parametrize(
    ("old", "new", "wrote"),
    [
        (
            "(1 - out.data**2) * out.grad",
            "1 - out.data**2 * out.grad",
            "self.grad += 1 - out.data ** 2 * out.grad",
        ),
        pytest.param(
            "n * self.data ** (n - 1) * out.grad",
            "n * self.data ** n - 1 * out.grad",
            "self.grad += 3 * self.data ** 3 - 1 * out.grad",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "(self.data > 0) * out.grad",
            "out.grad * self.data > 0",
            "self.grad += out.grad * self.data > 0",
            marks=pytest.mark.ci,
        ),
    ],
    ids=["tanh", "power", "relu"],
)
def test_parentheses_that_are_left_out(launcher, tmp_path, old: str, new: str, wrote: str) -> None:
    """They are named as they are for numbers."""
    (report,) = graded(launcher, tmp_path, "day6", edited("day6", (old, new)), only="one_input")

    (rule,) = check(report, "one_input").rules
    assert rule.wrote == wrote
    assert "look at the parentheses" in rule.words


def test_a_rule_that_stores_nothing_is_no_formula_that_gives_nothing() -> None:
    """In no trial is an entry exactly 0, so that `out.grad * (a.data == 0)` is 0 in each."""
    assert told(*slip("relu", "grad = self.grad + (self.data > 0) * out.grad")) == [
        "In a.relu() your engine does not change a.grad. The result moves when a moves, so a must get a contribution."
    ]


@pytest.mark.parametrize("asked", ["all", "any"])
def test_a_gate_for_the_whole_array_is_none_for_an_entry(asked: str) -> None:
    """A formula that is told gives what the engine gives, also where all entries have one sign."""
    source = with_rules("relu", f"self.grad += out.grad if (self.data > 0).{asked}() else 0")

    (*found,) = readings(source, ["relu"])
    with np.errstate(all="ignore"):  # as where a report is made
        words = [text for each in found for text in operation_words([*facts_of(each, ("a", "b"))])]

    assert not any("leaves" in text or "hands on" in text for text in words)
    assert not any(engines.lies(source, each, 3) for each in found)


@pytest.mark.parametrize(
    ("rule", "formula"),
    {
        "np.where(self.data > 0, 0, out.grad)": "out.grad * (a.data <= 0)",
        "(self.data < 0) * out.grad": "out.grad * (a.data < 0)",
        "2 * (self.data >= 0) * out.grad": "2 * out.grad * (a.data >= 0)",
    }.items(),
)
def test_a_formula_holds_at_zero(rule: str, formula: str) -> None:
    """`<` and `<=` differ there alone."""
    assert f"does the same as `a.grad += {formula}`" in " ".join(told(*slip("relu", f"self.grad += {rule}")))


def test_a_slope_of_a_power_is_told_without_a_division() -> None:
    """At 0 a quotient of the result and the input is no number, and the engine's slope is one."""
    assert (
        "`a.grad += 3 * a.data ** (3 - 1)`"
        in told(*slip("__pow__", "self.grad += n * self.data ** (n - 1)"))[0]
    )


def test_a_rule_that_is_another_at_zero_has_no_formula() -> None:
    rule = "self.grad += (self.data < 0) * out.grad + (self.data == 0)"

    assert not any(each.readings for each in readings(with_rules("relu", rule), ["relu"]))


def test_another_logarithm() -> None:
    assert told(*slip("log", out="np.log10(self.data)")) == [
        "In a.log() your code computes the same as `np.log10(a.data)`."
    ]


def test_data_that_the_forward_pass_changes() -> None:
    """No `_backward` is blamed for it."""
    assert told(*slip("relu", out="np.maximum(self.data, 0, out=self.data)")) == [
        "Computing a.relu() changes the data of an input. An operation must not change its inputs."
    ]


def test_a_few_words_for_a_class() -> None:
    found = [
        readings(WORDS[title][1], [WORDS[title][0]])[0]
        for title in ("averaged", "overwritten", "another result")
    ]
    assert [operation_in_brief([next(facts_of(each, "ab"))]) for each in found] == [
        "a wrong sum over the broadcast axes in +",
        "`=` for `+=` in *",
        "wrong forward pass in @",
    ]


def test_a_wrong_rule_in_an_operation_made_of_others_is_told_of_both() -> None:
    """`a - b` is made of `+` and `*`: what is wrong in `+` is wrong in it."""
    source = RIGHT_ENGINES["operations made of others"].replace(
        "other.grad += unbroadcast(out.grad, other.data.shape)",
        "other.grad = unbroadcast(out.grad, other.data.shape)",
        1,
    )
    found = {each.operation.name: each.readings[1].write for each in readings(source, ["+", "-"])}
    assert found["+"] == "="


def test_a_result_that_does_not_keep_its_inputs() -> None:
    """As the results of other operations do; one that is made of others keeps them through these."""
    source = RIGHT_ENGINES["operations made of others"]
    lost = source.replace(
        "out = Tensor(self.data @ other.data, (self, other))", "out = Tensor(self.data @ other.data)"
    )
    ways = [each for each in readable_operations() if each.name in {"+", "-", "@"}]

    def found(text: str) -> set[tuple[str, int]]:
        return {
            (way.name, i) for way in ways for row in applied(text, way, trials_of(way)) for i in row.unkept
        }

    assert found(source) == set()
    assert found(lost) == {("@", 0), ("@", 1)}
    fact = next(facts_of(Read(ways[-1], {}, lost=0), ("x", "w")))
    assert operation_words([fact]) == [
        "The result of x @ w does not keep x, so a walk from the result does not reach it."
    ]


def test_the_call_of_a_function_beside_the_class_is_a_function_s() -> None:
    ways = {
        each.call: each.as_function
        for each in readable_operations()
        if each.name in {"softmax", "cross_entropy", "@"}
    }
    assert ways == {
        "{}.softmax()": "softmax({})",
        "{}.softmax(axis=-1)": "softmax({}, axis=-1)",
        "{}.softmax(axis=1)": "softmax({}, axis=1)",
        "{}.cross_entropy(targets)": "cross_entropy({}, targets)",
        "{} @ {}": "{} @ {}",
    }
    fact = next(
        facts_of(Read(readable_operations()[-1], {}, out="-np.log(p[hot > 0]).sum()"), ("z",), beside=True)
    )
    assert fact.call == "cross_entropy(z, targets)"


def test_an_operation_that_is_absent_changes_no_gradient() -> None:
    """Its leaves were made, and nothing was read of them afterwards."""
    subtract = next(each for each in readable_operations() if each.name == "-")
    source = engine({name: METHODS[name] for name in ("__add__", "transpose")})
    answers = applied(source, subtract, trials_of(subtract))
    assert {(answer.stage, answer.is_idle) for answer in answers} == {("absent", True)}


def test_two_rules_that_fit_are_none() -> None:
    """`+` raises at every shape but one, and what is seen there fits several rules."""
    source = with_rules("__add__", "assert out.data.shape == (3, 3); self.grad += out.grad * 1.5", "...")
    assert [each for each in readings(source, ["+"]) if 0 in each.readings] == []


def test_a_right_rule_behind_an_error_of_ones_own_is_silent() -> None:
    source = with_rules("__add__").replace(
        "        out = Tensor(self.data + other.data",
        "        if self.data.ndim != 2: raise ValueError('two axes, please')\n        out = Tensor(self.data + other.data",
    )
    assert readings(source, ["+"]) == []


def test_a_logarithm_that_is_kept_from_infinity_is_silent() -> None:
    for small in ("1e-12", "1e-8", "1e-5"):
        rule = f"self.grad += out.grad / (self.data + {small})"
        assert readings(with_rules("log", rule, out=f"np.log(self.data + {small})"), ["log"]) == []


def test_numbers_that_are_none_are_not_read() -> None:
    """An object array, a complex one and a gradient that is a Tensor."""
    for rule in ("self.grad = np.array([None])", "self.grad = out.grad + 1j", "self.grad = out"):
        assert [each for each in readings(with_rules("relu", rule), ["relu"]) if each.readings] == []


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "local", "right"),
    [
        ("__mul__", "other.data * {}", "..."),
        ("__truediv__", "{} / other.data", "..."),
        ("__mul__", "...", "self.data * {}"),
        ("__truediv__", "...", "-self.data / other.data**2 * {}"),
        ("__mul__", "other.data * {}", "self.data * {}"),
    ],
)
def test_a_sum_before_the_product_is_not_called_unsummed(name: str, local: str, right: str) -> None:
    """Numpy raises the same error for both, so the arrays themselves must tell."""
    operation = NAMES.get(name, name)
    plain, early = (
        [
            "..." if rule == "..." else f"{side}.grad += {rule.format(upstream.format(side))}"
            for side, rule in (("self", local), ("other", right))
        ]
        for upstream in ("out.grad", "unbroadcast(out.grad, {}.data.shape)")
    )

    (unsummed,) = readings(with_rules(name, *plain), [operation])

    (summed_first,) = readings(with_rules(name, *early), [operation])
    assert [each.reduction for each in unsummed.readings.values()] == ["left left"] * (2 - plain.count("..."))
    assert {each.core in SUMMED_FIRST for each in summed_first.readings.values()} == {True}
    assert unsummed.readings.keys() == summed_first.readings.keys()


def test_a_built_operation_whose_parts_call_their_inputs_is_not_twice_its_rule() -> None:
    """No line of `-` is wrong: the node between is called by a `_backward`, and again by the walk."""
    rules = [
        f"{side}.grad += unbroadcast(out.grad, {side}.data.shape); {side}._backward()"
        for side in ("self", "other")
    ]
    built = {**METHODS, "__add__": METHODS["__add__"]._replace(rules=tuple(rules))}
    del built["__sub__"]
    source = engine(built) + "\n    def __sub__(self, other):\n        return self + (-other)\n"

    found = readings(source, ["+", "-"])

    assert [(each.operation.name, each.memory) for each in found] == [("+", {0: "repeats_inputs"})]


def test_a_local_derivative_of_1_is_not_called_missing() -> None:
    """Of a sum it is 1, and the axis is what is missing; of a mean it is not."""
    missing = "as if the local derivative were 1"

    assert missing not in " ".join(told("sum", with_rules("sum", "self.grad += out.grad")))
    assert missing in " ".join(told("mean", with_rules("mean", "self.grad += back(out.grad)")))
    assert missing in " ".join(told("relu", with_rules("relu", "self.grad += out.grad")))


@pytest.mark.ci
@pytest.mark.parametrize(
    "rule", ["self.grad += 1.0", "self.grad += np.ones_like(self.data) / self.data.size"]
)
def test_what_is_no_multiple_of_the_upstream_gradient_has_no_factor(rule: str) -> None:
    """The shape tells no factor where the upstream gradient is missing."""
    (words,) = told("sum", with_rules("sum", rule))

    assert "times the derivative" not in words


# --- In the jail


@pytest.fixture(scope="module")
def tensors(tmp_path_factory, launcher):
    """A function that grades an engine in a course of four checks."""
    root = tmp_path_factory.mktemp("tensors")
    write_files(root, course_files(CHECKS, "limits: {check_seconds: 1}\n"))
    assignment = Course(root).assignment("tensors")

    def graded(source: str, *, traces: bool = False) -> Report:
        return grade(
            assignment, hand_in(root, f"import numpy as np\n{source}", "engine.py"), launcher, traces=traces
        )

    return graded


@pytest.fixture
def tensors_that_walk(tensors):
    """A function that grades an engine with `backward`, whose search has a line before it goes on, and a rule of `+`."""
    walk = """
    def backward(self):
        order, seen = [], set()
        def visit(node):
            if id(node) not in seen:
                seen.add(id(node))
                {}
                for child in node._prev:
                    visit(child)
                if node not in order:
                    order.append(node)
        visit(self)
        self.grad = np.ones_like(self.data)
        for node in (order if order[0] is self else reversed(order)):
            node._backward()
"""
    methods = {name: METHODS[name] for name in ("__add__", "transpose")}
    plain = engine(methods).replace(
        "        return self.transpose()\n", "        return self.transpose()\n{walk}"
    )
    rule = METHODS["__add__"].rules[0]

    def graded(line: str, instead: str = rule) -> Report:
        return tensors(plain.replace("{walk}", walk.replace("{}", line)).replace(rule, instead))

    return graded


def test_a_wrong_rule_is_told_with_its_names_and_its_line(tensors) -> None:
    report = tensors(WORDS["not summed, a new array"][1])
    found = check(report, "add")

    assert passed(report) == {"product", "total"}
    (rule,) = found.rules
    assert (rule.operation, rule.input, rule.wrote) == ("+", "other", "other.grad = other.grad + out.grad")
    assert rule.words.startswith("In x + b your engine does the same as `b.grad = b.grad + out.grad`.")
    assert "With shapes (3, 4) + (4,) the contribution has shape (3, 4), and b has shape (4,)." in rule.words
    assert [fact.kind for fact in found.facts] == ["array"]
    assert rule.where is not None
    assert rule.where.inside == "Tensor.__add__"


def test_shapes_are_named_once(tensors) -> None:
    """Those of the test, by its error; the rule brings no example of its own."""
    report = tensors(WORDS["not summed, in place"][1])
    found = check(report, "add")

    assert "broadcast shape" in found.message
    assert "With (" not in found.rules[0].words


def test_only_what_a_failed_check_used_is_told(tensors) -> None:
    """`+` is wrong too, and the check of `@` does not use it."""
    both = engine(
        {
            **METHODS,
            "__matmul__": METHODS["__matmul__"]._replace(
                rules=("pass", "other.grad += out.grad @ self.data.T")
            ),
        }
    )
    found = check(tensors(both), "product")
    assert {fact.fields[0].value for fact in found.facts} == {"@"}
    right, left = (rule.words for rule in found.rules)  # w.grad is what the test found wrong
    assert left.startswith("In x @ w your engine does not change x.grad.")
    assert right.startswith("In x @ w your engine does the same as `w.grad += out.grad @ x.data.T`.")


@pytest.mark.parametrize(
    ("edit", "wrong", "said"),
    [
        (("self.grad += grad\n", "self.grad += out.grad * np.ones(self.data.shape)\n"), "sum", "out.grad *"),
        (
            ("self.grad += unbroadcast(other.data * out", "self.grad += unbroadcast(self.data * out"),
            "*",
            "self.data",
        ),
    ],
    ids=["sum", "times"],
)
def test_what_is_made_of_a_wrong_operation_has_no_rule_of_its_own(
    launcher, tmp_path, edit: tuple[str, str], wrong: str, said: str
) -> None:
    """`mean` is a sum times a number: its failed check is told what is wrong with the one of the two that is."""
    (report,) = graded(launcher, tmp_path, "day6", edited("day6", edit), only="means")

    rules = check(report, "means").rules
    assert [rule.operation for rule in rules] == [wrong]
    assert said in rules[0].wrote
    assert rules[0].where is not None
    assert rules[0].where.inside == {"sum": "Tensor.sum", "*": "Tensor.__mul__"}[wrong]


@pytest.mark.parametrize(
    ("first", "had", "only"),
    [
        ("0.0", "is the number 0", "sums"),
        pytest.param("np.zeros(self.data.shape[-1:])", "has the shape (3,)", "add", marks=pytest.mark.ci),
        pytest.param("np.ones_like(self.data)", "does not hold zeros", "add", marks=pytest.mark.ci),
    ],
    ids=["a number", "another shape", "ones"],
)
def test_a_first_gradient_of_another_shape_is_told_at_the_constructor(
    launcher, tmp_path, first: str, had: str, only: str
) -> None:
    """The rule is right, and no line of it is named."""
    edit = (
        "self.grad = np.zeros_like(self.data)\n        self._prev",
        f"self.grad = {first}\n        self._prev",
    )

    (report,) = graded(launcher, tmp_path, "day6", edited("day6", edit), only=only)

    (rule,) = check(report, only).rules
    assert f"`.grad` {had}." in rule.words
    assert rule.where is not None
    assert rule.where.inside == "Tensor.__init__"


def test_a_wrong_rule_is_told_though_the_first_gradient_is_a_number(launcher, tmp_path) -> None:
    """With zeros of the data's shape it would be as wrong."""
    edits = (
        ("self.grad = np.zeros_like(self.data)\n        self._prev", "self.grad = 0.0\n        self._prev"),
        ("self.grad += grad\n", "self.grad += 2 * grad\n"),
    )

    (report,) = graded(launcher, tmp_path, "day6", edited("day6", *edits), only="sums")

    assert [rule.operation for rule in check(report, "sums").rules] == ["sum"]


def test_the_sum_s_own_upstream_gradient_is_no_value_of_the_result(launcher, tmp_path) -> None:
    """Of its input and its result the rule of `sum` uses the shapes alone."""
    edit = ("self.grad += grad\n", "self.grad = out.grad\n")

    (report,) = graded(launcher, tmp_path, "day6", edited("day6", edit), only="sums")

    (fact,) = [fact for fact in check(report, "sums").facts if fact.kind == "array"]
    assert fact.texts("relations") == ["assigned"]


def test_leaves_that_want_to_be_told_that_they_need_a_gradient_are_no_wrong_rule(tensors) -> None:
    source = engine().replace("+= unbroadcast", "+= getattr(self, 'needs', 0) * unbroadcast")
    found = check(tensors(source), "add")
    assert not any(fact.kind == "array" for fact in found.facts)


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param("while True: pass", marks=pytest.mark.ci),
        "raise SystemExit",
        "self.grad = type('Sly', (np.ndarray,), {'copy': lambda s: 'x'})((2,))",
        pytest.param("self.data = self.grad = np.zeros((2000, 2000))", marks=pytest.mark.ci),
    ],
)
def test_no_engine_disturbs_its_report(tensors, rule: str) -> None:
    """The check fails as it would, and nothing is told of the rule."""
    report = tensors(with_rules("__add__", rule, "..."))
    assert not any(
        fact.kind == "array" and fact.get("input") == "self" for fact in check(report, "add").facts
    )
    assert "product" in passed(report)


def test_a_wrong_walk_is_told_on_sums(tensors_that_walk) -> None:
    """The engine has no `*` of each entry that the walk could be tried on."""
    found = check(tensors_that_walk("order.insert(0, node)"), "walk")
    assert found.walk is not None
    assert found.walk.graph == "b = x + a; c = a + b; d = b + c with a = 2, x = 3"
    assert (found.walk.student, found.walk.right) == (["d", "b", "c"], ["d", "c", "b"])


def test_a_right_walk_is_silent(tensors_that_walk) -> None:
    """What fails is the rule of `+`."""
    found = check(tensors_that_walk("pass", "self.grad += out.grad * 2"), "walk")
    assert found.walk is None
    assert {fact.kind for fact in found.facts} == {"array"}


def test_a_right_walk_stands_beside_that_of_arrays(tensors) -> None:
    """The first wrong step is the call that hands on the wrong shape."""
    found = check(tensors(WORDS["not summed, a new array"][1], traces=True), "add")
    trace = found.trace
    assert trace is not None
    assert trace.given == "x of shape (2, 3), b of shape (3,) in x + b"
    assert (trace.wrong, trace.words) == (
        4,
        "`x + b` is called with an upstream gradient of (2, 3) [[1, 1, 1], [1, 1, 1]]: `b.grad` becomes (2, 3) [[1, 1, 1], "
        "[1, 1, 1]], but (3,) [2, 2, 2] in a right walk.",
    )
    called = dict(trace.right[4].changes)
    assert called == {0: "(2, 3) [[1, 1, 1], [1, 1, 1]]", 1: "(3,) [2, 2, 2]"}


@pytest.mark.parametrize(
    ("op", "operands", "upstream", "right"),
    [
        ("*", ["(2, 2) [[1.0, 2.0], [3.0, 4.0]]", "(2,) [5.0, 6.0]"], "(2, 2) [[1.0, 1.0], [1.0, 0.0]]", [[5, 6], [5, 0]]),
        ("@", ["(1, 2) [[1.0, 2.0]]", "(2, 1) [[3.0], [4.0]]"], "(1, 1) [[2.0]]", [[6, 8]]),
        ("sum", ["(2, 2) [[1.0, 2.0], [3.0, 4.0]]", "axis=0"], "(2,) [1.0, -1.0]", [[1, -1], [1, -1]]),
        ("mean", ["(2,) [1.0, 2.0]"], 1.0, [0.5, 0.5]),
        ("**", ["(2,) [1.0, 3.0]", 2.0], "(2,) [1.0, 1.0]", [2, 6]),
        ("sum", ["(2, 1) [[1.0], [2.0]]", "None", 0.0], 2.0, [[2], [2]]),
        ("[]", ["(2,) [1.0, 2.0]", "(3,) [1, 0, 1]"], "(3,) [1.0, 2.0, 4.0]", [2, 5]),
    ],
)  # fmt: skip
def test_right_contributions_of_arrays(op, operands, upstream, right) -> None:
    """They have the shape of the input."""
    out = result(op, operands)
    assert contribution(op, operands, 0, out, upstream).tolist() == right


def test_the_line_of_a_method_with_wrong_numbers(tensors) -> None:
    """No formula is known for what it computes; the only method that the test used has a line."""
    source = with_rules("sum", out="self.data.sum(axis=axis, keepdims=keepdims) * 3 + 1")
    found = check(tensors(source), "total")
    assert found.facts == []
    assert found.where is not None
    assert (found.where.inside, found.where.text) == (
        "Tensor.sum",
        "def sum(self, axis=None, keepdims=False):",
    )


TRIED = '''\
"""+ with a row for each row."""


def test_row(student):
    """x + b, where b is a constant row; afterwards the check tries something else."""
    (x,) = student.leaves(x=[[1.0, -2.0], [3.0, 4.0]])
    out = student.shifted(x)
    out.grad += 1.0
    out._backward()
    with student.trial():
        (y,) = student.leaves(y=[1.0])
        twice = y + y
        twice.grad += 1.0
        twice._backward()
    assert x.grad == [[9.0, 9.0], [9.0, 9.0]]
'''


SHIFTED = """
def coerced(add):
    return lambda self, other: add(self, other if isinstance(other, Tensor) else Tensor(other))

Tensor.__add__ = coerced(Tensor.__add__)

def shifted(x):
    return (x + np.array([5.0, 0.5])) + x
"""


def shifted_by(test: str, tmp_path, launcher):
    """What a test tells of an engine with `shifted`, which adds a constant row and x to x."""
    write_files(tmp_path, course_files({"add": test}))
    mine = hand_in(tmp_path, f"import numpy as np\n{engine()}{SHIFTED}", "engine.py")

    return check(grade(Course(tmp_path).assignment("tensors"), mine, launcher, traces=True), "add")


def test_steps_leave_out_what_a_check_only_tries(tmp_path, launcher) -> None:
    """And a constant has its shape."""
    found = shifted_by(TRIED, tmp_path, launcher)

    shown = walk_text(found)
    assert "x + (2,)" in shown
    assert "y" not in shown.partition("your code")[2].partition("at the end")[0]


LOADED_AGAIN = '''\
"""+ with a row for each row."""


def test_row(student):
    """x + b; then the check asks the submission, loaded again, why x has this gradient."""
    (x,) = student.leaves(x=[[1.0, -2.0], [3.0, 4.0]])
    out = student.shifted(x)
    out.grad += 1.0
    out._backward()
    found = x.grad
    with student.afresh() as again:
        (y,) = again.leaves(y=[1.0])
        assert y.data == [1.0]
    assert found == [[9.0, 9.0], [9.0, 9.0]]
'''


def test_steps_end_where_a_check_loads_again(tmp_path, launcher, monkeypatch) -> None:
    """What notes the steps belongs to the load before: under its number there may be something of the student's."""
    asked, request = [], ReplayingSandbox.request
    monkeypatch.setattr(
        ReplayingSandbox, "request", lambda self, data: asked.append(data) or request(self, data)
    )

    found = shifted_by(LOADED_AGAIN, tmp_path, launcher)

    assert found.readings[0].expected.startswith("9; ")
    assert found.trace is None
    noting = [data["args"][0] for data in asked if data.get("args")]
    assert "unhook" in noting
    assert "answer" not in noting[noting.index("unhook") :]
