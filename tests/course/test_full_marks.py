"""Operations that are right at the usual numbers and wrong elsewhere, or whose closures change what they read, fail."""

from __future__ import annotations

import pytest
from helpers import reference
from judged import judging

from grader.report import Outcome

# Each with the text of the reference, what stands there instead, and the check that fails.
CUT_OFF = {
    "day1": [
        (
            "return self + (-1) * other",
            "return self + (-1) * (abs(other) if isinstance(other, float) else other)",
            "subtract",
        ),
        ("Value(self.data + other.data,", "Value(min(self.data + other.data, 1e4),", "add"),
        ("Value(self.data * other.data,", "Value(max(self.data * other.data, -1e4),", "multiply"),
    ],
    "day2": [
        ("math.tanh(self.data)", "math.tanh(max(-2.5, min(2.5, self.data)))", "tanh_neuron"),
        ("Value(self.data * other.data,", "Value(max(self.data * other.data, -1e5),", "swap_rule"),
        ("(1 - t**2) * out.grad", "(1 - t**2) * out.grad * bool(t)", "tanh_neuron"),
    ],
    "day4": [
        ("math.exp(self.data), (self,)", "math.exp(self.data) if self.data <= 3 else 20.0, (self,)", "exp"),
        ("math.exp(self.data), (self,)", "math.exp(max(self.data, -6)), (self,)", "exp"),
        (
            "t = math.tanh(self.data)",
            "t = math.tanh(self.data) if abs(self.data) < 2 else self.data / 2",
            "tanh",
        ),
        (
            "self.data if self.data > 0 else 0.0, (",
            "min(self.data, 6000.0) if self.data > 0 else 0.0, (",
            "relu",
        ),
        ("(1.0 if self.data > 0 else 0.0) * out.grad", "(self.data > 0) * min(out.grad, 100)", "relu"),
        ("n * self.data ** (n - 1) * out.grad", "n * min(self.data, 50) ** (n - 1) * out.grad", "power"),
        ("return Value(other) - self", "return Value(abs(other)) - self", "subtract"),
        ("return Value(other) / self", "return Value(abs(other)) / self", "divide"),
        (
            "out = Value(-self.data, (self,)",
            "if not self.data: return self\n        out = Value(-self.data, (self,)",
            "subtract",
        ),
        ("self.grad = 1.0", "self.grad += 1.0", "backward"),
        (
            "            node._backward()",
            "            node.grad = max(node.grad, -1e4); node._backward()",
            "backward",
        ),
    ],
    "day5": [
        ("e = math.exp(self.data)", "e = math.exp(min(self.data, 6))", "one_input"),
        ("t = math.tanh(self.data)", "t = max(-0.99, min(0.99, math.tanh(self.data)))", "one_input"),
        ("Value(self.data**exponent,", "Value(min(self.data**exponent, 1000),", "power"),
        ("return Value(other) - self", "return Value(abs(other)) - self", "subtract_divide"),
        ("return Value(other) / self", "return Value(abs(other)) / self", "subtract_divide"),
        ("root.grad = 1.0", "root.grad += 1.0", "backward"),
        ("child.grad += local * node.grad", "child.grad += max(-1e4, local * node.grad)", "backward"),
    ],
    "day6": [
        ("np.exp(self.data), (self,)", "np.exp(np.minimum(self.data, 6)), (self,)", "one_input"),
        ("np.log(self.data), (self,)", "np.log(np.clip(self.data, 1e-3, 20)), (self,)", "one_input"),
        ("np.tanh(self.data), (self,)", "np.tanh(np.clip(self.data, -2, 2)), (self,)", "one_input"),
        ("np.maximum(self.data, 0), (self,)", "np.clip(self.data, 0, 100), (self,)", "one_input"),
        (
            "n * self.data ** (n - 1) * out.grad",
            "n * np.clip(self.data, -20, 20) ** (n - 1) * out.grad",
            "one_input",
        ),
        (
            "            node._backward()",
            "            node.grad = np.maximum(node.grad, -1e4); node._backward()",
            "backward",
        ),
    ],
}
CHANGED = {
    "day2": [
        (
            "return self + other\n",
            "self.data += other; return self\n",
            "add_rule",
        ),
        (
            "def __add__(self, other):\n",
            "def __add__(self, other):\n        if not isinstance(other, Value):\n"
            "            self.data += other; return self\n",
            "add_rule",
        ),
        (
            'out = Value(self.data + other.data, (self, other), "+")',
            'out = Value(self.data + other.data, (self, other), "+"); self.grad = other.grad = 0.0',
            "add_rule",
        ),
        (
            'out = Value(self.data * other.data, (self, other), "*")',
            'out = Value(self.data * other.data, (self, other), "*"); self.grad = other.grad = 0.0',
            "swap_rule",
        ),
    ],
    "day4": [
        (
            "return self + other\n",
            "self.data += other; return self\n",
            "add_multiply",
        ),
        (
            "def __add__(self, other):\n",
            "def __add__(self, other):\n        if not isinstance(other, Value):\n"
            "            self.data += other; return self\n",
            "add_multiply",
        ),
        (
            "out = Value(math.exp(self.data), (",
            "self.data = math.exp(self.data); out = Value(self.data, (",
            "exp",
        ),
        (
            "out = Value(self.data + other.data, (",
            "self.data += other.data; out = Value(self.data, (",
            "add_multiply",
        ),
        ("self.grad += out.data * out.grad", "out.grad *= out.data; self.grad += out.grad", "exp"),
        ("self.grad += (1 - t**2) * out.grad", "self.grad += (1 - t**2) * out.grad; out.grad = 0.0", "tanh"),
        (
            "n * self.data ** (n - 1) * out.grad",
            "n * self.data ** (n - 1) * out.grad; self.data = out.data",
            "power",
        ),
    ],
    "day5": [
        ("e = math.exp(self.data)", "e = self.data = math.exp(self.data)", "one_input"),
        ("t = math.tanh(self.data)", "t = self.data = math.tanh(self.data)", "one_input"),
        (
            "return Value(max(0.0, self.data),",
            "self.data = max(0.0, self.data); return Value(self.data,",
            "one_input",
        ),
        ("return Value(-self.data,", "self.data = -self.data; return Value(self.data,", "subtract_divide"),
    ],
    "day6": [
        ("np.exp(self.data), (self,)", "np.exp(self.data, out=self.data), (self,)", "one_input"),
        (
            "np.maximum(self.data, 0), (self,)",
            "np.maximum(self.data, 0, out=self.data), (self,)",
            "one_input",
        ),
        (
            "out = Tensor(self.data + other.data, (",
            "self.data += other.data; out = Tensor(self.data, (",
            "add",
        ),
        (
            "self.grad += (self.data > 0) * out.grad",
            "grad = out.grad; grad[self.data <= 0] = 0; self.grad += grad",
            "one_input",
        ),
        ("self.grad += out.data * out.grad", "out.grad *= out.data; self.grad += out.grad", "one_input"),
        ("self.grad += out.data * out.grad", "out.data *= out.grad; self.grad += out.data", "one_input"),
        (
            "self.grad += out.grad / self.data",
            "self.data[:] = out.grad / self.data; self.grad += self.data",
            "one_input",
        ),
        (
            "self.grad += (1 - out.data**2) * out.grad",
            "out.data[:] = 1 - out.data**2; self.grad += out.data * out.grad",
            "one_input",
        ),
        (
            "other.grad += self.data.T @ out.grad",
            "other.grad += self.data.T @ out.grad; out.grad *= 0",
            "matmul",
        ),
        (
            "np.add.at(self.grad, rows, out.grad)",
            "np.add.at(self.grad, rows, out.grad); out.grad[:] = 0",
            "rows",
        ),
        (
            "other.grad += unbroadcast(out.grad, other.data.shape)",
            "other.grad += unbroadcast(out.grad, other.data.shape); out.grad[...] = 0",
            "add",
        ),
        (
            "other.grad += unbroadcast(self.data * out.grad, other.data.shape)",
            "out.grad *= self.data; other.grad += unbroadcast(out.grad, other.data.shape)",
            "multiply",
        ),
        (
            "            grad = out.grad\n",
            "            grad = out.grad\n            grad *= 1.5\n            grad = grad / 1.5\n",
            "sums",
        ),
        (
            "return total * (total.data.size / self.data.size)",
            "self.data = self.data / 2; return total * (total.data.size / self.data.size)",
            "means",
        ),
    ],
    "day7": [
        (
            "hot = np.eye(scores)[targets]",
            "hot = np.eye(scores)[targets]; z.data = z.data - z.data.max()",
            "cross_entropy",
        ),
        (
            "return x @ self.weight + self.bias",
            "out = x @ self.weight + self.bias; x.data += 1; return out",
            "linear",
        ),
    ],
}


@pytest.mark.parametrize("slips", [CUT_OFF, CHANGED], ids=["cut off", "changed"])
@pytest.mark.parametrize("day", sorted(CHANGED | CUT_OFF))
def test_what_is_right_in_part_fails(day: str, slips: dict[str, list[tuple[str, str, str]]]) -> None:
    """Each slip fails the check of its operation."""
    source, kept = reference(day), []
    with judging(day) as judged:
        for old, new, expected in slips.get(day, []):
            assert source.count(old) == 1, old
            check = judged(source.replace(old, new), expected)[expected]
            kept += [new] if check.outcome is not Outcome.FAILED else []

    assert kept == []
