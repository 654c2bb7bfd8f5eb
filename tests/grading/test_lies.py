"""Engines and jails that lie earn nothing, and no lie is called the grader's fault (promise 8).

No object of the student's takes part in a comparison. All engines of this file are graded in one warm session a day,
one after another, the honest one last: what is before it must not have changed anything. escapes/test_7_forging.py has
a liar of each kind in the default run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from helpers import cells, check, copy_course, edit_manifest, grade, hand_in, passed, write_files
from sampled import every

from grader.assignment import Course
from grader.grading.grader import Grader, open_grader
from grader.render.terminal import render_terminal
from grader.report import Outcome, Report, to_json
from grader.submissions.intake import accept
from grader.submissions.submission import read_submission

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.sandbox import Launcher

ENGINE_CHECKS = {"add_rule", "swap_rule", "accumulate", "complex_expression", "tanh_neuron", "pytorch_parity"}

# What a student could have right without an engine: so nothing but the engine decides.
ANSWERS = "\n\n".join(
    source for source in cells("day2") if "class Value" not in source and "def " not in source
)

# --- Engines that know nothing

NULL = """
class Value:
    def __init__(self, *args, **keywords): pass
    def __getattr__(self, name):
        if name == "_backward":
            return lambda *args: None
        return {attribute}
    def same(self, *args):
        return self
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __neg__ = __pow__ = tanh = same
    def backward(self): pass

def reset_grads(*values): pass
"""

# A number that agrees to everything that it is asked.
YES = """
def agree(*args):
    return True

class Yes({base}):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = agree
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __sub__(self, other): return self
    def __abs__(self): return 0.0
    def __float__(self): return 1.0
    def __int__(self): return 1
    def __index__(self): return 1
    __rsub__ = __add__ = __radd__ = __mul__ = __rmul__ = __neg__ = __round__ = __sub__
    def __repr__(self): return "the right answer"
    __str__ = __format__ = __repr__
"""
YES_ENGINE = """
class Value:
    def __init__(self, data, *args):
        self.data = self.grad = Yes(0.5)
        self._prev = ()
    def _backward(self): pass
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value if isinstance(value, Yes) else Yes(0.5))
    def __add__(self, other): return Value(0)
    __radd__ = __mul__ = __rmul__ = __add__
    def tanh(self): return Value(0)
    def backward(self): pass

def reset_grads(*values): pass
"""

EQUALS_EVERYTHING = """
class Value:
    def __init__(self, *args): self.data = self.grad = self
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __contains__ = __bool__ = __lt__
    def __sub__(self, other): return self
    def __add__(self, other): return self
    __rsub__ = __radd__ = __mul__ = __rmul__ = __add__
    def __abs__(self): return 0.0
    def __float__(self): return 0.0
    def __setattr__(self, name, value): object.__setattr__(self, name, self)
    def _backward(self): pass
    def tanh(self): return self
    def backward(self): pass
"""

EVERY_LOOK_UP_LIES = """
class Value:
    def __init__(self, *args): pass
    def __getattribute__(self, name):
        if name in ("_backward", "backward", "tanh"):
            return lambda *args: Value()
        return Yes(1.0)
    def __setattr__(self, name, value): raise AttributeError(name)
    def __add__(self, other): return Value()
    __radd__ = __mul__ = __rmul__ = __add__
"""

CLAIMS_TO_BE_A_FLOAT = """
class Value:
    __class__ = property(lambda self: float)
    def __init__(self, *args): pass
    data = grad = property(lambda self: self, lambda self, value: None)
    def __float__(self): return 1.0
    def __add__(self, other): return self
    __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __add__
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def _backward(self): pass
    def tanh(self): return self
    def backward(self): pass
"""

METACLASS = """
class Meta(type):
    def __instancecheck__(cls, other): return True
    def __subclasscheck__(cls, other): return True
    def __eq__(cls, other): return True
    def __hash__(cls): return hash(float)
    def __getattribute__(cls, name): return {"__name__": "float", "__mro__": (float, object)}.get(
        name, type.__getattribute__(cls, name))

class Value(float, metaclass=Meta):
    def __new__(cls, *args): return float.__new__(cls, 1.0)
    data = grad = property(lambda self: self, lambda self, value: None)
    def __add__(self, other): return self
    __radd__ = __mul__ = __rmul__ = __add__
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def _backward(self): pass
    def tanh(self): return self
    def backward(self): pass
