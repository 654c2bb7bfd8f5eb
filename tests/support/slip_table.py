"""The slips of the course's engines: the texts that are replaced, in which function of which day's reference.

`slips(day)` are the slips that a student makes in an operation or in a walk. `told(day)` are those that facts explain,
so that no entry in `solutions/DAY/mistakes/` is about them. Other tables of slips are made with `changed`, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from helpers import cells
from operation_slips import CLOSURES, FORWARD, METHODS, PAIRS, closure_edits, pair_edits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

DAYS = ("day2", "day3", "day4", "day5")
Edit = tuple[str, str]  # old text, new text


def changed(source: str, edits: Iterable[Edit], function: str = "") -> str:
    """Return the source with each text replaced: in one function, if the beginning of its first line is given.

    A text that is not there once is an error: after a change of the source no table goes wrong silently.
    """
    before, text, after = _parts(source, function) if function else ("", source, "")
    for old, new in edits:
        assert text.count(old) == 1, f"{function}: {text.count(old)} times {old!r}"
        text = text.replace(old, new)
    return before + text + after


def _parts(source: str, function: str) -> tuple[str, str, str]:
    """Return the text before a function, the function, and the text after it."""
    pattern = rf"^( *)def {re.escape(function)}.*?(?=^\1\S|^\S|\Z)"
    (found,) = re.finditer(pattern, source, re.MULTILINE | re.DOTALL)
    return source[: found.start()], found[0], source[found.end() :]


@cache
def graded(day: str) -> str:
    """Return the graded cells of the day's reference."""
    return "\n\n".join(f"# %%\n{cell}" for cell in cells(day)) + "\n"


@dataclass(frozen=True)
class Slip:
    """A reference with one slip."""

    day: str
    name: str
    edits: Sequence[Edit]
    function: str = ""  # the beginning of its first line
    first: tuple[str, ...] = ()  # the checks of which one is to be told first; none where any may be
    told: tuple[str, ...] = ()  # kind and key of the facts there

    @cached_property
    def source(self) -> str:
        """The submission."""
        return changed(graded(self.day), self.edits, self.function)


# --- Operations

OPERATIONS = {
    "day2": ("+", "*", "tanh"),
    "day3": ("+", "*", "tanh"),
    "day4": tuple(CLOSURES),
    "day5": tuple(PAIRS),
}
# The checks that belong to an operation; the first of them that fails is told first.
OWN = {
    "day2": {"+": ("add_rule", "accumulate"), "*": ("swap_rule", "accumulate"), "tanh": ("tanh_neuron",)},
    "day3": dict.fromkeys(("+", "*", "tanh"), ("pytorch_parity",)),
    "day4": {
        "+": ("add_multiply",),
        "*": ("add_multiply",),
        "-": ("subtract",),
        "neg": ("subtract",),
        "/": ("divide",),
        "**": ("power",),
        "exp": ("exp",),
        "tanh": ("tanh",),
        "relu": ("relu",),
    },
    "day5": {
        **dict.fromkeys(("+", "*"), ("local_grads", "add_multiply")),
        **dict.fromkeys(("-", "neg", "/"), ("local_grads", "subtract_divide")),
        "**": ("local_grads", "power"),
        **dict.fromkeys(("exp", "tanh", "relu"), ("local_grads", "one_input")),
    },
}


def slips(day: str) -> list[Slip]:
    """Return the slips of a day in operations and walks."""
    of_operation = pair_edits if day == "day5" else closure_edits
    found = []
    for operation in OPERATIONS[day]:
        for name, edits in of_operation(operation).items():
            if day == "day2" and operation == "tanh" and name in FORWARD:
                continue  # its forward pass is given
            own = OWN[day][operation]
            found.append(Slip(day, f"{operation}  {name}", edits, METHODS[operation], own))
    return found + [Slip(day, name, edits, function, first) for function, first, name, edits in _walks(day)]


# --- Walks


