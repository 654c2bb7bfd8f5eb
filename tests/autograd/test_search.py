"""The search for rules: the statements that it finds from an engine's numbers, and when it finds none."""

from __future__ import annotations

import math
import random
import struct

import pytest
from sampled import WHOLE
from slipped import executed, slipped

from grader.autograd.rules.expressions import UPDATED, parse, value
from grader.autograd.rules.observations import Observation, fresh_points, observation_points
from grader.autograd.rules.operations import KNOWN, operations_of
from grader.autograd.rules.search import read_rules
from grader.autograd.words import RELATIONS
from grader.manifest import OperationSpec
from grader.sandbox import Deadline
from grader.sandbox.budget import OutOfTime

PARTS = [
    range(40),
    *(range(first, first + 130) for first in range(40, 2640 if WHOLE else 170, 130)),
]  # slips of one test, by seed


def engine(operation, *statements, out="", rounded=float):
    """Return an engine in which Python executes the statements; `rounded` is applied to all numbers."""

    def run(row):
        point = {atom: rounded(number) for atom, number in row.items()}
        after = executed(operation.rules, statements, point, out or operation.out)
        return rounded(after["out"]), {name: rounded(after[name]) for name in operation.rules}

    return run


def observed(run, rows):
    return [Observation(row, *run(row)) for row in rows]


def read(operation, *statements, run=None, out=""):
    """Return the rules that are read from an engine of these statements, or from `run`."""
    operation = KNOWN[operation] if isinstance(operation, str) else operation
    run = run or engine(operation, *statements, out=out)
    tried, fresh = observed(run, observation_points(operation)), observed(run, fresh_points(operation))
    return read_rules(operation, tried, fresh, Deadline())


def right(operation, name):
    """Return the right statement for an input."""
    return f"{name}.grad += {operation.rules[name]}"


def told(operation, *statements, **options):
    """Return the rules that are found, as pairs of the statement and the relations."""
    return [(rule.wrote, rule.relations) for rule in read(operation, *statements, **options)]


