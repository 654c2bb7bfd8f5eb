"""Values, objects and numbers come out of the jail as plain data, proxies and readings."""

import math
import re

import pytest
from sandbox.cells import TERM, VALUE

from grader.sandbox import (
    Proxy,
    Reading,
    StudentError,
)
from grader.sandbox.proxy import label_of

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


def test_containers_are_copies(jail):
    """A check that changes a list that it read does not change the student's list."""
    box = jail("x = [1, 2]")

    box.get("x").append(3)

    assert box.get("x") == [1, 2]


@pytest.mark.parametrize(("base", "value"), [("float", 0.5), ("int", 7), ("str", "seven")])
def test_a_number_that_agrees_to_everything_is_a_plain_number(jail, base, value):
    """The methods of a student's subclass stay in the jail."""
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


def test_a_number_that_keeps_more_and_has_its_own_plus_is_an_object(jail):
    """A node may be derived from float; one without attributes, or with Python's own +, is a number."""
    box = jail("""
        class Node(float):
            def __add__(self, other): return Node(float(self) + other)
        class Tagged(float): pass
        bare, node, tagged = Node(2.5), Node(2.5), Tagged(2.5)
        node.grad = tagged.unit = 1.0
    """)

    assert (box.get("bare"), box.get("tagged"), box.get("node").grad) == (2.5, 2.5, 1.0)
    assert isinstance(box.get("node") + 1, Reading)
    assert isinstance(box.get("node"), Proxy)


def test_scalars_of_numpy_are_numbers(jail):
    """Scalars of numpy are read like any other number."""
    source = "import numpy as np\nx = np.float64(2.5)\nn = np.arange(3)[2]\nlong = np.longdouble(2.5)"
    box = jail(source, imports=["numpy"])

    assert box.errors == {}
    assert (box.get("x"), box.get("n"), box.get("long")) == (2.5, 2, 2.5)


@pytest.mark.parametrize("made", ["np.float32(0.1)", "np.array(0.1, np.float32)", "[np.float32(0.1)]"])
def test_single_precision_is_judged_as_such(jail, made):
    """`approx` allows for the rounding of float32, in any container, and for nothing more."""
    x = jail(f"import numpy as np\nx = {made}", imports=["numpy"]).get("x")
    one = x[0] if isinstance(x, list) else x

    assert one == pytest.approx(0.1000005)
    assert one != pytest.approx(0.10001)
    assert one != 0.1


def test_single_precision_has_the_infinite_numbers_too(jail):
    """They are what they are in double precision, and no rounding leads to them."""
    box = jail(
        "import numpy as np\nx = [np.float32('inf'), np.float32('nan'), np.float32(3)]", imports=["numpy"]
    )

    inf, nan, three = box.get("x")

    assert inf == math.inf
    assert math.isnan(nan)
    assert three != pytest.approx(math.inf)
    assert three != pytest.approx(math.nan)


def test_arrays_of_numpy_without_a_dimension_are_numbers(jail):
    """Such an array is read as one number; other arrays stay objects."""
    box = jail("import numpy as np\nx = np.array(2.5)\nrow = np.array([2.5])", imports=["numpy"])

    assert box.errors == {}
    assert box.get("x") == 2.5
    assert isinstance(box.get("row"), Proxy)


def test_an_array_that_is_none_of_numpys_harms_nothing(jail):
    """A class that pretends to be numpy's array fails alone; other names can still be read."""
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
    """A value beyond the caps arrives as one that was not read, with the reason; the jail goes on."""
    box = jail(f"import functools\nloop = []\nloop.append(loop)\nx = {value}\ny = 1")

    x = box.get("x")

    assert re.search(why, repr(x))
    assert box.get("y") == 1


def test_a_class_is_called_and_its_instance_read_and_written(any_jail):
    """A class is called, and its instance's attributes and methods are used, in the jail."""
    box = any_jail(VALUE)

    a = box.get("Value")(2.0)
    a.data = 5.0
    b = a.twice()

    assert b.data == 10.0
    assert b.parent is a


def test_a_function_is_called_with_keywords(any_jail):
    """Positional and keyword arguments, containers and the student's own objects arrive unchanged."""
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


