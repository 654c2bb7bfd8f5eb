"""`grade validate` about the reference, the stub, null submissions, the order of sets, mistakes and checks that break."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import edit_manifest, grade
from minicourse import REFERENCE, add_second, change, put, unmarked
from validating import (
    HIDDEN_BOX,
    HIDDEN_DOUBLE,
    MANIFEST,
    MISTAKES,
    PROBLEMS,
    SEEN_BOX,
    SEEN_DOUBLE,
    SOURCE,
    STUB,
    UNREADABLE,
    USAGE,
    about,
    expect,
    problems,
    regenerate,
)

from grader.authoring.grading_rules import AGREEING, NO_DIFFERENCE, NULLS, TABLES
from grader.errors import Broken
from grader.topic import Topic

if TYPE_CHECKING:
    from grader.manifest import Manifest
    from grader.sandbox import Sandbox

# --- The reference


def test_reference_without_full_marks(mini: Path, snapshot) -> None:
    """A check that the reference fails is reported with its numbers, one that waits for it is not."""
    path = change(mini, SOURCE, "return x + x", "return x + x + 1")
    assert about(path, problems(mini)) == snapshot


def test_reference_with_a_cell_that_raises(mini: Path, snapshot) -> None:
    """A cell that raises is reported even where no check needs it."""
    path = change(mini, SOURCE, "# %% [markdown]\n# Look", "# %%\nBox(1).shrink()\n\n# %% [markdown]\n# Look")
    (told,) = about(path, problems(mini))
    assert told == snapshot


@pytest.mark.ci
def test_a_reading_of_the_reference_that_has_no_time(mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A topic has limits of its own for it; on a busy machine nothing is told, and nothing breaks."""

    def misread(_: Topic, sandbox: Sandbox, __: Manifest) -> list[str]:
        sandbox.load()
        with sandbox.budget.within("reading", 0):
            sandbox.get("double")
        return ["it was read"]

    monkeypatch.setattr(Topic, "misread", misread)

    assert problems(mini) == []


def test_reference_is_gone(mini: Path) -> None:
    """The missing file is named."""
    (mini / SOURCE).unlink()
    ran = grade("validate", "mini", cwd=mini)
    assert ran.code in (USAGE, UNREADABLE)
    assert f"{mini / SOURCE}: " in ran.text


def test_reference_with_a_syntax_error(mini: Path, snapshot) -> None:
    """The file and the line are named."""
    change(mini, SOURCE, "    return x + x", "    return x +")
    with pytest.raises(Broken) as told:
        problems(mini)
    assert str(told.value) == snapshot


def test_a_misspelt_marker(mini: Path) -> None:
    """Before anything is run, whichever command reads the reference; authoring/test_course.py has all messages."""
    path = change(mini, SOURCE, "### BEGIN SOLUTION: write double", "### BEGIN SOLUTON: write double")
    for command in ("validate", "stub"):
        ran = grade(command, "mini", cwd=mini)
        said = "`### BEGIN SOLUTON: write double` is nearly a marker; write it as `### BEGIN SOLUTION`"
        assert ran.text == f"grade: {path}, line 9: {said}"
        assert ran.code == UNREADABLE


# --- The stub


def test_generated_files_that_are_gone(mini: Path) -> None:
    """They are to be made."""
    stub, sealed = mini / STUB, mini / "assignments/mini/checks/sealed.json"
    stub.unlink()
    sealed.unlink()
    expect(problems(mini), (stub, "there is no stub", "`grade stub mini`"), (sealed, "out of date"))


OUTDATED = {
    "the reference's text": (SOURCE, "Write a function, then a box", ["mini.ipynb", "stub.ipynb"]),
    "the stub, edited by hand": (STUB, "an empty box stays empty", ["mini.ipynb"]),
    "the words of a mistake": (MISTAKES, "added to itself", ["sealed.json"]),
    "the salt": ("solutions/mini/salt.txt", "a pinch", ["sealed.json", "replay.json", "replay.json"]),
}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=[pytest.mark.ci] * (case != "the reference's text")) for case in OUTDATED],
)
def test_what_was_made_of_another_text_is_out_of_date(mini: Path, case: str) -> None:
    """Each file that depends on the text, and no other; the reference's own copy is for `grade reset`."""
    path, old, names = OUTDATED[case]
    change(mini, path, old, f"{old} of salt")
    expect(
        problems(mini),
        *((f"{name}: this file is missing or out of date; run `grade stub mini`",) for name in names),
    )