# One statement of an engine, what is told of it, and how it differs. Lines that are not given are right.
CLASSICAL = [
    ("+", "self.grad = out.grad", "self.grad = out.grad", ["assigned"]),
    ("+", "self.grad += 1 + out.grad", "self.grad += 1 + out.grad", ["upstream_added"]),
    ("+", "self.grad += 1.0", "self.grad += 1", ["upstream_missing"]),
    ("+", "self.grad += self.grad", "self.grad += self.grad", ["own_gradient_for_upstream"]),
    ("+", "self.grad += 2 * out.grad", "self.grad += 2 * out.grad", ["doubled"]),
    ("+", "self.grad += 3 * out.grad", "self.grad += 3 * out.grad", ["factor_added"]),
    ("+", "self.grad += self.data * out.grad", "self.grad += self.data * out.grad", ["factor_added"]),
    (
        *("+", "self.grad += other.data * out.grad", "self.grad += other.data * out.grad"),
        ["factor_added", "other_operation"],
    ),
    ("+", "other.grad -= out.grad", "other.grad -= out.grad", ["sign", "other_operation"]),
    ("+", "self.grad = -out.grad", "self.grad = -out.grad", ["assigned", "sign", "subtracted_assign"]),
    ("-", "other.grad += out.grad", "other.grad += out.grad", ["sign", "other_operation"]),
    ("-", "other.grad = -out.grad", "other.grad = -out.grad", ["assigned", "subtracted_assign"]),
    ("-", "other.grad -= 1", "other.grad -= 1", ["upstream_missing"]),
    ("*", "self.grad += self.data * out.grad", "self.grad += self.data * out.grad", ["swapped"]),
    ("*", "self.grad += out.grad", "self.grad += out.grad", ["local_missing", "other_operation"]),
    ("*", "self.grad += other.data", "self.grad += other.data", ["upstream_missing"]),
    ("*", "self.grad += other.data + out.grad", "self.grad += other.data + out.grad", ["upstream_added"]),
    ("*", "self.grad += out.grad * other.grad", "self.grad += other.grad * out.grad", ["gradient_for_value"]),
    ("*", "self.grad += other.data * self.grad", "self.grad += other.data * self.grad", ["own_gradient_for_upstream"]),
    ("*", "self.grad += abs(other.data) * out.grad", "self.grad += abs(other.data) * out.grad", ["absolute"]),
    ("*", "self.grad += out.data * out.grad", "self.grad += out.data * out.grad", ["output_for_input"]),
    ("*", "self.grad *= other.data * out.grad", "self.grad = other.data * out.grad * self.grad", ["own_gradient_changed"]),
    (
        *("*", "self.grad = other.data * (self.grad + out.grad)", "self.grad = other.data * (out.grad + self.grad)"),
        ["own_gradient_changed"],
    ),
    (
        *("*", "self.grad = self.grad * other.data + out.grad", "self.grad = out.grad + other.data * self.grad"),
        ["own_gradient_changed"],
    ),
    ("+", "self.grad = out.grad - self.grad", "self.grad = out.grad - self.grad", ["own_gradient_changed"]),
    ("+", "self.grad = out.grad + 2 * self.grad", "self.grad += self.grad + out.grad", ["own_gradient_changed"]),
    (
        *("relu", "self.grad = (self.grad > 0) * out.grad", "self.grad = (self.grad > 0) * out.grad"),
        ["assigned", "gate_own_gradient"],
    ),
    ("-", "other.grad *= -out.grad", "other.grad = -other.grad * out.grad", ["own_gradient_changed"]),
    ("/", "self.grad *= out.grad / other.data", "self.grad = self.grad * out.grad / other.data", ["own_gradient_changed"]),
    ("*", "self.grad += other.data * abs(out.grad)", "self.grad += other.data * abs(out.grad)", ["upstream_absolute"]),
    (
        *("*", "self.grad += (self.data + other.data) * out.grad", "self.grad += other.data * out.grad + self.data * out.grad"),
        ["term_added"],
    ),
    (
        *("*", "self.grad += other.data / abs(other.data) * out.grad"),
        *("self.grad += math.copysign(1, other.data) * out.grad", ["sign_only"]),
    ),
    ("/", "self.grad += other.data * out.grad", "self.grad += other.data * out.grad", ["operator", "other_operation"]),
    ("/", "self.grad += out.grad", "self.grad += out.grad", ["local_missing", "other_operation"]),
    (
        *("/", "other.grad -= (self.data / other.data) * out.grad"),
        *("other.grad -= self.data / other.data * out.grad", ["square_missing"]),
    ),
    (
        *("/", "other.grad += self.data / other.data**2 * out.grad"),
        *("other.grad += self.data / other.data**2 * out.grad", ["sign"]),
    ),
    ("/", "other.grad -= out.grad / other.data**2", "other.grad -= out.grad / other.data**2", ["factor_missing"]),
    ("/", "other.grad += out.grad / other.data", "other.grad += out.grad / other.data", ["rule_of_other_input"]),
    (
        *("/", "other.grad -= other.data / self.data**2 * out.grad"),
        *("other.grad -= other.data / self.data**2 * out.grad", ["swapped"]),
    ),
    ("**", "self.grad += n * self.data * out.grad", "self.grad += n * self.data * out.grad", ["exponent"]),
    ("**", "self.grad += n * self.data**n * out.grad", "self.grad += n * self.data**n * out.grad", ["exponent"]),
    (
        *("**", "self.grad += n * (self.data**n - 1) * out.grad"),
        *("self.grad += n * (self.data**n - 1) * out.grad", ["parentheses"]),
    ),
    (
        *("**", "self.grad += n * self.data**n - 1 * out.grad"),
        *("self.grad += n * self.data**n - out.grad", ["parentheses"]),
    ),
    (
        *("**", "self.grad += self.data ** (n - 1) * out.grad"),
        *("self.grad += self.data ** (n - 1) * out.grad", ["factor_missing"]),
    ),
    (
        *("**", "self.grad += 3 * self.data ** (n - 1) * out.grad"),
        *("self.grad += 3 * self.data ** (n - 1) * out.grad", ["number"]),
    ),
    ("**", "self.grad += 2 * self.data * out.grad", "self.grad += 2 * self.data * out.grad", ["number"]),
    (
        *("**", "self.grad += (self.data * n) ** 2 * out.grad"),
        *("self.grad += (n * self.data) ** 2 * out.grad", []),
    ),
    (
        *("**", "self.grad += n ** (self.data - 1) * out.grad"),
        *("self.grad += n ** (self.data - 1) * out.grad", []),
    ),
    ("neg", "self.grad += out.grad", "self.grad += out.grad", ["sign"]),
    ("neg", "self.grad -= self.data * out.grad", "self.grad -= self.data * out.grad", ["factor_added"]),
    ("exp", "self.grad += self.data * out.grad", "self.grad += self.data * out.grad", ["input_for_output"]),
    ("exp", "self.grad += out.data", "self.grad += out.data", ["upstream_missing"]),
    ("exp", "self.grad += out.grad / out.data", "self.grad += out.grad / out.data", ["reciprocal"]),
    (
        *("exp", "self.grad += self.data * math.exp(self.data - 1) * out.grad"),
        *("self.grad += self.data * math.exp(self.data - 1) * out.grad", []),
    ),
    ("tanh", "self.grad += 1 - out.data**2 * out.grad", "self.grad += 1 - out.data**2 * out.grad", ["parentheses"]),
    ("tanh", "self.grad += (1 - self.data**2) * out.grad", "self.grad += (1 - self.data**2) * out.grad", ["input_for_output"]),
    ("tanh", "self.grad += (1 - out.data) * out.grad", "self.grad += (1 - out.data) * out.grad", ["square_missing"]),
    ("tanh", "self.grad += (1 - out.data**2) * self.grad", "self.grad += (1 - out.data**2) * self.grad", ["own_gradient_for_upstream"]),
    (
        *("tanh", "self.grad += out.data * (1 - out.data) * out.grad"),
        *("self.grad += out.data * (1 - out.data) * out.grad", []),
    ),
    ("relu", "self.grad += out.grad", "self.grad += out.grad", ["gate_missing"]),
    ("relu", "self.grad += (self.data < 0) * out.grad", "self.grad += (self.data < 0) * out.grad", ["gate_turned"]),
    ("relu", "self.grad += (out.grad > 0) * out.grad", "self.grad += (out.grad > 0) * out.grad", ["gate_upstream"]),
    ("relu", "self.grad += (self.data > 0.3) * out.grad", "self.grad += (self.data > 0.3) * out.grad", ["gate_threshold"]),
    ("relu", "self.grad += (1 if self.data > 0 else 0.03) * out.grad", "self.grad += (1 if self.data > 0 else 0.03) * out.grad", ["leaky"]),
    ("relu", "self.grad += out.data * out.grad", "self.grad += out.data * out.grad", ["value_for_local"]),
    ("relu", "self.grad += self.data > 0", "self.grad += (self.data > 0)", ["upstream_missing"]),
]  # fmt: skip


