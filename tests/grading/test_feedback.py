"""The cause that stopped a check is reported as it was: a near name, a tag, a line that was left, once and in full.

Each story is a student's day 2 or 3, made from the reference by a change or two.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import COURSE, cells, copy_course, edit_manifest, notebook, reference
from minicourse import build

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.render.terminal import render_terminal
from grader.render.words import in_detail, next_step
from grader.report import CheckResult, Outcome, Report
from grader.sandbox import Launcher
from grader.submissions.submission import submission_from
from grader.submissions.work import Work

MUL = "self.grad += other.data * out.grad\n            other.grad += self.data * out.grad"
LEFT = 'raise NotImplementedError("Value.__mul__: write its _backward")'


@pytest.fixture
def report_on(session) -> Callable[..., Report]:
    """Grade a day's reference after some changes, as a .py file."""

    def report_on(day: str, *changes: tuple[str, str], course: Path = COURSE) -> Report:
        return session(course, day).grade(Work("mine.py", data=changed(day, *changes).encode()))

    return report_on


def changed(day: str, *changes: tuple[str, str]) -> str:
    """The source of a day's reference with these texts instead of others."""
    source = reference(day)
    for old, new, *most in changes:
        assert old in source, old
        source = source.replace(old, new, *most)
    return source


def of(report: Report, check: str) -> CheckResult:
    (found,) = (one for one in report.checks if one.id == check)
    return found


def messages(report: Report) -> list[str]:
    """Return the messages of the checks that did not pass and do not wait."""
    return [c.message for c in report.checks if c.outcome in (Outcome.FAILED, Outcome.TODO)]


# --- Blanks


def test_wrong_predictions_beside_a_blank(report_on, snapshot):
    """Two predictions written and wrong, the third a blank: the wrong ones are reported."""
    wrong = [
        (f"{name} = {{", f"{name} = {right}\nother = {{")
        for name, right in {
            "product_grads": '{"a": 9, "b": 9, "c": 9, "d": 9}',
            "sum_times_grads": '{"a": 9, "b": 9, "c": 9, "e": 9}',
            "twice_with_assignment": "...",
        }.items()
    ]

    found = of(report_on("day2", *wrong), "predictions")

    assert found.outcome is Outcome.FAILED
    assert found.message == snapshot
    assert "blank" not in found.message


@pytest.mark.ci
def test_a_wrong_entry_beside_a_blank_one(report_on, snapshot):
    """In a dictionary, too; the report does not show the right value of the blank."""
    found = of(
        report_on(
            "day2", ("product_grads = {", 'product_grads = {"a": 9, "b": 2, "c": 1, "d": ...}\nother = {')
        ),
        "predictions",
    )

    assert found.outcome is Outcome.FAILED
    assert found.message == snapshot


@pytest.mark.ci
@pytest.mark.parametrize("blank", ["a + a", "a * a"])
def test_a_blank_that_is_read_first(report_on, blank):
    """Whichever of two answers is blank, the other one is judged."""
    answer = {"a + a": "2", "a * a": "6"} | {blank: "..."}
    text = ", ".join(f'"{name}": {value}' for name, value in answer.items())

    found = of(
        report_on("day2", ("twice_with_assignment = {", f"twice_with_assignment = {{{text}}}\nother = {{")),
        "predictions",
    )

    assert found.outcome is Outcome.FAILED
    assert [note.text for note in found.mistakes if "what is left when `=`" in note.text]


@pytest.mark.ci
@pytest.mark.parametrize("blank", ["quiz_df_da", "quiz_df_db"])
def test_two_answers_are_two_tests(report_on, blank, snapshot):
    """Of a question with two answers one is blank and the other wrong."""
    other = {"quiz_df_da": "quiz_df_db", "quiz_df_db": "quiz_df_da"}[blank]

    found = of(
        report_on(
            "day2",
            (f"\n{blank} = ", f"\n{blank} = ...\nother = "),
            (f"\n{other} = ", f"\n{other} = 999\nother = "),
        ),
        "quiz",
    )

    assert found.outcome is Outcome.FAILED
    assert found.message == snapshot


