# %% [markdown]
# # Day 1: the forward pass
#
# A Python number forgets where it came from: once `2 * 3 + 10` is 16, nothing in the 16 tells of
# the 2. Today you build a number that remembers. It computes like any other, and keeps hold of what
# it was made from. That memory is a graph, and everything in the days to come walks over it.
#
# - **Do first:** sections 1 and 2, the class `Value` with `+` and `×`. They carry more than half of
#   the points, and every later day starts from them.
# - **Then:** sections 3 and 4, subtraction and the three graphs that the course keeps coming back
#   to.
# - **If there is time:** section 5, reading a graph back, and the quiz.
# - **With care:** numbers on the left of an operator, and the order of the two sides in a
#   subtraction. Also the difference between keeping a value and keeping its number.
# - **Another day:** gradients begin on [day 2, the day after](../day2/README.md); there is nothing
#   to differentiate today. Sorting a graph is day 3's; division, powers, `exp` and `relu` are
#   day 4's. There is no day before this one: you need Python's classes and a pencil.
#
# How to work: run the notebook from the top. A cell that stops with `NotImplementedError` is not
# broken; it is waiting for you, and its message says for what. An answer that is still blank reads
# `...`; replace the three dots. When you have changed the class, run all the cells below it again:
# objects that were made before still belong to the old class. In a terminal, `grade day1` tells you
# how far you are.

# %%
import math

# %% [markdown]
# ## 1. A number that remembers
#
# A `Value` holds four things:
#
# | Name | What it is | In a leaf | In the result of `a + b` |
# |---|---|---|---|
# | `data` | the number itself | what you put in | the sum of the two numbers |
# | `_prev` | its **children**: the Values that it was made from | nothing, an empty container | a and b |
# | `_op` | the **operation** that made it, as a text | `""` | `"+"` |
# | `label` | a name for people to read | yours to choose | yours to choose |
#
# A **leaf** is a value that no operation made. You make one by writing `Value(2.0)`; all the others
# are made by operators. Here is what `L = a * b + c` leaves behind, with an arrow from each node to
# its children:
#
# ```text
# a, data 2   <---+
#                 +--- data -6, op "*" <---+
# b, data -3  <---+                        +--- L, data 4, op "+"
# c, data 10  <----------------------------+
# ```
#
# Nobody gave the product a name, and yet it is there: L holds it as one of its children. So whoever
# holds L can find everything that L depends on. That is what the memory is for: tomorrow's
# **backward pass** starts at the end and goes from each node to its children, to hand each of them
# a gradient.
#
# The **root** is the node at the end of a computation, here L. Computing the data of every node,
# from the leaves to the root, is the **forward pass**. Python does it for you while it works out
# the expression, one operator at a time, and your operators note what happens.
#
# The signature of the constructor stands below and is the one of the following days. `_children`
# takes whatever container an operator hands over; `_prev` keeps its contents in a container of its
# own, a tuple, a list or a set, as you like. The children in it are the Values themselves. Their
# numbers, or new Values with the same numbers, would say how large the inputs were, but not *which*
# they were.
#
# `__repr__` decides what you see when you print a value. Python calls it and expects a text back.
# Any text will do that shows the data; `Value(data=2.0)` is usual.
#
# `__add__` is what Python calls for `a + b`: `self` is a, `other` is b, and what the method returns
# is the result. It makes a **new** Value and leaves a and b as they are.
#
# ## 2. Plain numbers on either side
#
# `a + 1` calls the same method with `other` being the int 1, which has no `data`. Turn it into a
# Value first; it becomes a leaf like any other and is a child of the result.
#
# `1 + a` is another matter. Python asks the number on the left first. An int knows nothing of your
# class and declines, and only then does Python ask the right side, by another name: it calls
# `a.__radd__(1)`. In there `self` is a, which stands on the right, and `other` is the number. Since
# 1 + a and a + 1 are the same sum, this **reflected** method can hand the work over to `__add__`;
# see to it that what is asked next is a Value and not the number once more.
#
# Python's `sum` needs it too: `sum([a, b])` begins with 0 and computes `0 + a` first.
#
# Six methods are yours.


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

    def __radd__(self, other):
        ### BEGIN SOLUTION: Value.__radd__: a number on the left of +
        return self.__add__(other)
        ### END SOLUTION

    def __rmul__(self, other):
        ### BEGIN SOLUTION: Value.__rmul__: a number on the left of *
        return self.__mul__(other)
        ### END SOLUTION


# %% [markdown]
# Look at what you have. The first line should show the data of two leaves, the second the sum and
# what it holds, the last three the numbers 3, 3 and 6.

