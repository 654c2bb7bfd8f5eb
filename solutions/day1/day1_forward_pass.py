# %% [markdown]
# # Day 1: the forward pass
#
# A Python number forgets where it came from: nothing in 16 tells of `2 * 3 + 10`. Today you build a
# number that remembers.
#
# - **Do first:** sections 1 and 2, `+` and `×`: 60 of the 100 points.
# - **Then:** sections 3 and 4, subtraction and three graphs.
# - **If there is time:** section 5 and the quiz.
# - **With care:** numbers on the left of an operator; the sides of a minus; a Value is not its number.
# - **Another day:** gradients ([day 2, the day after](../day2/README.md)), sorting a graph (day 3),
#   division, powers, `exp`, `relu` (day 4). There is no day before: you need Python's classes.
#
# Run the cells from the top. Where `raise NotImplementedError` stands, replace that line by your own. The
# lines below a `raise` are never reached until you replace it. A blank answer reads `...`. After a change
# of the class, run its cell and all below it again: objects made before belong to the old class.

# %%
import math

# %% tags=["demo"]
from grader import check, draw

# %% [markdown]
# ## 1. A number that remembers
#
# You write a class `Value`. Here is what `L = a * b + c` leaves behind:
#
# ```text
# a, data 2  ---+
#               +--> data -6, op "*" ---+
# b, data -3 ---+                       +--> L, data 4, op "+"
# c, data 10 ---------------------------+
# ```
#
# Each **node** of this **graph** is a `Value` with four things:
#
# | Name | What it is | In a leaf | In `a + b` |
# |---|---|---|---|
# | `data` | the number | what you put in | the sum |
# | `_prev` | its **children**: the Values it was made from | empty | a and b |
# | `_op` | the **operation** that made it | `""` | `"+"` |
# | `label` | a name for people | yours | yours |
#
# A **leaf** was made by no operation: you write `Value(2.0)`. The **root** is the node at the end, here L.
# Nobody named the product, but L holds it: from the root every node can be found.
#
# Write four methods, in this order. The two below them wait for section 2.
#
# 1. `__init__` keeps its four arguments. `_prev` is a tuple, list or set of what `_children` holds: the
#    Values themselves. Copies or numbers would not say *which* Values were used.
# 2. `__repr__` returns the text that Python prints, such as `Value(data=2.0)`.
# 3. `__add__` is what Python calls for `a + b`: `self` is a, `other` is b. It returns a **new** Value with
#    data, children and operation.
# 4. `__mul__` does the same for `a * b`, with `"*"`.


# %%
class Value:
    """A number that remembers what it was made from."""

    def __init__(self, data, _children=(), _op="", label=""):
        ### BEGIN SOLUTION: Value.__init__: keep data, children, operation and label
        self.data = data
        self._prev = tuple(_children)
        self._op = _op
        self.label = label
        ### END SOLUTION

    def __repr__(self):
        ### BEGIN SOLUTION: Value.__repr__: return a text that shows the data
        return f"Value(data={self.data})"
        ### END SOLUTION

    def __add__(self, other):
        ### BEGIN SOLUTION: Value.__add__: return a new Value that holds the sum and what it was made from
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+")
        ### END SOLUTION

    def __mul__(self, other):
        ### BEGIN SOLUTION: Value.__mul__: return a new Value that holds the product and what it was made from
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*")
        ### END SOLUTION

    # Section 2 begins here.

    def __radd__(self, other):
        ### BEGIN SOLUTION: Value.__radd__: section 2, a number left of +. If you see this in section 1, .data is missing in __add__
        return self.__add__(other)
        ### END SOLUTION

    def __rmul__(self, other):
        ### BEGIN SOLUTION: Value.__rmul__: section 2, a number left of *. If you see this in section 1, .data is missing in __mul__
        return self.__mul__(other)
        ### END SOLUTION


# %% [markdown]
# A `check` tries what you have run so far; in a terminal, `grade day1` grades the saved file.

# %% tags=["demo"]
check("leaf")

# %% tags=["demo"]
check("representation")

# %% tags=["demo"]
check("add")

# %% tags=["demo"]
check("multiply")

# %% [markdown]
# While Python works out the expression, it computes the data of every node, from the leaves to the root.
# This is the **forward pass**. `draw` shows the graph that is left:

# %% tags=["demo"]
a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
L = a * b + c
draw(L)

# %% [markdown]
# ## 2. Numbers on either side
#
# Run the next cell before you write anything.

# %% tags=["demo"]
try:
    print("a + 1 makes", a + 1)
except Exception as error:
    print("a + 1 stops:", error)
try:
    print("1 + a makes", 1 + a)
except Exception as error:
    print("1 + a stops:", error)