def _topo(order: str, ready: str, children: str) -> dict[str, list[Edit]]:
    """Return the slips of build_topo on days 3 and 5."""
    append = f"            {order}.append(node)\n"
    extend = f"stack.extend((child, False) for child in node.{children})"
    return {
        "append before the children": [
            (f"        if {ready}:\n{append}", f"        if {ready}:\n            pass\n"),
            ("            visited.add(node)\n", f"            visited.add(node)\n{append}"),
        ],
        "no visited set": [("            visited.add(node)\n", "")],
        "visited by data": [
            ("node not in visited", "node.data not in visited"),
            ("visited.add(node)", "visited.add(node.data)"),
        ],
        "only the root's children": [
            (extend, extend.replace(f"in node.{children}", f"in (node.{children} if node is root else ())"))
        ],
        "leaves left out": [(append, f"            {order} += [node] if node.{children} else []\n")],
        "the root left out": [(f"return {order}", f"return {order}[:-1]")],
        "the root first": [(f"return {order}", f"return {order}[::-1]")],
        "one list for all calls": [
            ("build_topo(root)", f"build_topo(root, {order}=[], visited=set())"),
            (f"    {order} = []\n    visited = set()\n", ""),
        ],
    }


SEED3, SEED4 = "    root.grad = 1.0\n", "        self.grad = 1.0\n"
CALL3, CALL4 = "        node._backward()\n", "            node._backward()\n"
HAND5 = "            child.grad += local * node.grad\n"


def _backward(order: str, seed: str, last: str) -> dict[str, list[Edit]]:
    """Return the slips of a walk: the list that it goes through, its seed, and the last line of its loop."""
    root = seed.strip().partition(".")[0]
    return {
        "`reversed` forgotten": [(f"reversed({order})", order)],
        "the seed forgotten": [(seed, "")],
        "the seed at the end": [(seed, ""), (last, f"{last}{seed}")],
        "the seed is the data": [("grad = 1.0", f"grad = {root}.data")],
        "each node called twice": [(last, f"{last}{last}")],
        "the root not called": [(f"reversed({order})", f"reversed({order}[:-1])")],
    }


def _clear(loop: str) -> str:
    return f"    for node in {loop}:\n        node.grad = 0.0\n{SEED3}"


BACKWARD3 = _backward("build_topo(root)", SEED3, CALL3) | {
    "gradients cleared first": [(SEED3, _clear("build_topo(root)"))],
    "only the root called": [(CALL3, f"{CALL3}        break\n")],
    "called along every path": [
        (
            f"    for node in reversed(build_topo(root)):\n{CALL3}",
            "    stack = [root]\n    while stack:\n        node = stack.pop()\n"
            f"{CALL3}        stack.extend(node._prev)\n",
        )
    ],
}
BACKWARD4 = _backward("order", SEED4, CALL4) | {
    "no visited set": [("                visited.add(node)\n", "")],
    "visited by data": [
        ("node not in visited", "node.data not in visited"),
        ("visited.add(node)", "visited.add(node.data)"),
    ],
    "append before the children": [
        ("                order.append(node)\n", ""),
        ("visited.add(node)\n", "visited.add(node)\n                order.append(node)\n"),
    ],
    "only the root's children": [("in node._prev:", "in (node._prev if node is self else ()):")],
    "only the root called": [(CALL4, f"{CALL4}            break\n")],
}
BACKWARD5 = _backward("build_topo(root)", SEED3, HAND5) | {
    "= for +=": [("child.grad += local", "child.grad = local")],
    "no upstream": [("local * node.grad", "local")],
    "times the data": [("local * node.grad", "local * node.data")],
    "only the root's children": [(HAND5, f"{HAND5}        break\n")],
}
TOPO3, TOPO5 = _topo("order", "children_done", "_prev"), _topo("topo", "ready", "_children")
# Of an operation with a number on its left: the name of its method, and what it returns.
NUMBERS = {
    "+": ("radd", "self + other"),
    "*": ("rmul", "self * other"),
    "-": ("rsub", "Value(other) - self"),
    "/": ("rtruediv", "Value(other) / self"),
}
Row = tuple[
    str, tuple[str, ...], str, list[Edit]
]  # function, the checks of which one is told first, name, edits