def test_stub_that_passes(mini: Path) -> None:
    """Without its markers a solution stays in the stub, and its check passes."""
    change(mini, SOURCE, "    ### BEGIN SOLUTION: write double\n", "")
    change(mini, SOURCE, "    return x + x\n    ### END SOLUTION\n", "    return x + x\n")
    regenerate(mini)
    expect(problems(mini), (mini / STUB, "`double` is passed", "### BEGIN SOLUTION", mini / SOURCE))


@pytest.mark.ci
def test_stub_that_fails(mini: Path) -> None:
    """A stub whose placeholder gives a wrong answer would call a student wrong who has not begun."""
    change(mini, SOURCE, "    return x + x\n", "    # STUB: return None\n    return x + x\n")
    regenerate(mini)
    expect(problems(mini)[:1], (mini / STUB, "`double` is failed", "### BEGIN SOLUTION", mini / SOURCE))


@pytest.mark.ci
def test_stub_with_points(mini: Path) -> None:
    """In a check with shares, a test that the untouched notebook passes gives points away."""
    change(mini, MANIFEST, "    needs: [double]\n", "    needs: [double]\n    partial: true\n")
    path = mini / SEEN_BOX
    more = (
        '\n\ndef test_kept(student):\n    """A box keeps 2.5."""\n    assert student.Box(2.5).number == 2.5\n'
    )
    path.write_text(path.read_text() + more)
    regenerate(mini)
    expect(problems(mini)[:1], (mini / STUB, "earns 13.33 points for `box`", "write tests"))


@pytest.mark.ci
def test_stub_holds_another_assignments_solution(mini: Path, snapshot) -> None:
    """A solution block of one assignment that is open in another one's stub."""
    add_second(mini, "next", unmarked(REFERENCE))
    regenerate(mini, "next")

    found = problems(mini, "next")

    assert found == snapshot


@pytest.mark.ci
def test_fingerprints_that_are_not(mini: Path, snapshot) -> None:
    """A file that is something else is named, with the remedy, and exit code 3."""
    put(mini, "assignments/mini/checks/sealed.json", '{"format": 1, "mistakes": 3}')
    ran = grade("validate", "mini", cwd=mini)
    assert ran.text == snapshot
    assert "or write it with `grade stub`" in ran.text
    assert ran.code == UNREADABLE


# --- Null submissions


def test_expected_value_from_a_reading(mini: Path, snapshot) -> None:
    """A check that compares readings with readings is passed by code that knows nothing."""
    (mini / HIDDEN_DOUBLE).unlink()
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3) == 3 * student.double(1)")
    regenerate(mini)
    assert given_away(problems(mini)) == snapshot


KEPT = '''\
"""A box keeps a number."""

from pytest import approx


def test_kept(student):
    """The number is the number."""
    box = student.Box(2.5)
    assert box.number == approx(box.number)
'''


@pytest.mark.ci
def test_expected_value_from_the_same_object(mini: Path) -> None:
    """So is one that reads its expected value from the object under test."""
    put(mini, "assignments/mini/checks/test_box.py", KEPT)
    put(mini, "solutions/mini/checks/test_box.py", KEPT)
    told = given_away(problems(mini))
    assert all(text.startswith("check `box` of mini: code that knows nothing passes it") for text in told)
    assert [
        text
        for title in ("all zeros", "all ones", "its first argument", "empty lists")
        for text in told
        if f"passes it with {title};" in text
    ] == told


def test_nothing_equals_every_number(mini: Path) -> None:
    """To numpy: it compares an empty list entry by entry, with none."""
    (mini / HIDDEN_DOUBLE).unlink()
    put(
        mini,
        SEEN_DOUBLE,
        '"""Twice."""\n\nimport numpy as np\n\n\ndef test_double(student):\n    """Twice."""\n    assert np.allclose(student.double(3), 6)\n',
    )
    assert [text.partition(";")[0] for text in given_away(problems(mini))] == [
        "check `double` of mini: code that knows nothing passes it with empty lists"
    ]


