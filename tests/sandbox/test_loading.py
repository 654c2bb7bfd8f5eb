"""Loading: every test gets a fresh submission; failed cells; imports."""

import pytest

from grader.sandbox import (
    Undefined,
)


def test_every_load_is_fresh(any_jail):
    """Changes that one test makes to the module or to a class are gone for the next."""
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
    """The output of cells is counted and kept, and does not reach the grader's own streams."""
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
    """`input()` raises EOFError at once."""
    box = any_jail("x = input('A number: ')")

    assert box.errors[0].type == "EOFError"


def test_a_raising_cell_does_not_stop_the_later_ones(any_jail):
    """Its error is kept, and so are the names that it bound before."""
    box = any_jail("a = 1\nb = 1 / 0", "c = 3")

    assert (box.get("a"), box.get("c")) == (1, 3)
    assert {i: error.type for i, error in box.errors.items()} == {0: "ZeroDivisionError"}


def test_a_name_that_is_missing_because_of_an_error_carries_it(jail):
    """The exception has the error of the cell that would have defined the name."""
    box = jail("x = 1", "y = 1 / 0")

    with pytest.raises(Undefined) as caught:
        box.get("y")

    assert caught.value.cause is box.errors[1]


def test_a_name_that_nobody_defines_has_no_cause(jail):
    """An error of another cell is not its cause."""
    box = jail("x = 1 / 0")

    with pytest.raises(Undefined, match="y is not defined") as caught:
        box.get("y")

    assert caught.value.cause is None


def test_future_flags_are_carried_from_cell_to_cell(any_jail):
    """Annotations stay text in the cells after the import, as in a notebook."""
    box = any_jail(
        "from __future__ import annotations", "def f(x: Later) -> Later: return x\nclass Later: pass"
    )

    assert box.errors == {}
    assert box.get("f")(5) == 5


def test_a_class_that_is_defined_twice(jail):
    """The later definition counts; objects that were made before keep the earlier class."""
    box = jail(
        "class Value:\n    version = 1",
        "old = Value()",
        "class Value(Value):\n    version = 2",
        "new = Value()",
    )

    assert (box.get("old").version, box.get("new").version) == (1, 2)
    assert not isinstance(box.get("old"), box.get("Value"))


def test_main_is_skipped(any_jail):
    """Code under `if __name__ == "__main__":` is not run."""
    box = any_jail('x = 1\nif __name__ == "__main__":\n    x = 2')

    assert box.get("x") == 1
    assert box.get("__name__") == "submission"


def test_an_endless_cell_is_paid_once(any_jail, snapshot):
    """Its error names the limit, later loads leave it out, and the other cells still run."""
    box = any_jail("while True: pass", "y = 1", load_seconds=1.5)

    box.load()

    assert box.get("y") == 1
    assert list(box.errors) == [0]
    assert str(box.errors[0]) == snapshot


