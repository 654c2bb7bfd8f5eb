"""Where the feedback points: at the function that is wrong, at the answer, or nowhere.

The jail tells which functions a test went through; which of them is to blame is told from all tests
together. Over every mistake about the engine of day 2, in the reference and in two other shapes, the
place is inside the operation that is wrong in at least nine of ten, and in another one never.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from test_shapes import ABOUT_ENGINE, ALL

from grader import suite
from grader.assignment import Course
from grader.autograd.places import places
from grader.course import apply_mistake, read_mistakes, reference_blocks
from grader.explanations import diagnosis_of
from grader.feedback import where_at
from grader.grading import with_grader
from grader.render.terminal import render_terminal
from grader.report import Outcome
from grader.sandbox import LATER, ROOT, Frame, Launcher, Limits, Sandbox, StudentError, Unit, Went
from grader.submission import read_submission

COURSE = Course.find(Path(__file__))
DAY = COURSE.assignment("day2")


@pytest.fixture(scope="module")
def launcher():
    """One launcher for all."""
    with Launcher() as running:
        yield running


@pytest.fixture
def jail(launcher):
    """Load cells in a jail of their own."""
    opened = []

    def load(*cells):
        opened.append(
            Sandbox(launcher, [dedent(cell) for cell in cells], Limits(load_seconds=4), rule="_backward")
        )
        opened[-1].load()
        return opened[-1]

    yield load
    for box in opened:
        box.close()


# --- What the jail tells

ENGINE = """
class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0
        self._backward = lambda: None

    def __mul__(self, other):
        out = wrap(self.data * other.data)
        {rule}
        return out

def wrap(number):
    return Value(number)
"""


def units(box, *, call=True):
    """The units of a product, by name, after its `_backward` was called."""
    make = box.get("Value")
    product = make(2.0) * make(3.0)
    if call:
        product._backward()
    return {unit.place.function: unit for unit in box.where().units}


@pytest.mark.parametrize("call", [True, False], ids=["called", "not called"])
def test_a_closure_is_the_rule_of_its_operation(jail, call):
    """It is told by its own line, also when it was never called."""
    box = jail(
        ENGINE.format(rule="def _backward(): self.grad += out.grad\n        out._backward = _backward")
    )

    product = units(box, call=call)["Value.__mul__"]

    assert product.place == Frame(0, 7, "Value.__mul__")
    assert product.rule == Frame(0, 9, "Value.__mul__.<locals>._backward")


def test_a_lambda_is_a_rule(jail):
    """As a closure is."""
    box = jail(ENGINE.format(rule="out._backward = lambda: setattr(self, 'grad', out.grad)"))

    assert units(box)["Value.__mul__"].rule == Frame(0, 9, "Value.__mul__.<locals>.<lambda>")


def test_a_partial_of_a_function_is_a_rule(jail):
    """The function is told, in whichever cell it stands."""
    rule = "out._backward = partial(hand_on, out, self)"
    box = jail(
        "from functools import partial\ndef hand_on(out, x):\n    x.grad += out.grad",
        ENGINE.format(rule=rule),
    )

    assert units(box)["Value.__mul__"].rule == Frame(0, 2, "hand_on")


def test_a_method_of_the_class_is_a_rule(jail):
    """A bound method in a closure's place."""
    box = jail(
        ENGINE.format(rule="pass").replace("        self._backward = lambda: None\n", "")
        + "def _backward(self):\n    self.grad += self.data\n_backward.__qualname__ = 'forged'\n"
        "Value._backward = _backward"
    )
    found = units(box)

    assert found["Value.__mul__"].rule is None, "nothing says that the two belong together"
    assert found["_backward"].role == ROOT | LATER


def test_what_is_gone_through_on_the_way_has_no_role(jail):
    """A helper and what makes leaves are told as such; a `_backward` that does nothing is not told."""
    found = units(jail(ENGINE.format(rule="pass")))

    assert {name: unit.role for name, unit in found.items()} == {
        "Value.__init__": 0,
        "Value.__mul__": ROOT,
        "wrap": 0,
    }


def test_an_inner_operation_is_told(jail):
    """A quotient that is made of a product and a power goes through both."""
    box = jail(
        """
        class Value:
            def __init__(self, data): self.data = data
            def __mul__(self, other): return Value(self.data * other.data)
            def __pow__(self, number): return Value(self.data ** number)
            def __truediv__(self, other): return self * other ** -1
        """
    )
    make = box.get("Value")
    _ = make(3.0) / make(2.0)

    found = {unit.place.function: unit.role for unit in box.where().units}

    assert found["Value.__truediv__"] == ROOT
    assert {"Value.__mul__", "Value.__pow__"} <= found.keys()


