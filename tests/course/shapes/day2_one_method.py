"""Day 2 in another shape: one `_backward` method that switches on the operation."""

import math


class Value:
    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.grad = 0
        self.inputs = inputs
        self.op = op

    def __add__(self, other):
        addend = as_value(other)
        return Value(self.data + addend.data, (self, addend), "add")

    def __mul__(self, other):
        factor = as_value(other)
        return Value(self.data * factor.data, (self, factor), "mul")

    def tanh(self):
        return Value(math.tanh(self.data), (self,), "tanh")

    def __radd__(self, number):
        return self + number

    def __rmul__(self, number):
        return self * number

    def _backward(self):
        """Hand the gradient on to the inputs, by the rule of the operation."""
        match self.op:
            case "add":
                left, right = self.inputs
                left.grad += self.grad
                right.grad += self.grad
            case "mul":
                first, second = self.inputs
                first.grad += second.data * self.grad
                second.grad += first.data * self.grad
            case "tanh":
                (x,) = self.inputs
                x.grad += (1 - self.data**2) * self.grad


def as_value(other):
    return other if isinstance(other, Value) else Value(other)


def reset_grads(*values):
    for value in values:
        value.grad = 0


product_order = ["L", "d"]
product_grads = {"a": -3, "b": 2, "c": 1, "d": 1}
sum_times_grads = {"a": 10, "b": 10, "c": -1, "e": 10}
twice_with_assignment = {"a + a": 1, "a * a": 3}
complex_grads = {"a": 7, "b": 2, "c": -1}
complex_order = ["L", "s", "q", "p", "a", "b", "c"]
neuron_grads = {"x1": -1.5, "w1": 1, "x2": 0.5, "w2": 0, "b": 0.5, "n": 0.5}
diamond_order = ["d", "c", "b", "a"]
lost_by_b_first = 6
lost_by_c_first = 9
strongest = "a"
leverage_a_over_c = 3
nudge_up = ["b", "c"]
quiz_df_da, quiz_df_db, quiz_do_dw1, quiz_a_times_a, quiz_dd_da = 10, 10, 1, 6, 15
quiz_w2, quiz_why_add, quiz_backpropagation = "D", "B", "C"
