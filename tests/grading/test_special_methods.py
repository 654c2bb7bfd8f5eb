"""Special methods that Python asks for and does not find: what is told of them."""

import re

import pytest
from helpers import COURSE, reference

from grader.grading.special_methods import missing_method
from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox, StudentError
from grader.submissions.submission import Block, Sources
from grader.submissions.work import Work


@pytest.fixture
def message_of(session):
    """Grade a day's reference with one text instead of another; the message of a check."""

    def message_of(day, check, old, new):
        report = session(COURSE, day).grade(Work("mine.py", data=reference(day).replace(old, new).encode()))
        return next(one.message for one in report.checks if one.id == check)

    return message_of


@pytest.mark.parametrize("method", ["add", "init"])
def test_too_few_underscores(message_of, method):
    """Python finds no method for the operator; the student's is there under a name that Python does not ask for."""
    message = message_of("day2", "add_rule", f"def __{method}__(self", f"def _{method}_(self")

    number = reference("day2")[: reference("day2").index(f"def __{method}__(self")].count("\n") + 1
    assert "TypeError" in message
    assert message.endswith(
        f"There is a method `_{method}_` in mine.py, line {number}: if you meant that one, rename it `__{method}__`."
    )


@pytest.mark.parametrize("method", ["__neg__", "__rsub__"])
def test_a_method_that_is_missing(message_of, method):
    """Python's own error says which operator failed, and not which method it looked for."""
    line = next(line for line in reference("day1").split("\n") if line.startswith(f"Value.{method} = "))

    message = message_of("day1", "subtract", line, "")

    assert "TypeError" in message
    assert message.endswith(f"`Value` has no method `{method}`, which Python needs here.")


def test_a_function_that_no_line_makes_a_method(message_of):
    """The object lacks an attribute, and the function of that name stands beside the class."""
    message = message_of("day2", "tanh_neuron", "Value.tanh = tanh", "")

    assert re.search(r"no attribute 'tanh'\. `tanh` in mine\.py, line \d+ is outside the class", message)


def test_a_function_whose_cell_did_not_run_stands_where_it_belongs(message_of):
    """The error of its cell is the cause."""
    message = message_of("day2", "tanh_neuron", "math.tanh(self.data)", "math.tanh(self.data")

    assert message == "AttributeError: 'Value' object has no attribute 'tanh'."


@pytest.mark.parametrize(
    ("indent", "where"),
    [
        ("        ", "inside `__repr__`: check its indentation"),
        ("", "outside the class: indent it, or store it there"),
    ],
)
def test_a_method_with_a_wrong_indent(message_of, indent, where):
    """It belongs to the function above it, or to nothing."""
    source = reference("day1")
    method = source[source.index("    def __add__(") : source.index("    def __mul__(")]
    moved = "".join(
        f"{indent}{line[4:]}" if line.strip() else line for line in method.splitlines(keepends=True)
    )
    rest = source[source.index("    def __mul__(") : source.index("# %%", source.index("    def __mul__("))]
    old, new = (method, moved) if indent else (f"{method}{rest}", f"{rest.rstrip()}\n\n\n{moved}\n")

    message = message_of("day1", "add", old, new)

    assert message.endswith(f" is {where}.")


@pytest.mark.ci
def test_a_closure_of_that_name_is_no_method_with_a_wrong_indent(message_of, snapshot):
    """It takes no argument: `_backward` belongs inside of `__add__`."""
    old = "self._backward = lambda: None"

    assert message_of("day4", "backward", old, "self.backward_ = lambda: None") == snapshot


@pytest.mark.parametrize(
    ("above", "told"),
    [
        (
            "class Box:\n    size = 1\n    def __eq__(self, other): return True\n",
            " `Box` has an `__eq__` in mine.py, line 3 but no `__hash__`, so its objects cannot be in a set. Without that "
            "`__eq__`, each object is equal only to itself.",
        ),
        (
            "import dataclasses\n@dataclasses.dataclass\nclass Box:\n    size = 1\n",
            " `@dataclass` in mine.py, line 2 gives `Box` an `__eq__` that compares the fields but no `__hash__`, so its "
            "objects cannot be in a set. `@dataclass(eq=False)` keeps both as Python has them.",
        ),
        ("class Box:\n    __hash__ = None\n", ""),
        ("Box = 3\n", ""),
    ],
    ids=["its own", "a dataclass", "something else", "no class"],
)
def test_a_hash_that_was_lost(launcher, above, told):
    """An `__eq__` takes it away, and a dataclass writes one that nobody sees."""
    sandbox = Sandbox(launcher, [above], Limits())
    sandbox.load()
    error = StudentError("TypeError", "unhashable type: 'Box'", ())

    found = missing_method(error, sandbox, Sources([Block("mine.py", None, 1, above)]))
    sandbox.close()

    assert found == told


def test_nothing_is_asked_of_a_jail_that_has_ended():
    """The sentence about a near name is left out, and the message is told without it."""
    source = "class Value:\n    def _add__(self, other): pass\n"
    with Launcher() as launcher:
        sandbox = Sandbox(launcher, [source], Limits())
        sandbox.load()
        error = StudentError("TypeError", "unsupported operand type(s) for +: 'Value' and 'int'", ())
        sources = Sources([Block("cell 1", None, 1, source)])
        assert "rename it `__add__`" in missing_method(error, sandbox, sources)
        sandbox.close()
        assert missing_method(error, sandbox, sources) == ""