def test_a_new_test_begins_afresh(jail):
    """What another test went through, or a cell, is forgotten."""
    box = jail(ENGINE.format(rule="pass") + "\nValue(1.0) * Value(2.0)")
    assert box.where().units == ()
    units(box)
    box.load()

    assert box.where().units == ()


@pytest.mark.parametrize(
    ("cells", "place"),
    [
        (["x = 1\ny = 2\nx = 3"], (0, 3)),
        (["x = 1", "y = 2", "x = 3\n"], (2, 1)),
        (["x = 1", "def f():\n    x = 2\n"], (0, 1)),
        (["\nx = {\n  1: 2,\n}"], (0, 2)),
        (["a, x = 1, 2"], (0, 1)),
        (["x = 1", "x = 2\n1 / 0"], (0, 1)),
        (["x = 1", "x = ("], (0, 1)),
        (["".join(f"v{i} = {i}\n" for i in range(300)) + "x = 1"], (0, 301)),
        (["globals()['x'] = 1"], None),
    ],
    ids=lambda case: repr(case)[-30:],
)
def test_the_line_of_an_answer(jail, cells, place):
    """The last one that assigns it at the top of a cell that came to its end."""
    answer = jail(*cells).where(["x"]).answer

    assert (answer and (answer.block, answer.line)) == place


# --- What nobody can make of it