# %% tags=["demo"]
a = Value(2.0, label="a")
b = Value(-3.0, label="b")
total = a + b
print(a, b)
print(total, "made by", total._op, "from", total._prev)
print((a + 1).data, (1 + a).data, (3 * a).data)

# %% [markdown]
# ## 3. Subtraction, built from what is there
#
# A minus needs no operation of its own: a - b is a + (-1)·b. In the graph there is then a product
# with the leaf -1 and a sum, and no third kind of node. That pays tomorrow, when every operation
# needs a rule for the way back: subtraction will already have its rule, made of the other two.
#
# ```text
# a  <-------------------------+
#                              +--- a - b, op "+"
# -1 <---+                     |
#        +--- op "*" <---------+
# b  <---+
# ```
#
# Three functions become methods of the class, as the last lines of the cell say:
#
# - `negative(a)` for `-a`;
# - `minus(a, b)` for `a - b`, where b may be a plain number;
# - `reflected_minus(a, number)` for `number - a`. As in `__radd__`, the first argument is the Value
#   on the *right*. Here the sides cannot be exchanged: 5 - 2 is not 2 - 5. Write down which of the
#   two loses, and check with 5 - 2 that you get 3.
#
# Use `+` and `*` only; then data, children and operations come out right by themselves.


# %%
def negative(self):
    """-self"""
    ### BEGIN SOLUTION: negative: -a, built from ×
    return self * -1
    ### END SOLUTION


def minus(self, other):
    """self - other"""
    ### BEGIN SOLUTION: minus: a - b, built from + and ×
    return self + (-1) * other
    ### END SOLUTION


def reflected_minus(self, other):
    """other - self, where other is a plain number"""
    ### BEGIN SOLUTION: reflected_minus: number - a, built from + and ×
    return other + (-1) * self
    ### END SOLUTION


Value.__neg__ = negative
Value.__sub__ = minus
Value.__rsub__ = reflected_minus

# %% tags=["demo"]
a = Value(2.0, label="a")
b = Value(-3.0, label="b")
print("a - b:", (a - b).data, " a - 1:", (a - 1).data, " 5 - a:", (5 - a).data, " -a:", (-a).data)

# %% [markdown]
# ## 4. Three graphs that the course keeps coming back to
#
# Each function takes Values and returns the root of a graph. Build it with operators on the Values
# that you are given, and never touch `.data` on the way: what you compute with plain numbers is not
# in the graph.
#
# - *product*: `d = a * b`, then `L = d + c`. Return L.
# - *sum-times*: `e = a + b`, then `f = e * c`. Return f.
# - *neuron*: `n = x1*w1 + x2*w2 + b`. Each input x has its weight w, and b is the **bias**. Return
#   n. Squeezing it with tanh is day 2's.
#
# ```text
# product                                 sum-times
#
# a ----\                                 a ----\
#        (*)---- d ----\                         (+)---- e ----\
# b ----/               (+)---- L         b ----/               (*)---- f
# c -------------------/                  c -------------------/
#
#
# neuron
#
# x1, w1 ---(*)----\
#                   (+)----\
# x2, w2 ---(*)----/        (+)---- n
# b -----------------------/
# ```
#
# Compute each root on paper before you run the next cell, with a = 2, b = -3, c = 10, and for the
# neuron x1 = 2, x2 = 0, w1 = -3, w2 = 1, b = 6.8813735870195432.


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
    """The root n: each input times its weight, and the bias."""
    ### BEGIN SOLUTION: neuron: weigh both inputs, add the bias, return n
    return x1 * w1 + x2 * w2 + b
    ### END SOLUTION


# %% [markdown]
# The last number is the output of the neuron, tanh of n, computed beside the graph. The bias was
# chosen so that it is 1/√2, about 0.7071.

# %% tags=["demo"]
a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
print("product:  ", product(a, b, c))
print("sum-times:", sum_times(a, b, c))

x1, x2 = Value(2.0, label="x1"), Value(0.0, label="x2")
w1, w2 = Value(-3.0, label="w1"), Value(1.0, label="w2")
n = neuron(x1, x2, w1, w2, Value(6.8813735870195432, label="b"))
print("neuron:   ", n, " tanh:", math.tanh(n.data))

