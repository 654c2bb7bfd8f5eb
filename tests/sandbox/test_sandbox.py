"""The jail and the proxies: student code runs behind the wall, and only plain data comes out.

Everything here goes through real jails; one launcher serves the whole file. What is the same
where no fork is possible runs in both ways of starting a jail (`any_jail`).
"""

import contextlib
import itertools
import math
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from textwrap import dedent

import pytest
from stopped import crashed, past_a_limit

from grader.grading.feedback import load_notes
from grader.manifest import Limits
from grader.sandbox import (
    Launcher,
    Process,
    Proxy,
    Reading,
    Sandbox,
    SandboxUnavailable,
    StudentError,
    SubmissionStopped,
    Undefined,
    wire,
)
from grader.sandbox.errors import raised
from grader.sandbox.jail import SocketStream
from grader.sandbox.proxy import label_of
from grader.submissions.submission import Block, Sources

VALUE = """
class Value:
    def __init__(self, data, parent=None):
        self.data, self.grad, self.parent = data, 0.0, parent
    def twice(self):
        return Value(2 * self.data, parent=self)
"""

# Answers with the name of the operator that was used on it.
TELLS = """
class Tells:
    pass
for name in "add sub mul truediv pow matmul".split():
    setattr(Tells, f"__{name}__", lambda self, other, name=name: (name, other))
    setattr(Tells, f"__r{name}__", lambda self, other, name=name: ("r" + name, other))
Tells.__neg__ = lambda self: "neg"
a = Tells()
"""

# Whatever is done with a Term gives a Term.
TERM = """
class Term:
    data = 1.5
    def made(self, *args, **keywords):
        return Term()
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = made
    __pow__ = __rpow__ = __matmul__ = __neg__ = __call__ = __getitem__ = tanh = made
a, b, c = Term(), Term(), Term()
"""

NODES = """
class Node:
    pass
def some(number):
    nodes = [Node() for _ in range(number)]
    return [nodes.index(node) for node in set(nodes)]
"""

# Cells that end their process, each in its own way.
DEATHS = {
    "exit": "import os; os._exit(0)",
    "abort": "import os; os.abort()",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
}


@pytest.fixture(scope="module")
def launcher():
    """The launcher of all jails of this file."""
    with Launcher() as running:
        yield running


@pytest.fixture(scope="module", params=["fork", "pipe"])
def any_launcher(request, launcher):
    """Jails that are forked, and jails that are an interpreter of their own."""
    if request.param == "fork":
        yield launcher
        return
    with Launcher(fork=False) as piped:
        yield piped


@pytest.fixture
def jail(launcher):
    """Load cells in a jail of their own: `jail("x = 1", "y = x", check_seconds=1)`."""
    yield from _opening(launcher)


@pytest.fixture
def any_jail(any_launcher):
    """The same in both ways of starting a jail."""
    yield from _opening(any_launcher)


def _opening(launcher):
    opened = []

    def load(*cells, order="forward", imports=(), **limits):
        box = Sandbox(
            launcher, [dedent(cell) for cell in cells], Limits(**{"load_seconds": 4} | limits), imports
        )
        opened.append(box)
        box.load(order)
        return box

    yield load
    for box in opened:
        box.close()


def notes(box, *cells):
    """What the student is told about the loading of these cells."""
    blocks = [Block("mine.ipynb", i + 1, 1, cell) for i, cell in enumerate(cells)]
    return " ".join(load_notes(box, Sources(blocks)))


# --- Plain values


@pytest.mark.parametrize(
    "value",
    [
        "None", "True", "-3", "2.5", "'text'", "''", "[1, (2.5, 'three')]", "{1, 2}", "frozenset({3})",
        "{'a': [1], 2: None}", "nan", "-inf", str(10**30), "Ellipsis", "[[], (), {}]",
    ],
)  # fmt: skip
def test_plain_values_come_out_as_they_are(any_jail, value):
    """Numbers, text and containers are read by value."""
    box = any_jail(f"from math import inf, nan\nx = {value}")

    x = box.get("x")

    assert repr(x) == value


def test_containers_are_copies(jail):
    """What a check does with a list that it read stays with the check."""
    box = jail("x = [1, 2]")

    box.get("x").append(3)

    assert box.get("x") == [1, 2]


@pytest.mark.parametrize(("base", "value"), [("float", 0.5), ("int", 7), ("str", "seven")])
def test_a_number_that_agrees_to_everything_is_a_plain_number(jail, base, value):
    """A subclass of the student's leaves its methods in the jail."""
    box = jail(f"""
        class Yes({base}):
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __hash__(self): return 0
            def __float__(self): return 42.0
            def __int__(self): return 42
            def __str__(self): return "42"
        x = Yes({value!r})
    """)

    x = box.get("x")

    assert x == value
    assert x != 42


def test_a_container_of_a_class_of_its_own_is_walked_in_the_jail(jail):
    """Iteration, length, items and `in` of an object that stays there."""
    box = jail("""
        class Bag:
            def __init__(self, *items): self.items = items
            def __iter__(self): return iter(self.items)
            def __len__(self): return len(self.items)
            def __getitem__(self, key): return self.items[key]
        first = object()
        bag = Bag(first, 2.5, "text")
    """)

    bag, first = box.get("bag"), box.get("first")

    assert isinstance(bag, Proxy)
    assert list(bag) == [first, 2.5, "text"]
    assert len(bag) == 3
    assert bag[1] == 2.5
    assert first in bag
    assert "text" in bag
    assert "other" not in bag


def test_in_is_decided_by_the_grader(jail):
    """A `__contains__` or an `__eq__` of the student's has no say."""
    box = jail("""
        class Yes(list):
            def __contains__(self, item): return True
            def __eq__(self, other): return True
            __hash__ = None
        bag = Yes([Yes()])
    """)

    assert 5 not in box.get("bag")


@pytest.mark.parametrize(
    "items", ["range(3)", "(i for i in range(3))", "{0: 'a', 1: 'b', 2: 'c'}.keys()", "map(int, '012')"]
)
def test_what_can_be_iterated_is_iterated(jail, items):
    """Ranges, generators and views stay in the jail and give their items."""
    box = jail(f"items = {items}")

    assert list(box.get("items")) == [0, 1, 2]


def test_scalars_of_numpy_are_numbers(jail):
    """Where the manifest allows numpy, its scalars are read like any other number."""
    box = jail("import numpy as np\nx = np.float64(2.5)\nn = np.arange(3)[2]", imports=["numpy"])

    assert box.errors == {}
    assert (box.get("x"), box.get("n")) == (2.5, 2)


def test_arrays_of_numpy_without_a_dimension_are_numbers(jail):
    """Such an array is one number, as a result of somebody who works with arrays is; others stay objects."""
    box = jail("import numpy as np\nx = np.array(2.5)\nrow = np.array([2.5])", imports=["numpy"])

    assert box.errors == {}
    assert box.get("x") == 2.5
    assert isinstance(box.get("row"), Proxy)