def _walks(day: str) -> Iterator[Row]:
    """Yield the slips that are in no operation's own method."""
    if day == "day2":
        yield (
            "reset_grads(",
            ("complex_expression",),
            "reset_grads clears data",
            [("value.grad", "value.data")],
        )
    if day in {"day3", "day5"}:
        for name, edits in (TOPO3 if day == "day3" else TOPO5).items():
            yield "build_topo(", ("build_topo",), f"build_topo: {name}", edits
    if day == "day3":
        for name, edits in BACKWARD3.items():
            own = {"gradients cleared first": "accumulates"}.get(name, "reverse_order")
            yield "backward(root)", ("seed" if "seed" in name else own,), f"backward: {name}", edits
    if day in {"day4", "day5"}:
        function, rows = ("backward(self)", BACKWARD4) if day == "day4" else ("backward(root)", BACKWARD5)
        for name, edits in rows.items():
            yield function, ("backward",), f"backward: {name}", edits
        for sign in "-/":
            name, made = NUMBERS[sign]
            edits = [(made, f"self {sign} other")]
            yield f"__{name}__(", OWN[day][sign], f"{sign}  number on the left, exchanged", edits
    if day == "day4":
        endless = [("return self + other", "return other + self")]
        yield "__radd__(", ("add_multiply", "sums"), "+  number on the left, without end", endless
        yield "zero_grad(", ("zero_grad",), "zero_grad clears data", [("parameter.grad", "parameter.data")]
        descent = ("gradient_descent",)
        yield "descend(", descent, "descend: uphill", [("-=", "+=")]
        yield "train(", descent, "train: zero_grad forgotten", [("        zero_grad(parameters)\n", "")]
    if day == "day5":
        yield "meaning(", ("meaning",), "meaning: rises and falls exchanged", [("> 0", "< 0")]


# --- What facts tell

WRAP = "other = other if isinstance(other, Value) else Value(other)"
KEPT = "out._backward = _backward"
RETURN_IN_CLOSURE = (f"        {KEPT}\n        return out\n", f"            return out\n\n        {KEPT}\n")
STARTS_AT_ONE = ("self.grad = 0.0", "self.grad = 1.0")


def told(day: str) -> list[Slip]:
    """Return the slips of a day that facts explain; days of arrays have none."""
    return [
        Slip(day, f"{function.partition('(')[0]}: {edit[1]}", [edit], function, (check,), tuple(keys))
        for function, edit, check, *keys in TOLD.get(day, tuple)()
    ]


Fact = tuple[str, Edit, str, *tuple[str, ...]]  # function, edit, the check that it is told at, kind and key


def _right(sign: str, check: str) -> Fact:
    """Return the slip of an operation that does not make a Value of a number."""
    function = NUMBERS[sign][0].replace("r", "__", 1) + "__("
    return function, (WRAP, "pass"), check, f"cause {sign} out: number_right_fails"


def _left(sign: str, check: str) -> Iterator[Fact]:
    """Yield the slips of an operation with a number on its left: without its method, and without end."""
    name, made = NUMBERS[sign]
    fails = f"cause {sign} out: number_left_fails"
    yield f"__{name}__(", (f"def __{name}__", f"def {name}"), check, fails
    yield f"__{name}__(", (f"return {made}", f"return other {sign} self"), check, fails


# fmt: off


def _day1() -> Iterator[Fact]:
    for sign, add, check in (("+", "add", "add"), ("*", "mul", "multiply")):
        function, reflected, result = f"__{add}__(", f"__r{add}__(", f'Value(self.data {sign} other.data, (self, other), "{sign}")'
        line, asked = f"return {result}", f"return self.__{add}__(other)"
        yield function, (line, f"self.data {sign}= other.data\n        return self"), check, f"cause {sign} self: forward_changes_data"
        yield function, (line, f"self.data {sign}= other.data\n        return Value(self.data, (self, other), '{sign}')"), check, f"cause {sign} self: forward_changes_data"
        yield function, (line, f"out = {result}"), check, f"cause {sign} out: returns_no_value"
        yield function, (line, f"return self.data {sign} other.data"), check, f"cause {sign} out: returns_no_value"
        yield function, (WRAP, "pass"), "constants", f"cause {sign} out: number_right_fails"
        yield function, (WRAP, "Value(other)"), "constants", f"cause {sign} out: number_right_fails"
        yield function, (WRAP, "other = Value(other) if isinstance(other, int) else other"), "constants", f"cause {sign} out: number_right_fails"
        yield reflected, (f"def __r{add}__", f"def r{add}"), "constants", f"cause {sign} out: number_left_fails"
        yield reflected, (asked, f"return other {sign} self"), "constants", f"cause {sign} out: number_left_fails"
        yield reflected, (asked, f"return other {sign} self.data"), "constants", f"cause {sign} out: returns_no_value"
    minus, reflected_minus, negative = "return self + (-1) * other", "return other + (-1) * self", "return self * -1"
    yield "minus", (minus, f"{WRAP}\n    other.data = -other.data\n    return self + other"), "subtract", "cause - other: forward_changes_data"
    yield "minus", (minus, "other.label\n    return self + other * -1"), "subtract", "cause - out: number_right_fails"
    yield "minus", (minus, "return self.data - (other.data if isinstance(other, Value) else other)"), "subtract", "cause - out: returns_no_value"
    yield "reflected_minus", (reflected_minus, "return other - self.data"), "subtract", "cause - out: returns_no_value"
    yield "reflected_minus", (reflected_minus, "return other - self"), "subtract", "cause - out: number_left_fails"
    yield "reflected_minus", (reflected_minus, "return NotImplemented"), "subtract", "cause - out: number_left_fails"
    yield "negative", (negative, "self.data = -self.data\n    return self"), "subtract", "cause neg self: forward_changes_data"
    yield "negative", (negative, "result = self * -1"), "subtract", "cause neg out: returns_no_value"
    yield "negative", (negative, "return -self.data"), "subtract", "cause neg out: returns_no_value"
    yield "__init__(self, data, _children", ("self._prev", "self.prev"), "leaf", "name prev for _prev"
    yield "__init__(self, data, _children", ("self._prev", "self._children"), "leaf", "name _children for _prev"
    yield "__init__(self, data, _children", ("self._op", "self.op"), "leaf", "name op for _op"


