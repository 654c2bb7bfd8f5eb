"""References with one slip, the points that it costs, and lazy notebooks, for bench/slips.py and the tests of fairness.

An edit whose text does not occur once is an error: after a change of a reference the table cannot go wrong silently.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from helpers import COURSE, cells

from grader.assignment import Course
from grader.authoring.grading_rules import NULLS, null_submission
from grader.authoring.reference import reference_blocks, strip_solutions
from grader.grading.grader import open_grader
from grader.grading.run import Running
from grader.render.words import next_check
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submissions.submission import submission_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from grader.report import CheckResult, Report

DAYS = ("day2", "day3", "day4", "day5")


class Slip(NamedTuple):
    """A reference with one slip; `first` has the checks of which one is to be told first, none where any may be."""

    day: str
    name: str
    source: str
    first: tuple[str, ...] = ()


# The points of 100 that one slip may cost: on day 3 all checks are about the walk, but day 2's engine is judged once.
MOST = {"day2": 45.0, "day3": 55.0, "day4": 40.0, "day5": 40.0}
MOST_OF_DAY2 = 5.0
# Slips that cannot be judged otherwise, and slips that need not cost anything, each with the reason.
NOT_OTHERWISE = {
    ("day4", "blank: Value.__init__: keep data and inputs, start grad at 0"): "no value can be made",
}
FREE = {
    ("day4", "blank: Value.__repr__: show data and grad"): "no check of the day reads the text of a value",
    ("day4", "relu  children of 0 dropped"): "at 0 a slope of 0 is right, so the input may get nothing",
    ("day5", "relu  children of 0 dropped"): "at 0 a slope of 0 is right, so the input may get nothing",
    ("day4", "**  children of 0 dropped"): "at 0 every power above 1 has a slope of 0",
    ("day5", "**  children of 0 dropped"): "at 0 every power above 1 has a slope of 0",
}
# Slips that only a whole expression meets: exp itself never gives the 0 that an inner node must have.
WHOLE = {("day4", "exp  children of 0 dropped"): "pytorch_parity"}


def is_of_day2(slip: Slip) -> bool:
    """Return True for a slip of the engine that day 3 only brings along."""
    return slip.day == "day3" and slip.first == ("pytorch_parity",)


def most(slip: Slip) -> float:
    """Return the points that a slip may cost."""
    if (slip.day, slip.name) in NOT_OTHERWISE:
        return 100.0
    return MOST_OF_DAY2 if is_of_day2(slip) else MOST[slip.day]


def is_free(slip: Slip) -> bool:
    """Return True for a slip that may cost nothing."""
    return is_of_day2(slip) or (slip.day, slip.name) in FREE


def problems(slip: Slip, cost: Cost) -> list[str]:
    """Return what is not fair about the points of a slip, and about the check that is told first."""
    found = []
    if cost.lost > most(slip):
        found.append(f"costs {cost.lost:g}, more than {most(slip):g}")
    if not cost.lost and not is_free(slip):
        found.append("costs nothing")
    if cost.lost and slip.first and cost.first not in (*slip.first, WHOLE.get((slip.day, slip.name))):
        found.append(f"told first: {cost.first}, not {' or '.join(slip.first)}")
    return found


class Cost(NamedTuple):
    """What a slip costs of 100, by check, and the check that is told first."""

    checks: dict[str, float]
    first: str

    @property
    def lost(self) -> float:
        """All points that are lost."""
        return round(sum(self.checks.values()), 2)


# --- Edits

Edit = tuple[str, str]


def graded(day: str) -> str:
    """Return the graded cells of the day's reference."""
    return "\n\n".join(f"# %%\n{cell}" for cell in cells(day)) + "\n"