"""

# --- Attempts to change who judges

PATCHES = {
    "modules": """
import sys
class Always:
    def __getattr__(self, name): return Always()
    def __call__(self, *args, **keywords): return Always()
    def __eq__(self, other): return True
for name in ("pytest", "_pytest", "_pytest.approx", "_pytest.python_api", "grader", "grader.grading.suite",
             "grader.report", "msgspec", "unittest", "numpy"):
    sys.modules[name] = Always()
import pytest
pytest.approx = pytest.raises = Always()
""",
    "builtins": """
import builtins
import re
builtins.isinstance = lambda *args: True
builtins.abs = lambda x: 0.0
builtins.AssertionError = type("Fine", (Exception,), {})
builtins.float = lambda x: 1.0
builtins.sorted = lambda x: ["L", "d"]
builtins.len = lambda x: 2
builtins.min = builtins.max = lambda *args: 0
""",
    # The class of the worker that answers is found on the stack below the cells.
    "the worker's encoder": """
import sys
frame = sys._getframe()
while "step" not in frame.f_locals:
    frame = frame.f_back
type(frame.f_locals["self"]).encode = lambda self, value, depth=0: 1.0
""",
    "descriptors": """
import os
body = b'{"n": 5, "v": 1.0, "outcome": "passed"}'
for descriptor in range(3, 16):
    try:
        os.write(descriptor, len(body).to_bytes(4, "big") + body)
    except OSError:
        pass
""",
}

# --- Objects whose text is not what it seems

TEXTS = {
    "for a terminal": r"return '\x1b[2J\x1b[1;1H\x1b[32m100 of 100 points\x1b[0m\r\x07\u202e\ud800'",
    "that is long": "return 'x' * 10_000_000",
    "of itself": "return repr(self)",
}
TELLS = """
class Odd(Exception):
    def __repr__(self): {text}
    __str__ = __format__ = __repr__

class Value(Odd):
    def __init__(self, *args): self.data = self.grad = Odd()
    def __setattr__(self, name, value): object.__setattr__(self, name, Odd())
    def __add__(self, other): return self
    __radd__ = __mul__ = __rmul__ = tanh = __add__
    def backward(self): raise self
    def _backward(self): raise Odd()
"""

LIES = {
    "all zeros": NULL.format(attribute="0.0"),
    "itself everywhere": NULL.format(attribute="self"),
    "agreeing float": YES.format(base="float") + YES_ENGINE,
    "equals everything": EQUALS_EVERYTHING,
    "every look-up lies": YES.format(base="float") + EVERY_LOOK_UP_LIES,
    "claims to be a float": CLAIMS_TO_BE_A_FLOAT,
    "metaclass": METACLASS,
    **{f"patches {name}": patch + NULL.format(attribute="0.0") for name, patch in PATCHES.items()},
    **{f"a text {name}": TELLS.format(text=text) for name, text in TEXTS.items()},
}

# --- Sorts and walks that know nothing (day 3), beside an honest engine

SORTS = {
    "agreeing list": YES.format(base="list")
    + "def build_topo(root): return Yes([root])\ndef backward(root): return Yes()\n",
    "endless": """
class Endless:
    def __iter__(self):
        while True: yield 1.0
def build_topo(root): return Endless()
def backward(root): return Endless()
""",
    "all ones": """
def build_topo(root): return sorted(root._prev, key=id) + [root]
def backward(root):
    todo = [root]
    while todo:
        node = todo.pop()
        node.grad = 1.0
        todo.extend(node._prev)