def test_an_array_that_is_none_of_numpys_harms_nothing(jail):
    """A class that poses as numpy's array raises for itself alone."""
    source = """
import sys, types
class Array:
    @property
    def ndim(self): raise SystemExit("none")
x = Array()
y = 2.0
sys.modules["numpy"] = types.ModuleType("numpy")
sys.modules["numpy"].ndarray = Array
"""
    box = jail(source)

    with pytest.raises(StudentError):
        box.get("x")
    assert box.get("y") == 2.0


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("'x' * 100_000", "too long a text"),
        ("10 ** 5_000", "an integer of more than a thousand digits"),
        ("list(range(200_000))", "too large|too long"),
        ("list(range(30_000))", "too large|too long"),
        ("['x' * 50_000] * 30", "too large|too long"),
        ("functools.reduce(lambda inner, _: [inner], range(20), [])", "nested too deeply"),
        ("loop", "nested too deeply"),
    ],
)
def test_what_does_not_fit_says_so(jail, value, why):
    """A value beyond the caps is a value that could not be read; the jail goes on."""
    box = jail(f"import functools\nloop = []\nloop.append(loop)\nx = {value}\ny = 1")

    x = box.get("x")

    assert re.search(why, repr(x))
    assert box.get("y") == 1


# --- Objects of the student's


def test_a_class_is_called_and_its_instance_read_and_written(any_jail):
    """A class, its instance, its attributes and its methods are those in the jail."""
    box = any_jail(VALUE)

    a = box.get("Value")(2.0)
    a.data = 5.0
    b = a.twice()

    assert b.data == 10.0
    assert b.parent is a


def test_a_function_is_called_with_keywords(any_jail):
    """Positions, keywords, containers and the student's own objects go in as they are."""
    box = any_jail("""
        def told(*args, **keywords): return args, keywords
        thing = object()
    """)
    told, thing = box.get("told"), box.get("thing")

    args, keywords = told(1, [2.5, thing], deep={"k": (thing, None)}, flag=True)

    assert args == (1, [2.5, thing])
    assert keywords == {"deep": {"k": (thing, None)}, "flag": True}


def test_exceptions_and_modules_are_objects_too(jail):
    """An exception that is returned is an object; a module gives its names."""
    box = jail("import math\ndef give(): return ValueError('five', 5)")

    error = box.get("give")()

    assert label_of(error) == "give()"
    assert error.args == ("five", 5)
    assert box.get("math").pi == math.pi


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("a + 2", ("add", 2)), ("a - 2.5", ("sub", 2.5)), ("a * 2", ("mul", 2)), ("a / 2", ("truediv", 2)),
        ("a ** 2", ("pow", 2)), ("a @ 2", ("matmul", 2)), ("-a", "neg"),
        ("2 + a", ("radd", 2)), ("2.5 - a", ("rsub", 2.5)), ("2 * a", ("rmul", 2)), ("2 / a", ("rtruediv", 2)),
        ("2 ** a", ("rpow", 2)), ("2 @ a", ("rmatmul", 2)),
    ],
)  # fmt: skip
def test_operators_are_carried_out_in_the_jail(jail, expression, told):
    """Each operator reaches the method that Python would call, reflected ones too."""
    a = jail(TELLS).get("a")

    assert eval(expression, {"a": a}) == told


def test_an_object_beside_another_one(jail):
    """Between two of the student's objects the left one is asked, and gets the right one."""
    box = jail(TELLS, "b = Tells()")
    a, b = box.get("a"), box.get("b")

    name, other = a * b

    assert name == "mul"
    assert other is b


def test_not_implemented_is_left_to_python(jail):
    """What the student's class cannot add is a TypeError, as it would be there."""
    box = jail("class Plain: pass\nx = Plain()")

    with pytest.raises(TypeError, match="unsupported operand"):
        box.get("x") + 1


def test_a_refused_attribute_is_the_students_error(jail):
    """A property without a setter raises what it raises in the jail."""
    box = jail("class Fixed:\n    data = property(lambda self: 1)\nx = Fixed()")

    with pytest.raises(AttributeError):
        box.get("x").data = 2


@pytest.mark.parametrize("name", ["_label", "_handle", "_sandbox", "_apply", "_binary"])
def test_any_name_with_one_underscore_may_be_the_students(jail, name):
    """The proxy keeps nothing of its own under a name that a student could use."""
    box = jail(f"class Thing:\n    {name} = 'mine'\nx = Thing()")

    assert getattr(box.get("x"), name) == "mine"


# --- Identity, equality, hash, text


def test_one_object_is_one_proxy(any_jail):
    """`is` holds whichever way an object is reached."""
    box = any_jail(VALUE, "a = Value(1.0)\nb = Value(2.0, parent=a)\nall_ = [a, b]\nsame = {'a': a}")

    a = box.get("a")

    assert box.get("a") is a
    assert box.get("b").parent is a
    assert box.get("all_")[0] is a
    assert box.get("same")["a"] is a
    assert box.get("b") is not a


def test_comparison_and_hash_are_local(jail):
    """An object that equals everything in the jail equals only itself here."""
    box = jail("""
        class Yes:
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __hash__(self): return 0
            def __bool__(self): return False
        x, y = Yes(), Yes()
    """)
    x, y = box.get("x"), box.get("y")

    with box.muted():
        assert x == x  # noqa: PLR0124
        assert x != y
        assert x != 5
        assert x
        assert {x, y, x} == {y, x}
        assert {x: 1}[x] == 1


def test_text_is_local_and_bounded(jail):
    """While a failure is explained, nothing of the student's runs for a text of theirs; for `repr` never."""
    box = jail(
        f"""
        class {"V" * 5000}:
            def __repr__(self): raise RuntimeError("never asked")
            __str__ = __format__ = __repr__
        x = {"V" * 5000}()
        make = type(x)
        """
    )
    x = box.get("x")

    with box.muted():
        texts = [repr(x), str(x), f"{x}", repr([x])]

    assert texts == ["<x>", "x", "x", "[<x>]"]
    assert repr(x) == "<x>"
    assert len(repr(box.get("make")())) < 200


WRITTEN = """
class Box:
    def __init__(self, number): self.number = number
    def __repr__(self): return f"Box({self.number})"
    def __format__(self, spec): return f"[{self.number:{spec}}]"
"""


def test_str_and_format_are_the_students(jail):
    """The text of a student's object is asked of the object, not read off its label."""
    box = jail(WRITTEN).get("Box")(3)

    assert (str(box), f"{box:03}", format(box, "03"), f"{box!s}") == ("Box(3)", "[003]", "[003]", "Box(3)")
    assert f"{box}" == "[3]"


def test_a_class_without_a_text_of_its_own(jail):
    """Its text is Python's, which holds an address, and is never the expression that made it."""
    box = jail("class Box:\n    def __init__(self, number): pass").get("Box")(3)

    assert re.fullmatch(r"<.*Box object at 0x[0-9a-f]+>", str(box))
    assert str(box) == f"{box}"
    assert repr(box) != "Box(3)"


@pytest.mark.parametrize(
    ("gives", "error", "words"),
    [
        ("1 / 0", ZeroDivisionError, "division by zero"),
        ("5", TypeError, "__str__ returned non-string"),
        ("'x' * 70_000", TypeError, r"^str\(Box\(\)\) is a value that was not read: it is too long a text$"),
    ],
)
def test_a_text_that_cannot_be_read(jail, gives, error, words):
    """It raises: no label takes its place."""
    box = jail(f"class Box:\n    def __str__(self): return {gives}").get("Box")()

    with pytest.raises(error, match=words):
        str(box)


def test_a_deep_expression_has_a_bounded_text(jail):
    """The label of a long chain is cut."""
    x = jail(TERM).get("a")

    for _ in range(100):
        x = x + 1

    assert len(label_of(x)) <= 120