def edited(source: str, function: str, *edits: Edit) -> str:
    """Return the source with each text replaced in one function; `function` is the beginning of its first line."""
    pattern = rf"^( *)def {re.escape(function)}.*?(?=^\1\S|^\S|\Z)"
    (found,) = re.finditer(pattern, source, re.MULTILINE | re.DOTALL)
    text = found[0]
    for old, new in edits:
        assert text.count(old) == 1, f"{function}: {text.count(old)} times {old!r}"
        text = text.replace(old, new)
    return source[: found.start()] + text + source[found.end() :]


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
    """Return all slips of a day."""
    of_operation = pair_edits if day == "day5" else closure_edits
    source, found = graded(day), list[Slip]()
    for operation in OPERATIONS[day]:
        own = OWN[day][operation]
        for name, edits in of_operation(operation).items():
            if day == "day2" and operation == "tanh" and name in FORWARD:
                continue  # its forward pass is given
            slip = edited(source, METHODS[operation], *edits)
            found.append(Slip(day, f"{operation}  {name}", slip, own))
    for function, first, name, edits in WALKS[day]:
        found.append(Slip(day, name, edited(source, function, *edits), first))
    return [*found, *blanks(day)]


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


# --- Walks: function, the checks of which one is told first, name, edits


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


LOOP3 = "    for node in reversed(build_topo(root)):\n        node._backward()\n"
LOOP4 = "        for node in reversed(order):\n            node._backward()\n"
SEED4 = "        self.grad = 1.0\n"
BACKWARD3 = {
    "`reversed` forgotten": ("reverse_order", [("reversed(build_topo(root))", "build_topo(root)")]),
    "the seed forgotten": ("seed", [("    root.grad = 1.0\n", "")]),
    "the seed at the end": (
        "seed",
        [("    root.grad = 1.0\n", ""), (LOOP3, f"{LOOP3}    root.grad = 1.0\n")],
    ),
    "the seed is the data": ("seed", [("root.grad = 1.0", "root.grad = root.data")]),
    "each node called twice": ("reverse_order", [(LOOP3, f"{LOOP3}        node._backward()\n")]),
    "gradients cleared first": (
        "accumulates",
        [
            (
                "    root.grad = 1.0\n",
                "    for node in build_topo(root):\n        node.grad = 0.0\n    root.grad = 1.0\n",
            )
        ],
    ),
    "only the root called": ("reverse_order", [(LOOP3, f"{LOOP3}        break\n")]),
    "the root not called": (
        "reverse_order",
        [("reversed(build_topo(root))", "reversed(build_topo(root)[:-1])")],
    ),
    "called along every path": (
        "reverse_order",
        [
            (
                LOOP3,
                "    stack = [root]\n    while stack:\n        node = stack.pop()\n"
                "        node._backward()\n        stack.extend(node._prev)\n",
            )
        ],
    ),
}
BACKWARD4 = {
    "`reversed` forgotten": [("reversed(order)", "order")],
    "the seed forgotten": [(SEED4, "")],
    "the seed at the end": [(SEED4, ""), (LOOP4, f"{LOOP4}{SEED4}")],
    "the seed is the data": [("self.grad = 1.0", "self.grad = self.data")],
    "no visited set": [("                visited.add(node)\n", "")],
    "visited by data": [
        ("node not in visited", "node.data not in visited"),
        ("visited.add(node)", "visited.add(node.data)"),
    ],
    "append before the children": [
        ("                order.append(node)\n", ""),
        ("                visited.add(node)\n", "                visited.add(node)\n                order.append(node)\n"),
    ],
    "only the root's children": [("in node._prev:", "in (node._prev if node is self else ()):")],
    "each node called twice": [(LOOP4, f"{LOOP4}            node._backward()\n")],
    "only the root called": [(LOOP4, f"{LOOP4}            break\n")],
    "the root not called": [("reversed(order)", "reversed(order[:-1])")],
}  # fmt: skip
HAND5 = "            child.grad += local * node.grad\n"
BACKWARD5 = {
    "`reversed` forgotten": [("reversed(build_topo(root))", "build_topo(root)")],
    "the seed forgotten": [("    root.grad = 1.0\n", "")],
    "the seed at the end": [("    root.grad = 1.0\n", ""), (HAND5, f"{HAND5}    root.grad = 1.0\n")],
    "the seed is the data": [("root.grad = 1.0", "root.grad = root.data")],
    "= for +=": [("child.grad += local", "child.grad = local")],
    "no upstream": [("local * node.grad", "local")],
    "times the data": [("local * node.grad", "local * node.data")],
    "only the root's children": [(HAND5, f"{HAND5}        break\n")],
    "the root not called": [("reversed(build_topo(root))", "reversed(build_topo(root)[:-1])")],
    "each node called twice": [(HAND5, f"{HAND5}{HAND5}")],
}
TOPO3, TOPO5 = _topo("order", "children_done", "_prev"), _topo("topo", "ready", "_children")
WALKS: dict[str, list[tuple[str, tuple[str, ...], str, list[Edit]]]] = {
    "day2": [
        ("reset_grads(", ("complex_expression",), "reset_grads clears data", [("value.grad", "value.data")]),
    ],
    "day3": [
        *(("build_topo(", ("build_topo",), f"build_topo: {name}", e) for name, e in TOPO3.items()),
        *(("backward(root)", (f,), f"backward: {name}", e) for name, (f, e) in BACKWARD3.items()),
    ],
    "day4": [
        *(("backward(self)", ("backward",), f"backward: {name}", e) for name, e in BACKWARD4.items()),
        (
            "__radd__(",
            ("add_multiply", "sums"),
            "+  number on the left, without end",
            [("return self + other", "return other + self")],
        ),
        ("__rsub__(", ("subtract",), "-  number on the left, exchanged", [("Value(other) - self", "self - other")]),
        ("__rtruediv__(", ("divide",), "/  number on the left, exchanged", [("Value(other) / self", "self / other")]),
        ("zero_grad(", ("zero_grad",), "zero_grad clears data", [("parameter.grad", "parameter.data")]),
        ("descend(", ("gradient_descent",), "descend: uphill", [("-=", "+=")]),
        ("train(", ("gradient_descent",), "train: zero_grad forgotten", [("        zero_grad(parameters)\n", "")]),
    ],
    "day5": [
        *(("build_topo(", ("build_topo",), f"build_topo: {name}", e) for name, e in TOPO5.items()),
        *(("backward(root)", ("backward",), f"backward: {name}", e) for name, e in BACKWARD5.items()),
        (
            "__rsub__(",
            ("local_grads", "subtract_divide"),
            "-  number on the left, exchanged",
            [("Value(other) - self", "self - other")],
        ),
        (
            "__rtruediv__(",
            ("local_grads", "subtract_divide"),
            "/  number on the left, exchanged",
            [("Value(other) / self", "self / other")],
        ),
        ("meaning(", ("meaning",), "meaning: rises and falls exchanged", [("> 0", "< 0")]),
    ],
}  # fmt: skip

