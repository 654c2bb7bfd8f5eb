"""One application of an operation: forward, backward, and what changed. Sent with trials.py or arrays.py as one text.

It reports numbers, and notes about anything unusual. It does not judge.
"""

import contextlib
import functools
import gc
import math
import operator
import sys
import time
import types
from typing import Any

TEXT = 300  # characters of an error
LONGEST = 200  # characters of a function's file and line
DEEPEST = 8  # levels of nodes that one application makes, and codes of rules that are reported for it
MANY_OBJECTS = 400  # objects that are followed from a result
MANY = 64  # nodes that one application makes, children that a node keeps

_FUNCTIONS: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "//": operator.floordiv,
    "%": operator.mod,
    "@": operator.matmul,
    "neg": operator.neg,
    "[]": operator.getitem,
}
_clock = time.process_time  # a busy machine leaves nothing out; who sleeps meets the limit of the grader
_ABSENT = object()
_FUNCTION_TYPES = (types.FunctionType,)
_NUMBER_AT = {"number_left": 0, "number_right": 1}
_NOT_FOLLOWED = (type, types.ModuleType, types.CodeType, types.FrameType, str, bytes, int, float)


class _UnreadableEngine(Exception):
    """The engine cannot be read in this way: a leaf does not hold its numbers, or there are too many nodes."""


# Numbers


def _mro(cls: type) -> Any:
    return type.__dict__["__mro__"].__get__(cls)


def _number(value: Any) -> Any:
    """Return a plain float; for any other value the word none, object, function, text, list, tuple, array or other."""
    if type(value) is float:
        return value
    if value is None:
        return "none"
    mro = _mro(type(value))
    if float in mro:
        return float.__float__(value)
    if int in mro:
        number = int.__int__(value)
        return float(number) if number.bit_length() < 1000 else math.inf
    numpy = sys.modules.get("numpy")
    if isinstance(numpy, types.ModuleType):
        array = getattr(numpy, "ndarray", None) is type(value)
        if (array and value.ndim == 0) or getattr(numpy, "generic", None) in mro:
            return _number(value.item())
        if array:
            return "array"
    kinds = [word for kind, word in _NO_NUMBERS if kind in mro]
    return kinds[0] if kinds else "object" if hasattr(value, "data") and hasattr(value, "grad") else "other"


_CALLED = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_NO_NUMBERS = ((str, "text"), (list, "list"), (tuple, "tuple"), *((kind, "function") for kind in _CALLED))


def _grad(node: Any) -> Any:
    value = getattr(node, "grad", None)
    return value if type(value) is float else _number(value)  # a call less, for what is read most


def _data(node: Any) -> Any:
    value = getattr(node, "data", None)
    return value if type(value) is float else _number(value)


def _rule(node: Any) -> Any:
    return getattr(node, "_backward", None)


def _like(kept: Any, number: float) -> Any:
    """Return a number of the kind that an attribute has: one of NumPy's for one of NumPy's, else a float."""
    numpy = sys.modules.get("numpy")
    if (
        not isinstance(numpy, types.ModuleType)
        or type(kept).__module__ != "numpy"
        or type(_number(kept)) is not float
    ):
        return number
    kind = kept.dtype if kept.dtype.kind == "f" else "float64"
    return numpy.array(number, kind) if type(kept) is numpy.ndarray else numpy.dtype(kind).type(number)


def _same(one: Any, other: Any) -> bool:
    """Return True for equal numbers or words, also in lists; NaN equals NaN."""
    if type(one) is list and one != other:
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other or (type(one) is type(other) is float and math.isnan(one) and math.isnan(other))


def _plain(value: Any) -> Any:
    """Return the value as JSON has it: text for infinities and NaN."""
    return value if type(value) is not float or math.isfinite(value) else str(value)


# Functions


def _attempt(call: Any, *given: Any) -> Any:
    """Return what a call returns; None if it raises."""
    try:
        return call(*given)
    except (Exception, SystemExit):
        return None


def _error(error: BaseException) -> list[str]:
    """Return the type of an error and the beginning of its text."""
    return [type(error).__name__, (_attempt(str, error) or "")[:TEXT]]


_INNER = {
    id(types.FunctionType): "__wrapped__",
    id(types.MethodType): "__func__",
    id(functools.partial): "func",
    id(functools.partialmethod): "func",
}


def _function(found: Any) -> Any:
    """Return the plain function inside a method, a partial, a wrapper or a callable object; None for a built-in one."""
    for _ in range(DEEPEST):
        if type(found) is types.FunctionType and found.__dict__.get("__wrapped__") is None:
            return found
        inner = _INNER.get(id(type(found)))
        found = getattr(found, inner) if inner else getattr(type(found), "__call__", None)  # noqa: B004  the function itself
    return None