def test_dunder_lookups_never_reach_the_jail(jail):
    """What Python and pytest look up on their own is not there."""
    box = jail("class Greedy:\n    def __getattr__(self, name): return 42\nx = Greedy()")
    x = box.get("x")

    with box.muted():
        for name in ("__wrapped__", "__array__", "__name__", "__dict__", "__fspath__", "__iter_nothing__"):
            assert not hasattr(x, name)
    assert x.anything == 42


def test_hasattr_works(jail):
    """It asks for the attribute, as in the student's own notebook."""
    a = jail(VALUE).get("Value")(1.0)

    assert hasattr(a, "grad")
    assert not hasattr(a, "_backward")


def test_isinstance_against_the_students_classes(jail):
    """Instances, subclasses, other classes, and what is no object of the student's."""
    box = jail("class A: pass\nclass B(A): pass\nclass C: pass\nb = B()")
    a_class, b_class, c_class, b = (box.get(name) for name in ("A", "B", "C", "b"))

    assert isinstance(b, b_class)
    assert isinstance(b, a_class)
    assert not isinstance(b, c_class)
    assert not isinstance(2.5, a_class)
    assert isinstance(b, (c_class, a_class))


def test_isinstance_does_not_ask_the_class(jail):
    """A metaclass that says yes, and an object that lies about its class, are not believed."""
    box = jail("""
        class Meta(type):
            def __instancecheck__(cls, instance): return True
        class Yes(metaclass=Meta): pass
        class Liar:
            @property
            def __class__(self): return Yes
        x = Liar()
    """)

    assert not isinstance(box.get("x"), box.get("Yes"))


# --- Readings and labels


def test_numbers_remember_where_they_were_read(jail):
    """A float and an int are readings with a label; they count as plain numbers."""
    box = jail(VALUE)
    a = box.get("Value")(3)

    assert isinstance(a.grad, Reading)
    assert isinstance(a.grad, float)
    assert a.grad.label == "Value(3).grad"
    assert isinstance(a.data, int)
    assert a.data.label == "Value(3).data"
    assert a.data == 3.0


@pytest.mark.parametrize("value", ["True", "None", "'text'", "[1.5]"])
def test_what_is_no_number_is_no_reading(jail, value):
    """Truth values, None, text and containers are what they are."""
    assert not isinstance(jail(f"x = {value}").get("x"), Reading)


@pytest.mark.parametrize(
    "expression",
    [
        "a + b", "a + b + c", "a + (b + c)", "a - b - c", "a - (b - c)", "2 + a", "a + 2.5", "a - -2",
        "a * b + c", "a + b * c", "(a + b) * c", "a * (b + c)", "a / (b * c)", "a * b / c", "(a - b) / c",
        "a ** 2", "(a + b) ** 2", "2 ** a", "a ** (b + c)", "(a ** b) ** c", "(a * b) ** c",
        "-a", "-(a + b)", "-(a * b)", "-a * b", "(-a) ** 2", "(-2) ** a", "a * -b", "a @ b",
        "(a + b).data", "(-a).data", "a.tanh()", "(a + b).tanh()", "a.tanh().tanh() + 1",
        "a(b, 2, k=c + 1)", "(a + b)(c)", "a[0]", "a['x + y'] * b", "(a + b)[0]", "(a * b + c).tanh() ** 2",
    ],
)  # fmt: skip
def test_labels_read_as_the_expression(jail, expression):
    """What was computed is written as a student would write it, with the parentheses that it needs."""
    box = jail(TERM)
    value = eval(expression, {name: box.get(name) for name in "abc"})

    label = value.label if isinstance(value, Reading) else label_of(value)

    assert label == expression


def test_an_item_of_a_list_is_not_called_like_the_list(jail):
    """Each object in a list has a label of its own."""
    box = jail(VALUE, "def nodes(): return [Value(1.0), Value(2.0)]")

    first, second = box.get("nodes")()

    assert first.data.label == "nodes()[0].data"
    assert second.data.label == "nodes()[1].data"


def test_an_object_keeps_its_first_label(jail):
    """Reached in another way it is still called as it was first."""
    box = jail(VALUE)
    a = box.get("Value")(1.0)

    assert label_of(a.twice().parent) == "Value(1)"


# --- Exceptions


@pytest.mark.parametrize(
    ("code", "built_in", "text"),
    [
        ("1 + 'a'", TypeError, "TypeError: unsupported operand type(s) for +: 'int' and 'str'"),
        ("{}['a']", KeyError, "KeyError: 'a'"),
        ("None.data", AttributeError, "AttributeError: 'NoneType' object has no attribute 'data'"),
        ("1 / 0", ZeroDivisionError, "ZeroDivisionError: division by zero"),
        ("b'\\xff'.decode()", UnicodeDecodeError, "UnicodeDecodeError: 'utf-8' codec can't decode"),
        ("open('/nowhere')", OSError, "FileNotFoundError: [Errno 2]"),
        ("fail()", RecursionError, "RecursionError: maximum recursion depth exceeded"),
        ("nothing", NameError, "NameError: name 'nothing' is not defined"),
        ("assert False, 'no'", AssertionError, "AssertionError: no"),
        ("raise Own('mine')", ValueError, "Own: mine"),
        ("raise ExceptionGroup('several', [ValueError(1)])", Exception, "ExceptionGroup: several"),
    ],
)
def test_an_error_is_also_the_built_in_one(any_jail, code, built_in, text):
    """`pytest.raises(TypeError)` reads as usual; the text is the student's."""
    box = any_jail(f"class Own(ValueError): pass\ndef fail():\n    {code}")

    with pytest.raises(built_in) as caught:
        box.get("fail")()

    assert isinstance(caught.value, StudentError)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(3)",
        "raise KeyboardInterrupt",
        "raise StopIteration(1)",
        "raise GeneratorExit",
        "exit()",
    ],
)
def test_what_would_end_the_grader_is_data(any_jail, code):
    """An exit, an interrupt and the end of an iteration are errors of the student's like any other."""
    box = any_jail(f"import asyncio\ndef fail(): {code}")

    with pytest.raises(StudentError) as caught:
        box.get("fail")()

    assert not isinstance(caught.value, (SystemExit, KeyboardInterrupt, StopIteration, GeneratorExit))
    assert caught.value.type in {
        "SystemExit",
        "KeyboardInterrupt",
        "StopIteration",
        "GeneratorExit",
        "NameError",
    }


def test_every_built_in_exception_can_be_raised():
    """Whatever type an error names, it becomes an error that can be raised and told."""
    kinds = [
        name
        for name, kind in vars(__import__("builtins")).items()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    ]

    told = [str(raised(name, [name], "text", (), "")) for name in kinds]

    assert told == [f"{name}: text" for name in kinds]


def test_an_error_without_a_text_of_its_own(jail):
    """A `__str__` that fails, and one that is endless, leave an error with a short text."""
    box = jail("""
        class Bad(Exception):
            def __str__(self): raise RuntimeError
        class Long(Exception):
            def __str__(self): return "x" * 100_000
        def fail(kind): raise kind
    """)

    with pytest.raises(StudentError) as bad:
        box.get("fail")(box.get("Bad"))
    with pytest.raises(StudentError) as long:
        box.get("fail")(box.get("Long"))

    assert str(bad.value) == "Bad"
    assert len(long.value.text) == 2000