# --- Blanks and lazy work

SOLUTION = re.compile(r"(^ *### BEGIN SOLUTION.*?### END SOLUTION\n)", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"### BEGIN SOLUTION: (.*)")


def _parts(day: str) -> list[str]:
    """Return the reference's text between its blanks, and at odd places the blanks."""
    return SOLUTION.split(graded(day))


def _stub(block: str) -> str:
    return strip_solutions(block, "reference")[0]


def _title(block: str) -> str:
    found = TITLE.search(block)
    assert found
    return found[1]


def blanks(day: str) -> list[Slip]:
    """Return the reference with each blank left alone."""
    parts, found = _parts(day), []
    for i in range(1, len(parts), 2):
        title, source = _title(parts[i]), "".join([*parts[:i], _stub(parts[i]), *parts[i + 1 :]])
        found.append(Slip(day, f"blank: {title}", source, first_of_blank(day, title)))
    return found


def first_of_blank(day: str, title: str) -> tuple[str, ...]:
    """Return the checks of which one is to be told first when this blank is left alone; none for answers."""
    for operation, method in METHODS.items():
        if title.startswith(f"Value.{method.partition('(')[0]}:"):
            return OWN[day][operation]
    walk = {
        "list every node once": ("build_topo",),
        "seed the root": ("reverse_order",),
        "Value.backward:": ("backward",),
        "build_topo:": ("build_topo",),
        "backward:": ("backward",),
        "Value.__init__": ("add_multiply",),
    }
    return next((first for begin, first in walk.items() if title.startswith(begin)), ())


