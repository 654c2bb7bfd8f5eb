"""A live namespace answers as a jail does, and is left as it was."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from grader.autograd.topic import AutogradStudent
from grader.manifest import Limits
from grader.sandbox import Sandbox, StudentError
from grader.sandbox.live import Live
from grader.sandbox.proxy import box_of

SOURCE = """
class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
    def __add__(self, other):
        print("adding", self)
        return Value(self.data + other.data)

def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)

def wrong():
    return Value(1) + 2

def leave(error):
    raise {"exit": SystemExit, "interrupt": KeyboardInterrupt}[error]

own = Value(3.0)
answer = {"a": [1, 2]}
"""


@pytest.fixture
def names() -> dict[str, Any]:
    """Return the names of a student's kernel."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(SOURCE, "<stdin>", "exec"), namespace)
    return namespace


@pytest.fixture
def live(names: dict[str, Any]) -> Live:
    """Return the namespace as a launcher; every line of `<stdin>` is the student's."""
    return Live(names, lambda file: file == "<stdin>")


@pytest.fixture
def student(live: Live) -> Any:
    """Yield the object `student` of a check."""
    box = Sandbox(live, [], Limits())
    yield AutogradStudent(box)
    box.close()


def test_expressions_are_computed_on_the_real_objects(student: Any) -> None:
    """Proxies, readings and labels are those of a graded submission."""
    a, b = student.leaves(a=2.0, b=0.5)
    total = a + b
    assert total.data == 2.5
    assert total.data.label == "(a + b).data"
    assert student.answer == {"a": [1, 2]}


def test_nothing_looks_at_what_a_kernel_shares(student: Any) -> None:
    """Its profiler is its user's."""
    (a,) = student.leaves(a=2.0)
    box = box_of(a)

    box.request({"op": "look"})
    assert sys.getprofile() is None
    assert box.read_shared([]) == {}


def test_what_a_check_sets_is_put_back(student: Any, names: dict[str, Any]) -> None:
    """Attributes are restored, also new ones, and those of objects that were reached through others."""
    student.own.grad = 5.0
    student.own.grad = 6.0
    student.own.mark = 1
    assert student.own.grad == 6.0
    student._sandbox.close()
    assert vars(names["own"]) == {"data": 3.0, "grad": 0.0}


def test_answers_are_read_and_never_changed(student: Any, names: dict[str, Any]) -> None:
    """A check that changes a container changes a copy."""
    student.answer["a"].append(3)
    assert names["answer"] == {"a": [1, 2]}


def test_what_is_printed_is_nobodys_to_read(student: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """The student's prints are dropped, and the streams are restored."""
    before = sys.stdout, sys.stderr
    a, b = student.leaves(a=1.0, b=2.0)
    assert (a + b).data == 3.0
    assert (sys.stdout, sys.stderr) == before
    assert capsys.readouterr().out == ""


def test_recursion_may_go_as_deep_as_in_a_jail(student: Any) -> None:
    """The frames of a notebook and of pytest do not count, and the limit is restored."""
    limit = sys.getrecursionlimit()
    assert student.deep(limit - 50) == limit - 50
    with pytest.raises(RecursionError):
        student.deep(limit + 50)
    assert sys.getrecursionlimit() == limit


def test_an_error_has_the_students_own_frames(student: Any, live: Live) -> None:
    """Errors have the student's frames, by file and line, and none of the grader's."""
    with pytest.raises(AttributeError) as caught:
        student.wrong()
    error = caught.value
    assert isinstance(error, StudentError)
    assert live.files == ["<stdin>"]
    assert [(frame.block, frame.line, frame.function) for frame in error.frames] == [
        (0, 13, "wrong"),
        (0, 7, "Value.__add__"),
    ]


def test_an_exit_is_data_and_an_interrupt_is_not(student: Any) -> None:
    """Ctrl-C is not caught; SystemExit is an error of the student's."""
    with pytest.raises(StudentError, match="SystemExit"):
        student.leave("exit")
    with pytest.raises(KeyboardInterrupt):
        student.leave("interrupt")