# %% [markdown]
# **On the right.** For `a + 1` Python calls `a.__add__(1)`. The 1 has no `data`. So `__add__` and
# `__mul__` first make a Value of `other`, unless it is one: `isinstance(other, Value)` tells. The 1
# becomes a leaf and a child.
#
# **On the left.** For `1 + a` Python asks the 1 first. An int cannot add a Value and declines. Then Python
# asks the right side by another name: `a.__radd__(1)`. Your second error came from there. This is a
# **reflected method**: `self` is a, which stands on the *right*, and `other` is the number. It may return
# `self + other`. With `other + self` Python would ask the number again, and so on without end.
#
# `sum([a, b])` begins with `0 + a`. A 0 becomes a leaf like any other number.
#
# Back in the class: mend `__add__` and `__mul__`, write `__radd__` and `__rmul__`, and run it again.

# %% tags=["demo"]
check("constants")

# %% tags=["demo"]
a = Value(2.0, label="a")
draw(1 + 3 * a)

# %% [markdown]
# ## 3. Subtraction
#
# A minus needs no operation of its own: a - b is a + (-1)·b. So it will need no rule of its own on day 2.
# This is the graph that you want:

# %% tags=["demo"]
a, b = Value(2.0, label="a"), Value(-3.0, label="b")
draw(a + (-1) * b)

# %% [markdown]
# Write three functions with `+` and `*` on the Values, never on their data. The last lines of the cell
# make them methods.
#
# - In `minus`, `other` may be a plain number.
# - `5 - a` calls `reflected_minus(a, 5)`: `self` is what is taken away. With a = 2 that is 3, not -3.


# %%
def negative(self):
    """-self, for -a"""
    ### BEGIN SOLUTION: negative: -a, built from ×
    return self * -1
    ### END SOLUTION


def minus(self, other):
    """self - other, for a - b and a - 1"""
    ### BEGIN SOLUTION: minus: a - b, built from + and ×
    return self + (-1) * other
    ### END SOLUTION


def reflected_minus(self, other):
    """other - self, for 5 - a: other is a plain number"""
    ### BEGIN SOLUTION: reflected_minus: number - a, built from + and ×
    return other + (-1) * self
    ### END SOLUTION


Value.__neg__ = negative
Value.__sub__ = minus
Value.__rsub__ = reflected_minus

# %% tags=["demo"]
check("subtract")

# %% [markdown]
# ## 4. Three graphs
#
# Each function takes Values, builds a graph and returns its root. Use operators on the Values that you are
# given: what you compute from `.data` is a plain number, and cuts the graph. Each operator makes a node of
# its own. In the neuron, each input x has a **weight** w; b is the **bias**.
#
# Compute the roots on paper first: a = 2, b = -3, c = 10; x1 = 2, x2 = 0, w1 = -3, w2 = 1, b = 6.88.


# %%
def product(a, b, c):
    """The root L of d = a * b, L = d + c."""
    ### BEGIN SOLUTION: product: build d, then L, and return L
    d = a * b
    return d + c
    ### END SOLUTION


def sum_times(a, b, c):
    """The root f of e = a + b, f = e * c."""
    ### BEGIN SOLUTION: sum_times: build e, then f, and return f
    e = a + b
    return e * c
    ### END SOLUTION


def neuron(x1, x2, w1, w2, b):
    """The root n of n = x1*w1 + x2*w2 + b."""
    ### BEGIN SOLUTION: neuron: weigh both inputs, add the bias, return n
    return x1 * w1 + x2 * w2 + b
    ### END SOLUTION


# %% tags=["demo"]
check("graphs")

# %% tags=["demo"]
a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
print("product:  ", product(a, b, c))
print("sum-times:", sum_times(a, b, c))

x1, x2 = Value(2.0, label="x1"), Value(0.0, label="x2")
w1, w2 = Value(-3.0, label="w1"), Value(1.0, label="w2")
n = neuron(x1, x2, w1, w2, Value(6.8813735870195432, label="b"))
print("neuron:   ", n, " tanh:", math.tanh(n.data))
draw(n)

# %% [markdown]
# Day 2 puts tanh on top of n; the bias was chosen so that tanh(n) is 1/√2, about 0.7071.
#
# PyTorch remembers in the same way. It names each node after its rule for the way back (day 2): a product
# `MulBackward0`, a sum `AddBackward0`, a leaf `torch::autograd::AccumulateGrad`.
#
# Your Value and PyTorch are both **define-by-run**: the graph is made while the expression runs. So an `if`
# or a loop may change it from run to run.

# %% tags=["verify"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here. Nothing depends on it today.")
else:
    ta, tb, tc = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (2.0, -3.0, 10.0))
    tL = ta * tb + tc
    mine = product(Value(2.0), Value(-3.0), Value(10.0))
    print("PyTorch:", tL.item(), tL.grad_fn.name(), [f.name() for f, _ in tL.grad_fn.next_functions])
    print("yours:  ", mine.data, repr(mine._op), [child._op for child in mine._prev])