def lazy(day: str) -> dict[str, str]:
    """Return lazy notebooks by name: the stub, one blank filled in, the walk alone, other engines, null engines."""
    parts = _parts(day)
    stub = [_stub(part) if i % 2 else part for i, part in enumerate(parts)]
    found = {"stub": "".join(stub)}
    first = next((i for i in range(1, len(parts), 2) if "__init__" in parts[i]), 1) if day == "day4" else 0
    for i in range(1, len(parts), 2):
        title = _title(parts[i])
        if is_code(title):
            kept = [part if j in {i, first} else stub[j] for j, part in enumerate(parts)]
            found[f"only {title.partition(':')[0]}"] = "".join(kept)
    walk = [part if not i % 2 or is_walk(_title(part)) else stub[i] for i, part in enumerate(parts)]
    if walk != stub:
        found["the walk alone"] = "".join(walk)
    for other in DAYS:
        if other != day:
            engine = engine_of(other)
            found[f"the engine of {other} alone"] = with_engine(day, "".join(stub), engine)
            if "day5" in {day, other} and day != "day4":  # day 4 takes both kinds of engine
                found[f"the engine of {other}, all else right"] = with_engine(day, "".join(parts), engine)
    assignment = Course(COURSE).assignment(day)
    for title in NULLS:
        found[f"null: {title}"] = null_submission(reference_blocks(assignment), title)
    return found


def is_code(title: str) -> bool:
    """Return True for a blank of code, not of answers."""
    return not title.startswith(("fill in", "answer"))


def is_walk(title: str) -> bool:
    """Return True for a blank of the sort or of backward."""
    walk = ("list every node", "seed the root", "make backward", "Value.backward", "build_topo", "backward:")
    return title.startswith((*walk, "Value.__init__"))


def engine_of(day: str) -> str:
    """Return the code of a day's engine: its class, tanh and its walk."""
    wanted = ("import math", "class Value", "def tanh", "def build_topo", "def backward", "Value.backward =")
    found = [cell for cell in cells(day) if any(text in cell for text in wanted)]
    return "\n\n".join(found)


def with_engine(day: str, source: str, engine: str) -> str:
    """Return a notebook in which an engine stands for the cells of the engine."""
    wanted = (
        "class Value",
        "def tanh",
        "def build_topo",
        "def backward",
        "Value.backward =",
        "paste your Value",
    )
    parts = re.split(r"(?=^# %%)", source, flags=re.MULTILINE)
    kept = [part for part in parts if not any(text in part for text in wanted)]
    return f"# %%\n{engine}\n\n" + "".join(kept)


# --- Grading


@contextmanager
def grading(day: str) -> Iterator[Callable[[str], Report]]:
    """Yield a function that grades sources of a day, by all checks, in one warm grader."""
    with Launcher() as launcher, open_grader(Course(COURSE).assignment(day), launcher) as grader:
        yield lambda source: grader.grade(submission_from(Path("/nowhere/submission.py"), source.encode()))


@contextmanager
def judging(day: str) -> Iterator[Callable[..., dict[str, CheckResult]]]:
    """Yield a function that judges sources of a day by all checks or one, without a word why: the verdicts by name."""
    with Launcher() as launcher, open_grader(Course(COURSE).assignment(day), launcher) as grader:

        def judged(source: str, only: str | None = None) -> dict[str, CheckResult]:
            blocks = submission_from(Path("/nowhere/submission.py"), source.encode()).blocks
            with grader.sandbox(blocks) as sandbox:
                tests = grader.suite.tests_of({only} if only else None)
                results = grader.suite.judge(Running(sandbox, None, lambda _: False), tests)
            return {check.id: check for check in grader.verdicts(results, only)}

        yield judged


def lost(checks: Mapping[str, CheckResult]) -> dict[str, str]:
    """Return the checks without full points, with outcome and message."""
    short = [check for check in checks.values() if check.score != check.max_score]
    return {check.id: f"{check.outcome}: {check.message}" for check in short}


def with_outcome(checks: Mapping[str, CheckResult], outcome: Outcome) -> set[str]:
    """Return the checks with this outcome."""
    return {name for name, check in checks.items() if check.outcome is outcome}


def cost_of(report: Report) -> Cost:
    """Return what is lost in a report, and the check that it tells first."""
    lost = {
        check.id: round(check.max_score - check.score, 2)
        for check in report.checks
        if check.score != check.max_score
    }
    first = next_check(report)
    return Cost(lost, first.id if first else "")