DIFFERENCES = {
    "a difference": "assert abs(student.double(3) - 6) < 1e-9",
    "the other way round": "assert abs(6 - student.double(3)) < 1e-9",
    "a square": "assert (student.double(3) - 6) ** 2 < 1e-9",
    "a quotient": "assert student.double(3) / 6 == 1",
    "an attribute": "box = student.Box(6); box.grow(); assert abs(box.number - 12) < 1e-9",
    "an item": "assert abs(student.double([6])[1] - 6) < 1e-9",
    "unittest": "import unittest; unittest.TestCase().assertAlmostEqual(student.double(3), 6)",
}
COMPARED = {
    "the value": "assert student.double(3) == approx(6)",
    "a difference of plain values": "assert abs(float(str(student.double(3))) - 6) < 1e-9",
    "operators of the reference": "assert (student.double(3) - 1) == 5",
}


@pytest.mark.ci
@pytest.mark.parametrize("name", [*DIFFERENCES, *COMPARED])
def test_a_difference_is_computed_by_the_students_code(mini: Path, name: str) -> None:
    """An object of theirs decides then; a comparison of its value is the grader's."""
    line = (DIFFERENCES | COMPARED)[name]
    (mini / HIDDEN_DOUBLE).unlink()
    put(
        mini,
        SEEN_DOUBLE,
        f'"""Twice."""\n\nfrom pytest import approx\n\n\ndef test_double(student):\n    """Twice."""\n    {line}\n',
    )
    told = [text for text in problems(mini) if f"with {AGREEING};" in text]
    assert [text.split(":")[0] for text in told] == ["check `double` of mini"] * (name in DIFFERENCES)


@pytest.mark.ci
def test_an_empty_table_passes_what_compares_all_of_its_entries(mini: Path) -> None:
    """`(...).all()` of nothing is true; pandas' own comparison is not."""
    change(mini, "assignments/mini/assignment.yaml", "checks:", "imports: [pandas]\nchecks:")
    (mini / HIDDEN_DOUBLE).unlink()
    for line, weak in {"(found == 6).all()": True, "list(found) == [6]": False}.items():
        put(
            mini,
            SEEN_DOUBLE,
            '"""Twice."""\n\n\ndef test_double(student):\n    """Twice."""\n    import numpy as np\n'
            f"    found = np.atleast_1d(student.double(3))\n    assert {line}\n",
        )
        assert any(f"with {TABLES};" in text for text in problems(mini)) == weak, line


@pytest.mark.ci
def test_a_difference_of_tables_is_computed_by_the_submission(mini: Path) -> None:
    """`(found - wanted).abs().max()` is 0 for an object that says so; pandas' own comparison asks no object."""
    change(mini, "assignments/mini/assignment.yaml", "checks:", "imports: [pandas]\nchecks:")
    (mini / HIDDEN_DOUBLE).unlink()
    lines = {
        "(found - wanted).abs().max() < 1e-9": True,
        "found.equals(wanted)": False,
        "list(found) == [6.0]": False,
    }
    for line, weak in lines.items():
        put(
            mini,
            SEEN_DOUBLE,
            '"""Twice."""\n\n\ndef test_double(student):\n    """Twice."""\n    import pandas as pd\n'
            "    found, wanted = student.double(pd.Series([3.0])), pd.Series([6.0])\n"
            f"    assert {line}\n",
        )
        told = problems(mini)
        assert not [text for text in told if "the reference does not pass `double`" in text]
        assert any(f"with {NO_DIFFERENCE};" in text for text in told) == weak, line


def test_a_share_for_code_that_knows_nothing(mini: Path) -> None:
    """With shares a weak test gives points away beside a sound one, also if a mistake fails it."""
    more = '\n\ndef test_zero(student):\n    """Nothing."""\n    assert student.double(0) == 0\n'
    path = mini / SEEN_DOUBLE
    path.write_text(path.read_text() + more)
    change(mini, MISTAKES, "x * x", "x * x + 1")
    regenerate(mini)
    weak = "test_zero: code that knows nothing passes this test with all zeros, its first argument"
    assert not [text for text in problems(mini) if weak in text]
    change(mini, MANIFEST, "    points: 60\n", "    points: 60\n    partial: true\n")
    regenerate(mini)
    expect([text for text in problems(mini) if weak in text], (weak, "earns the test's share of `double`"))


def given_away(found: list[str]) -> list[str]:
    """The problems that code that knows nothing has brought up."""
    return [text for text in found if any(f"passes it with {title};" in text for title in NULLS)]


# --- The order of sets