# --- An object in a number's place


@pytest.mark.parametrize(
    ("old", "new", "written", "meant"),
    [
        (MUL, MUL.replace("other.data", "other").replace("self.data", "self"), "other", "other.data"),
        ("self.grad += other.data * out.grad", "self.grad = self.grad + other * out.grad", "other", "other.data"),
        pytest.param("self.grad += other.data * out.grad", "self.grad += other.data * out", "out", "out.grad", marks=pytest.mark.ci),
        pytest.param("self.grad += other.data * out.grad", "self.grad = Value(-3.0)", "Value(-3.0)", "-3.0", marks=pytest.mark.ci),
    ],
    ids=["both factors", "assigned", "the result", "a new object"],
)  # fmt: skip
def test_a_gradient_that_became_an_object(report_on, old, new, written, meant):
    """The object, once, the question and the student's own line; no reading that says `the object a.grad`."""
    found = of(report_on("day2", (old, new)), "swap_rule")

    said = " ".join([found.message, *(rule.words for rule in found.rules)])
    assert len(re.findall(r"a\.grad (?:became|is) a Value[;.]", said)) == 1
    assert found.message.endswith(f"Did you write `{written}` where `{meant}` belongs?")
    assert found.where is not None
    assert found.where.text == new.split("\n")[0]


@pytest.mark.ci
def test_an_operation_is_told_where_it_is_first_checked(report_on, snapshot):
    """The check after it fails for the same reason, and says only where to look."""
    report = report_on("day5", ("(-self.data, (self,), (-1.0,))", "(-self.data, (self,), (1.0,))"))
    first, second = of(report, "local_grads"), of(report, "subtract_divide")

    assert [rule.operation for rule in first.rules] == ["neg"]
    assert first.rules[0].words == snapshot
    assert (second.rules, second.readings, second.where) == ([], [], None)
    assert second.message == snapshot
    assert second.see == "local_grads"


def test_a_wrong_forward_pass_beside_a_wrong_gradient(report_on, snapshot):
    """`5 * b` adds, and + hands on 1: the gradients of + do not explain a wrong product."""
    report = report_on(
        "day2",
        ("self.grad += out.grad", "self.grad += 1"),
        (
            "def __rmul__(self, other):\n        return self * other",
            "def __rmul__(self, other):\n        return self + other",
        ),
    )

    swap_rule = of(report, "swap_rule")
    assert [(rule.operation, rule.wrote) for rule in of(report, "add_rule").rules] == [
        ("+", "self.grad += 1")
    ]
    assert [(rule.operation, rule.wrote) for rule in swap_rule.rules] == snapshot
    assert swap_rule.see == ""
    assert of(report, "complex_expression").see == "add_rule"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("out._backward = _backward\n        return out\n\n    def __mul__", "out._backward = _backward()\n        return out\n\n    def __mul__", "writes gradients in the forward pass"),
        ("        return out\n\n    def __mul__", "\n    def __mul__", "returns None"),
    ],
    ids=["called at once", "no return"],
)  # fmt: skip
def test_a_cause_stands_for_its_error(report_on, old, new, words, snapshot):
    """What the check could not do with None is not told beside the reason why it is None."""
    found = of(report_on("day2", (old, new)), "add_rule")

    assert found.message == snapshot
    assert all(words in rule.words for rule in found.rules)
    assert found.where.inside == "Value.__add__"


@pytest.mark.ci
def test_an_operation_explains_no_test_without_it(report_on):
    """`*` is wrong, and so is reset_grads, whose test multiplies nothing: its numbers are told, not hidden by a pointer."""
    report = report_on("day2", (MUL, "self.grad += 1.0"), ("value.grad = 0.0", "value.grad = 1.0"))

    found = of(report, "complex_expression")
    assert of(report, "tanh_neuron").see == "swap_rule"
    assert found.see == ""
    assert [reading.actual for reading in found.readings] == ["1", "1", "1"]


@pytest.mark.ci
def test_an_object_that_was_there_from_the_start(report_on, snapshot):
    """Without a line that made it one, the message says "is" and asks nothing."""
    found = of(report_on("day2", ("self.grad = 0.0", "self.grad = self")), "add_rule")

    assert found.message == snapshot
    assert "Did you write" not in found.message