def test_frames_are_the_students_lines(jail):
    """Only lines of the submission are kept: not the jail's, not the standard library's."""
    box = jail(
        "x = 1",
        """
        from functools import reduce
        def inner(a, b):
            return a / b
        def outer():
            return reduce(inner, [1, 0])
        """,
    )

    with pytest.raises(ZeroDivisionError) as caught:
        box.get("outer")()

    assert [(f.block, f.line, f.function) for f in caught.value.frames] == [(1, 6, "outer"), (1, 4, "inner")]


def test_frames_of_a_recursion_are_few(jail):
    """The first and the last of a thousand lines."""
    box = jail("def down(n): return down(n + 1)\ndef start():\n    down(0)")

    with pytest.raises(RecursionError) as caught:
        box.get("start")()

    assert len(caught.value.frames) == 6
    assert caught.value.frames[0].function == "start"


def test_a_syntax_error_names_its_line(jail):
    """It has a place although nothing ran."""
    box = jail("x = 1", "y = 2\nz = = 3\n")

    error = box.errors[1]

    assert error.type == "SyntaxError"
    assert (error.frames[-1].block, error.frames[-1].line) == (1, 2)


def test_a_missing_name_is_told(jail):
    """The feedback can say where it is defined."""
    box = jail("def use(): return later", "later = 1\ndel later")

    with pytest.raises(NameError) as caught:
        box.get("use")()

    assert caught.value.missing_name == "later"
    assert box.defined_in("later") == [1]


# --- Loading


def test_every_load_is_fresh(any_jail):
    """What one test leaves in the module or in a class is gone for the next."""
    box = any_jail(
        "count = []\nclass Value:\n    made = 0\ndef use():\n    count.append(1)\n    Value.made += 1"
    )
    box.get("use")()
    box.get("Value").other = 5

    box.load()

    assert box.get("count") == []
    assert box.get("Value").made == 0
    assert not hasattr(box.get("Value"), "other")


def test_random_is_seeded_at_every_load(any_jail):
    """The same numbers for every test, and in every jail."""
    box = any_jail("import random\nx = random.random()\ndef more(): return random.random()")
    first = (box.get("x"), box.get("more")())

    box.load()

    assert (box.get("x"), box.get("more")()) == first
    assert first[0] == 0.8444218515250481  # random.seed(0)


def test_the_recursion_limit_is_restored(any_jail):
    """A limit that one test's load raised does not reach the next."""
    box = any_jail(
        "import sys\ndef limit(): return sys.getrecursionlimit()\ndef set_(n): sys.setrecursionlimit(n)"
    )
    usual = box.get("limit")()
    box.get("set_")(usual + 500)

    box.load()

    assert box.get("limit")() == usual


def test_output_is_captured(any_jail, capfd):
    """What cells print is counted and kept; nothing of it reaches the grader's own streams."""
    box = any_jail(
        """
        import os, sys
        print("hello")
        print("to stderr", file=sys.stderr)
        os.write(1, b"past Python")
        os.write(2, b"past Python")
        """
    )

    assert box.printed == (16, "hello\nto stderr\n")
    assert capfd.readouterr() == ("", "")


def test_nobody_types(any_jail):
    """`input()` ends at once."""
    box = any_jail("x = input('A number: ')")

    assert box.errors[0].type == "EOFError"


def test_a_raising_cell_does_not_stop_the_later_ones(any_jail):
    """Its error is kept, and what it bound before it raised."""
    box = any_jail("a = 1\nb = 1 / 0", "c = 3")

    assert (box.get("a"), box.get("c")) == (1, 3)
    assert {i: error.type for i, error in box.errors.items()} == {0: "ZeroDivisionError"}


def test_a_name_that_is_missing_because_of_an_error_carries_it(jail):
    """The cell that would have defined it is known."""
    box = jail("x = 1", "y = 1 / 0")

    with pytest.raises(Undefined) as caught:
        box.get("y")

    assert caught.value.cause is box.errors[1]


def test_a_name_that_nobody_defines_has_no_cause(jail):
    """Beside an error that has nothing to do with it."""
    box = jail("x = 1 / 0")

    with pytest.raises(Undefined, match="y is not defined") as caught:
        box.get("y")

    assert caught.value.cause is None


def test_future_flags_are_carried_from_cell_to_cell(any_jail):
    """As in a notebook: annotations stay text in the cells after the import."""
    box = any_jail(
        "from __future__ import annotations", "def f(x: Later) -> Later: return x\nclass Later: pass"
    )

    assert box.errors == {}
    assert box.get("f")(5) == 5


def test_a_class_that_is_defined_twice(jail):
    """The later definition counts; what was made in between keeps its own class."""
    box = jail(
        "class Value:\n    version = 1",
        "old = Value()",
        "class Value(Value):\n    version = 2",
        "new = Value()",
    )

    assert (box.get("old").version, box.get("new").version) == (1, 2)
    assert not isinstance(box.get("old"), box.get("Value"))


def test_main_is_skipped(any_jail):
    """What stands under `if __name__ == "__main__":` is for the student's own eyes."""
    box = any_jail('x = 1\nif __name__ == "__main__":\n    x = 2')

    assert box.get("x") == 1
    assert box.get("__name__") == "submission"


def test_a_slow_cell_is_run_once(jail):
    """Later loads take what it bound; the quick cell beside it is run again."""
    box = jail(
        "import time\ntime.sleep(0.51)\nslow = time.perf_counter_ns()",
        "import time\nquick = time.perf_counter_ns()",
    )
    slow, quick = box.get("slow"), box.get("quick")

    box.load()

    assert box.get("slow") == slow
    assert box.get("quick") > quick


def test_a_set_of_a_slow_cell_still_holds_its_elements(jail):
    """Its objects keep the hash that they had when they went into it, whatever order comes later."""
    box = jail(
        "import time\ntime.sleep(0.51)\nclass Node: pass\nnode = Node()\nseen = {Node(), node}",
        "def found(): return node in seen",
    )

    box.load("reverse")

    assert box.get("found")() is True


@pytest.mark.slow(after=1)
def test_an_endless_cell_is_paid_once(any_jail):
    """It is told by its limit and left out from then on; the later cells still run."""
    box = any_jail("while True: pass", "y = 1", load_seconds=1)

    box.load()

    assert box.get("y") == 1
    assert list(box.errors) == [0]
    assert str(box.errors[0]) == "executing the cells took longer than 1 s (load_seconds)"


# --- Limits


def test_a_check_runs_out_of_its_time(any_jail):
    """The limit is named; the next load has a new jail."""
    box = any_jail("import os\npid = os.getpid()\ndef spin():\n    while True: pass", check_seconds=0.2)
    pid = box.get("pid")

    with (
        pytest.raises(
            SubmissionStopped,
            check=past_a_limit,
            match=r"tests of this check took longer than 0.2 s \(check_seconds\)",
        ) as caught,
        box.budget("check_seconds", 0.2),
    ):
        box.get("spin")()

    assert caught.value.limit == "check_seconds"
    box.load()
    assert box.get("pid") != pid


def test_the_total_time_runs_out(jail):
    """No budget reaches beyond it, and no load begins after it."""
    box = jail("def spin():\n    while True: pass", total_seconds=0.3)

    with (
        pytest.raises(
            SubmissionStopped, check=past_a_limit, match=r"grading took longer than 0.3 s \(total_seconds\)"
        ),
        box.budget("check_seconds", 5),
    ):
        box.get("spin")()
    with pytest.raises(SubmissionStopped, check=past_a_limit) as caught:
        box.load()

    assert caught.value.limit == "total_seconds"