@pytest.mark.ci
@pytest.mark.parametrize(("name", "wrote", "expected", "relations"), CLASSICAL)
def test_a_wrong_statement_is_reported_with_how_it_differs(name, wrote, expected, relations):
    operation = KNOWN[name]
    others = [right(operation, each) for each in operation.rules if not wrote.startswith(f"{each}.grad")]
    assert [(expected, tuple(relations))] == told(name, wrote, *others)


FORWARD = [
    ("*", "self.data + other.data", ["operator"]),
    ("-", "other.data - self.data", ["turned"]),
    ("/", "self.data // other.data", ["operator"]),
    ("**", "self.data * n", ["operator"]),
    ("neg", "self.data", ["sign"]),
    ("exp", "2**self.data", ["function"]),
    ("tanh", "1 / (1 + math.exp(-self.data))", ["function"]),
    ("tanh", "math.sin(self.data)", ["function"]),
    ("relu", "abs(self.data)", ["absolute"]),
    ("relu", "min(0, self.data)", ["gate_turned"]),
    ("*", "self.data * other.data + 1", []),
    ("relu", "self.data if self.data > 0 else 0.01 * self.data", []),
    ("relu", "self.data if self.data > 0 else 0.3 * (math.exp(self.data) - 1)", []),
    ("relu", "self.data if self.data > 0 else -0.5", []),
    ("relu", "(self.data > 1) * self.data", []),
    ("tanh", "math.tanh(self.data) if self.data > 0 else self.data", []),
]