@pytest.mark.ci
def test_an_operand_that_is_an_object(report_on, snapshot):
    """Python's own error about an operand leads to the same question."""
    changes = [
        ("self.grad += other.data * out.grad", "self.grad += other * out.grad"),
        ("    def __radd__(self, other):\n        return self + other\n", ""),
    ]

    found = of(report_on("day2", *changes), "swap_rule")

    assert found.message == snapshot


@pytest.mark.ci
@pytest.mark.parametrize(
    ("keeps", "told"),
    [
        ("(self, other), (other, self)", "`_local_grads` holds Values, and it must hold numbers."),
        (
            "(other.data, self.data), (self, other)",
            "`_local_grads` holds Values. Are children and local gradients exchanged? The children come first.",
        ),
    ],
    ids=["values", "exchanged"],
)
def test_local_gradients_that_are_values(report_on, keeps, told):
    """They are exchanged with the children only where the children are the numbers."""
    right = "self.data * other.data, (self, other), (other.data, self.data)"

    found = of(report_on("day5", (right, f"self.data * other.data, {keeps}")), "local_grads")

    assert found.message.endswith(told)


# --- A raise that was left


@pytest.mark.parametrize(
    "lines",
    [
        f"{MUL}\n            {LEFT}",
        f"{LEFT}\n            {MUL}",
    ],
    ids=["below", "above"],
)
def test_a_raise_beside_own_lines(report_on, lines, snapshot):
    """The first check names the line and its effect; the others refer to it."""
    report = report_on("day2", (MUL, lines))
    assert of(report, "swap_rule").outcome is Outcome.TODO
    assert of(report, "swap_rule").message == snapshot
    assert of(report, "accumulate").message == snapshot


@pytest.mark.ci
def test_a_raise_that_is_never_reached(report_on):
    """Below a `return` it costs nothing, and nothing is said of it."""
    report = report_on("day2", (MUL, f"{MUL}\n            return\n            {LEFT}"))

    assert report.outcome is Outcome.PASSED
    assert report.notes == []


REFLECTED = """        ### BEGIN SOLUTION: Value.__radd__: section 2, a number left of +. If you see this in section 1, .data is missing in __add__
        return self.__add__(other)
"""


@pytest.mark.parametrize(
    "slip",
    [
        ("other = other if isinstance(other, Value) else Value(other)\n        return Value(self.data + other.data", "other = Value(other)\n        return Value(self.data + other.data"),
        ("Value(self.data + other.data,", "Value(self.data + other,"),
    ],
    ids=["wrapped again", "an object for its number"],
)  # fmt: skip
def test_a_blank_that_a_wrong_line_reaches(report_on, slip, snapshot):
    """`__radd__` is for a number left of a Value: the line of `__add__` that leads there comes first."""
    blank = (REFLECTED, '        raise NotImplementedError("Value.__radd__: section 2")\n')
    report = report_on("day1", slip, blank)
    found = of(report, "add")

    assert of(report, "graphs").see == "add"
    assert found.outcome is Outcome.TODO
    assert found.message == snapshot


def test_a_blank_that_a_check_reaches(report_on):
    """A number is left of a Value in the check itself: nothing is wrong yet."""
    blank = (REFLECTED, '        raise NotImplementedError("Value.__radd__: section 2")\n')

    assert of(report_on("day1", blank), "constants").message == "Value.__radd__: section 2"


LOOP = """    root.grad = 1.0
    for node in reversed(build_topo(root)):
        for child, local in zip(node._children, node._local_grads, strict=True):
            child.grad += local * node.grad
"""


@pytest.mark.parametrize("children", ["node._prev", pytest.param("node._children", marks=pytest.mark.ci)])
def test_a_wrong_sort_before_a_blank(report_on, children, snapshot):
    """The sort is judged while `backward` is a blank, which is told as one."""
    blank = (LOOP, '    raise NotImplementedError("backward: the seed, then one loop")\n')
    report = report_on("day5", blank, ("in node._children)", f"in {children})"))

    found = of(report, "backward")

    assert of(report, "build_topo").outcome is (Outcome.FAILED if "prev" in children else Outcome.PASSED)
    assert of(report, "build_topo").message == snapshot
    assert (found.outcome, found.message) == (Outcome.TODO, "backward: the seed, then one loop")