# %% [markdown]
# PyTorch remembers in the same way, for tensors that say `requires_grad=True`. The next cell builds
# product there and prints which operation made the root and what stands below it. In PyTorch's
# names a product reads `MulBackward0`, a sum `AddBackward0`, and a leaf ends in `AccumulateGrad`:
# each node is called after its rule for the way back, which is the subject of day 2. There is
# nothing to write; if PyTorch is not installed, go on.

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
# A root is all that you need to find the rest. The children of the root stand in its `_prev`, their
# children in theirs, and so on down to nodes whose `_prev` is empty. Two questions that a function
# can answer in this way:
#
# - `leaves_of(root)`: which leaves does this result depend on? Return them in a list or a set, each
#   of them once. If `root` is itself a leaf, it is the only one.
# - `count_paths(root, leaf)`: in how many ways can one go from the root down to this leaf? From a
#   leaf to itself there is one way: to stay.
#
# Both are easiest if a function asks itself about the children. Do the smallest case first, a
# single leaf, and then suppose that the answer for each child is known: what is the answer for the
# node?
#
# Two values are the same only if they are the same *object*; two leaves that both hold 2.0 are two
# leaves. `is` tells, and so does a set of Values, as long as you do not give the class an `__eq__`.
#
# Try them on *complex*, `L = (a*b + c) * (a + b)`:
#
# ```text
# a, b ---(*)---- p ----\
#                        (+)---- q ----\
# c --------------------/               (*)---- L
# a, b ---(+)--------------------- s ---/
# ```
#
# The number of paths will matter tomorrow: along each of them a nudge of the leaf reaches the root,
# and each brings a contribution of its own to the leaf's gradient.


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
a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
L = (a * b + c) * (a + b)
print("leaves:", sorted(leaf.label for leaf in leaves_of(L)))
for leaf in (a, b, c):
    print(f"paths from L to {leaf.label}:", count_paths(L, leaf))

# %% [markdown]
# Here is a whole graph, printed from its root. Nothing to write; change the expression and look
# again. A node on two paths is printed twice, though there is only one of it.


# %% tags=["demo"]
def show(node, depth=0):
    """Print a node and, further to the right, what it was made from."""
    made = f"made by {node._op}" if node._op else "leaf"
    print("    " * depth + f"{node.label or 'no name'}: {node.data:g}, {made}")
    for child in node._prev:
        show(child, depth + 1)


a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
show((a * b + c) * (a + b))

# %% [markdown]
# ## 6. Quiz
#
# Three numbers and three choices. Think first, then try it with your class.
#
# **`quiz_diamond_leaves`**, a number. The diamond is `b = a + 1`, `c = a * 3`, `d = b * c`. How
# many leaves does the graph of d have?
#
# **`quiz_minus_nodes`**, a number. `a - b` is built as `a + (-1) * b`, from two leaves a and b. How
# many nodes does its graph have, leaves and result included?
#
# **`quiz_after_change`**, a number. With a = 2 and b = -3 you compute `L = a * b`. After that you
# write `a.data = 5`. What is `L.data` now?
#
# **`quiz_leaf`**, a letter. What makes a node a leaf?
#
# - A: No other node uses it, so the computation ends there.
# - B: Its data is a constant, which nothing is allowed to change.
# - C: It stands further left in the expression than the others.
# - D: No operation made it, so it has no children.
#
# **`quiz_number_left`**, a letter. What does Python do for `2 * a`, where a is a `Value`?
#
# - A: It exchanges the two sides, since a product does not depend on their order.
# - B: It asks the 2 first, which declines, and then calls `a.__rmul__(2)`.
# - C: It makes a `Value` of the 2, since the other side is one, and multiplies.
# - D: It calls `a.__mul__(2)`, the only method for × that one of the two has.
#
# **`quiz_why_children`**, a letter. Why does a node keep its children, and not only their numbers?
#
# - A: So that its data follows when the data of one of them is changed.
# - B: So that its data can be computed, which takes the inputs as Values.
# - C: So that the backward pass can find them and hand them gradients.
# - D: So that a node that is used twice is computed only one time.

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

# %% [markdown]
# ## The words of the day
#
# | Term | Meaning |
# |---|---|
# | value, node | a number in the graph, with its children and its operation |
# | leaf | a value that no operation made: an input, a parameter or a constant |
# | children | the values that a node was made from |
# | operation | what made the node out of its children: `+` or `*` |
# | root | the node at the end of the computation, from which all the others can be found |
# | graph | all the nodes that can be reached from the root, and the links between them |
# | forward pass | computing the data of every node, from the leaves to the root |
# | reflected method | what Python calls on the right side of an operator when the left side declines |
# | weight, bias | the number by which a neuron multiplies an input; the number that it adds |
#
# ## What comes next
#
# Your values know where they came from. On [day 2](../day2/README.md) that knowledge is put to use:
# each operation gets a rule for the way back, and a walk from the root to the leaves tells for each
# number how far the result moves if that number is nudged. Keep your lines for `+` and `*` at hand,
# for that class begins with them. There `_prev` is a set: it tells which nodes were used, not how
# often or on which side, and the rule of the operation knows the rest.