def test_the_total_time_runs_out_while_loading(jail):
    """Then there is no next round of loading."""
    with pytest.raises(SubmissionStopped, check=past_a_limit) as caught:
        jail("while True: pass", "y = 1", total_seconds=0.3)

    assert caught.value.limit == "total_seconds"


def test_the_limit_that_is_named_is_the_one_that_was_reached(launcher):
    """Where waiting for a load moves a check's deadline beyond the total time, that is named."""
    cell = "import time\ntime.sleep(0.2)\ndef spin():\n    while True: pass"
    limits = Limits(check_seconds=0.4, total_seconds=0.7)

    with contextlib.closing(Sandbox(launcher, [cell], limits)) as box, box.budget("check_seconds", 0.4):
        box.load()  # executes the cell twice
        spin = box.get("spin")
        with pytest.raises(SubmissionStopped, check=past_a_limit) as caught:
            spin()

    assert caught.value.limit == "total_seconds"


def test_the_processor_time_runs_out(launcher):
    """Threads that compute side by side use more of it than the clock shows; that is told."""
    process = launcher.open(Limits(total_seconds=0.5))  # one second of processor time
    patience = time.monotonic() + 20
    process.ask(
        {"op": "open", "blocks": ["while True: pass"], "imports": [], "site": [], "output": 0, "rule": ""},
        patience,
    )
    process.ask({"op": "begin", "order": "forward"}, patience)

    with pytest.raises(
        SubmissionStopped, check=past_a_limit, match="more than 1 s of processor time"
    ) as caught:
        process.ask({"op": "run", "block": 0}, patience)

    assert caught.value.limit == "total_seconds"


@pytest.mark.parametrize("greedy", ["bytearray(1 << 33)", "[bytearray(1 << 20) for _ in range(10_000)]"])
def test_the_memory_runs_out(jail, greedy):
    """An error like any other, at once or bit by bit; the limit is named, and the jail goes on."""
    cell = f"x = {greedy}"
    box = jail(cell, "y = 1", memory_mb=100)

    assert box.errors[0].type == "MemoryError"
    assert "100 MB of memory were asked for (memory_mb)" in notes(box, cell, "y = 1")
    assert box.get("y") == 1


@pytest.mark.parametrize(
    "cell",
    [
        "open('losses.txt', 'w')",
        "open('names.txt')",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1/names.txt')",
        "import subprocess; subprocess.run(['dot', '-Tsvg'])",
    ],
)
def test_what_is_closed_says_what_to_do(jail, cell):
    """An honest cell that needs a file, the network or a program: it belongs into a `demo` cell."""
    told = notes(jail(cell), cell)

    assert "tag the cell `demo` and grading leaves it out" in told


def test_memory_of_the_load_before_is_free_again(jail):
    """What one test's namespace held does not count against the next."""
    box = jail("table = 'x' * (150 << 20)", memory_mb=256)

    box.load()

    assert box.errors == {}
    assert "not read" in repr(box.get("table"))  # it is there, and too large to be sent


def test_streams_that_a_test_replaced_are_back(jail):
    """An honest `print` of the next load has somewhere to go."""
    box = jail("print(1)\nimport sys\ndef spoil(): sys.stdout = sys.stderr = sys.stdin = None\nprint(2)")
    box.get("spoil")()

    box.load()

    assert box.errors == {}


def test_a_name_from_a_cell_that_failed(jail):
    """It is not told to stand too late: its cell did not come so far."""
    cells = ["1 / 0\ndef helper(): pass", "helper()"]

    told = notes(jail(*cells), *cells)

    assert "cell 1, where `helper` is defined, did not come to the end" in told
    assert "from top to bottom" not in told


def test_too_much_is_printed(jail):
    """The first kilobytes are kept, all are counted, and the limit is named."""
    cell = "print('x' * 3000)"
    box = jail(cell, output_kb=1)

    assert box.printed == (3001, "x" * 1024)
    assert "only the first 1 kB were kept (output_kb)" in notes(box, cell)


@pytest.mark.parametrize("letter", ["x", "é", "😀"])
def test_as_much_may_be_printed_as_the_manifest_allows(jail, letter):
    """Two megabytes of output are two megabytes of output, not a broken message."""
    box = jail(f"print({letter!r} * 3_000_000)", output_kb=2048)

    assert box.printed[0] == 3_000_001
    assert box.printed[1].startswith(letter * 1000)


@pytest.mark.parametrize("way", DEATHS)
def test_a_cell_that_ends_its_process(any_jail, way):
    """The crash is its error; the later cells run in a new jail."""
    box = any_jail(DEATHS[way], "y = 1")

    assert isinstance(box.errors[0], SubmissionStopped)
    assert crashed(box.errors[0])
    assert box.get("y") == 1


@pytest.mark.parametrize("way", DEATHS)
def test_a_call_that_ends_its_process(any_jail, way):
    """The check gets the crash; the next load works in a new jail."""
    box = any_jail(f"import os\npid = os.getpid()\ndef fail():\n    {DEATHS[way]}")
    pid = box.get("pid")

    with pytest.raises(SubmissionStopped, check=crashed):
        box.get("fail")()

    with pytest.raises(SubmissionStopped, check=crashed, match="process has ended"):
        box.get("pid")
    box.load()
    assert box.get("pid") != pid


def test_a_crash_is_told_for_what_it_was(jail):
    """A process that ended itself, and one that crashed."""
    box = jail(DEATHS["exit"], DEATHS["segmentation fault"])

    assert str(box.errors[0]) == "the submission ended its own Python process"
    assert "crashed; this is usually a recursion without an end" in str(box.errors[1])


# --- Imports


@pytest.mark.parametrize(
    "cell",
    [
        "import nowhere", "import nowhere.a.b", "import nowhere.a.b as c", "from nowhere import a, b as c",
        "from nowhere.a import b", "from nowhere import *", "import nowhere, math",
    ],
)  # fmt: skip
def test_an_import_that_is_not_there_costs_nothing(any_jail, cell):
    """The module is a placeholder, in every form of the statement."""
    box = any_jail(cell + "\nx = 1")

    assert box.errors == {}
    assert box.get("x") == 1


@pytest.mark.parametrize(
    "use",
    [
        "a.zeros(3)", "a.nn.Linear", "b.c.d", "b()", "thing(3)", "isinstance(1, thing)", "thing[0]", "thing + 1",
        "list(thing)",
    ],
)  # fmt: skip
def test_using_a_placeholder_says_so(jail, use):
    """The error names the module and what to do, wherever it comes up."""
    box = jail("import nowhere as a, nowhere.b as b\nfrom nowhere import thing", f"def use(): return {use}")

    with pytest.raises(
        ModuleNotFoundError,
        match=r"nowhere[\w.]* is not available while grading; use it in a cell tagged `verify` or `demo`",
    ):
        box.get("use")()


def test_what_is_allowed_and_not_installed_says_so(jail):
    """The manifest allows it: a tag is no remedy for the student, an installation is one."""
    box = jail("import nowhere as a\ndef use(): return a.zeros(3)", imports=["nowhere"])

    with pytest.raises(
        ModuleNotFoundError, match="nowhere is not installed where this is graded; install it beside `grade`"
    ):
        box.get("use")()


def test_a_class_that_inherits_from_a_placeholder_says_so(jail):
    """`class Net(Module)` is a use like any other."""
    box = jail("from nowhere.nn import Module\nclass Net(Module):\n    pass")

    assert "is not available while grading" in str(box.errors[0])