# --- Names


@pytest.mark.parametrize(
    "name",
    ["Valeu", "Tensor", *(pytest.param(name, marks=pytest.mark.ci) for name in ("value", "VALUE"))],
)
def test_a_class_of_another_name(report_on, name, snapshot):
    """The near name, or the only class that the student adds; once, and not again in the notes."""
    report = report_on("day2", ("Value", name))

    assert of(report, "add_rule").message == snapshot
    assert set(messages(report)[1:]) == {"`Value` is missing, as in the check `add_rule`: look there first."}
    assert report.notes == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (MUL, MUL.replace("other.data", "ohter.data"), ["Did you mean `other`?"]),
        (MUL, MUL.replace("self.grad", "Self.grad"), ["Did you mean `self`?"]),
        (MUL, MUL.replace("other.data", "gard"), []),  # `grad` is there as an attribute alone
    ],
)
def test_a_name_misspelled_in_a_function(report_on, old, new, said):
    """The near name of the same function, which Python's own message has only in a traceback."""
    message = of(report_on("day2", (old, new)), "swap_rule").message

    assert re.findall("Did you mean .*", message) == said


def test_a_name_in_a_cell_left_out_comes_before_a_near_one(session):
    """The cell that defines it is known, and a misspelling is a guess."""
    sources = [one.replace(MUL, MUL.replace("other.data", "othr.data")) for one in cells("day2")]
    data = notebook("class othr:\n    data = 1", *sources, tags={1: ["demo"]}).encode()

    message = of(session(COURSE, "day2").grade(Work("mine.ipynb", data=data)), "swap_rule").message

    assert "Its definition is in cell 1, which is tagged `demo`" in message
    assert "Did you mean" not in message


def test_an_answer_of_another_name(report_on, snapshot):
    """Not one that the course asks for itself: `lost_by_b_first` is no slip for `lost_by_c_first`."""
    one = of(report_on("day2", ("lost_by_c_first = ", "lost_by_c_frist = ")), "visit_order")
    other = of(report_on("day2", ("\nlost_by_c_first = ", "\nother = ")), "visit_order")

    assert one.message == snapshot
    assert other.message == snapshot


@pytest.mark.parametrize("tag", ["demo", "verify"])
def test_a_cell_that_is_left_out(session, tag):
    """The class is in a cell that grading leaves out: the cell and its tag are reported, once."""
    sources = cells("day2")
    number = next(i for i, source in enumerate(sources, start=1) if "class Value" in source)
    data = notebook(*sources, tags={number: [tag]}).encode()

    report = session(COURSE, "day2").grade(
        Work("mine.ipynb", data=data, submitted="2025-11-22T10:00:00+00:00")
    )

    told = f"`Value` is not defined. Its definition is in cell {number}, which is tagged `{tag}` and left out of grading: remove the tag."
    assert of(report, "add_rule").message == told
    assert set(messages(report)[1:]) == {"`Value` is missing, as in the check `add_rule`: look there first."}
    assert report.notes == []
    assert told.removesuffix(".") in " ".join(render_terminal(report).split())