HOSTILE = {
    "a property that loops": "_backward = property(lambda self: [None for _ in iter(int, 1)])",
    "a code of its own class": "_backward = type('F', (), {'__code__': property(lambda self: 1 / 0)})()",
    "an attribute that raises": "def __getattribute__(self, name): raise SystemExit",
    "no fields at all": "__slots__ = ()",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_objects_are_not_asked(jail, name):
    """Where a test went is told without them."""
    box = jail(
        f"""
        class Value:
            {HOSTILE[name]}
            def __mul__(self, other): return Value()
        """
    )
    make = box.get("Value")
    _ = make() * make()

    assert [unit.place for unit in box.where().units] == [Frame(0, 4, "Value.__mul__")]


def test_code_that_says_it_is_elsewhere_is_not_believed(jail):
    """Only what was compiled from the cells is a place; its own line and name say nothing."""
    box = jail(
        """
        class Value: pass
        def forged(a, b): return a or b
        code = forged.__code__.replace(co_firstlineno=10**9, co_qualname="Value.__add__", co_filename="<block 7>")
        Value.__mul__ = type(forged)(code, globals())
        """
    )
    make = box.get("Value")
    _ = make() * make()

    assert box.where().units == ()


def test_a_profile_of_the_students_own(jail):
    """It takes the place of ours for that request; nothing else changes."""
    box = jail(
        """
        import sys
        class Value:
            def __mul__(self, other):
                sys.setprofile(lambda *_: None)
                return Value()
            def __add__(self, other): return Value()
        """
    )
    make = box.get("Value")
    _ = make() * make()
    _ = make() + make()

    assert {unit.place.function for unit in box.where().units} == {"Value.__mul__", "Value.__add__"}


def test_a_long_loop_is_followed_only_at_its_beginning(jail):
    """Then it runs as fast as ever; what it enters late is not told."""
    box = jail(
        """
        def early(): pass
        def late(x): return x.y
        def run(x):
            for _ in range(30_000): len("")
            try: late(x)
            except AttributeError: return 1
        """
    )
    box.get("run")(1)

    assert [unit.place.function for unit in box.where().units] == ["run"]


# --- Who is to blame


def made(name, line, rule=None):
    """An operation that carried out a request."""
    return Unit(Frame(0, line, name), ROOT, rule)


ADD, MUL = made("add", 1, Frame(0, 2, "add.rule")), made("mul", 5, Frame(0, 6, "mul.rule"))


def results(*rows):
    """Results of tests: outcome and the units of each, and what else there is of it."""
    return [
        suite.TestResult(
            suite.Test("check", "visible", f"test_{i}", "forward", ""),
            outcome,
            error=AssertionError() if outcome is Outcome.FAILED else None,
            went=Went(tuple(went), Frame(3, 3, "") if answers else None),
            answers=tuple(answers),
        )
        for i, (outcome, went, *answers) in enumerate(rows)
    ]


def blamed(*rows):
    """The names of the places, by the number of the test."""
    found = places(results(*rows))
    return {int(test.name.removeprefix("test_")): place.function for test, place in found.items()}


def test_what_fails_alone_is_to_blame_where_several_meet():
    """+ passes alone and × does not: × it is, in the test of both too."""
    rows = [(Outcome.PASSED, [ADD]), (Outcome.FAILED, [MUL]), (Outcome.FAILED, [ADD, MUL])]

    assert blamed(*rows) == {1: "mul", 2: "mul"}


def test_two_mistakes_are_two_places():
    """Each is told where it fails alone; where both could be, nothing is."""
    rows = [(Outcome.FAILED, [ADD]), (Outcome.FAILED, [MUL]), (Outcome.FAILED, [ADD, MUL])]

    assert blamed(*rows, (Outcome.PASSED, [made("tanh", 9)])) == {0: "add", 1: "mul"}


def test_two_that_are_always_together_are_not_told_apart():
    """Silence."""
    assert blamed((Outcome.FAILED, [ADD, MUL]), (Outcome.PASSED, [])) == {}


def test_an_operation_and_its_rule_are_one():
    """They are always together, and that is no riddle."""
    hand_on = Frame(0, 20, "hand_on")
    product = made("mul", 5, hand_on)

    assert blamed((Outcome.FAILED, [product, Unit(hand_on, ROOT | LATER, None)])) == {0: "mul"}


def test_where_nearly_everything_fails_the_operations_are_not_accused():
    """Three wrong operations at once, or one wrong leaf: nobody can tell."""
    leaf, tanh = Unit(Frame(0, 30, "Value.__init__"), 0, None), made("tanh", 9)
    rows = [(Outcome.FAILED, [leaf, unit]) for unit in (ADD, MUL, tanh)]

    assert blamed(*rows) == {}
    assert blamed(*rows[:2], (Outcome.PASSED, [leaf, tanh])) == {0: "add", 1: "mul"}


def test_an_answer_is_to_blame_when_the_engine_is_right():
    """Then its line is told; while what it is compared with is wrong, nothing is."""
    right, wrong = (Outcome.PASSED, [MUL]), (Outcome.FAILED, [MUL])

    assert places(results(right, (Outcome.FAILED, [MUL], "grads"))).popitem()[1] == Frame(3, 3, "")
    assert blamed(wrong, (Outcome.FAILED, [MUL], "grads")) == {0: "mul"}


def test_an_error_has_a_place_of_its_own():
    """Nothing is guessed beside it."""
    (failed,) = results((Outcome.FAILED, [MUL]))
    failed.error = StudentError("ValueError", "no", frames=(Frame(0, 3, "add"),))

    assert places([failed]) == {}


def test_an_error_of_the_call_itself_has_none():
    """A closure that wants an argument never begins: the tests tell which one it is."""
    (failed,) = results((Outcome.FAILED, [MUL]))
    failed.error = StudentError("TypeError", "_backward() missing 1 required positional argument")

    assert places([failed]).popitem()[1].function == "mul.rule"


# --- The mistakes of day 2

INSIDE = {
    "add": {"Value.__add__", "Value.__radd__", "hand_on_sum"},
    "mul": {"Value.__mul__", "Value.__rmul__", "hand_on_product"},
    "tanh": {"tanh", "Value.tanh", "hand_on_tanh"},
}
SEVERAL = {"rules_assign", "every_operation_assigns", "rules_exchanged"}
NOWHERE = {"grad_starts_at_one"}  # in no operation


def right_places(mistake):
    """The functions in which this mistake is."""
    if mistake in NOWHERE:
        return set()
    operations = set(INSIDE) if mistake in SEVERAL else {mistake.split("_")[0]} & set(INSIDE)
    return set().union(*(INSIDE[name] for name in operations or {"tanh"}), {"Value._backward"})


def pointed_at(grader, blocks):
    """The function that each failing check points at, in the order of the checks."""
    _, judged = grader.run(blocks)
    found = places(judged, diagnosis_of(judged, grader.known), grader.known.words)
    first = {}
    for result in judged:
        if result.outcome is Outcome.FAILED:
            first.setdefault(result.test.check, result)
    shown = {}
    for check, result in first.items():
        frames = result.error.frames if isinstance(result.error, StudentError) else ()
        place = frames[-1] if frames else found.get(result.test)
        where = place and where_at(place, blocks)
        shown[check] = where.inside if where else None
    return shown


def submissions(grader, folder):
    """Every mistake about the engine, in the reference and in the other shapes."""
    reference = reference_blocks(DAY)
    for mistake in read_mistakes(DAY):
        if mistake.id.startswith(ABOUT_ENGINE["day2"]):
            yield mistake.id, apply_mistake(reference, mistake)
    for shape in ALL:
        for name in shape.mistakes if shape.day == "day2" else ():
            path = folder / "submission.py"
            path.write_text(shape.patched(name, shape.mistakes[name]), encoding="utf-8")
            yield name, read_submission(path).blocks


@pytest.mark.parametrize("every", [pytest.param(3, marks=pytest.mark.slow), 25])
def test_the_place_is_in_the_operation_that_is_wrong(launcher, tmp_path, every):
    """In nine of ten mistakes at least, by the first check that fails; in another operation never."""

    def job(grader):
        chosen = list(submissions(grader, tmp_path))[::every]
        return [(name, pointed_at(grader, blocks)) for name, blocks in chosen]

    told = with_grader(DAY, launcher, job)
    wrong = [(name, shown) for name, shown in told if {*shown.values()} - {None} - right_places(name)]
    silent = [name for name, shown in told if next(iter(shown.values())) is None]

    assert wrong == []
    assert len(silent) * 10 <= len(told), f"{len(told) - len(silent)} of {len(told)}; not {silent}"


# --- What a student sees


def graded(launcher, folder, old, new):
    """The terminal's text about the reference of day 2 with one change."""
    source = DAY.reference.read_text(encoding="utf-8")
    assert source.count(old) == 1
    path = folder / "mine.py"
    path.write_text(source.replace(old, new), encoding="utf-8")
    line = source[: source.index(old)].count("\n") + 1
    report = with_grader(DAY, launcher, lambda grader: grader.grade(read_submission(path)))
    return line, " ".join(render_terminal(report).split())


def test_the_rule_and_the_operation_are_named(launcher, tmp_path):
    """File, line, its text, and the method around it."""
    line, text = graded(launcher, tmp_path, "self.grad += other.data * out.grad", "self.grad += out.grad")

    assert f"mine.py, line {line - 2}: def _backward(): (in Value.__mul__)" in text


def test_an_answer_is_shown_by_its_line(launcher, tmp_path):
    """With the engine right, nothing else is."""
    line, text = graded(launcher, tmp_path, 'strongest = "a"', 'strongest = "c"')

    assert f'mine.py, line {line}: strongest = "c"' in text
    assert "_backward" not in text


def test_own_frames_of_an_error_are_shown(launcher, tmp_path):
    """Outermost first, each with its source, and nothing of the grader's."""
    helper = "\ndef slope(t):\n    return 1 / (t - t)\n\n\ndef tanh(self):\n"
    _, text = graded(launcher, tmp_path, "\ndef tanh(self):\n", helper)
    assert "slope(" not in text, "nothing calls it yet"
    source = (tmp_path / "mine.py").read_text(encoding="utf-8")
    path = tmp_path / "again.py"
    path.write_text(source.replace("(1 - t**2) * out.grad", "slope(t) * out.grad"), encoding="utf-8")

    report = with_grader(DAY, launcher, lambda grader: grader.grade(read_submission(path)))

    (failed,) = (check for check in report.checks if check.id == "tanh_neuron")
    assert [frame.text for frame in failed.frames] == [
        "self.grad += slope(t) * out.grad",
        "return 1 / (t - t)",
    ]
    assert [frame.inside for frame in failed.frames] == ["tanh", "slope"]
    assert failed.where == failed.frames[-1]
    assert "worker.py" not in render_terminal(report)


# --- Beside a mistake that has a name

SOME = ["backward_without_visited", "backward_assigns", "backward_breadth_first"]


def functions_pointed_at(day, wanted):
    """For each mistake in the walk, the functions that the feedback points at."""
    assignment = COURSE.assignment(day)
    mistakes = [m for m in read_mistakes(assignment) if wanted(m.id)]

    def job(grader):
        found = {}
        for mistake in mistakes:
            blocks = apply_mistake(reference_blocks(assignment), mistake)
            _, judged = grader.run(blocks)
            found[mistake.id] = {
                place.function.removeprefix("Value.").split(".")[0]
                for test, place in places(
                    judged, diagnosis_of(judged, grader.known), grader.known.words
                ).items()
                if not test.check.startswith(("relu_sum", "quiz"))
            }
        return found

    with Launcher() as launcher:
        return with_grader(assignment, launcher, job)


@pytest.mark.slow
def test_a_wrong_walk_is_not_sought_in_an_operation():
    """What `backward` does wrong shows in graphs of +, and + is right."""
    found = functions_pointed_at("day5", SOME.__contains__)
    assert found
    assert all(functions == {"backward"} for functions in found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("day", ["day4", "day5"])
def test_no_wrong_walk_is_sought_in_an_operation(day):
    """The same of every mistake in the walk."""
    found = functions_pointed_at(day, lambda name: name.startswith("backward_"))
    wrong = {name: functions for name, functions in found.items() if functions - {"backward"}}
    assert not wrong