@pytest.mark.parametrize(
    "module",
    [
        "asyncio",
        "ctypes",
        "dataclasses",
        "email.message",
        "http.server",
        "mailbox",
        "pathlib",
        "sqlite3",
        "typing",
        "zipfile",
    ],
)
def test_the_standard_library_is_there(any_jail, module):
    """Its classes are built as they are everywhere."""
    box = any_jail(f"import {module}\nfrom itertools import chain\nx = list(chain([1], [2]))")

    assert box.errors == {}
    assert box.get("x") == [1, 2]


def test_only_what_is_allowed_is_there(jail):
    """Another package of the grader's is not, in whatever way it is imported."""
    box = jail("import importlib\ndef use(): return importlib.import_module('msgspec')", imports=["numpy"])

    with pytest.raises(ModuleNotFoundError):
        box.get("use")()


# --- Kinds of classes


CLASSES = {
    "dataclass": ("@dataclass\nclass P:\n    x: int = 0\n    y: list = field(default_factory=list)", "P(1) == P(1, [])", True),
    "frozen dataclass": ("@dataclass(frozen=True)\nclass P:\n    x: int", "len({P(1), P(1), P(2)})", 2),
    "ordered dataclass": ("@dataclass(order=True)\nclass P:\n    x: int", "P(1) < P(2)", True),
    "dataclass with slots": ("@dataclass(slots=True)\nclass P:\n    x: int", "P(4).x", 4),
    "dataclass by identity": ("@dataclass(eq=False)\nclass P:\n    x: int", "len({P(1), P(1)})", 2),
    "Enum": ("class Op(Enum):\n    ADD = '+'\n    MUL = '*'", "Op('*') is Op.MUL and len({Op.ADD, Op.MUL})", 2),
    "IntEnum": ("class Op(enum.IntEnum):\n    ADD = 1", "Op.ADD + 1", 2),
    "Flag": ("class F(enum.Flag):\n    A = enum.auto()\n    B = enum.auto()", "(F.A | F.B).value", 3),
    "NamedTuple": ("class P(NamedTuple):\n    x: int\n    y: int = 2", "P(1)._asdict()", {"x": 1, "y": 2}),
    "TypedDict": ("class P(typing.TypedDict):\n    x: int", "P(x=1)", {"x": 1}),
    "ABC": ("class A(ABC):\n    @abstractmethod\n    def f(self): ...\nclass B(A):\n    def f(self): return 5", "B().f()", 5),
    "Generic": ("T = TypeVar('T')\nclass Box(Generic[T]):\n    def __init__(self, x): self.x = x", "Box[int](3).x", 3),
    "Protocol": ("@typing.runtime_checkable\nclass P(typing.Protocol):\n    def f(self): ...\nclass A:\n    def f(self): pass", "isinstance(A(), P)", True),
    "slots": ("class A:\n    __slots__ = ('x',)\n    def __init__(self): self.x = 6", "A().x", 6),
    "slots are kept": ("class A:\n    __slots__ = ()", "hasattr(A(), '__dict__')", False),
    "slots twice": ("class A:\n    __slots__ = ('x',)\nclass B(A):\n    __slots__ = ('y',)", "hasattr(B(), '__dict__')", False),
    "slots beside a plain class": ("class A:\n    __slots__ = ('x',)\nclass B: pass\nclass C(A, B): pass", "len({C(), C()})", 2),
    "metaclass": ("class M(type):\n    def __call__(cls, *a): return super().__call__(*a), 7\nclass A(metaclass=M): pass", "A()[1]", 7),
    "metaclass in a set": ("class M(type): pass\nclass A(metaclass=M): pass", "len({A(), A()})", 2),
    "class keywords": ("class A:\n    def __init_subclass__(cls, n=0): cls.n = n\nclass B(A, n=8): pass", "B.n", 8),
    "super": ("class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return super().f() + 1", "B().f()", 2),
    "no bases of its own": ("class A: pass", "A.__bases__ == (object,) or A.__mro__[-1] is object", True),
    "weak reference": ("import weakref\nclass A: pass\na = A()", "weakref.ref(a)() is a", True),
    "copy": ("import copy\nclass A: pass\na = A()\na.x = [1]\n{a}", "copy.deepcopy(a).x == [1] and copy.copy(a) is not a", True),
    "pickle": ("import pickle\nclass A: pass\na = A()\na.x = 9", "pickle.loads(pickle.dumps(a)).x", 9),
    "state of a copy": ("import copy\nclass A:\n    def __setstate__(self, state): self.__dict__.update(state)\na = A()\na.x = 9\n{a}", "copy.copy(a).x", 9),
    "mixin beside float": ("class M: pass\nclass A(M, float): pass", "A(2.5)", 2.5),
    "mixin beside list": ("class M: pass\nclass A(M, list): pass", "len(A([1, 2]))", 2),
    "mixin beside tuple": ("class M: pass\nclass A(M, tuple): pass", "len(A([1, 2]))", 2),
    "mixin beside an exception": ("class M: pass\nclass A(M, Exception): pass", "str(A('x'))", "x"),
    "mixin beside an int in an Enum": ("class M: pass\nclass A(M, int, Enum):\n    X = 3", "A.X + 0", 3),
    "an answer to every name": ("class A:\n    def __getattr__(self, name): return 0.5", "len({A(), A()})", 2),
    "no answer to any name": ("class A:\n    def __getattribute__(self, name): raise ValueError(name)", "len({A(), A()})", 2),
    "an own error for a missing name": ("class A:\n    def __getattr__(self, name): raise KeyError(name)", "len({A(), A()})", 2),
    "no attribute may be set": ("class A:\n    def __setattr__(self, name, value): raise ValueError(name)", "len({A(), A()})", 2),
}  # fmt: skip


@pytest.mark.parametrize("kind", CLASSES)
def test_every_kind_of_class_works(jail, kind):
    """The order of sets is fixed behind the student's back: no class may notice."""
    source, expression, expected = CLASSES[kind]
    box = jail(
        "import enum, typing\nfrom abc import ABC, abstractmethod\nfrom dataclasses import dataclass, field\n"
        "from enum import Enum\nfrom typing import Generic, NamedTuple, TypeVar",
        source,
        f"answer = {expression}",
    )

    assert box.errors == {}
    assert box.get("answer") == expected


def test_an_abstract_class_cannot_be_made(jail):
    """As everywhere."""
    box = jail(
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def f(self): ..."
    )

    with pytest.raises(TypeError, match="abstract"):
        box.get("A")()


# --- The order of sets


@pytest.mark.parametrize("number", [2, 3, 4])
def test_small_sets_have_two_opposite_orders(any_jail, number):
    """The order of making, and its reverse; the same in every run and every jail."""
    box = any_jail(NODES)
    forward = box.get("some")(number)

    box.load("reverse")
    reverse = box.get("some")(number)
    box.load("forward")

    assert forward == list(range(number))
    assert reverse == forward[::-1]
    assert box.get("some")(number) == forward


@pytest.mark.parametrize("order", ["forward", "reverse", "permuted"])
def test_every_order_is_the_same_in_every_jail(jail, order):
    """Large sets too, and sets of text."""
    cells = (NODES, "words = list({'alpha', 'beta', 'gamma', 'delta'})")

    first, second = jail(*cells, order=order), jail(*cells, order=order)

    assert first.get("some")(50) == second.get("some")(50)
    assert first.get("words") == second.get("words")