def _code(found: Any) -> Any:
    """Return the identity of a rule: the code of a function, or else the object."""
    function = _function(found)
    return found if function is None else function.__code__


def _written_at(rule: Any) -> str:
    """Return the file and the line at which a rule's code begins; empty if it has none."""
    code = _code(rule)
    return f"{code.co_filename} {code.co_firstlineno}"[:LONGEST] if type(code) is types.CodeType else ""


def _is_same_function(one: Any, other: Any) -> bool:
    if type(one) is types.MethodType and type(other) is types.MethodType:
        return one.__func__ is other.__func__ and one.__self__ is other.__self__
    return one is other


# What a result keeps


def _leads(start: Any, functions: bool) -> set[int]:
    """Return the ids of the objects that an object holds at any depth; `functions` are followed or left out.

    The set is empty if there are too many.
    """
    found, waiting = {id(start)}, [start]
    while waiting:
        each = waiting.pop()
        inner = type(each) in _FUNCTION_TYPES and [each.__closure__, each.__defaults__, each.__kwdefaults__]
        for one in inner or gc.get_referents(each):
            if (
                id(one) not in found
                and not isinstance(one, _NOT_FOLLOWED)
                and (functions or not callable(one))
            ):
                found.add(id(one))
                waiting.append(one)
        if len(found) > MANY_OBJECTS:
            return set()
    return found


# One application


@contextlib.contextmanager
def _without_collection() -> Any:
    """Keep the garbage collector off, so that objects are found among the newest."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Engine:
    """The student's class of values, how its numbers are read, and the code of the methods of operations with these names.

    `backward` is a function that runs the backward pass, `beside` are functions outside of the class.
    """

    example: Any = 0.5
    quiet: Any = contextlib.nullcontext
    grad_of, data_of, same = staticmethod(_grad), staticmethod(_data), staticmethod(_same)

    def __init__(self, make: Any, backward: Any = None, names: Any = (), beside: Any = None) -> None:
        self.make, self.backward, self.beside = make, backward, beside or {}
        leaf = make(self.example)
        self.kind, own = type(leaf), type(leaf).__module__
        self.kinds = [kind for kind in _mro(type(leaf)) if kind is not object and kind.__module__ == own]
        self.idle = _code(_rule(leaf))  # the rule of a leaf
        self.forward_only = not hasattr(leaf, "grad")
        # Passes an upstream gradient to a result, for engines that have only `backward()`.
        self.wrap: Any = None
        # By id: a metaclass may define a hash. The types are kept, so that no later one gets the id of an earlier one.
        self.types: dict[int, type] = {}  # of nodes
        self.others: dict[int, type] = {}
        keys = [(name, variant) for name in dict.fromkeys(names) for variant in ("values", "number_left")]
        found = [(*key, self.method_of(*key)) for key in keys]
        self.methods = [(*key, _code(method)) for *key, method in found if method is not None]

    def method_of(self, name: str, variant: str = "values") -> Any:
        """Return the student's function for an operation, or None."""
        on_left = variant == "number_left"
        if on_left and (name not in _FUNCTIONS or name == "neg"):
            return None
        function = _FUNCTIONS.get(name)
        method = f"__{'r' * on_left}{function.__name__.strip('_')}__" if function else name
        found = getattr(self.kind, method, self.beside.get(name))
        found = getattr(found, "fget", found)  # of a property
        return found if callable(found) else None

    def is_node(self, value: Any) -> bool:
        cls = type(value)
        if id(cls) not in self.types and id(cls) not in self.others:
            mro = _mro(cls)
            (self.types if any(kind in mro for kind in self.kinds) else self.others)[id(cls)] = cls
        return id(cls) in self.types

    def leaf(self, data: float, grad: float) -> Any:
        """Return a leaf with a gradient. Raises _UnreadableEngine if it does not hold these numbers."""
        node = self.make(data)
        if not self.forward_only:
            node.grad = _like(node.grad, grad)
        near = self.forward_only or _is_near(_grad(node), grad)
        if not near or not _is_near(_data(node), data):
            raise _UnreadableEngine
        return node

    def watch_call(self, call: Any) -> Any:
        """Return the result of `call` and the nodes that it made, in order."""
        gc.collect(0)
        value = call()
        others, is_node = self.others, self.is_node  # most objects are no nodes
        made = [found for found in gc.get_objects(0) if id(type(found)) not in others and is_node(found)]
        if len(made) > MANY:
            raise _UnreadableEngine
        return value, made

    def upstream(self, out: Any, up: Any) -> Any:
        """Return the gradient that a result is given."""
        return _like(getattr(out, "grad", None), up)

    def walk(self, root: Any) -> Any:
        """Return the function that runs the whole backward pass from a root; None without one."""
        method = getattr(root, "backward", None)
        if callable(method):
            return method
        return (lambda: self.backward(root)) if callable(self.backward) else None


