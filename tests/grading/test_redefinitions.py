"""What is told of a name that got a second meaning, and only where that is so."""

import pytest

CHECK = """
    \"\"\"A box.\"\"\"

    def test_box(student):
        \"\"\"The double of a box that holds 2 holds 4, and a box prints itself.\"\"\"
        box = student.Box(2)
        assert box.double() == 4
        assert student.half(8) == 4
"""
RIGHT = """
class Box:
    def __init__(self, data):
        self.data = data
    def double(self):
        return 2 * self.data
    def triple(self):
        return 3 * self.data

def half(x):
    return x / 2
"""
AGAIN = "\n# %%\nclass Box:\n    def __init__(self, data):\n        self.data = data\n"
TOLD = {
    "a class that lost methods": (
        AGAIN,
        "`Box` is defined in mine.py, line 2 and again in mine.py, line 14; the last definition counts. "
        "The last one has no `double` and `triple`, but the first one had.",
    ),
    "a class that got one of them back": (
        AGAIN.replace("class Box", "def triple(self): return 3 * self.data\nclass Box")
        + "Box.triple = triple\n",
        "The last one has no `double`, but the first one had.",
    ),
    "a function with another value": (
        "\ndef half(x):\n    return x\n",
        "`half` is defined in mine.py, line 10 and again in mine.py, line 13; the last definition counts.",
    ),
    "a value over a function": (
        "\nhalf = half(8)\n",
        "`half` is a function, defined in mine.py, line 10. `half = half(8)` in mine.py, line 13 sets that name "
        "and hides it.",
    ),
    "an instance over a class": (
        "\nBox = Box(2)\n",
        "`Box` is a class, defined in mine.py, line 2. `Box = Box(2)` in mine.py, line 13 sets that name and hides it.",
    ),
    "a value over a function, called by the student's own code": (
        "\nclass Other(Box):\n    def double(self):\n        return half(self.data)\nBox = Other\nhalf = 3\n",
        "`half` is a function, defined in mine.py, line 10. `half = 3` in mine.py, line 17 sets that name and hides it.",
    ),
}
TOLD |= {
    "a method that is called where it is stored": (
        "\ndef double(self):\n    return 2 * self.data\nBox.double = double(Box(2))\n",
        "`Box.double = double(Box(2))` calls the function and stores what it returns. Without parentheses it stores the "
        "function.",
    ),
    "a value over a function of Python": (
        "\nmax = 10\nBox.double = lambda self: max(2, 2 * self.data)\n",
        "`max` is a function of Python. `max = 10` in mine.py, line 13 sets that name and hides it.",
    ),
}
SILENT = {  # still wrong
    "a property and what it keeps": """
class Odd(Box):
    @property
    def double(self):
        return self.kept
    @double.setter
    def double(self, new):
        self.kept = new
    def __init__(self, data):
        self.double = lambda: 0
Box = Odd
""",
    "a class that goes on with the other": "\nclass Box(Box):\n    def double(self):\n        return 0\n",
    "definitions below an if": "\nif True:\n    def half(x):\n        return 0\n",
    "a setter": "\nBox.double = lambda self: 0\n",
    "a name of the function's own": """
def count():
    return 1
count = 3
def twice(count):
    return count()
Box.double = lambda self: twice(3)
""",
}


@pytest.fixture
def message_of(make, report_on):
    """Grade the right source with something added; the message of its only check."""

    def message_of(more):
        (check,) = report_on(make({"box": CHECK}), RIGHT + more).checks
        return check.message

    return message_of


@pytest.mark.parametrize(("more", "told"), TOLD.values(), ids=[*TOLD])
def test_a_second_meaning_is_told(message_of, more, told):
    """Both places, and what got lost or hides the other."""
    assert told in message_of(more)


@pytest.mark.parametrize("more", SILENT.values(), ids=[*SILENT])
def test_one_meaning_is_silent(message_of, more):
    """A class made from itself, a choice, and a local name are no second definitions."""
    message = message_of(more)

    assert "again" not in message
    assert "hides" not in message


@pytest.mark.parametrize(
    ("within", "told"),
    [
        (
            "    def double(self):\n        return self.data\n",
            "`Box.double` is defined in mine.py, line 5 and again in mine.py, line 9; the last definition counts.",
        ),
        (
            "    @property\n    def size(self): return 0\n    @size.setter\n    def size(self, new): pass\n",
            "",
        ),
    ],
    ids=["a method", "a property and its setter"],
)
def test_a_method_that_is_defined_twice(make, report_on, within, told):
    """In one class the later counts; a property has a getter and a setter of one name."""
    source = RIGHT.replace("\ndef half", f"{within}\ndef half").replace("return x / 2", "return x")

    (check,) = report_on(make({"box": CHECK}), source).checks

    assert ("again" in check.message) == bool(told)
    assert told in check.message


def test_an_attribute_over_a_method(make, report_on):
    """The object has an attribute of the method's name: calling it fails, and both lines are told."""
    source = RIGHT.replace("self.data = data", "self.data = data\n        self.double = 2 * data")

    (check,) = report_on(make({"box": CHECK}), source).checks

    assert (
        "`Box.double` is a method, defined in mine.py, line 6. `self.double = 2 * data` in mine.py, line 5 sets an "
        "attribute with that name and hides it." in check.message
    )


def test_a_hidden_test_tells_nothing_of_it(make, report_on):
    """What a hidden test called stays hidden."""
    (check,) = report_on(make(hidden={"box": CHECK}), f"{RIGHT}\nhalf = half(8)\n").checks

    assert check.message == "A hidden test of this check does not pass."


@pytest.mark.parametrize(
    ("body", "is_told"), [("self.data *= 2", True), ("pass", False), ("return None", False)]
)
def test_a_method_that_each_object_hides(make, report_on, body, is_told):
    """Nothing fails to be called: the object's own function is. One that does nothing is there to be hidden."""
    check = """
        \"\"\"A box.\"\"\"

        def test_box(student):
            \"\"\"Doubling a box that holds 2 makes 4 of it.\"\"\"
            box = student.Box(2)
            box.double()
            assert box.data == 4
    """
    source = f"""
        class Box:
            def __init__(self, data):
                self.data = data
                self.double = lambda: None
            def double(self):
                {body}
    """

    (found,) = report_on(make({"box": check}), source).checks

    told = "`self.double = lambda: None` in mine.py, line 5 sets an attribute with that name" in found.message
    assert told is is_told
