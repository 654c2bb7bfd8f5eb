# %% [markdown]
# Day 2 in another shape: slots, and `functools.partial` of plain functions in place of closures.

# %%
import math
from functools import partial


# %%
def nothing():
    """Do nothing: a leaf hands nothing on."""


def hand_on_sum(out, x, y):
    x.grad += out.grad
    y.grad += out.grad


def hand_on_product(out, u, v):
    u.grad += out.grad * v.data
    v.grad += out.grad * u.data


def hand_on_tanh(out, z, t):
    z.grad += out.grad * (1 - t * t)


# %%
class Value:
    __slots__ = ("_backward", "_prev", "data", "grad")

    def __init__(self, data, prev=()):
        self.data, self.grad = data, 0.0
        self._prev, self._backward = frozenset(prev), nothing

    @classmethod
    def of(cls, thing):
        return thing if isinstance(thing, cls) else cls(thing)

    def __add__(self, other):
        addend = Value.of(other)
        out = Value(self.data + addend.data, [self, addend])
        out._backward = partial(hand_on_sum, out, self, addend)
        return out

    def __mul__(self, other):
        factor = Value.of(other)
        out = Value(self.data * factor.data, [self, factor])
        out._backward = partial(hand_on_product, out, self, factor)
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, [self])
        out._backward = partial(hand_on_tanh, out, self, t)
        return out

    __radd__ = __add__
    __rmul__ = __mul__


# %%
product_order = ["L", "d", "a", "b", "c"]
product_grads = {"a": -3.0, "b": 2.0, "c": 1.0, "d": 1.0}
sum_times_grads = {"a": 10.0, "b": 10.0, "c": -1.0, "e": 10.0}
twice_with_assignment = {"a + a": 1.0, "a * a": 3.0}

# %%
complex_grads = {"a": 7.0, "b": 2.0, "c": -1.0}
complex_order = ("L", "q", "p", "s")


def reset_grads(*values):
    for value in values:
        value.grad = 0.0


# %%
neuron_grads = {"x1": -1.5, "w1": 1.0, "x2": 0.5, "w2": 0.0, "b": 0.5, "n": 0.5}
diamond_order = ["d", "b", "c"]
lost_by_b_first, lost_by_c_first = 6.0, 9.0
strongest, leverage_a_over_c, nudge_up = "a", 3.0, {"b", "c"}
quiz_df_da, quiz_df_db = 10.0, 10.0
quiz_do_dw1, quiz_w2 = 1.0, "d"
quiz_a_times_a, quiz_why_add = 6.0, "b"
quiz_dd_da, quiz_backpropagation = 15.0, " c "