""",
}

# --- Values of every kind: as the gradient of a × that should be -3, with what is told of it; as answers; as an order

STRANGE = {
    "nan": ("float('nan')", "nan"),
    "true": ("True", "True"),
    "a text": ("'steep'", "the text 'steep'"),
    "a list": ("[-3.0]", "[-3.0]"),
    "None": ("None", "None"),
    "a Value": ("Value(-3.0)", "a.grad is a Value"),
    "a complex number": ("-3 + 0j", "a.grad is a complex"),
    "a dictionary": ("{'grad': -3}", "{'grad': -3}"),
    "a huge integer": ("10**400", "a huge integer"),
    "a list of itself": ("(lambda x: (x.append(x), x)[1])([])", "a list of one entry"),
    "an int of 20,000 digits": ("10**20_000", ""),
    "a long text": ("'x' * 5_000_000", ""),
    "control characters": (r"'\x1b[2J\x00\r\u202e\ud800'", ""),
    "a list of 30,000": ("[0.0] * 30_000", ""),
    "a dict with odd keys": ("{None: 1, 2.5: 2, (1, (2,)): 3, ...: 4}", ""),
    "a blank inside": ("[...]", ""),
    "a text that raises": (
        "type('S', (str,), {'__str__': lambda s: 1 / 0, '__eq__': lambda s, o: True, '__hash__': lambda s: 1 / 0})('L')",
        "",
    ),
}
OBJECT = re.compile(r"\ba\.grad is an? \w+; it must be a (number|float)\.")
NAMES = """product_order product_grads sum_times_grads twice_with_assignment complex_grads complex_order
    neuron_grads diamond_order lost_by_b_first lost_by_c_first strongest leverage_a_over_c nudge_up
    quiz_df_da quiz_df_db quiz_do_dw1 quiz_w2 quiz_a_times_a quiz_why_add quiz_dd_da quiz_backpropagation""".split()
# Dictionaries, orders and numbers, names, letters: each strange value is given to one of them.
ANSWER_CHECKS = ("predictions", "visit_order", "leverage", "quiz")
ASKED = {name: ANSWER_CHECKS[i % 4] for i, name in enumerate(STRANGE)}

STRANGE_GRADIENT = """
class Value(Value):
    def __mul__(self, other):
        out = Value(self.data * (other.data if isinstance(other, Value) else other), (self,), "*")
        def _backward():
            self.grad = {value}
        out._backward = _backward
        return out
"""

# Exceptions that Python, pytest or the grader treats in its own way, and a plain one.
RAISED = {
    **dict.fromkeys(
        ["AssertionError", "AttributeError", "MemoryError", "NotImplementedError", "StopIteration"],
        "('broken')",
    ),
    **dict.fromkeys(
        ["GeneratorExit", "KeyboardInterrupt", "SystemExit", "TimeoutError", "ZeroDivisionError"],
        "('broken')",
    ),
    "BaseExceptionGroup": "('broken', [KeyboardInterrupt()])",
    "UnicodeDecodeError": "('utf-8', b'', 0, 1, 'broken')",
}
RAISES = """
class Value(Value):
    def __mul__(self, other): raise {name}{made}
"""


HONEST = {day: "\n\n".join(cells(day)) for day in ("day2", "day3")}


def lies(day: str) -> Iterator[tuple[str, str, str, str | None]]:
    """Give a day's submissions: kind, name, source, and the one check to run where the others do not matter."""
    source = HONEST[day]
    if day == "day3":
        for name, sort in SORTS.items():
            yield "sort", name, f"{source}\n\n{sort}\nValue.backward = backward\n", None
        for name, (value, _) in STRANGE.items():
            yield "order", name, f"{source}\n\ndef build_topo(root):\n    return {value}\n", "build_topo"
        return
    for name, lie in LIES.items():
        yield "lie", name, f"{ANSWERS}\n\n{lie}", None
    for name, (value, _) in STRANGE.items():
        answers = f"strange = {value}\n" + "".join(f"{answer} = strange\n" for answer in NAMES)
        yield "gradient", name, f"{source}\n\n{STRANGE_GRADIENT.format(value=value)}", "swap_rule"
        yield "answer", name, f"{source}\n\n{answers}", ASKED[name]
    for name, made in RAISED.items():
        yield "exception", name, f"{source}\n\n{RAISES.format(name=name, made=made)}", "swap_rule"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> dict[str, dict[str, Report]]:
    """Grade every submission; a crash of the grader fails the test that uses the report."""
    root = copy_course(tmp_path_factory.mktemp("lies"))
    found: dict[str, dict[str, Report]] = {}
    for day, honest in HONEST.items():
        once = {name: {"orders": False} for name in Course.find(root).assignment(day).manifest.checks}
        hasty = {"load_seconds": 1, "check_seconds": 0.5, "total_seconds": 3}  # some never answer
        edit_manifest(root, day, limits=hasty, checks=once)  # a lie is one in any order
        with open_grader(Course.find(root).assignment(day), launcher) as grader:
            for kind, name, source, only in lies(day):
                path = hand_in(root, source, "mine.py")
                found.setdefault(kind, {})[name] = grader.grade(read_submission(path), only)
        # Honest work has its time, on a busy machine too.
        edit_manifest(root, day, limits={"load_seconds": 10, "check_seconds": 10, "total_seconds": 60})
        with open_grader(Course.find(root).assignment(day), launcher) as grader:
            path = hand_in(root, honest, "mine.py")
            found.setdefault("honest", {})[day] = grader.grade(read_submission(path))
    return found


