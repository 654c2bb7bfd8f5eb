"""`grade validate` about tests that prove nothing, and about solutions beside the markers: file, line and remedy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from minicourse import FILES, change, put
from validating import (
    HIDDEN_DOUBLE,
    MANIFEST,
    MISTAKES,
    SEEN_BOX,
    SEEN_DOUBLE,
    SOURCE,
    STUB,
    expect,
    problems,
    regenerate,
)

from grader.assignment import Course
from grader.authoring.file_rules import file_rules
from grader.authoring.loopholes import loopholes
from grader.authoring.validation import validate_check
from grader.authoring.workers import ProcessPool

HEAD = '"""Doubling: twice the number."""\n\nimport pytest\n\n\n'
TEST = 'def test_three(student):\n    """Twice 3 is 6."""\n    assert student.double(3) == 6\n'

# --- Lines of a check file

FAULTS = {
    "a name that pytest does not know": (
        'def tset_four(student):\n    """Four."""\n    assert student.double(2) == 4\n',
        6,
        "`tset_four` never runs, because nothing calls it, and pytest takes only `test_...`",
    ),
    "and with parameters": (
        '@pytest.mark.parametrize("x", [1, 2])\ndef check_all(student, x):\n    assert student.double(x) == 2 * x\n',
        7,
        "`check_all` never runs",
    ),
    "in another function": (
        "def test_outer(student):\n    def test_inner():\n        assert student.double(2) == 4\n\n    assert student.double(1) == 2\n",
        7,
        "`test_inner` never runs, because nothing calls it",
    ),
    "in a class of another name": (
        "class Doubling:\n    def test_two(self, student):\n        assert student.double(1) == 2\n",
        7,
        "pytest takes only `test_...` at the left margin or in a class `Test...` without `__init__`; rename it, move it",
    ),
    "in a class that pytest cannot make": (
        "class TestTwo:\n    def __init__(self):\n        self.x = 1\n\n    def test_two(self, student):\n        assert student.double(self.x) == 2\n",
        10,
        "`test_two` never runs",
    ),
    "a name in a class": (
        "class TestTwo:\n    def test_two(self, student):\n        assert student.double(1) == 2\n\n    def tets_one(self, student):\n        pass\n",
        10,
        "`tets_one` never runs, because nothing calls it",
    ),
    "a name twice": (
        "def test_four(student):\n    assert student.double(2) == 4\n\n\ndef test_four(student):\n    assert student.double(4) == 8\n",
        6,
        "`test_four` never runs, because line 10 defines the same name; rename one of the two",
    ),
    "a pair": ("def test_two(student):\n    assert (student.double(1) == 3, 'two')\n", 7, "asserts a pair"),
    "or": ("def test_two(student):\n    assert student.double(1) == 3 or 4\n", 7, "on each side of `or`"),
    "a constant": (
        "def test_two(student):\n    assert 'double'\n",
        7,
        "this is always true; write a whole comparison",
    ),
    "not None alone": (
        'def test_two(student):\n    """Two."""\n    x = student.double(1)\n    assert x is not None\n',
        6,
        "test_two asserts only what the value is not; compare",
    ),
    "no assert": (
        "def test_two(student):\n    student.double(1) == 3\n",
        7,
        "asserts nothing; write `assert`",
    ),
    "any error": (
        "def test_error(student):\n    with pytest.raises(Exception):\n        student.double(None)\n",
        7,
        "any error passes this",
    ),
    "a loop through nothing": (
        "def test_many(student):\n    for i in range(0):\n        assert student.double(i) == 3\n",
        7,
        "its lines never run",
    ),
    "not None, without a docstring": (
        "def test_two(student):\n    assert student.double(1) is not None\n",
        6,
        "test_two asserts only what the value is not; compare",
    ),
    "a loop from a number to itself": (
        "def test_many(student):\n    for i in range(2, 2):\n        assert student.double(i) == 3\n",
        7,
        "its lines never run",
    ),
    "all of nothing": (
        "def test_many(student):\n    assert all(student.double(i) == 3 for i in ())\n",
        7,
        "its lines never run",
    ),
    "no values": (
        "@pytest.mark.parametrize('x', [])\ndef test_many(student, x):\n    assert student.double(x) == 3\n",
        6,
        "the test never runs, because it has no values",
    ),
    "a mark": (
        "@pytest.mark.skip\ndef test_many(student):\n    assert student.double(1) == 3\n",
        6,
        "with this mark the test judges nothing",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_line_that_judges_nothing(case: str) -> None:
    """One problem, with its line and the remedy, beside a test that is sound."""
    more, line, problem = FAULTS[case]
    ((found, told),) = loopholes(HEAD + more + "\n\n" + TEST)
    assert found == line
    assert problem in told


SOUND = '''\
"""Doubling."""

import io

import pytest
from pytest import approx, raises


def twice(x):
    return 2 * x


@pytest.fixture(autouse=True)
def nothing():
    return None


def setup_function():
    pass


class Written(io.StringIO):
    def close(self):
        pass


class TestMore:
    def test_two(self, student):
        assert student.double(2) == twice(2)


@pytest.mark.parametrize("x", [0, 1])
def test_each(student, x):
    def doubled():
        return student.double(x)

    for i in range(1):
        assert doubled() == approx(2 * x) or i
    with raises(TypeError):
        student.double(None)
    with raises(Exception, match="number"):
        student.double("a")
    assert student.double(3), "nothing"
    with raises(TypeError):
        student.double(None) == 3
    for i in range(1, 3):
        assert student.double(i) == 2 * i
    if x > 5:
        assert False, "this x is not meant"


CASES = []


@CASES.append
def kept(student):
    assert student.double(1) == 2


def test_another(student):
    """double() gives a list of its own."""
    given = [1]
    assert student.double(given) is not given
'''


def test_what_is_no_loophole() -> None:
    """Helpers, fixtures, overridden methods, errors by name, and a message after the comma."""
    assert list(loopholes(SOUND)) == []


def test_as_an_author_reads_it(mini: Path, snapshot) -> None:
    """With the file, as `grade validate --check` says it too."""
    path = mini / SEEN_DOUBLE
    path.write_text(path.read_text() + "\n\n" + FAULTS["a name that pytest does not know"][0])
    regenerate(mini)
    found = problems(mini)
    assert found == snapshot
    with ProcessPool() as workers:
        assert validate_check(Course(mini).assignment("mini"), "double", workers) == found


@pytest.mark.parametrize(
    "place", ["assignments/mini/checks/tests_double.py", "assignments/mini/checks/more/test_more.py",
              "assignments/mini/test_more.py", "solutions/mini/test_more.py", "solutions/mini/check/test_double.py"],
)  # fmt: skip
def test_a_file_that_is_never_read(mini: Path, place: str) -> None:
    """A check file with another name, or in another folder."""
    path = put(mini, place, FILES[SEEN_DOUBLE])
    side = "assignments" if place.startswith("assignments") else "solutions"
    found = list(file_rules(Course(mini).assignment("mini")))
    expect(
        found, (path, "its tests are never run", f"rename it to {mini / side}/mini/checks/test_<check>.py")
    )


def test_what_an_editor_left(mini: Path) -> None:
    """Jupyter's copies of check files are nobody's concern."""
    put(mini, "assignments/mini/checks/.ipynb_checkpoints/test_double-checkpoint.py", FILES[SEEN_DOUBLE])
    assert list(file_rules(Course(mini).assignment("mini"))) == []


# --- Tests that code which knows nothing passes

WEAK = {
    "not empty": "    assert student.double(4) not in (None, 7)\n",
    "itself": "    assert student.double(4) == student.double(4)\n",
    "nothing of the submission": "    assert 2 * 4 == 8\n",
    "a loop that never runs": "    for x in [y for y in (1, 2) if y > 2]:\n        assert student.double(x) == 0\n",
    "an error that is swallowed": "    try:\n        assert student.double(4) == 9\n    except AssertionError:\n        pass\n",
    "zero": "    assert student.double(0) == 0\n",
}


def test_tests_that_nothing_fails(mini: Path) -> None:
    """Beside a sound one in the same check; the check as a whole is not given away."""
    path = mini / SEEN_DOUBLE
    weak = [
        f'\n\ndef test_{n}(student):\n    """{case}"""\n{body}' for n, (case, body) in enumerate(WEAK.items())
    ]
    path.write_text(path.read_text() + "".join(weak))
    lines = [
        n for n, line in enumerate(path.read_text().split("\n"), start=1) if re.match(r"def test_\d", line)
    ]
    regenerate(mini)
    told = "code that knows nothing passes this test with all zeros, "
    expected = [
        (f"{path}, line {line}: test_{n}: {told}", "no mistake fails the test")
        for n, line in enumerate(lines)
    ]
    expect(problems(mini), *expected)


@pytest.mark.ci
def test_a_hidden_test_that_nothing_fails(mini: Path, snapshot) -> None:
    """No mistake fails its check, either; with one it may be proved, for hidden tests do not run after visible ones."""
    path = mini / HIDDEN_DOUBLE
    path.write_text(
        path.read_text() + '\n\ndef test_weak(student):\n    """Weak."""\n    assert student.double\n'
    )
    regenerate(mini)
    assert problems(mini) == []
    (mini / MISTAKES).unlink()
    regenerate(mini)
    assert problems(mini) == snapshot


def test_a_mistake_proves_a_test(mini: Path) -> None:
    """What a function must leave alone is left alone by one that does nothing: a mistake shows that the test judges."""
    weak = '\n\ndef test_weak(student):\n    """Not the square."""\n    assert student.double(4) != 16\n'
    path = mini / SEEN_DOUBLE
    path.write_text(path.read_text() + weak)
    regenerate(mini)
    assert problems(mini) == []


# --- A method beside the markers

STACK = '''

# %%
class Stack:
    """Numbers, the last on top."""

    def __init__(self):
        self.items = []

    def push(self, number):
        """Put a number on top."""
        ### BEGIN SOLUTION
        self.items.append(number)
        ### END SOLUTION

    def pop(self):
        """Take the number on top."""
        ### BEGIN SOLUTION
        return self.items.pop()
        ### END SOLUTION

    def peek(self):
        """Look at the number on top."""
        return self.items[-1]

    def swap(self):
        """Exchange the two on top."""
        first, second = self.pop(), self.pop()
        self.push(first)
        self.push(second)
'''
SEEN_STACK = '''\
"""A stack gives the last number first."""


def test_stack(student):
    """Two numbers, looked at and taken."""
    stack = student.Stack()
    stack.push(3)
    stack.push(4)
    stack.swap()
    assert stack.peek() == 3
    assert (stack.pop(), stack.pop()) == (3, 4)
'''


@pytest.fixture
def stack(mini: Path) -> Path:
    """The course with one check of a class whose third method is outside the markers."""
    path = mini / SOURCE
    path.write_text(path.read_text() + STACK)
    change(mini, MANIFEST, "checks:\n", 'checks:\n  stack: {points: 10, hints: ["Which end of the list?"]}\n')
    put(mini, "assignments/mini/checks/test_stack.py", SEEN_STACK)
    return mini


def test_one_of_three_methods_outside_the_markers(stack: Path, snapshot) -> None:
    """It is in the stub; a method that needs those to be written is not meant, nor one that no check asks for."""
    regenerate(stack)
    assert "return self.items[-1]" in (stack / STUB).read_text()
    assert problems(stack) == snapshot
    change(stack, "assignments/mini/checks/test_stack.py", "    assert stack.peek() == 3\n", "")
    assert list(file_rules(Course(stack).assignment("mini"))) == []


@pytest.mark.parametrize("remedy", ["markers", "given"])
def test_the_remedies_of_an_open_method(stack: Path, remedy: str) -> None:
    """Both of them."""
    old = "        return self.items[-1]\n"
    if remedy == "given":
        change(stack, SOURCE, "def peek(self):\n", "def peek(self):  # given\n")
    else:
        change(stack, SOURCE, old, f"        ### BEGIN SOLUTION\n{old}        ### END SOLUTION\n")
    assert list(file_rules(Course(stack).assignment("mini"))) == []


def test_one_of_three_functions_in_a_cell(mini: Path) -> None:
    """Functions of one cell are like methods of one class."""
    three = "".join(
        f"\n\ndef {name}(x):\n    ### BEGIN SOLUTION\n    return x + {n}\n    ### END SOLUTION\n"
        for n, name in enumerate(["one", "two"])
    )
    path = mini / SOURCE
    path.write_text(path.read_text() + f"\n\n# %%{three}\n\ndef three(x):\n    return x + 3\n")
    more = '\n\ndef test_sums(student):\n    """Sums."""\n    assert student.three(1) == 4\n'
    put(mini, SEEN_BOX, FILES[SEEN_BOX] + more)
    (found,) = file_rules(Course(mini).assignment("mini"))
    assert "students get the whole `three`, but write `one`, `two` themselves" in found