@pytest.mark.parametrize("order", ["forward", "reverse", "permuted"])
def test_no_two_objects_share_a_hash(jail, order):
    """Nothing collides that would not collide anyway, and nothing is lost."""
    box = jail("class Node: pass\nnodes = [Node() for _ in range(1000)]", order=order)
    box2 = jail("class Node: pass\nhashes = len({hash(Node()) for _ in range(1000)})", order=order)

    assert len(box.get("nodes")) == 1000
    assert box2.get("hashes") == 1000


def test_a_third_order_is_another_one(jail):
    """For most sets of three it is neither of the two."""
    box = jail(NODES, order="permuted")

    orders = [tuple(box.get("some")(3)) for _ in range(20)]

    assert any(order not in {(0, 1, 2), (2, 1, 0)} for order in orders)


def test_the_index_begins_again_at_every_load(any_jail):
    """What one test hashed does not shift the order of the next."""
    box = any_jail("class Node: pass\ndef first(): return hash(Node())")
    first = [box.get("first")() for _ in range(3)]

    box.load()

    assert [box.get("first")() for _ in range(3)] == first


@pytest.mark.parametrize(
    "base", ["", "(Parent)", "(ABC)", "(Generic[T])", "(Exception)", "(metaclass=Meta)", "(Slotted)"]
)
def test_the_order_holds_whatever_the_class_inherits(jail, base):
    """A base with a slot, or a table beside where that cannot be."""
    source = f"""
        from abc import ABC
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Parent: pass
        class Meta(type): pass
        class Slotted:
            __slots__ = ("x",)
        class Node{base}: pass
        nodes = [Node() for _ in range(4)]
        order = [nodes.index(node) for node in set(nodes)]
    """

    forward, reverse = jail(source), jail(source, order="reverse")

    assert forward.get("order") == [0, 1, 2, 3]
    assert reverse.get("order") == [3, 2, 1, 0]


def test_a_class_with_a_hash_of_its_own_is_left_alone(any_jail):
    """By value or by a constant: it is the student's."""
    box = any_jail("""
        class Own:
            def __hash__(self): return 42
        class Child(Own): pass
        hashes = hash(Own()), hash(Child())
    """)

    assert box.get("hashes") == (42, 42)


@pytest.mark.parametrize("base", ["", "(ABC)", "(Generic[T])", "(Parent)"])
@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("@dataclass", "no hash"),
        ("@dataclass(frozen=True)", "by value"),
        ("@dataclass(unsafe_hash=True)", "by value"),
    ],
)
def test_a_dataclass_hashes_as_it_does_everywhere(jail, decorator, expected, base):
    """With eq it is unhashable, frozen it hashes by value, whatever it inherits."""
    box = jail(f"""
        from abc import ABC
        from dataclasses import dataclass
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Parent: pass
        {decorator}
        class Point{base}:
            x: int
        try:
            found = "by value" if hash(Point(1)) == hash(Point(1)) else "by identity"
        except TypeError:
            found = "no hash"
    """)

    assert box.errors == {}
    assert box.get("found") == expected


def test_a_class_with_eq_alone_stays_unhashable(jail):
    """Python's own rule."""
    box = jail("class A:\n    def __eq__(self, other): return True\na = A()\nnone = A.__hash__ is None")

    assert box.get("none") is True


# --- Helpers of the checks, and what a test leaves


def test_a_check_may_bring_code_of_its_own(any_jail):
    """It runs in the jail, beside the submission and not in its namespace."""
    box = any_jail("x = 1")

    twice = box.helper("import math\ndef twice(n): return 2 * n", "twice")

    assert twice(4) == 8
    with pytest.raises(Undefined):
        box.get("twice")


def test_what_a_test_learnt_is_recorded(jail):
    """Every value that was read, in order, and the error at the end."""
    box = jail(VALUE, "def fail(): return 1 / 0")
    a = box.get("Value")(2.0)
    assert a.data == 2.0
    with pytest.raises(ZeroDivisionError):
        box.get("fail")()

    labels = [event.label for event in box.record.events]

    assert labels == ["Value(2)", "Value(2).data", "fail()"]
    assert box.record.events[1].value == 2.0
    assert box.record.events[2].value.type == "ZeroDivisionError"


def test_a_load_empties_the_record(jail):
    """The next test begins with nothing."""
    box = jail(VALUE)
    assert box.get("Value")(2.0).data == 2.0

    box.load()

    assert box.record.events == []


def test_peek_reads_every_instance_that_was_met(jail):
    """In the order of meeting; what cannot be read is something that could not be read."""
    box = jail(VALUE, "class Bare:\n    data = property(lambda self: 1 / 0)")
    a = box.get("Value")(2.0)
    a.twice()
    box.get("Bare")()

    rows = box.peek(["data", "grad"])

    assert [row["data"] for row in rows[:2]] == [2.0, 4.0]
    assert [row["grad"] for row in rows[:2]] == [0.0, 0.0]
    assert "it cannot be read" in repr(rows[2])


def test_nothing_is_asked_while_muted(jail):
    """Whoever explains a failure does not ask the jail."""
    box = jail(VALUE)
    a = box.get("Value")(2.0)

    with box.muted(), pytest.raises(TypeError, match="not asked while a failure is explained"):
        a.data  # noqa: B018
    assert a.data == 2.0


# --- The wall


CLOSED = {
    "read a file of the system": "open('/etc/passwd').read()",
    "list a folder of the system": "os.listdir('/etc')",
    "read the tests of the grader": f"open({__file__!r}).read()",
    "list the home folder": f"os.listdir({str(Path.home())!r})",
    "read the environment of its parent": "open(f'/proc/{os.getppid()}/environ', 'rb').read()",
    "read its own memory map": "open('/proc/self/maps').read()",
    "write a file": "open(TARGET, 'w')",
    "make a folder": "os.mkdir(TARGET)",
    "write into shared memory": "open('/dev/shm/backgrade-test', 'w')",
    "open a socket": "socket.socket()",
    "open a socket of the machine": "socket.socket(socket.AF_UNIX)",
    "open two sockets": "socket.socketpair()",
    "start a program": "subprocess.run(['/bin/true'])",
    "become a program": "os.execv('/bin/true', ['true'])",
    "start a process": "os.fork()",
    "kill its parent": "os.kill(os.getppid(), 9)",
    "kill the grader": f"os.kill({os.getpid()}, 9)",
    "raise its own limits": "resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))",
}  # fmt: skip


def test_a_length_that_no_memory_holds(jail):
    """It is told; nothing is allocated for it here."""
    box = jail("class Endless:\n    def __len__(self): return 2**62\nx = Endless()")

    with pytest.raises(TypeError, match="more items than a check goes through"):
        len(box.get("x"))


@pytest.mark.parametrize("x", ["iter(range(20_000))", "iter(int, 1)", "itertools.count()"])
def test_more_items_than_can_be_read(jail, x):
    """Going through them says so: an iterator without an end costs no memory."""
    box = jail(f"import itertools\nx = {x}")

    with pytest.raises(AssertionError, match=r"^x has more than 8,192 items or no end; no more are read\.$"):
        list(box.get("x"))


def test_more_items_of_a_known_number_than_can_be_read(jail):
    """They would not fit into an answer."""
    box = jail("x = range(20_000)")

    with pytest.raises(TypeError, match="a value that was not read: it is too long"):
        list(box.get("x"))