# %% [markdown]
# ## 5. Read a graph back
#
# This is *complex*. It uses a and b twice, and each is still one node.

# %% tags=["demo"]
a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
L = (a * b + c) * (a + b)
draw(L)

# %% [markdown]
# The root's children stand in its `_prev`, theirs in theirs, down to nodes whose `_prev` is empty. Two
# functions read the graph in this way and leave it as it is:
#
# - `leaves_of(root)` returns the leaves in a list or a set, each once. For a leaf, that is the leaf.
# - `count_paths(root, leaf)` returns the number of ways from root down to leaf: 1 from a leaf to itself, 0
#   if the leaf is not below root. How many ways `a + a` has is not asked.
#
# Each function may call itself on the children. Write the smallest case first, a single leaf. Then
# suppose that each child's answer is known: what is the node's?
#
# Two Values are the same only if they are one *object*: `is` tells. A set keeps each object once.


# %%
def leaves_of(root):
    """The leaves of the graph of root, in a list or a set, each once."""
    ### BEGIN SOLUTION: leaves_of: the leaves below root, each once
    if not root._prev:
        return {root}
    found = set()
    for child in root._prev:
        found |= leaves_of(child)
    return found
    ### END SOLUTION


def count_paths(root, leaf):
    """The number of ways from root down to leaf, from each node to one of its children."""
    ### BEGIN SOLUTION: count_paths: the number of ways from root down to leaf
    if root is leaf:
        return 1
    return sum(count_paths(child, leaf) for child in root._prev)
    ### END SOLUTION


# %% tags=["demo"]
check("read_back")

# %% tags=["demo"]
print("leaves:", sorted(leaf.label for leaf in leaves_of(L)))
for leaf in (a, b, c):
    print(f"paths from L to {leaf.label}:", count_paths(L, leaf))

# %% [markdown]
# On day 2 a small change of a leaf reaches the root along each path.
#
# ## 6. Quiz
#
# Think first, then try it. Each answer earns its share of the points by itself.
#
# **`quiz_diamond_leaves`**, a number. In `b = a + 1`, `c = a * 3`, `d = b * c`, how many leaves does the
# graph of d have?
#
# **`quiz_minus_nodes`**, a number. `a - b` is built as `a + (-1) * b`, from two leaves. How many nodes
# does its graph have, leaves and result included?
#
# **`quiz_after_change`**, a number. With a = 2 and b = -3 you compute `L = a * b`. Then you write
# `a.data = 5`. What is `L.data` now?
#
# **`quiz_leaf`**, a letter. What makes a node a leaf?
#
# - A: No other node uses it.
# - B: Its data is a constant.
# - C: It stands further left than the others.
# - D: No operation made it.
#
# **`quiz_number_left`**, a letter. What does Python do for `2 * a`, where a is a `Value`?
#
# - A: It exchanges the sides, since order does not matter.
# - B: It asks the 2 first, then calls `a.__rmul__(2)`.
# - C: It makes a `Value` of the 2, then multiplies.
# - D: It calls `a.__mul__(2)`, as for `a * 2`.
#
# **`quiz_why_children`**, a letter. Why does a node keep its children, not only their numbers?
#
# - A: So that its data follows theirs.
# - B: So that its data can be computed.
# - C: So that a walk from the root can find them.
# - D: So that each of them is computed once.

# %%
### BEGIN SOLUTION: fill in the quiz
# STUB: quiz_diamond_leaves = ...  # a number
# STUB: quiz_minus_nodes = ...  # a number
# STUB: quiz_after_change = ...  # a number
# STUB: quiz_leaf = ...  # a letter in quotes
# STUB: quiz_number_left = ...  # a letter in quotes
# STUB: quiz_why_children = ...  # a letter in quotes
quiz_diamond_leaves = 3
quiz_minus_nodes = 5
quiz_after_change = -6
quiz_leaf = "D"
quiz_number_left = "B"
quiz_why_children = "C"
### END SOLUTION

# %% tags=["demo"]
check("quiz")

# %% [markdown]
# The letters are judged when your instructor grades.
#
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | value, node | a number in the graph, with its children and the operation that made it |
# | leaf | a value that no operation made: an input, a weight, a constant |
# | children | what a node was made from |
# | root | the node at the end; all others are below it |
# | graph | all nodes below the root, and their links |
# | forward pass | computing all data, from the leaves to the root |
# | define-by-run | the graph is made while the expression runs |
# | reflected method | what Python calls on the right side when the left declines |
# | weight, bias | what multiplies an input of a neuron; what is added |
#
# ## What comes next
#
# On [day 2](../day2/README.md) each operation gets a rule for the way back. That class begins with your
# lines for `+` and `*`. Its `_prev` is a set, which tells which nodes were used, not how often.