def test_an_import_that_is_left_out(session):
    """It is there, in a cell that grading leaves out: that none is there would not be so."""
    sources = ["import math", *(source.replace("import math", "") for source in cells("day2"))]
    data = notebook(*sources, tags={1: ["demo"]}).encode()

    found = of(session(COURSE, "day2").grade(Work("mine.ipynb", data=data)), "tanh_neuron")

    told = "It is imported in cell 1, which is tagged `demo` and left out of grading: import it in a cell without that tag."
    assert found.message.endswith(told)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("bases", "told"),
    [
        (
            "",
            "`Value` is defined in mine.py, line {} and again in mine.py, line {}; the last definition counts.",
        ),
        ("(Value)", ""),
    ],
    ids=["another", "the same"],
)
def test_a_class_that_is_written_twice(report_on, bases, told):
    """The error speaks of the later one, which has less than the earlier; one that goes on with it has all."""
    again = f"\n# %%\nclass Value{bases}:\n    def __init__(self, data):\n        self.data, self.grad = data, 0.0\n"
    report = report_on("day2", ("\ndef reset_grads(", f"{again}\n\n# %%\ndef reset_grads("))
    source = changed("day2", ("\ndef reset_grads(", f"{again}\n\n# %%\ndef reset_grads("))
    lines = [n for n, line in enumerate(source.split("\n"), start=1) if line.startswith("class Value")]

    found = of(report, "swap_rule")

    assert "Error" in found.message
    assert told.format(*lines) in found.message
    assert (
        " The last one has no `__repr__`, `__add__`, `__mul__` and 2 more methods, but" in found.message
    ) == bool(told)
    assert ("the last definition counts" in found.message) == bool(told)


STUB_BELOW = """
# %%
class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        raise NotImplementedError("Value.__init__: keep data")


# %%
"""


@pytest.mark.ci
def test_the_stub_below_the_own_class(report_on, snapshot):
    """The class is written, and the stub's is still below it: both places come before the words of the blank."""
    change = ("\ndef reset_grads(", f"{STUB_BELOW}def reset_grads(")
    report = report_on("day2", change)
    found = of(report, "add_rule")

    assert found.outcome is Outcome.TODO
    assert found.message == snapshot
    assert of(report, "swap_rule").see == "add_rule"
    assert of(report, "swap_rule").message == snapshot


def test_a_blank_below_the_answer(report_on, snapshot):
    """An answer in a cell of the student's own, and the stub's cell with the blank below it."""
    report = report_on("day2", ("\nquiz_df_da = ", "\nquiz_df_da = ...\nother = "), ("# %%\n", "# %%\nquiz_df_da = 3\n\n# %%\n", 1))  # fmt: skip

    found = of(report, "quiz")

    assert found.outcome is Outcome.TODO
    assert found.message == snapshot


@pytest.mark.ci
@pytest.mark.parametrize("above", ["", "product_order = ...\n"], ids=["not defined", "blank"])
def test_an_answer_that_is_compared(report_on, above):
    """Two equals signs assign nothing: the line that has them is told, whether or not the blank is still above it."""
    change = ('product_order = ["L", "d"]', f'{above}product_order == ["L", "d"]')
    lines = changed("day2", change).split("\n")

    found = of(report_on("day2", change), "manual_walk")

    assert found.outcome is Outcome.TODO
    told = (
        '`product_order == ["L", "d"]` in mine.py, line {} only compares: write one `=` to assign the value.'
    )
    assert found.message.endswith(told.format(lines.index('product_order == ["L", "d"]') + 1))


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_class_in_a_cell_of_text(session, kind, snapshot):
    """The cell was turned into Markdown: its name stands in the text alone, and no code defines it."""
    sources = cells("day2")
    number = next(i for i, source in enumerate(sources, start=1) if "class Value" in source)
    data = notebook(*sources, kinds={number: kind}).encode()

    report = session(COURSE, "day2").grade(Work("mine.ipynb", data=data))

    assert of(report, "add_rule").message == snapshot
    assert set(messages(report)[1:]) == {"`Value` is missing, as in the check `add_rule`: look there first."}


@pytest.mark.ci
def test_a_name_that_a_lesson_mentions(session, snapshot):
    """A line of code in a block of code in Markdown is part of an explanation: nobody has written it as an answer."""
    sources = [source.replace("product_order = [", "other = [") for source in cells("day2")]
    lesson = "Read it off:\n```python\nproduct_order = [1, 2]\n```\n"
    data = notebook(lesson, *sources, kinds={1: "markdown"}).encode()

    found = of(session(COURSE, "day2").grade(Work("mine.ipynb", data=data)), "manual_walk")

    assert found.message == snapshot