def test_the_first_items_of_what_has_no_end(jail):
    """A check may go through as many of them as it needs, each once and in their order."""
    box = jail(
        """
        def naturals():
            number = 0
            while True:
                yield number
                number += 1

        class Naturals:
            def __iter__(self): return naturals()
        """
    )

    assert list(zip("abc", box.get("naturals")(), strict=False)) == [("a", 0), ("b", 1), ("c", 2)]
    assert list(itertools.islice(box.get("Naturals")(), 1000)) == list(range(1000))
    assert 300 in box.get("naturals")()


def test_a_generator_goes_on_where_it_stood(jail):
    """Items that were read are not read again."""
    items = jail("items = (i for i in range(100))").get("items")

    assert list(items) == list(range(100))
    assert list(items) == []


def test_an_iteration_that_raises(jail):
    """The error is the student's, and comes after the items before it."""
    items = iter(jail("items = (1 / (70 - i) for i in range(100))").get("items"))

    assert len(list(itertools.islice(items, 64))) == 64
    with pytest.raises(ZeroDivisionError):
        next(items)


def test_an_int_beyond_every_float_is_shown_and_sent(jail):
    """A check may compute with it; what comes back is not compared with a float."""
    box = jail("n = 10**300\ndef same(x): return x")

    assert box.get("same")(box.get("n") ** 2).why == "a huge integer"


@pytest.mark.parametrize("deed", CLOSED)
def test_the_jail_is_closed(jail, tmp_path, deed):
    """It is refused, nothing of it is left, and the next request is answered."""
    target = tmp_path / "target"
    code = CLOSED[deed].replace("TARGET", repr(str(target)))
    box = jail(f"import os, resource, socket, subprocess\ny = 1\ndef attempt(): return {code}")

    with pytest.raises((OSError, ValueError)) as caught:
        box.get("attempt")()

    assert caught.value.type in {"PermissionError", "ValueError"}
    assert box.get("y") == 1
    assert not target.exists()


def test_the_jail_knows_nothing_of_who_started_it(jail):
    """Neutral environment and folder, no module of the grader's, and no descriptor but its own."""
    box = jail("""
        import os, sys
        environment = sorted(os.environ)
        folder = os.getcwd()
        modules = [name for name in sys.modules if name.startswith(("grader", "landlock", "pyseccomp", "msgspec"))]
        def is_open(fd):
            try:
                os.fstat(fd)
            except OSError:
                return False
            return True
        descriptors = [fd for fd in range(256) if is_open(fd)]
    """)

    assert set(box.get("environment")) <= {"PYTHONHASHSEED", "LC_CTYPE"}
    assert box.get("folder") == "/"
    assert box.get("modules") == []
    assert box.get("descriptors") == [0, 1, 2, 3]


def test_the_jails_arguments_are_neutral(jail):
    """They do not tell where the course or the grader is installed."""
    box = jail("import sys\narguments = ' '.join([*sys.argv, *sys.orig_argv[1:], *sys.path])")

    arguments = box.get("arguments")

    assert str(Path(__file__).parents[2]) not in arguments
    assert "site-packages" not in arguments


# --- The end


def running(pid):
    """Whether there is still a process of that number, be it dead and not yet collected."""
    return Path(f"/proc/{pid}").exists()


def test_closing_a_sandbox_ends_its_jail(any_jail):
    """At once, whatever it was doing."""
    box = any_jail("import os\npid = os.getpid()")
    pid = box.get("pid")
    assert running(pid)

    box.close()

    assert not running(pid)


def test_a_jail_that_was_closed_takes_nothing_from_the_next(any_launcher):
    """Many jails one after another: each gets all of its answers."""
    for number in range(20):
        box = Sandbox(any_launcher, [f"x = {number}"], Limits(load_seconds=2))
        box.load()
        assert box.get("x") == number
        box.close()


@pytest.mark.parametrize("fork", [True, False], ids=["fork", "pipe"])
def test_closing_the_launcher_leaves_no_process(fork):
    """The launcher, and every jail of it that is still open."""
    before = set(_children())
    with Launcher(fork=fork) as launcher:
        boxes = [Sandbox(launcher, ["import os\npid = os.getpid()"], Limits()) for _ in range(2)]
        for box in boxes:
            box.load()
        pids = [box.get("pid") for box in boxes]

    left = [pid for pid in pids if running(pid)]
    children = set(_children()) - before
    for box in boxes:
        with contextlib.suppress(OSError):
            box.close()  # lets go of the sockets

    assert left == []
    assert children == set()


def _children():
    return Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text(encoding="ascii").split()


def test_nothing_outlives_a_grader_that_is_killed():
    """A jail in an endless loop ends with the grader that asked it."""
    source = "import os\npid = os.getpid()\ndef spin():\n    while True: pass"
    code = f"""if True:
        from grader.manifest import Limits
        from grader.sandbox import Launcher, Sandbox
        box = Sandbox(Launcher(), [{source!r}], Limits())
        box.load()
        print(box.get("pid"), flush=True)
        box.get("spin")()
    """
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as grader:
        pid = int(grader.stdout.readline())
        assert running(pid)
        os.kill(grader.pid, signal.SIGKILL)

    deadline = time.monotonic() + 10
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)

    assert not running(pid)


def test_a_sandbox_may_be_closed_after_its_launcher():
    """Its jail has ended already; closing it again is nothing."""
    with Launcher() as launcher:
        box = Sandbox(launcher, ["x = 1"], Limits())
        box.load()

    box.close()

    with pytest.raises(SubmissionStopped, check=crashed, match="process has ended"):
        box.get("x")


def test_a_jail_that_died_before_it_was_asked_says_why(launcher):
    """What it said last is read, though nothing can be sent to it any more: no submission's fault."""
    assert launcher.in_force  # it is up
    ours, theirs = socket.socketpair()
    theirs.sendall(wire.pack({"n": 0, "e": "OSError: seccomp was refused"}))
    theirs.close()
    process = Process(SocketStream(ours), launcher, 0, Limits())

    with pytest.raises(SandboxUnavailable, match="could not be closed: OSError: seccomp was refused"):
        process.ask({"op": "names", "by_line": []}, time.monotonic() + 20)


def test_a_launcher_that_has_died_is_the_graders_fault():
    """Its jails end with it; that is not told as a crash of the submission."""
    with Launcher() as launcher:
        box = Sandbox(launcher, ["import os\nlauncher = os.getppid()"], Limits())
        box.load()
        os.kill(box.get("launcher"), signal.SIGKILL)

        with pytest.raises(SandboxUnavailable):
            _load_until_it_fails(box)


def _load_until_it_fails(box):
    """A signal takes a moment to arrive."""
    while True:
        box.load()


def test_a_closed_launcher_starts_no_jail():
    """That is the grader's fault, and is told as such."""
    with Launcher() as launcher:
        assert "rlimits" in launcher.in_force

    with pytest.raises(SandboxUnavailable, match="the launcher of jails is gone"):
        launcher.open(Limits())


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system binds nothing to a core")
def test_grader_and_jail_share_a_core_until_the_end():
    """They only ever wait for each other; afterwards the thread has all of its cores again."""
    found = []

    def one_jail():
        everything = os.sched_getaffinity(0)
        with Launcher() as launcher:
            box = Sandbox(launcher, ["x = 1"], Limits())
            box.load()
            found.append(os.sched_getaffinity(0))
            box.close()
        found.append(os.sched_getaffinity(0) == everything)

    thread = threading.Thread(target=one_jail)
    thread.start()
    thread.join()

    assert [len(found[0]), found[1]] == [1, True]