LUCKY = """\
Mistake(
    "double_by_luck",
    "The number is multiplied by whichever factor a set gives first.",
    edits={
        "    return x + x": "    class Factor:\\n"
        "        def __init__(self, number):\\n"
        "            self.number = number\\n"
        "\\n"
        "    return x * next(iter({Factor(3), Factor(5)})).number"
    },
    fails="double box",
)
"""

LUCKY_REFERENCE = '''\
    """Twice x."""
    ### BEGIN SOLUTION: write double
    class Factor:
        def __init__(self, number):
            self.number = number

    return x * next(iter({Factor(2), Factor(3)})).number
    ### END SOLUTION
'''


def test_result_depends_on_the_order_of_sets(mini: Path, snapshot) -> None:
    """A mistake that reads otherwise when sets are iterated the other way asks for `orders: true`."""
    put(mini, "solutions/mini/mistakes/luck.py", LUCKY)
    regenerate(mini)
    assert problems(mini) == snapshot


@pytest.mark.ci
def test_orders_told_in_the_manifest(mini: Path) -> None:
    """With `orders: true` each test runs under every order, and nothing is left to luck."""
    put(mini, "solutions/mini/mistakes/luck.py", LUCKY)
    change(mini, MANIFEST, "    points: 60\n", "    points: 60\n    orders: true\n")
    change(mini, MANIFEST, "    points: 40\n", "    points: 40\n    orders: true\n")
    regenerate(mini)
    assert problems(mini) == []


@pytest.mark.ci
@pytest.mark.parametrize("mistakes", ["with mistakes", "without mistakes"])
def test_reference_that_passes_by_luck(mini: Path, mistakes: str) -> None:
    """A reference whose result depends on the order of sets is reported, mistakes or none."""
    old = REFERENCE[REFERENCE.index('    """Twice x."""') : REFERENCE.index("\n\n# %%\nclass Box")]
    change(mini, SOURCE, old, LUCKY_REFERENCE)
    if mistakes == "without mistakes":
        shutil.rmtree(mini / "solutions/mini/mistakes")
    else:
        change(
            mini, MISTAKES, '"return x + x": "return x * x"', '"Factor(2), Factor(3)": "Factor(4), Factor(9)"'
        )
    regenerate(mini)
    told = [text for text in problems(mini) if "its result depends on the order of sets" in text]
    assert [text.partition(":")[0] for text in told] == ["check `double` of mini", "check `box` of mini"]


SQUARES = "line 1: the mistake `double_squares`"


# --- Mistakes

HALVES = """\
Mistake(
    "double_halves",
    "The number is halved. Twice a number is the number added to itself.",
    edits={"return x + x": "return x / 2"},
    fails="double box",
)
"""


@pytest.mark.ci
def test_a_further_mistake(mini: Path) -> None:
    """A mistake with a look of its own is welcome once its fingerprints are made."""
    put(mini, "solutions/mini/mistakes/halving.py", HALVES)
    assert {text.partition(": ")[2] for text in problems(mini)} >= {
        "this file is missing or out of date; run `grade stub mini`"
    }
    regenerate(mini)
    assert problems(mini) == []


def test_mistake_fails_other_checks_than_it_declares(mini: Path, snapshot) -> None:
    """The message has the checks that it declares, those that it fails, and the place."""
    change(mini, MISTAKES, 'fails="double box"', 'fails="double"')
    assert problems(mini) == snapshot


@pytest.mark.ci
def test_mistake_declares_a_check_that_is_not_there(mini: Path) -> None:
    """A mistyped check is reported with the nearest one."""
    path = change(mini, MISTAKES, 'fails="double box"', 'fails="doubl box"')
    expect(problems(mini), (f"{path}, {SQUARES}", "`doubl`", "(did you mean `double`?)", "double, box"))


def test_mistake_that_fails_nothing(mini: Path) -> None:
    """A mistake that fails no check: the mistake is none, or a test is missing."""
    path = change(mini, MISTAKES, "x * x", "x * 2")
    regenerate(mini)
    expect(problems(mini), (f"{path}, {SQUARES}", "fails no check", "write a test"))