@pytest.mark.parametrize(("name", "out", "relations"), FORWARD)
def test_a_wrong_forward_pass_is_reported_alone_where_the_rules_are_right(name, out, relations):
    operation = KNOWN[name]
    assert [(f"out.data = {out}", tuple(relations))] == told(
        name, *(right(operation, each) for each in operation.rules), out=out
    )


def test_a_rule_that_uses_the_right_output_is_right_where_the_forward_pass_is_wrong():
    rules = told("tanh", "self.grad += (1 - math.tanh(self.data) ** 2) * out.grad", out="self.data")
    assert rules == [("out.data = self.data", ("function",))]


def test_an_input_that_is_left_alone():
    assert told("*", "self.grad += other.data * out.grad") == [("", ("nothing",))]


def test_one_input_gets_both_contributions(snapshot):
    rules = told("*", "self.grad += other.data * out.grad", "self.grad += self.data * out.grad")
    assert rules == snapshot


def test_one_input_of_a_sum_gets_both_contributions(snapshot):
    rules = told("+", "self.grad += out.grad", "self.grad += out.grad")
    assert rules == snapshot


def test_what_an_earlier_line_has_written_is_read_after_it(snapshot):
    rules = read("*", "self.grad += other.data * out.grad", "other.grad += self.grad * out.grad")
    assert [r.wrote for r in rules] == snapshot
    assert [rule.right for rule in rules] == [True, False]


def test_what_a_later_line_writes_is_read_before_it(snapshot):
    rules = told("*", "other.grad += self.grad * out.grad", "self.grad += self.data * out.grad")
    assert [wrote for wrote, _ in rules] == snapshot


def test_two_lines_that_read_each_other():
    rules = told("+", "self.grad += other.grad", "other.grad += self.grad")
    assert [wrote for wrote, _ in rules] == ["self.grad += other.grad", "other.grad += self.grad"]


RIGHT = [
    ("+", "self.grad = self.grad + out.grad", "other.grad = out.grad * 1.0 + other.grad"),
    ("-", "self.grad += out.grad", "other.grad += -1 * out.grad"),
    ("*", "other.grad += out.data / other.data * out.grad", "self.grad += out.grad * other.data"),
    ("/", "self.grad += other.data**-1 * out.grad", "other.grad -= out.data * out.grad / other.data"),
    ("**", "self.grad += n * out.data / self.data * out.grad"),
    ("exp", "self.grad += math.exp(self.data) * out.grad"),
    ("tanh", "self.grad += (1 + out.data) * (1 - out.data) * out.grad"),
    ("tanh", "self.grad += out.grad / math.cosh(self.data) ** 2"),
    ("relu", "self.grad += (out.data > 0) * out.grad"),
    ("relu", "self.grad += out.grad if self.data >= 0 else 0"),
]


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_rule_in_another_spelling_is_never_reported(case):
    assert told(*case) == []


def float32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


@pytest.mark.parametrize("operation", KNOWN.values(), ids=lambda operation: operation.name)
def test_a_right_engine_in_float32_is_never_reported_and_a_wrong_one_is(operation):
    statements = [right(operation, name) for name in operation.rules]
    assert read(operation, run=engine(operation, *statements, rounded=float32)) == []
    wrong = engine(operation, *(line.replace("+=", "=") for line in statements), rounded=float32)
    assert all("assigned" in rule.relations for rule in read(operation, run=wrong))
    assert len(read(operation, run=wrong)) == len(operation.rules)


