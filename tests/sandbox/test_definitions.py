"""The definitions of names and objects of the submission, which the jail reads from compiled code."""

from __future__ import annotations

from typing import Any

import pytest

from grader.manifest import Limits
from grader.sandbox import Frame, Sandbox
from grader.sandbox.live import Live

ENGINE = """
import functools, math
from functools import partial

def counted(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)
    return wrapper

def logged(f):
    def wrapper(*args):
        return f(*args)
    return wrapper

class Logged:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
    def __call__(self, *args):
        return self.f(*args)

class Value:
    def __init__(self, data):
        self.data = data
    def __mul__(self, other):
        out = Value(self.data * other.data)
        def _backward():
            self.grad = out.grad
        out._backward = _backward
        return out
    @property
    def half(self): return self.data / 2
    @staticmethod
    def zero(): return Value(0)
    @classmethod
    def one(cls): return cls(1)
    @functools.cached_property
    def third(self): return self.data / 3
    @counted
    @logged
    def twice(self): return self.data * 2

def tanh(self): return math.tanh(self.data)
Value.tanh = tanh

class Small(Value): pass

plain = lambda x: x
halved = partial(plain, 2)
@functools.lru_cache
def kept(x): return x
@logged
def train(): pass
@Logged
def update(): pass
bound = Value(3).__mul__
built = len
model = Value(2)
"""


def line_of(start: str) -> int:
    """Return the number, from 1, of the only line of the engine that begins with this text."""
    (found,) = (n for n, line in enumerate(ENGINE.split("\n"), start=1) if line.startswith(start))
    return found


@pytest.mark.parametrize(
    ("name", "line", "function"),
    [
        ("tanh", "def tanh", "tanh"),
        ("Value.tanh", "def tanh", "tanh"),
        ("Value.__mul__", "    def __mul__", "Value.__mul__"),
        ("Value.half", "    @property", "Value.half"),
        ("Value.zero", "    @staticmethod", "Value.zero"),
        ("Value.one", "    @classmethod", "Value.one"),
        ("Value.third", "    @functools.cached_property", "Value.third"),
        ("Value.twice", "    @counted", "Value.twice"),
        ("Value", "class Value", "Value"),
        ("Small", "class Small", "Small"),
        ("Small.__mul__", "    def __mul__", "Value.__mul__"),
        ("plain", "plain =", "<lambda>"),
        ("halved", "plain =", "<lambda>"),
        ("kept", "@functools.lru_cache", "kept"),
        ("train", "@logged", "train"),
        ("update", "@Logged", "update"),
        ("bound", "    def __mul__", "Value.__mul__"),
        ("built", "built =", ""),
        ("model", "model =", ""),
    ],
)
def test_a_name_is_found_below_what_wraps_it(jail, name, line, function):
    """A function is found by its code, below its decorators; any other name by the line that assigns it."""
    assert jail(ENGINE).find_definitions([name]) == [Frame(0, line_of(line), function)]


@pytest.mark.parametrize(
    "name", ["nothing", "Value.nothing", "model.tanh", "math.tanh", "Value.__hash__", ""]
)
def test_what_the_student_did_not_define_has_no_place(jail, name):
    """Missing names and names of Python's own have no definition."""
    assert jail(ENGINE).find_definitions([name]) == [None]


def test_an_object_is_found_by_its_handle(jail):
    """A closure has its own line; a plain value has none."""
    box = jail("first = 1", ENGINE)
    make = box.get("Value")
    product = make(2.0) * make(3.0)

    places = box.find_definitions([product._backward, make, product, "tanh"])

    assert [place and place.function for place in places] == [
        "Value.__mul__.<locals>._backward",
        "Value",
        None,
        "tanh",
    ]
    assert places[0] == Frame(1, line_of("        def _backward"), "Value.__mul__.<locals>._backward")


def test_a_closure_is_found_by_its_qualified_name(jail):
    """The name is the one in Python's errors; it is found where only one function has it."""
    names = ["Value.__mul__.<locals>._backward", "counted.<locals>.wrapper", "Value.__mul__.<locals>.no"]
    again = "def counted():\n    def wrapper(): pass"

    places = jail(ENGINE, again).find_definitions(names)

    assert places == [Frame(0, line_of("        def _backward"), names[0]), None, None]


def test_the_last_of_two_definitions_counts(jail):
    """Of a class or a function that is written twice, the last definition counts."""
    box = jail(
        "class A:\n    def f(self): pass", "def g(): pass", "class A:\n\n    def f(self): pass\ndef g(): pass"
    )

    assert box.find_definitions(["A", "A.f", "g"]) == [Frame(2, 1, "A"), Frame(2, 3, "A.f"), Frame(2, 4, "g")]


def test_a_class_that_cannot_be_told_from_another_has_no_place(jail):
    """Two class bodies have one name, and no method distinguishes them."""
    box = jail("class A: pass", "class A:\n    x = 1")

    assert box.find_definitions(["A"]) == [Frame(1, 1, "")], "the last line that makes it"