@pytest.mark.ci
def test_two_mistakes_that_read_the_same(mini: Path) -> None:
    """Two mistakes that no check can distinguish are never reported."""
    again = put(
        mini,
        "solutions/mini/mistakes/power.py",
        HALVES.replace("double_halves", "double_to_the_power").replace("x / 2", "x**2"),
    )
    regenerate(mini)
    remedies = "write a test that distinguishes this mistake from {}", "or remove one of them"
    expect(
        problems(mini),
        (
            f"{mini / MISTAKES}, {SQUARES}",
            "no mistake",
            remedies[0].format("double_to_the_power"),
            remedies[1],
        ),
        (f"{again}, line 1", "no mistake", remedies[0].format("double_squares"), remedies[1]),
    )


ENGINE = '''\
# %%
class Value:
    """A number with its gradient."""

    def __init__(self, data, _children=(), _op=""):
        self.data, self.grad = data, 0.0
        self._prev, self._op = set(_children), _op
        self._backward = lambda: None

    def __add__(self, other):
        ### BEGIN SOLUTION
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out
        ### END SOLUTION


# %%
def rate():
    ### BEGIN SOLUTION
    return 0.5
    ### END SOLUTION
'''
SEEN_RULE = '''\
"""Both inputs of a sum get its gradient."""


def test_sum(student):
    """Both gradients are 3."""
    a, b = student.named(student.Value, a=2.0, b=-3.0)
    total = a + b
    total.grad = 3.0
    total._backward()
    assert a.grad == 3
    assert b.grad == 3
'''
SEEN_RATE = '''\
"""The rate is a half."""


def test_rate(student):
    """It is 0.5."""
    assert student.rate() == 0.5
'''
SLIPS = """\
Mistake(
    "add_sign",
    "The gradient of the second input has the opposite sign.",
    edits={"other.grad += out.grad": "other.grad -= out.grad"},
    fails="double",
)

Mistake(
    "rate_doubled",
    "The rate is twice as large as it is to be.",
    edits={"return 0.5": "return 1.0"},
    fails="box",
)
"""


def test_a_mistake_whose_words_no_student_reads(mini: Path) -> None:
    """A rule that is read back says more than its words in every check, so it is to be taken out; another one stays."""
    for path in (HIDDEN_DOUBLE, HIDDEN_BOX):
        (mini / path).unlink()
    put(mini, SOURCE, ENGINE)
    put(mini, SEEN_DOUBLE, SEEN_RULE)
    put(mini, SEEN_BOX, SEEN_RATE)
    put(mini, MISTAKES, SLIPS)
    edit_manifest(mini, "mini", topic="autograd")
    regenerate(mini)

    found = problems(mini)

    expect(
        found,
        (
            f"{mini / MISTAKES}, line 1: the mistake `add_sign`",
            "has words that no student reads",
            "`double`",
            "remove this mistake",
        ),
    )


TWO_WAYS = 'edits=[{"return x + x": "return x * x"}, {"return x + x": "return x**2 + 0.5"}]'


@pytest.mark.ci
def test_two_ways_to_make_a_mistake(mini: Path) -> None:
    """Each of them is tried, and reported by the one name."""
    change(mini, MISTAKES, 'edits={"return x + x": "return x * x"}', TWO_WAYS)
    regenerate(mini)
    assert problems(mini) == []


@pytest.mark.ci
def test_one_way_of_two_that_fails_nothing(mini: Path) -> None:
    """The message says which."""
    path = change(
        mini, MISTAKES, 'edits={"return x + x": "return x * x"}', TWO_WAYS.replace("x**2 + 0.5", "2 * x")
    )
    regenerate(mini)
    expect(problems(mini), (f"{path}, {SQUARES}, edits 2 of 2", "fails no check"))


@pytest.mark.ci
def test_a_mistake_that_fails_less_than_another(mini: Path) -> None:
    """In the first check the two read the same; the one that explains the second check too is reported in both."""
    put(
        mini,
        "solutions/mini/mistakes/less.py",
        HALVES.replace("double_halves", "double_squares_alone")
        .replace("x / 2", "x * x")
        .replace('return x * x"}', 'return x * x", "= double(self.number)": "= 2 * self.number"}')
        .replace("double box", "double"),
    )
    regenerate(mini)
    assert problems(mini) == []


def test_mistake_that_cannot_be_used(mini: Path) -> None:
    """The file is named, and what is wrong with it; exit code 3. tests/authoring/test_mistakes.py has all messages."""
    path = put(mini, "solutions/mini/mistakes/halving.py", HALVES.replace("x + x", "x + y"))
    ran = grade("validate", "mini", cwd=mini)
    assert (
        f"{path}, line 1: the mistake `double_halves` replaces 'return x + y', which occurs nowhere in the code of the reference"
        in ran.text
    )
    assert ran.code == UNREADABLE