def unsteady(operation, kind):
    """Return an engine whose gradients depend on more than its inputs."""
    rng, calls = random.Random(0), [0]
    good = engine(operation, *(right(operation, name) for name in operation.rules))

    def run(row):
        calls[0] += 1
        out, after = good(row)
        noise = {"random": rng.random(), "counter": calls[0] * row["out.grad"], "late": 5 * (calls[0] > 50)}[
            kind
        ]
        return out, {name: value + noise for name, value in after.items()}

    return run


@pytest.mark.parametrize("kind", ["random", "counter", "late"])
@pytest.mark.parametrize("name", ["*", "tanh"])
def test_an_engine_that_is_no_function_of_its_inputs_gives_no_note(name, kind):
    assert read(name, run=unsteady(KNOWN[name], kind)) == []


def test_a_rule_beyond_the_language_gives_no_note():
    strange = "self.grad += math.atan(self.data * 1.2345) ** 3 * math.sinh(out.grad + 0.123)"
    assert told("tanh", strange) == []


@pytest.mark.parametrize("threshold", [0.28, 0.43, 1.13])
def test_a_gate_between_the_points_is_not_guessed(threshold):
    assert told("relu", f"self.grad += (self.data > {threshold}) * out.grad") == []
    assert told("relu", f"self.grad += (out.grad > {threshold}) * out.grad") == []


def test_too_few_observations_tell_nothing():
    operation = KNOWN["+"]
    few = observed(engine(operation, "self.grad = out.grad"), observation_points(operation))[:5]
    assert read_rules(operation, few, few, Deadline()) == []


def test_the_search_stops_at_the_deadline():
    operation = KNOWN["*"]
    run = engine(operation, "self.grad += self.data * out.grad", "other.grad += self.data * out.grad")
    late = Deadline(0.0)
    with pytest.raises(OutOfTime):
        read_rules(
            operation,
            observed(run, observation_points(operation)),
            observed(run, fresh_points(operation)),
            late,
        )


def test_values_that_are_not_finite_are_met_by_such_alone():
    operation = KNOWN["exp"]
    rows = observation_points(operation)

    def run(row):
        return math.exp(row["self.data"]), {"self": math.nan if row["self.data"] < 0 else row["self.grad"]}

    assert (
        read_rules(operation, observed(run, rows), observed(run, fresh_points(operation)), Deadline()) == []
    )


def test_softplus_as_an_author_declares_it():
    (softplus,) = operations_of(
        [
            OperationSpec(
                name="softplus",
                out="math.log(1 + math.exp(self.data))",
                self="out.grad / (1 + math.exp(-self.data))",
            )
        ]
    )
    assert read(softplus, "self.grad += out.grad * math.exp(self.data) / (1 + math.exp(self.data))") == []
    assert told(softplus, "self.grad += out.grad / (1 + math.exp(self.data))") == [
        ("self.grad += out.grad / (1 + math.exp(self.data))", ("sign_inside",))
    ]
    assert told(softplus, "self.grad += 1 / (1 + math.exp(-self.data))") == [
        ("self.grad += 1 / (1 + math.exp(-self.data))", ("upstream_missing",))
    ]


def test_an_operation_with_a_gate_as_an_author_declares_it():
    (leaky,) = operations_of(
        [
            OperationSpec(
                name="leaky",
                out="max(0.1 * self.data, self.data)",
                self="(1 if self.data > 0 else 0.1) * out.grad",
            )
        ]
    )
    turned = "self.grad += (0.1 if self.data > 0 else 1) * out.grad"
    assert told(leaky, turned) == [(turned, ("gate_turned",))]
    later = "self.grad += (1 if self.data > 0.7 else 0.1) * out.grad"
    assert told(leaky, later) == [(later, ("gate_threshold",))]