@pytest.mark.parametrize(
    ("cells", "place"),
    [
        (["x = 1\ny = 2\nx = 3"], (0, 3)),
        (["x = 1", "y = 2", "x = 3\n"], (2, 1)),
        (["x = 1", "def f():\n    x = 2\n"], (0, 1)),
        (["\nx = {\n  1: 2,\n}"], (0, 2)),
        (["a, x = 1, 2"], (0, 1)),
        (["x = 1", "x = 2\n1 / 0"], (0, 1)),
        (["x = 1", "x = ("], (0, 1)),
        (["".join(f"v{i} = {i}\n" for i in range(300)) + "x = 1"], (0, 301)),
        (["globals()['x'] = 1"], None),
    ],
    ids=lambda case: repr(case)[-30:],
)
def test_the_line_of_an_answer(jail, cells, place):
    """It is the last line that assigns the name at the top level of a cell that ran to its end."""
    (answer,) = jail(*cells).find_definitions(["x"])

    assert (answer and (answer.block, answer.line)) == place


@pytest.mark.parametrize(
    ("cell", "place"),
    [
        ("def f(x):\n    return x", Frame(0, 1, "f")),
        ("def same(g): return g\n@same\n@same\ndef f(x):\n    return x", Frame(0, 2, "f")),
        ("def f(x): return x\nf = f", Frame(0, 2, "")),
        ("f = lambda x: x", Frame(0, 1, "")),
    ],
)
def test_a_function_that_a_helper_has_replaced(jail, cell, place):
    """The student's definition is found with its name, as before, and an assignment by its line."""
    box = jail(cell)
    replace = box.helper("def replace(f):\n    f.__globals__['f'] = lambda x: 2 * x\n", "replace")

    replace(box.get("f"))

    assert box.find_definitions(["f"]) == [place]


# --- What nobody can make of it

HOSTILE = {
    "an attribute that ends all": "def __getattribute__(self, name): os._exit(0)",
    "a `__dict__` of its own": "__dict__ = property(lambda self: os._exit(0))",
    "a class of its own": "__class__ = property(lambda self: os._exit(0))",
    "no fields at all": "__slots__ = ()",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_objects_are_not_asked(jail, name):
    """Their code is not called; their types alone are read."""
    box = jail(
        f"""
        import os
        class Meta(type): pass
        class Odd(metaclass=Meta):
            {HOSTILE[name]}
            def __call__(self): return 1
        Meta.__getattribute__ = lambda cls, name: os._exit(0)
        run = Odd()
        """
    )

    assert box.find_definitions(["run", "Odd"]) == [Frame(0, 6, "Odd.__call__"), Frame(0, 4, "Odd")]


FORGED = {
    "a cell that is not there": ("<block 77>", Frame(77, 9, "f")),
    "a file of Python's": ("/usr/lib/python3/os.py", Frame(0, 4, "")),
    "a file of the grader's": ("grader/grading/grader.py", Frame(0, 4, "")),
}


@pytest.mark.parametrize("file", FORGED)
def test_code_that_says_it_is_elsewhere(jail, file):
    """Code may name any cell; the feedback leaves out a cell that does not exist."""
    name, place = FORGED[file]
    box = jail(
        f"""
        def f(): pass
        code = f.__code__.replace(co_firstlineno=9, co_filename={name!r})
        f = type(f)(code, globals())
        """
    )

    assert box.find_definitions(["f"]) == [place]


def test_functions_that_wrap_each_other(jail):
    """A circle of wrappers has no definition, and ends."""
    box = jail("def f(): pass\ndef g(): pass\nf.__wrapped__, g.__wrapped__ = g, f\nf = f")

    assert box.find_definitions(["f"]) == [Frame(0, 4, "")]


# --- A live namespace


def test_in_a_kernel_functions_are_found_and_answers_are_not():
    """Functions keep their code; the code of a cell is gone once it has run, so answers are not found."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(ENGINE, "<ipython-input-3>", "exec"), names)
    names["answer"] = 3
    live = Live(names, lambda file: file.startswith("<ipython-input"))
    box = Sandbox(live, [], Limits())
    box.load()

    assert live.files == []
    assert box.find_definitions(["tanh", "Value.half", "answer", "Value", "built"]) == [
        Frame(0, line_of("def tanh"), "tanh"),
        Frame(0, line_of("    @property"), "Value.half"),
        None,
        None,
        None,
    ]
    assert live.files == ["<ipython-input-3>"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def make():\n    def loss_of(): pass\n    return loss_of", "loss_of() takes 0 positional arguments but 1 was given"),
        ("def make():\n    return lambda: 0", "<lambda>() takes 0 positional arguments but 1 was given"),
    ],
)  # fmt: skip
def test_an_error_names_no_function_of_a_check(jail, source, said):
    """A student who calls a check's function wrongly reads its name, and not the names of those around it."""
    box = jail("def use(given): return given(1)")

    with pytest.raises(TypeError) as raised:
        box.get("use")(box.helper(source, "make")())

    assert raised.value.text == said