@pytest.mark.parametrize("name", [SOURCE, MISTAKES])
def test_file_in_another_encoding(mini: Path, name: str) -> None:
    """An author's file that is not UTF-8 is named, with the remedy."""
    path = mini / name
    path.write_bytes(path.read_bytes() + "# für alle\n".encode("latin-1"))
    ran = grade("validate", "mini", cwd=mini)
    assert str(path) in ran.text
    assert "UTF-8" in ran.text
    assert ran.code in (USAGE, UNREADABLE)


@pytest.mark.ci
def test_what_the_reference_skips_is_no_failure(mini: Path) -> None:
    """A test that skips whatever is handed in says nothing of a mistake either."""
    later = '''
import pytest


def test_four(student):
    """Only the hidden checks test twice 4."""
    pytest.skip("the hidden checks decide")
'''
    path = mini / SEEN_DOUBLE
    path.write_text(path.read_text(encoding="utf-8") + later, encoding="utf-8")
    regenerate(mini)

    assert problems(mini) == []


# --- What an author sees and a student does not


def test_reference_fails_a_hidden_test(mini: Path, snapshot) -> None:
    """The hidden test, its line and its numbers, and nothing of what waits for it."""
    path = change(
        mini, HIDDEN_DOUBLE, "assert student.double(x) == approx(2 * x)", "assert student.double(7) == 15"
    )
    assert problems(mini) == snapshot
    assert path.read_text(encoding="utf-8").split("\n")[8] == "    assert student.double(7) == 15"


def test_mistake_fails_a_hidden_test(mini: Path, snapshot) -> None:
    """The numbers of a hidden check that it does not declare are reported too."""
    hidden = HIDDEN_BOX
    change(mini, hidden, "def test_grow_twice(student, rng):", "def test_grow_twice(student):")
    change(mini, hidden, "rng.uniform(3, 9)", "3")
    change(mini, SEEN_BOX, "assert box.number == approx(5.0)", "assert box.number in (2.5, 5.0)")
    path = change(mini, MISTAKES, 'fails="box"', 'fails="double"')
    assert about(Path(f"{path}, line 8"), problems(mini))[0] == snapshot


def test_reference_raises_in_a_hidden_test(mini: Path) -> None:
    """The student reads that a hidden test failed; the author also reads which test, and its error."""
    change(mini, HIDDEN_DOUBLE, "student.double(x) == approx(2 * x)", "student.double(None) == 0")
    raised = "TypeError: unsupported operand type(s) for +: 'NoneType' and 'NoneType'"
    expect(problems(mini), (mini / SOURCE, f"{HIDDEN_DOUBLE}, line 9, test_any: Twice any number. {raised}"))


@pytest.mark.ci
def test_reference_that_takes_too_long(mini: Path) -> None:
    """The limit is named, and the line at which it was met."""
    change(mini, "assignments/mini/assignment.yaml", "checks:", "limits: {check_seconds: 0.5}\nchecks:")
    change(mini, SOURCE, "    return x + x\n", "    while x:\n        pass\n    return x + x\n")
    expect(
        problems(mini),
        (mini / SOURCE, f"{SEEN_DOUBLE}, line 6, test_three", "longer than 0.5 s, the limit `check_seconds`"),
    )


def test_a_name_that_the_reference_lacks_is_told_once(mini: Path) -> None:
    """With every check that asks for it: the others follow from the one line that is missing."""
    for path in (SEEN_DOUBLE, HIDDEN_DOUBLE):
        change(mini, path, "student.double(", "student.duble(")
    for path in (SEEN_BOX, HIDDEN_BOX):
        change(mini, path, "student.Box(", "student.duble(")
    where = f"({SEEN_DOUBLE}, line 6, test_three)"
    expect(problems(mini), (mini / SOURCE, "does not define `duble`", "`double`, `box`", where, "define it"))


def test_reference_that_does_not_load_is_told_once(mini: Path) -> None:
    """The cell that raises, and no check that fails because of it."""
    change(mini, SOURCE, "# %%\ndef double(x):", "# %%\nopen('data.csv')\n\n\ndef double(x):")
    raised = "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'"
    line = f"mini.py, line 7: {raised}"
    expect(
        problems(mini),
        (mini / SOURCE, line, "tag that cell `demo`", "->  open('data.csv'); fix the reference"),
    )