OPERATORS = {
    "a + 2": ("add", 2), "a - 2.5": ("sub", 2.5), "a * 2": ("mul", 2), "a / 2": ("truediv", 2),
    "a ** 2": ("pow", 2), "a @ 2": ("matmul", 2), "-a": "neg", "2 + a": ("radd", 2),
    "2.5 - a": ("rsub", 2.5), "2 * a": ("rmul", 2), "2 / a": ("rtruediv", 2), "2 ** a": ("rpow", 2),
    "2 @ a": ("rmatmul", 2),
}  # fmt: skip


def test_operators_are_carried_out_in_the_jail(jail):
    """Each operator reaches the method that Python would call, reflected ones too."""
    a = jail(TELLS).get("a")

    assert {expression: eval(expression, {"a": a}) for expression in OPERATORS} == OPERATORS


def test_an_object_beside_another_one(jail):
    """An operator between two objects calls the method of the left one, with the right one."""
    box = jail(TELLS, "b = Tells()")
    a, b = box.get("a"), box.get("b")

    name, other = a * b

    assert name == "mul"
    assert other is b


def test_not_implemented_is_left_to_python(jail):
    """An operator that the class does not support raises TypeError."""
    box = jail("class Plain: pass\nx = Plain()")

    with pytest.raises(TypeError, match="unsupported operand"):
        box.get("x") + 1


def test_a_refused_attribute_is_the_students_error(jail):
    """A property without a setter raises the same error as in the jail."""
    box = jail("class Fixed:\n    data = property(lambda self: 1)\nx = Fixed()")

    with pytest.raises(AttributeError):
        box.get("x").data = 2


@pytest.mark.parametrize("name", ["_label", "_handle", "_sandbox", "_apply", "_binary"])
def test_any_name_with_one_underscore_may_be_the_students(jail, name):
    """The proxy's own attributes do not hide a name that a student could use."""
    box = jail(f"class Thing:\n    {name} = 'mine'\nx = Thing()")

    assert getattr(box.get("x"), name) == "mine"


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
    """Booleans, None, text and containers get no label."""
    assert not isinstance(jail(f"x = {value}").get("x"), Reading)


EXPRESSIONS = [
    "a + b", "a + b + c", "a + (b + c)", "a - b - c", "a - (b - c)", "2 + a", "a + 2.5", "a - -2",
    "a * b + c", "a + b * c", "(a + b) * c", "a * (b + c)", "a / (b * c)", "a * b / c", "(a - b) / c",
    "a ** 2", "(a + b) ** 2", "2 ** a", "a ** (b + c)", "(a ** b) ** c", "(a * b) ** c",
    "-a", "-(a + b)", "-(a * b)", "-a * b", "(-a) ** 2", "(-2) ** a", "a * -b", "a @ b",
    "(a + b).data", "(-a).data", "a.tanh()", "(a + b).tanh()", "a.tanh().tanh() + 1",
    "a(b, 2, k=c + 1)", "(a + b)(c)", "a[0]", "a['x + y'] * b", "(a + b)[0]", "(a * b + c).tanh() ** 2",
]  # fmt: skip


def test_labels_read_as_the_expression(jail):
    """The label is the expression as a student would write it, with the necessary parentheses."""
    box = jail(TERM)
    names = {name: box.get(name) for name in "abc"}

    values = [eval(expression, names) for expression in EXPRESSIONS]

    assert [v.label if isinstance(v, Reading) else label_of(v) for v in values] == EXPRESSIONS


def test_an_item_of_a_list_is_not_called_like_the_list(jail):
    """Each object in a list has a label of its own."""
    box = jail(VALUE, "def nodes(): return [Value(1.0), Value(2.0)]")

    first, second = box.get("nodes")()

    assert first.data.label == "nodes()[0].data"
    assert second.data.label == "nodes()[1].data"


def test_an_object_keeps_its_first_label(jail):
    """An object that is reached in another way keeps its label."""
    box = jail(VALUE)
    a = box.get("Value")(1.0)

    assert label_of(a.twice().parent) == "Value(1)"


def test_an_int_beyond_every_float_is_shown_and_sent(jail):
    """A check may compute with it; what comes back is not compared with a float."""
    box = jail("n = 10**300\ndef same(x): return x")

    assert box.get("same")(box.get("n") ** 2).why == "a huge integer"