@pytest.mark.ci
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('strongest = "a"\n', 'strongest = "A"\n', "the notebook has the name 'a' and no 'A'."),
        ('strongest = "a"\n', 'strongest = "B"\n', "the notebook has the name 'b' and no 'B'."),
        ('nudge_up = ["b", "c"]', 'nudge_up = ["A", "c"]', "the notebook has the name 'a' and no 'A'."),
        ('strongest = "a"\n', 'strongest = "L"\n', ""),
        ('strongest = "a"\n', 'strongest = "b"\n', ""),
        ('strongest = "a"\n', 'strongest = "Z"\n', ""),
    ],
)
def test_a_name_in_capitals(report_on, old, new, told):
    """The notebook writes it in small letters; whether it would be right then is not told."""
    found = of(report_on("day2", (old, new)), "leverage")

    said = "Capital letters count: "
    assert found.message.partition(said)[2] == told
    assert (said in found.message) == bool(told)


# --- One error, many checks


@pytest.mark.ci
def test_one_exception_is_told_once(report_on, snapshot):
    """The first check has it in full; the others name that check, and the lines stand there alone."""
    report = report_on("day2", ("self.grad = 0.0", "self.grad = 0.0 + label"))

    first, *others = (check for check in report.checks if check.outcome is Outcome.FAILED)
    assert "TypeError" in first.message
    assert first.frames
    for check in others:
        assert check.message == snapshot
        assert (check.where, check.frames, check.readings) == (None, [], [])


@pytest.mark.ci
def test_an_error_of_a_cell_is_told_once(report_on, snapshot):
    """Of what it keeps from being defined, by the first check that asks for it; the notes leave it out."""
    report = report_on("day2", ("product_order = [", "product_order = [nothing, "))

    assert of(report, "manual_walk").message == snapshot
    assert not [note for note in report.notes if "`nothing`" in note or "'nothing'" in note]


@pytest.mark.ci
def test_a_name_that_is_missing_is_told_once(report_on, tmp_path, snapshot):
    """Also where the student's own code asks for it later; the next step leads to the check that names the cause."""
    course = copy_course(tmp_path)
    edit_manifest(course, "day3", checks={"diamond": {"needs": []}})  # fails together with `build_topo`

    report = report_on("day3", ("def build_topo(root)", "def build_top(root)"), course=course)

    assert (of(report, "build_topo").outcome, of(report, "diamond").outcome) == (Outcome.TODO, Outcome.FAILED)
    assert of(report, "build_topo").message == snapshot
    assert set(messages(report)[1:]) == {
        "`build_topo` is missing, as in the check `build_topo`: look there first."
    }
    assert next_step(report) == snapshot
    assert in_detail(report)[0].message == of(report, "build_topo").message


def test_a_cell_that_python_cannot_read_is_told_once(report_on):
    """With what follows from it: the notes do not complain of the name."""
    report = report_on("day2", (MUL, MUL.replace("out.grad\n", "out.grad)\n")))

    assert "SyntaxError: unmatched ')'" in of(report, "add_rule").message
    assert set(messages(report)[1:]) == {"`Value` is missing, as in the check `add_rule`: look there first."}
    assert report.notes == []


@pytest.mark.ci
def test_an_answer_without_quotes(report_on, snapshot):
    """That a cell for the student's own eyes has a variable of that name says nothing."""
    report = report_on("day2", ('product_order = ["L", "d"]', "product_order = [L, d]"))

    assert of(report, "manual_walk").message == snapshot


# --- Whom a tag would hurt


NEEDED = {
    "a name that a later cell uses": ("import time\ntime.sleep(0.3)\nhelp_ = 1", "x = help_"),
    "an import that a later cell uses": ("import time, math\ntime.sleep(0.3)", "x = math.pi"),
    "a name that a check asks for": ("import time as t\nt.sleep(0.3)\ndef double(x):\n    return 2 * x", "x = 1"),
}  # fmt: skip


@pytest.fixture(scope="module")
def mini(tmp_path_factory, session) -> Callable[..., Report]:
    """Grade a notebook of these cells in the miniature course."""
    root = build(tmp_path_factory.mktemp("mini"))
    return lambda *sources: session(root, "mini").grade(Work("mini.ipynb", data=notebook(*sources).encode()))