def test_streams_that_a_test_replaced_are_back(jail):
    """A cell of the next load can print again."""
    box = jail("print(1)\nimport sys\ndef spoil(): sys.stdout = sys.stderr = sys.stdin = None\nprint(2)")
    box.get("spoil")()

    box.load()

    assert box.errors == {}


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        # The second cell defines it in time; the first one stands too far up, whatever the second does later.
        (["print(y)", "y = 3\n1 / 0"], "`y` is defined only in cell 2; cells run from top to bottom."),
        # In that order the second cell would still stop before its definition.
        (["print(y)", "1 / 0\ny = 3"], ""),
        (["print(y)", "def f(:\ny = 3"], ""),
        # It stood above, and was not reached.
        (["if 0:\n    y = 3", "print(y)"], ""),
        (["y = 3\ndel y", "print(y)"], ""),
        (["print(y)\ny = 3"], "`y` is defined only below that line."),
        (["y = 1\ndel y\nprint(y)\n"], ""),
        (["1 / 0\ny = 3", "print(y)"], "`y` is defined in cell 1, which stopped with an error; look there first."),
        (
            ["1 / 0\ndef helper(): pass", "helper()"],
            "`helper` is defined in cell 1, which stopped with an error; look there first.",
        ),
        (["def f(): return y", "f()", "y = 3"], "`y` is defined only in cell 3; cells run from top to bottom."),
        (
            ["class Value:\n    def f(self, x: Value): pass"],
            "`Value` is not defined before its class body ends. In an annotation, put the whole type in quotes.",
        ),
        (
            ["class Value:\n    zero = Value"],
            "`Value` is not defined before its class body ends. In an annotation, put the whole type in quotes.",
        ),
    ],
)  # fmt: skip
def test_the_order_of_cells_is_a_cause_only_where_another_would_help(jail, notes, cells, told):
    """A note names another cell if that one defines the name, and would have defined it."""
    (note,) = [note for note in notes(jail(*cells), *cells).split("  ->  ") if "NameError" in note]

    assert note.partition(" is not defined.")[2].strip() == told


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("from nowhere import ones\nones(3)", "So tag the cell `demo`, if no check needs it. Grading skips such cells."),
        ("import nowhere\nnowhere.ones(3)", "So tag the cell `demo`, if no check needs it. Grading skips such cells."),
        ("from nowhere import Value\nValue(2)", "Grading does not read other files: define `Value` in this one."),
        ("import nowhere\nnowhere.Value(2)", "Grading does not read other files: define `Value` in this one."),
        ("from nowhere import helper\ndef f():\n    helper()\nf()", "So move that part into its own cell and tag that cell "
         "`demo`, if no check needs it. Grading skips such cells."),
    ],
)  # fmt: skip
def test_the_remedy_for_a_module_helps(jail, notes, cell, told):
    """Where checks ask for a name, a tag on the cell would take it away."""
    box = jail(cell)
    box.asked.update({"Value", "f"})

    assert told in notes(box, cell)


@pytest.mark.parametrize(
    "cell",
    [
        "import nowhere", "import nowhere.a.b", "import nowhere.a.b as c", "from nowhere import a, b as c",
        "from nowhere.a import b", "from nowhere import *", "import nowhere, math",
    ],
)  # fmt: skip
def test_an_import_that_is_not_there_costs_nothing(jail, cell):
    """The module is a placeholder, in every form of the statement."""
    box = jail(cell + "\nx = 1")

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
    """The error names the module and the remedy, for every kind of use."""
    box = jail("import nowhere as a, nowhere.b as b\nfrom nowhere import thing", f"def use(): return {use}")

    with pytest.raises(
        ModuleNotFoundError,
        match=r"nowhere[\w.]* is not available while grading$",
    ):
        box.get("use")()


def test_what_is_allowed_and_not_installed_says_so(jail):
    """The manifest allows it, so the remedy is an installation and not a tag."""
    box = jail("import nowhere as a\ndef use(): return a.zeros(3)", imports=["nowhere"])

    with pytest.raises(
        ModuleNotFoundError,
        match="nowhere is not installed where this is graded; install it in the environment of `grade`",
    ):
        box.get("use")()


def test_a_class_that_inherits_from_a_placeholder_says_so(jail, snapshot):
    """`class Net(Module)` is a use like any other."""
    box = jail("from nowhere.nn import Module\nclass Net(Module):\n    pass")

    assert str(box.errors[0]) == snapshot


LIBRARY = "asyncio ctypes dataclasses email.message http.server mailbox pathlib sqlite3 typing zipfile"


def test_the_standard_library_is_there(any_jail):
    """Modules of the standard library can be imported and used."""
    imports = [f"import {module}" for module in LIBRARY.split()]
    box = any_jail(*imports, "from itertools import chain\nx = list(chain([1], [2]))")

    assert box.errors == {}
    assert box.get("x") == [1, 2]


def test_only_what_is_allowed_is_there(jail):
    """`importlib` does not find a package of the grader's that the manifest does not allow."""
    box = jail("import importlib\ndef use(): return importlib.import_module('msgspec')", imports=["numpy"])

    with pytest.raises(ModuleNotFoundError):
        box.get("use")()