def test_check_compares_a_repr(mini: Path) -> None:
    """`repr` of a student's object calls none of their code; the author reads what does."""
    change(mini, SEEN_BOX, "assert box.number == approx(5.0)", 'assert repr(box) == "Box(5)"')
    texts = "'<Box(2.5)>'", "'Box(5)'"
    expect(problems(mini), (mini / SOURCE, f"{SEEN_BOX}, line 10, test_grow", *texts, "`repr`", "`str`"))


def test_check_asks_for_a_fixture_that_sees_nothing(mini: Path) -> None:
    """The error names the recipe that works."""
    change(mini, SEEN_DOUBLE, "def test_three(student)", "def test_three(student, capsys)")
    expect(
        problems(mini), (f"{mini / SEEN_DOUBLE}, line 4", "`capsys`", "(docs/authors-reference.md, Recipes)")
    )


# --- Checks that break


BROKEN_CHECKS = {
    "syntax error": "    assert student.double(3) ==\n",
    "unknown import": "    pass\n\n\nimport numbers_of_mine\n",
    "an error of its own": "    pass\n\n\n[][1]\n",
}


def broken_check(course: Path, body: str, encoding: str = "utf-8") -> Path:
    """The visible check of `double` with this body; gives its path."""
    text = f'"""Doubling: twice the number."""\n\n\ndef test_three(student):\n    """Twice 3 is 6."""\n{body}'
    (course / SEEN_DOUBLE).write_text(text, encoding=encoding)
    return course / SEEN_DOUBLE


@pytest.mark.parametrize("case", BROKEN_CHECKS)
def test_check_file_that_is_broken(mini: Path, case: str, snapshot) -> None:
    """The file and the line are named, what Python says of it, and that it is to be fixed."""
    broken_check(mini, BROKEN_CHECKS[case])
    assert problems(mini) == snapshot


def test_check_file_that_is_no_text(mini: Path, snapshot) -> None:
    """The unreadable file is reported alone."""
    path = broken_check(mini, "    assert student.double(3) == 6  # \xe9\n", encoding="latin-1")
    ran = grade("validate", "mini", cwd=mini)
    assert f"{path}: " in ran.text
    assert ran.text == snapshot
    assert ran.code in (PROBLEMS, UNREADABLE)


def test_test_that_raises_by_its_own_fault(mini: Path) -> None:
    """A check that breaks down over the reference is not the reference's fault alone."""
    change(mini, SEEN_DOUBLE, "== 6", "== number_that_is_nowhere")
    name = "NameError: name 'number_that_is_nowhere' is not defined"
    expect(
        problems(mini), ("`double`", f"{mini / SEEN_DOUBLE}, line 6: test_three", name, "fix the check file")
    )


def test_test_that_cannot_go_on_with_what_is_right(mini: Path, snapshot) -> None:
    """Python's error about the check's own line is part of the message: the reference is right, and the check asks wrongly."""
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3)[0] == 6")
    (found,) = about(mini / SOURCE, problems(mini))
    assert f"{SEEN_DOUBLE}, line 6, test_three" in found
    assert found == snapshot


def test_what_was_made_of_a_reading_has_no_name(mini: Path, snapshot) -> None:
    """It is reported as it is to a student."""
    change(mini, SEEN_DOUBLE, "student.double(3) == 6", "student.double(3) + 1 == 8")
    (found,) = about(mini / SOURCE, problems(mini))
    assert found == snapshot


def test_test_asks_for_an_unknown_fixture(mini: Path) -> None:
    """A mistyped fixture is the check file's fault, and the file is named."""
    path = change(mini, SEEN_DOUBLE, "def test_three(student)", "def test_three(student, rgn)")
    expect(problems(mini), ("`double`", path, "test_three", "no fixture `rgn`", "fix the check file"))


def test_check_without_a_file(mini: Path, snapshot) -> None:
    """A check of the manifest that nobody has written."""
    (mini / SEEN_DOUBLE).unlink()
    (mini / HIDDEN_DOUBLE).unlink()
    found = problems(mini)
    assert found == snapshot
    assert not [text for text in found if "the reference" in text or "the stub" in text]