@pytest.mark.ci
@pytest.mark.parametrize("sources", NEEDED.values(), ids=NEEDED)
def test_no_tag_for_a_cell_that_is_needed(mini, monkeypatch, sources):
    """Its time is reported with advice, which never leaves out code that other code needs."""
    monkeypatch.setattr("grader.grading.feedback.SLOW_SECONDS", 0.25)
    (note,) = mini(*sources).notes

    assert "tag that cell `demo`" in note
    assert "tag the cell" not in note


@pytest.mark.ci
def test_a_tag_for_a_cell_that_nothing_needs(mini, monkeypatch, snapshot):
    """The usual advice."""
    monkeypatch.setattr("grader.grading.feedback.SLOW_SECONDS", 0.25)
    (note,) = mini("import time\ntime.sleep(0.3)\nrest = 1", "x = 1").notes

    assert note == snapshot


@pytest.mark.parametrize(("after", "advice"), [("x = rows", "tag that cell"), ("x = 1", "tag the cell")])
def test_a_cell_that_reads_a_file(mini, after, advice):
    """A closed file gets the same advice."""
    (note, *_) = mini("rows = open('rows.csv').read()", after).notes

    assert advice in note


# --- The long chain


RECURSIVE = """
def build_topo(root):
    {raises}
    order, visited = [], set()

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            order.append(node)

    visit(root)
    return order


def _other(root):
"""


@pytest.mark.ci
@pytest.mark.parametrize(
    ("at_the_top", "raises"),
    [
        ("import sys\nsys.setrecursionlimit(100_000)", "pass"),
        ("from sys import setrecursionlimit", "setrecursionlimit(100_000)"),
    ],
    ids=["once", "in the search"],
)
def test_a_raised_recursion_limit_earns_no_long_chain(report_on, at_the_top, raises, snapshot):
    """The task is a search without recursion; everything else stays right."""
    search = ("def build_topo(root):\n", f"{at_the_top}\n{RECURSIVE.format(raises=raises)}")

    report = report_on("day3", search)

    found = of(report, "deep_chain")
    assert found.outcome is Outcome.FAILED
    assert found.message == snapshot
    assert "RecursionError" in found.message
    assert [check.id for check in report.checks if check.outcome is not Outcome.PASSED] == ["deep_chain"]


@pytest.mark.ci
def test_a_reflected_method_that_gives_up_is_not_told_to_be_missing(report_on, snapshot):
    """It reads as a missing one does: Python gets no answer from either side."""
    report = report_on("day4", ("return self + other", "return other.__add__(self)"))

    found = of(report, "add_multiply")
    (rule,) = found.rules
    assert rule.words == snapshot
    assert "missing" not in rule.words
    assert rule.where.text.strip() == "def __radd__(self, other):"


@pytest.mark.ci
def test_a_recursion_of_one_check_alone_is_no_known_mistake(tmp_path):
    """In a whole run other tests tell a search apart from a `backward` that calls itself; alone they are not run."""
    source = changed("day3", ("def build_topo(root):\n", RECURSIVE.format(raises="pass")))
    shutil.copytree(COURSE / "assignments/day3", tmp_path / "assignments/day3")
    assignment = Course(tmp_path).assignment("day3")  # as a student has it, without hidden checks

    with Launcher() as launcher:
        submission = submission_from(Path("mine.py"), source.encode())
        with open_grader(assignment, launcher) as grader:
            report = grader.grade(submission, "deep_chain")

    (found,) = report.checks
    assert found.outcome is Outcome.FAILED
    assert not found.mistakes


def test_a_name_without_quotes_that_a_cell_left_out_defines(session):
    """As an answer it wants quotes: taking the tag off would not help."""
    source = "\n\n".join(cells("day2")).replace('strongest = "a"', "strongest = helper")
    data = notebook("def helper(): pass", source, tags={1: ["demo"]}).encode()

    found = of(session(COURSE, "day2").grade(Work("mine.ipynb", data=data)), "leverage")

    assert 'If this is your answer, write it in quotes: "helper".' in found.message
    assert "tag" not in found.message