def _day2() -> Iterator[Fact]:
    for sign, add, check in (("+", "add", "add_rule"), ("*", "mul", "swap_rule")):
        function = f"__{add}__("
        yield _right(sign, check)
        yield from _left(sign, check)
        yield function, ("out = Value(", "return Value("), check, f"cause {sign} self: backward_default", f"cause {sign} other: backward_default"
        yield function, (KEPT, f"{KEPT}()"), check, f"cause {sign} self: backward_ran_early", f"cause {sign} other: backward_ran_early"
    yield "tanh(", (KEPT, f"{KEPT}()"), "tanh_neuron", "cause tanh self: backward_ran_early"
    yield "__init__(self, data, _children", STARTS_AT_ONE, "add_rule", "cause Value out: grad_starts"


def _day3() -> Iterator[Fact]:
    yield "__init__(self, data, _children", STARTS_AT_ONE, "pytorch_parity", "cause Value out: grad_starts"
    yield "build_topo(", ("return order", "pass"), "build_topo", "walk build_topo no_list"
    yield "build_topo(", ("return order", "return visited"), "build_topo", "walk build_topo no_list"


def _day4() -> Iterator[Fact]:
    checks = {"+": "add_multiply", "*": "add_multiply", "-": "subtract", "/": "divide", "**": "power", "neg": "subtract"}
    for sign in NUMBERS:
        yield _right(sign, checks[sign])
        yield from _left(sign, checks[sign])
    yield "__radd__(", ("return self + other", "self + other"), "add_multiply", "cause + out: returns_no_value"
    yield "__radd__(", ("return self + other", "if other == 0:\n            return self"), "add_multiply", "cause + out: returns_no_value"
    yield "__truediv__(", ("self.data / other.data,", "self.data // other.data,"), "divide", "rule / out: out.data = self.data // other.data"
    yield "__truediv__(", (", (self, other),", ", (self,),"), "divide", "cause / other: input_not_kept"
    for name, function in METHODS.items():
        check = checks.get(name, name)
        inputs = ", (self, other)," if name in {"+", "*", "-", "/"} else ", (self,),"
        yield function, RETURN_IN_CLOSURE, check, f"cause {name} out: returns_no_value"
        yield function, (inputs, ", (),"), check, f"cause {name} out: keeps_no_inputs"


def _day5() -> Iterator[Fact]:
    for sign in NUMBERS:
        yield from _left(sign, "add_multiply" if sign in "+*" else "local_grads")
    yield _right("+", "add_multiply")
    yield "__rsub__(", ("return Value(other) - self", "return Value(other - self.data)"), "local_grads", "cause - self: input_cut"
    square = "if other is self:\n            return Value(self.data**2, (self,), (self.data,))\n"
    yield "__mul__(", ("        return Value(", f"        {square}        return Value("), "local_grads", "cause * self: counted_once"
    yield "__init__(self, data, _children", STARTS_AT_ONE, "backward", "cause Value out: grad_starts"
    yield "build_topo(", ("return topo", "pass"), "build_topo", "walk build_topo no_list"
    yield "build_topo(", ("in node._children", "in node._prev"), "build_topo", "name _children for _prev"


# fmt: on

TOLD = {"day1": _day1, "day2": _day2, "day3": _day3, "day4": _day4, "day5": _day5}
