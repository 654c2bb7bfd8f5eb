"""Wrong submissions that facts explain, so that no entry in `solutions/DAY/mistakes/` is about them.

Each is a day's reference with one edit, and the keys of the facts that its report has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oneslip import METHODS, edited, graded

if TYPE_CHECKING:
    from collections.abc import Iterator

WRAP = "other = other if isinstance(other, Value) else Value(other)"
KEPT = "out._backward = _backward"
RETURN_IN_CLOSURE = (f"        {KEPT}\n        return out\n", f"            return out\n\n        {KEPT}\n")
STARTS_AT_ONE = ("self.grad = 0.0", "self.grad = 1.0")


class Wrong(NamedTuple):
    """An edit of one function, the check that explains it, and kind and key of the facts there."""

    function: str  # the beginning of its first line
    old: str
    new: str
    check: str
    told: tuple[str, ...]

    def source(self, day: str) -> str:
        """Return the submission."""
        return edited(graded(day), self.function, (self.old, self.new))

    @property
    def name(self) -> str:
        """The function and the new text."""
        return f"{self.function.partition('(')[0]}: {self.new}"


def wrong_submissions(day: str) -> list[Wrong]:
    """Return the table of a day; days of arrays have none."""
    return [
        Wrong(function, *edit, check, (*told,)) for function, edit, check, *told in TABLES.get(day, tuple)()
    ]


Row = tuple[str, tuple[str, str], str, *tuple[str, ...]]

# fmt: off


def _day1() -> Iterator[Row]:
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


def _day2() -> Iterator[Row]:
    for sign, add, check in (("+", "add", "add_rule"), ("*", "mul", "swap_rule")):
        function, reflected = f"__{add}__(", f"__r{add}__("
        yield function, (WRAP, "pass"), check, f"cause {sign} out: number_right_fails"
        yield reflected, (f"def __r{add}__", f"def r{add}"), check, f"cause {sign} out: number_left_fails"
        yield reflected, (f"return self {sign} other", f"return other {sign} self"), check, f"cause {sign} out: number_left_fails"
        yield function, ("out = Value(", "return Value("), check, f"cause {sign} self: backward_default", f"cause {sign} other: backward_default"
        yield function, (KEPT, f"{KEPT}()"), check, f"cause {sign} self: backward_ran_early", f"cause {sign} other: backward_ran_early"
    yield "tanh(", (KEPT, f"{KEPT}()"), "tanh_neuron", "cause tanh self: backward_ran_early"
    yield "__init__(self, data, _children", STARTS_AT_ONE, "add_rule", "cause Value out: grad_starts"


def _day3() -> Iterator[Row]:
    yield "__init__(self, data, _children", STARTS_AT_ONE, "pytorch_parity", "cause Value out: grad_starts"
    yield "build_topo(", ("return order", "pass"), "build_topo", "walk build_topo no_list"
    yield "build_topo(", ("return order", "return visited"), "build_topo", "walk build_topo no_list"


def _day4() -> Iterator[Row]:
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


def _day5() -> Iterator[Row]:
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

TABLES = {"day1": _day1, "day2": _day2, "day3": _day3, "day4": _day4, "day5": _day5}