def test_an_engine_that_clears_gradients_first_is_read_too(snapshot):
    """A gradient that was 0 at every point is never part of a statement."""
    operation = KNOWN["*"]
    run = engine(operation, "self.grad += self.data * out.grad", right(operation, "other"))

    def cleared(rows):
        return [row | dict.fromkeys(("self.grad", "other.grad"), 0.0) for row in rows]

    tried, fresh = (
        observed(run, cleared(rows)) for rows in (observation_points(operation), fresh_points(operation))
    )
    rules = read_rules(operation, tried, fresh, Deadline())
    assert [rule.wrote for rule in rules] == snapshot


@pytest.mark.parametrize("operation", KNOWN.values(), ids=lambda operation: operation.name)
def test_points_lie_on_both_sides_of_everything(operation):
    rows = observation_points(operation)
    for atom in [*(f"{name}.data" for name in operation.rules), "out.grad"]:
        for threshold in (0, 0.5, 1):
            sides = [row[atom] - threshold for row in rows]
            assert min(side for side in sides if side > 0) < 0.02
            assert max(side for side in sides if side < 0) > -0.02
    if operation.takes_n:
        assert {-2, -1, 0.5, 2, 3, 4} <= {row["n"] for row in rows}
    assert rows == observation_points(operation)
    assert len(fresh_points(operation)) == 40
    assert all(row[f"{name}.grad"] for row in rows for name in operation.rules)


def agrees(one, other):
    if not (math.isfinite(one) and math.isfinite(other)):
        return math.isfinite(one) == math.isfinite(other)
    return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-9)


def judged(number):
    """Return the number of wrong rules of a random engine and of those found; none may be false."""
    rng = random.Random(f"slip {number}")
    operation = rng.choice(list(KNOWN.values()))
    rules = slipped(operation.name, "switch", rng)
    statements = [*rules.lines.values()]
    out = rules.forward if rules.slip == "forward" else ""
    run = engine(operation, *statements, out=out)
    good = engine(operation, *(right(operation, name) for name in operation.rules), out=out)
    rules = read(operation, run=run)
    assert all(set(rule.relations) <= RELATIONS.keys() for rule in rules)
    named = {rule.input for rule in rules if not rule.right}
    wrong = {"out"} if out else set()
    for row in observation_points(operation, 40, seed=7):
        got, after = run(row)
        wrong |= {name for name in operation.rules if not agrees(after[name], good(row)[1][name])}
        if not out or "out" in named:
            executed = execute(rules, operation, row)
            assert agrees(got, executed["out.data"]), (statements, out, rules)
            for name in named - {"out"}:
                assert agrees(after[name], executed[f"{name}.grad"]), (statements, out, rules)
    assert named <= wrong, (statements, out, rules)
    return len(wrong), len(named)


def execute(rules, operation, row):
    """Execute the statements in order at one point, and right ones for the other inputs; return all values."""
    state = row | {updated: row[name] for name, updated in UPDATED.items() if name in row}
    written = {rule.input: rule for rule in rules}
    forward = written.pop("out", None)
    state["out.data"] = value(forward.expression if forward else parse(operation.out), state)
    for rule in written.values():
        name = f"{rule.input}.grad"
        if rule.operator:
            old, new = state[name], value(rule.expression, state)
            state[name] = state[UPDATED[name]] = {"+=": old + new, "=": new}[rule.operator]
    for name in operation.rules.keys() - written.keys():
        state[f"{name}.grad"] += value(parse(operation.rules[name]), state)
    return state


@pytest.mark.ci
@pytest.mark.parametrize(
    "numbers",
    [PARTS[0], *(pytest.param(part, marks=pytest.mark.ci) for part in PARTS[1:])],
    ids=lambda part: f"{part.start}-{part.stop}",
)
def test_random_slips_are_reported_and_none_falsely(numbers):
    """95 % of the wrong rules are found, and each, executed, gives the engine's numbers at other points."""
    wrong, told_of = map(sum, zip(*(judged(number) for number in numbers)))
    assert wrong >= 0.96 * len(numbers)
    assert told_of >= 0.95 * wrong


def test_an_observation_holds_plain_numbers():
    seen = Observation({"self.data": 1.0, "out.grad": 1.0, "self.grad": 0.5}, -1.0, {"self": -0.5})
    assert seen.after["self"] == -0.5
