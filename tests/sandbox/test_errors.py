"""Exceptions of student code arrive as data, and as errors of the built-in type."""

import pytest

from grader.sandbox import (
    StudentError,
)
from grader.sandbox.errors import error_of


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
def test_an_error_is_also_the_built_in_one(jail, code, built_in, text):
    """`pytest.raises(TypeError)` works as usual, and the text is the student's."""
    box = jail(f"class Own(ValueError): pass\ndef fail():\n    {code}")

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
def test_what_would_end_the_grader_is_data(jail, code):
    """An exit, an interrupt and the end of an iteration are errors of the student's like any other."""
    box = jail(f"import asyncio\ndef fail(): {code}")

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
    """An error of any built-in type can be raised and shown."""
    kinds = [
        name
        for name, kind in vars(__import__("builtins")).items()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    ]

    rows = [{"type": name, "bases": [name], "text": "text", "name": "", "frames": []} for name in kinds]
    told = [str(error_of(row)) for row in rows]

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
    """Only the first and the last of a thousand lines are kept."""
    box = jail("def down(n): return down(n + 1)\ndef start():\n    down(0)")

    with pytest.raises(RecursionError) as caught:
        box.get("start")()

    assert len(caught.value.frames) == 6
    assert caught.value.frames[0].function == "start"


def test_a_syntax_error_names_its_line(jail):
    """It has a block and a line although nothing ran."""
    box = jail("x = 1", "y = 2\nz = = 3\n")

    error = box.errors[1]

    assert error.type == "SyntaxError"
    assert (error.frames[-1].block, error.frames[-1].line) == (1, 2)


def test_a_missing_name_is_told(jail):
    """The error has the missing name, so the feedback can say where it is defined."""
    box = jail("def use(): return later", "later = 1\ndel later")

    with pytest.raises(NameError) as caught:
        box.get("use")()

    assert caught.value.missing_name == "later"
    assert box.defined_in("later") == [1]
