"""The slips of the course's engines: the texts that are replaced, in which function of which day's reference.

`slips(day)` are the slips that a student makes in an operation or in a walk. `told(day)` are those that facts explain,
so that no entry in `solutions/DAY/mistakes/` is about them. Other tables of slips are made with `changed`, too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from helpers import cells

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


class Input(NamedTuple):
    """What an operation adds to the gradient of one input: signed, without upstream, and with the wrong number."""

    sign: str
    right: str
    bare: str
    own: str


METHODS = {
    "+": "__add__(self",
    "*": "__mul__(self",
    "-": "__sub__(self",
    "/": "__truediv__(self",
    "**": "__pow__(self",
    "neg": "__neg__(self",
    "exp": "exp(self",
    "tanh": "tanh(self",
    "relu": "relu(self",
}
GATE = "1.0 if self.data > 0 else 0.0"
CLOSURES = {
    "+": [
        Input("+", "out.grad", "1.0", "self.data * out.grad"),
        Input("+", "out.grad", "1.0", "other.data * out.grad"),
    ],
    "*": [
        Input("+", "other.data * out.grad", "other.data", "self.data * out.grad"),
        Input("+", "self.data * out.grad", "self.data", "other.data * out.grad"),
    ],
    "-": [
        Input("+", "out.grad", "1.0", "self.data * out.grad"),
        Input("-", "out.grad", "1.0", "other.data * out.grad"),
    ],
    "/": [
        Input("+", "out.grad / other.data", "1 / other.data", "out.grad / self.data"),
        Input(
            "-",
            "out.grad * self.data / other.data**2",
            "self.data / other.data**2",
            "out.grad * other.data / self.data**2",
        ),
    ],
    "**": [
        Input(
            "+",
            "n * self.data ** (n - 1) * out.grad",
            "n * self.data ** (n - 1)",
            "n * self.data**n * out.grad",
        )
    ],
    "neg": [Input("-", "out.grad", "1.0", "self.data * out.grad")],
    "exp": [Input("+", "out.data * out.grad", "out.data", "self.data * out.grad")],
    "tanh": [Input("+", "(1 - t**2) * out.grad", "1 - t**2", "(1 - self.data**2) * out.grad")],
    "relu": [Input("+", f"({GATE}) * out.grad", GATE, "max(0.0, self.data) * out.grad")],
}
# Of each input the kept local gradient, and one with the wrong number.
PAIRS = {
    "+": [("1.0", "self.data"), ("1.0", "other.data")],
    "*": [("other.data", "self.data"), ("self.data", "other.data")],
    "-": [("1.0", "self.data"), ("-1.0", "-other.data")],
    "/": [("1 / b", "1 / a"), ("-a / b**2", "-b / a**2")],
    "**": [("exponent * self.data ** (exponent - 1)", "exponent * self.data**exponent")],
    "neg": [("-1.0", "-self.data")],
    "exp": [("e", "self.data")],
    "tanh": [("1 - t**2", "1 - self.data**2")],
    "relu": [(GATE, "max(0.0, self.data)")],
}
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


def closure_edits(operation: str) -> dict[str, list[Edit]]:
    """Return the slips of an operation with a closure."""
    names = ("self", "other")
    parts = list(zip(names, CLOSURES[operation]))
    lines = [f"{name}.grad {part.sign}= {part.right}" for name, part in parts]
    found: dict[str, list[Edit]] = {}
    for line, (name, part) in zip(lines, parts):
        other = "-" if part.sign == "+" else "+"
        found[f"wrong sign, {name}"] = [(line, f"{name}.grad {other}= {part.right}")]
    found["= for +="] = [
        (line, f"{name}.grad = {'' if part.sign == '+' else '-'}{part.right}")
        for line, (name, part) in zip(lines, parts)
    ]
    found["no upstream"] = [
        (line, f"{name}.grad {part.sign}= {part.bare}") for line, (name, part) in zip(lines, parts)
    ]
    found["own value"] = [
        (line, f"{name}.grad {part.sign}= {part.own}") for line, (name, part) in zip(lines, parts)
    ]
    if operation in {"-", "/"}:
        found["operands exchanged"] = [
            (line, f"{name}.grad {part.sign}= {part.right}")
            for line, name, (_, part) in zip(lines, names, reversed(parts))
        ]
    if operation == "**":
        found["operands exchanged"] = [(lines[0], "self.grad += self.data * n ** (self.data - 1) * out.grad")]
    for line, (name, _) in zip(lines, parts):
        found[f"nothing to {name}"] = [(line, "pass")]
    return found | _common(operation, "out = Value(", "return out", "return {}.setdefault({}, out)")


def pair_edits(operation: str) -> dict[str, list[Edit]]:
    """Return the slips of an operation that keeps pairs."""
    parts = PAIRS[operation]
    right, own = [part[0] for part in parts], [part[1] for part in parts]
    names = ["self", "other"][: len(parts)]
    line = f"{_tuple(names)}, {_tuple(right)})"
    found: dict[str, list[Edit]] = {}

    def keep(title: str, local: list[str], children: list[str] = names) -> None:
        found[title] = [(line, f"{_tuple(children)}, {_tuple(local)})")]

    for i, name in enumerate(names):
        keep(f"wrong sign, {name}", [*right[:i], f"-({right[i]})", *right[i + 1 :]])
        keep(f"nothing to {name}", [*right[:i], "0.0", *right[i + 1 :]])
    keep("own value", own)
    if operation in {"-", "/"}:
        keep("operands exchanged", right[::-1])
    keep("child dropped", right[:-1], names[:-1])
    kept = f"*zip(*(pair for pair in zip({_tuple(names)}, {_tuple(right)}) if pair[0].data)))"
    found["children of 0 dropped"] = [(line, kept)]
    forward = "return Value("
    found["wrong value"] = [(forward, f"{forward}1 + ")]
    found["earlier node for equal numbers"] = [
        (forward, f"return {_STORE}.setdefault({_key(operation, 'exponent')}, Value("),
        (line, f"{line})"),
    ]
    return found


FORWARD = ("child dropped", "children of 0 dropped", "wrong value", "earlier node for equal numbers")
_STORE = 'globals().setdefault("_made", {})'


def _key(operation: str, power: str) -> str:
    """Return the numbers by which an earlier node is found; `power` is the name of the exponent."""
    others = {**dict.fromkeys("+*-/", ", other.data"), "**": f", {power}"}
    return f'("{operation}", self.data{others.get(operation, "")})'


def _common(operation: str, forward: str, end: str, kept: str) -> dict[str, list[Edit]]:
    """Return the slips of the forward pass."""
    children = '(self, other), "' if operation in {"+", "*", "-", "/"} else "(self,), "
    fewer = '(self,), "' if operation in {"+", "*", "-", "/"} else "(), "
    every = children.rpartition(",")[0]
    without_0 = f"tuple(one for one in {every} if one.data)"
    found = {
        "child dropped": [(children, fewer)],
        "children of 0 dropped": [(children, children.replace(every, without_0))],
        "wrong value": [(forward, f"{forward}1 + ")],
        "earlier node for equal numbers": [(end, kept.format(_STORE, _key(operation, "n")))],
    }
    if operation == "tanh":
        found["negative upstream dropped"] = [("(1 - t**2) * out.grad", "(1 - t**2) * max(0.0, out.grad)")]
    if operation == "relu":
        found["gate up to 6"] = [(f"({GATE})", "(1.0 if 0 < self.data < 6 else 0.0)")]
    return found


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


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
REFLECTED = {
    "-": ("__rsub__(", "Value(other) - self", "self - other"),
    "/": ("__rtruediv__(", "Value(other) / self", "self / other"),
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
        for operation, (function, old, new) in REFLECTED.items():
            own = OWN[day][operation]
            yield function, own, f"{operation}  number on the left, exchanged", [(old, new)]
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
        function, reflected = f"__{add}__(", f"__r{add}__("
        yield function, (WRAP, "pass"), check, f"cause {sign} out: number_right_fails"
        yield reflected, (f"def __r{add}__", f"def r{add}"), check, f"cause {sign} out: number_left_fails"
        yield reflected, (f"return self {sign} other", f"return other {sign} self"), check, f"cause {sign} out: number_left_fails"
        yield function, ("out = Value(", "return Value("), check, f"cause {sign} self: backward_default", f"cause {sign} other: backward_default"
        yield function, (KEPT, f"{KEPT}()"), check, f"cause {sign} self: backward_ran_early", f"cause {sign} other: backward_ran_early"
    yield "tanh(", (KEPT, f"{KEPT}()"), "tanh_neuron", "cause tanh self: backward_ran_early"
    yield "__init__(self, data, _children", STARTS_AT_ONE, "add_rule", "cause Value out: grad_starts"


def _day3() -> Iterator[Fact]:
    yield "__init__(self, data, _children", STARTS_AT_ONE, "pytorch_parity", "cause Value out: grad_starts"
    yield "build_topo(", ("return order", "pass"), "build_topo", "walk build_topo no_list"
    yield "build_topo(", ("return order", "return visited"), "build_topo", "walk build_topo no_list"


def _day4() -> Iterator[Fact]:
    for sign, add, check in (("+", "add", "add_multiply"), ("*", "mul", "add_multiply"), ("-", "sub", "subtract"), ("/", "truediv", "divide")):
        function, reflected, left = f"__{add}__(", f"__r{add}__(", "self" if sign in "+*" else "Value(other)"
        right = "other" if sign in "+*" else "self"
        yield function, (WRAP, "pass"), check, f"cause {sign} out: number_right_fails"
        yield reflected, (f"def __r{add}__", f"def r{add}"), check, f"cause {sign} out: number_left_fails"
        yield reflected, (f"return {left} {sign} {right}", f"return other {sign} self"), check, f"cause {sign} out: number_left_fails"
    yield "__radd__(", ("return self + other", "self + other"), "add_multiply", "cause + out: returns_no_value"
    yield "__radd__(", ("return self + other", "if other == 0:\n            return self"), "add_multiply", "cause + out: returns_no_value"
    yield "__truediv__(", ("self.data / other.data,", "self.data // other.data,"), "divide", "rule / out: out.data = self.data // other.data"
    yield "__truediv__(", (", (self, other),", ", (self,),"), "divide", "cause / other: input_not_kept"
    checks = {"+": "add_multiply", "*": "add_multiply", "-": "subtract", "/": "divide", "**": "power", "neg": "subtract"}
    for name, function in METHODS.items():
        check = checks.get(name, name)
        inputs = ", (self, other)," if name in {"+", "*", "-", "/"} else ", (self,),"
        yield function, RETURN_IN_CLOSURE, check, f"cause {name} out: returns_no_value"
        yield function, (inputs, ", (),"), check, f"cause {name} out: keeps_no_inputs"


def _day5() -> Iterator[Fact]:
    for sign, add, check in (("+", "add", "add_multiply"), ("*", "mul", "add_multiply"), ("-", "sub", "local_grads"), ("/", "truediv", "local_grads")):
        yield f"__r{add}__(", (f"def __r{add}__", f"def r{add}"), check, f"cause {sign} out: number_left_fails"
    for sign, add in (("-", "sub"), ("/", "truediv")):
        yield f"__r{add}__(", (f"return Value(other) {sign} self", f"return other {sign} self"), "local_grads", f"cause {sign} out: number_left_fails"
    yield "__radd__(", ("return self + other", "return other + self"), "add_multiply", "cause + out: number_left_fails"
    yield "__add__(", (WRAP, "pass"), "add_multiply", "cause + out: number_right_fails"
    yield "__rsub__(", ("return Value(other) - self", "return Value(other - self.data)"), "local_grads", "cause - self: input_cut"
    square = "if other is self:\n            return Value(self.data**2, (self,), (self.data,))\n"
    yield "__mul__(", ("        return Value(", f"        {square}        return Value("), "local_grads", "cause * self: counted_once"
    yield "__init__(self, data, _children", STARTS_AT_ONE, "backward", "cause Value out: grad_starts"
    yield "build_topo(", ("return topo", "pass"), "build_topo", "walk build_topo no_list"
    yield "build_topo(", ("in node._children", "in node._prev"), "build_topo", "name _children for _prev"


# fmt: on

TOLD = {"day1": _day1, "day2": _day2, "day3": _day3, "day4": _day4, "day5": _day5}