def _is_near(value: Any, wanted: float) -> bool:
    return type(value) is float and abs(value - wanted) <= 1e-5 * abs(wanted)


class _Application:
    """One operation on fresh leaves, forward and backward; `notes` are words for anything unusual.

    An ask has the operation's `name`, its `keywords` and the `variant`: what stands on both sides. A trial has the data of the leaves, the gradients that they hold before
    (None for that of a new leaf), further arguments, and the upstream gradient.
    """

    def __init__(self, engine: _Engine, ask: Any, trial: Any, shape: str = "") -> None:
        self.engine, self.shape = engine, shape
        self.name, self.keywords = ask["name"].partition(" ")[0], ask["keywords"]
        self.stage = "leaves"  # then forward, upstream, backward, done; student code runs in the passes only
        leaves, priors, self.args, self.up = trial
        pairs = enumerate(zip(leaves, priors, strict=True))
        number = _NUMBER_AT.get(ask["variant"])
        self.operands: list[Any] = [each[0] if i == number else engine.leaf(*each) for i, each in pairs]
        if ask["variant"] == "twice":
            self.operands[1] = self.operands[0]
        self.inputs = [node for node in self.operands if engine.is_node(node)]
        self.firsts: list[Any] = []  # gradients before
        self.given: list[Any] = []  # data after the forward pass
        self.notes: set[str] = set()
        self.new: list[Any] = []
        self.inner: list[Any] = []  # rules of inner nodes
        self.out: Any = None
        self.rule: Any = None
        self.slopes: dict[int, Any] = {}

    def apply(self) -> Any:
        """Return the operation's result."""
        first, *others = self.operands
        if self.name in _FUNCTIONS:
            return _FUNCTIONS[self.name](*self.operands, *self.args)
        if self.name in self.engine.beside and not hasattr(first, self.name):
            return self.engine.beside[self.name](*self.operands, *self.args, **self.keywords)
        found = getattr(first, self.name)
        # A property makes a node; one that the class itself holds is called, and raises.
        is_made = self.engine.is_node(found) and found is not getattr(type(first), self.name, None)
        return found if is_made else found(*others, *self.args, **self.keywords)

    def forward(self) -> bool:
        """Apply the operation, and note its side effects. Return False if the result is not a new node."""
        same, (data, self.firsts, rules, held) = self.engine.same, self.state()
        self.stage = "forward"
        self.out, self.new = self.engine.watch_call(self.apply)
        self.stage = "upstream"
        self.result = self.engine.data_of(self.out)
        if not self.engine.is_node(self.out):
            kind = _number(self.out)
            if type(kind) is str and kind != "none":
                raise _UnreadableEngine
            self.notes.add("returns_none" if kind == "none" else "returns_number")
            return False
        self.given, new_grads, new_rules, new_held = self.state()
        self.note_changes("forward_changes_data", data, self.given)
        if any(self.out is node for node in self.inputs):
            self.notes.add("returns_input")
            return False
        self.note_changes("forward_changes_grad", self.firsts, new_grads)
        if not (same(self.firsts, new_grads) and all(map(operator.is_, held, new_held))):
            self.notes.add("writes_early")
        if not all(map(_is_same_function, rules, new_rules)):
            self.notes.add("on_input")
        return True

    def lost_inputs(self) -> list[set[str]]:
        """Return the inputs to which nothing leads from the result, and those to which at most functions lead."""
        names = [("self" if node is self.operands[0] else "other", id(node)) for node in self.inputs]
        reached = (_leads(self.out, functions=each) for each in (True, False))
        return [{name for name, number in names if found and number not in found} for found in reached]

    def read(self, of: Any) -> list[Any]:
        return [of(node) for node in self.inputs]

    def state(self) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
        """Return data, gradients, rules, and the objects that are gradients, of the inputs; in one loop, for it runs often."""
        grad_of, data_of = self.engine.grad_of, self.engine.data_of
        data, grads, rules, held = [], [], [], []
        for node in self.inputs:
            data.append(data_of(node))
            grads.append(grad_of(node))
            rules.append(_rule(node))
            grad = getattr(node, "grad", None)
            held.append(
                grad if grad is getattr(node, "grad", None) else None
            )  # not one that is made anew at each look
        return data, grads, rules, held

    def note_changes(self, what: str, before: list[Any], after: list[Any]) -> None:
        """Note the inputs whose number has changed."""
        same = self.engine.same
        for node, was, now in () if same(before, after) else zip(self.inputs, before, after, strict=True):
            if not same(was, now):
                self.notes.add(f"{what}_{'self' if node is self.operands[0] else 'other'}")

    def back(self) -> None:
        """Run the backward pass as the shape of the engine requires."""
        if self.engine.forward_only:
            self.shape, self.up = "forward", 0.0
            return
        self.shape = self.shape or self.find_shape()
        if self.shape == "closure":
            self.back_closure()
        elif self.shape == "local":
            self.follow(self.out, 1.0, DEEPEST)  # as the loop of `backward` would
        elif self.shape == "backward":
            # Times a number, so that its upstream gradient is that number.
            self.engine.walk(self.engine.wrap(self.out, self.up))()
            self.up = self.engine.grad_of(self.out)
        self.note_changes("changes_data", self.given, self.read(self.engine.data_of))
        if not self.engine.same(self.result, self.engine.data_of(self.out)):
            self.notes.add("changes_data_out")

    def find_shape(self) -> str:
        rule = getattr(self.out, "_backward", _ABSENT)
        if callable(rule):
            return "closure"
        if hasattr(self.out, "_children") and hasattr(self.out, "_local_grads"):
            return "local"
        self.notes.add("missing" if rule is _ABSENT else "none" if rule is None else "not_callable")
        return "idle"

    def back_closure(self) -> None:
        """Call `_backward` of the result and then of the other new nodes, the newest first."""
        engine, self.rule = self.engine, self.out._backward  # the course's names, here and below
        self.out.grad = engine.upstream(self.out, self.up)
        self.up = engine.grad_of(self.out)
        rules = [_rule(node) for node in reversed(self.new) if node is not self.out]
        self.inner = [rule for rule in rules if callable(rule) and _code(rule) is not engine.idle]
        for node in self.inputs:
            _note_calls(node, self.notes)
        before = self.reading()
        handed_back = self.carry_out(self.rule)
        if engine.same(before, self.reading()):
            if _code(self.rule) is engine.idle:
                self.notes.add("default")
            elif handed_back is not None:
                self.notes.add("hands_function" if callable(handed_back) else "hands_back")
        for rule in filter(callable, rules):
            self.carry_out(rule)
        if not engine.same(self.up, engine.grad_of(self.out)):
            self.notes.add("changes_upstream")

    def carry_out(self, rule: Any) -> Any:
        self.stage = "backward"
        handed_back = rule()
        self.stage = "done"
        return handed_back

    def reading(self) -> list[Any]:
        nodes = [*self.inputs, *self.new]
        return [*map(self.engine.grad_of, nodes), *map(self.engine.data_of, nodes)]

    def follow(self, node: Any, slope: float, levels: int) -> None:
        """Follow the kept pairs and add up the slopes."""
        children, numbers = _as_list(node._children), _as_list(node._local_grads)
        if len(children) != len(numbers) or not levels:
            raise _UnreadableEngine
        for child, kept in zip(children, numbers, strict=True):
            local = _number(kept)
            mine = next((i for i, leaf in enumerate(self.operands) if leaf is child), None)
            if mine is not None:
                so_far = self.slopes.get(mine, 0.0)
                if type(so_far) is float:
                    self.slopes[mine] = so_far + slope * local if type(local) is float else local
            elif _as_list(child._children):
                self.inner.append(None)
                if type(local) is not float:
                    raise _UnreadableEngine
                self.follow(child, slope * local, levels - 1)

    def row(self) -> list[Any]:
        """Return upstream gradient, result, the gradients of the left and the right input, and notes."""
        found: list[Any] = [None, None]
        for i, node in enumerate(self.operands):
            if self.engine.is_node(node):
                found[i], slope = _grad(node), self.slopes.get(i, 0.0)
                if self.shape == "local":
                    found[i] = slope if type(slope) is str else found[i] + slope * self.up
        return [*map(_plain, (self.up, self.result, *found)), " ".join(sorted(self.notes))]


def _note_calls(node: Any, notes: set[str]) -> None:
    """Note from now on that a rule calls the `_backward` of an input."""
    own = _rule(node)

    def _backward(*args: Any) -> Any:
        notes.add("calls_inputs")
        if not args:  # with an argument it may hand on only what is new
            notes.add("repeats_inputs")
        return own(*args)

    with contextlib.suppress(AttributeError):
        if callable(own):
            node._backward = _backward


def _as_list(kept: Any) -> list[Any]:
    if type(kept) in {set, frozenset} or len(kept) > MANY:
        raise _UnreadableEngine
    return list(kept)