def earned(reports: dict[str, Report], by: set[str]) -> dict[str, set[str]]:
    """The checks among these that passed, or that are called the grader's own fault, of each report that has some."""
    bad = {
        name: {c.id for c in report.checks if c.outcome is Outcome.UNGRADABLE} | passed(report) & by
        for name, report in reports.items()
    }
    return {name: checks for name, checks in bad.items() if checks}


@pytest.mark.ci
def test_lies_earn_nothing(reports: dict[str, dict[str, Report]]) -> None:
    """With every answer right, no check of the engine passes, and none is the grader's fault."""
    assert earned(reports["lie"], ENGINE_CHECKS) == {}


@pytest.mark.ci
def test_sorts_that_know_nothing_earn_nothing(reports: dict[str, dict[str, Report]]) -> None:
    """An honest engine does not help a sort that is none; the quiz has the reference's answers."""
    every_check = {check.id for check in reports["honest"]["day3"].checks}
    assert earned(reports["sort"], every_check - {"quiz"}) == {}


@pytest.mark.ci
def test_strange_gradients(reports: dict[str, dict[str, Report]]) -> None:
    """Whatever is in `.grad`, the check fails and shows the value that the engine computed beside the expected one."""
    for name, (_, told) in STRANGE.items():
        found = check(reports["gradient"][name], "swap_rule")
        assert found.outcome is Outcome.FAILED, name
        words = " ".join([found.message, *(rule.words for rule in found.rules)])
        if OBJECT.search(words) or name == "a Value":  # which a rule tells
            assert told in words, name
            continue
        (row,) = found.readings
        assert row.label == "a.grad", name
        assert told in row.actual, name
        assert "-3" in row.expected, name


@pytest.mark.ci
def test_strange_answers_and_orders(reports: dict[str, dict[str, Report]]) -> None:
    """With any other object instead of an answer or an order, its check does not pass, and says something."""
    for name, asked in ASKED.items():
        found = check(reports["answer"][name], asked)
        # a blank is still to be written, also where it stands in a list
        assert found.outcome is (Outcome.TODO if name == "a blank inside" else Outcome.FAILED), (name, asked)
        assert found.message or found.readings, (name, asked)
        assert check(reports["order"][name], "build_topo").outcome is Outcome.FAILED, name


@pytest.mark.ci
def test_every_exception(reports: dict[str, dict[str, Report]]) -> None:
    """Whatever × raises, the check does not pass, and the exception is named."""
    for name in RAISED:
        found = check(reports["exception"][name], "swap_rule")
        if name == "NotImplementedError":  # the stub's way to say that something is still to be written
            assert (found.outcome, found.message) == (Outcome.TODO, "broken")
        else:
            assert found.outcome is Outcome.FAILED, name
            assert name in found.message, name


@pytest.mark.ci
@pytest.mark.parametrize("day", HONEST)
def test_an_honest_submission_afterwards(reports: dict[str, dict[str, Report]], day: str) -> None:
    """None of the above has changed anything for who comes next."""
    report = reports["honest"][day]
    assert report.score == report.max_score
    assert report.notes == []


@pytest.mark.ci
def test_every_report_is_short_and_commands_no_terminal(reports: dict[str, dict[str, Report]]) -> None:
    """However much a submission says; no control character of a student's gets into a report, in any form."""
    for report in (report for of_kind in reports.values() for report in of_kind.values()):
        assert len(to_json(report)) <= 40_000
        for text in (to_json(report), render_terminal(report)):
            assert re.findall("[^\\n -~\x80-\ud7ff\ue000-\U0010ffff]|[\u202e\u2028]", text) == []


# --- Jails

MEANS = """\
format: 1
title: Means
submission: means.ipynb
arrays: true
topic: autograd
limits: {load_seconds: 2, check_seconds: 1, total_seconds: 5, memory_mb: 512}
checks:
  mean: {points: 50, hints: ["Which axis are the rows?"]}
  secret: {points: 50, hints: ["Which axis are the rows?"]}
"""
MEAN = '''\
"""The mean of all rows."""

def test_mean(student):
    """Of two rows."""
    assert student.mean(student.array([[{}, 2.0], [3.0, 4.0]])) == [{}, 3.0]


def test_box(student):
    """An object and its parts."""
    box = student.Box(3.0)
    assert [box.size, *box, len(str(box))] == [3.0, 1, 2, 4]
'''
MEANT = """\
# %%
class Box:
    def __init__(self, size): self.size = size
    def __iter__(self): return iter([1, 2])
    def __str__(self): return "box!"


# %%
def mean(rows):
    ### BEGIN SOLUTION: write mean
    return rows.mean(axis=0)
    ### END SOLUTION

"""
# Each request gets the same answer from the first cell on; or only once all cells have run.
LIAR = """
# %%
import sys
f = sys._getframe()
while f:
    s = f.f_locals.get("self")
    if type(s).__name__ == "Jail": JAIL = s
    f = f.f_back
WRONG = {"e": {"type": "E", "bases": [], "text": "", "name": "", "frames": []}}
class Lie(Exception): pass
def lying(op, answer):
    def lie(self, request):
        if answer == "raise": raise Lie
        return answer
    setattr(type(JAIL), "do_" + op, lie)

# %%
lying(OP, ANSWER)
1 / 0
"""
NOT_ASCII = {"a": ["float64", [1], "\u00e9AAAAAAAA+H8="]}
OTHERS = ({"l": [NOT_ASCII]}, "raise", 5, None, [1], {"h": 1})
ASKED_OF_A_JAIL = (
    "open begin run reload names output hashed source get attr set call apply items isinstance peek defined"
).split()


@pytest.fixture(scope="module")
def means(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """A course about arrays, with a hidden check."""
    root = tmp_path_factory.mktemp("course")
    files = {
        "assignments/means/assignment.yaml": MEANS,
        "assignments/means/checks/test_mean.py": MEAN.format("1.0", "2.0"),
        "solutions/means/checks/test_secret.py": MEAN.format("5.0", "4.0"),
        "solutions/means/means.py": MEANT,
    }
    write_files(root, files)
    assert grade("stub", "means", cwd=root).code == 0
    return Course(root).assignment("means")


@pytest.fixture(scope="module")
def grader(means: Assignment, launcher: Launcher) -> Iterator[Grader]:
    """One for all jails that lie."""
    with open_grader(means, launcher) as opened:
        yield opened


@pytest.mark.parametrize("op", ASKED_OF_A_JAIL)
def test_any_answer_to_any_request(grader: Grader, launcher: Launcher, tmp_path: Path, op: str) -> None:
    """No check is ungradable, and no error of ours comes out."""
    others = every(len(OTHERS), OTHERS, ASKED_OF_A_JAIL.index(op) % len(OTHERS))
    for answer in (NOT_ASCII, *others):
        source = MEANT + LIAR.replace("OP", repr(op)).replace("ANSWER", repr(answer))
        work = accept(grader.assignment, hand_in(tmp_path, source, "mine.py"), launcher)
        report = grader.grade(work, traces=True)
        assert report.score is not None, (op, answer, [check.message for check in report.checks])


@pytest.mark.ci
def test_a_class_gets_a_grade_for_it(means: Assignment, tmp_path: Path) -> None:
    """`grade batch` ends with 0 points, and not with a submission that could not be graded."""
    source = MEANT + LIAR.replace("OP", '"names"').replace("ANSWER", repr(NOT_ASCII))
    (tmp_path / "ada").mkdir()
    hand_in(tmp_path / "ada", source, "means.py")

    done = grade("batch", "means", tmp_path, "--results", tmp_path / "results.db", cwd=means.course.root)

    assert "could not be graded" not in done.out + done.err
    assert done.code == 0
