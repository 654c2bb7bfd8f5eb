"""What objects share without meaning to is told from what the jail saw, and only of checks that failed."""

from collections.abc import Callable

import pytest
from helpers import COURSE, reference

from grader.grading.facts import SharedFact
from grader.grading.locations import function_around
from grader.grading.sharing import (
    SharingReport,
    _facts_of_lines,
    _line_of_alias,
    _made_at,
    _may_alias,
    all_words,
)
from grader.report import CheckResult, Outcome
from grader.sandbox import Frame, StudentError
from grader.submissions.submission import Block, Sources
from grader.submissions.work import Work

ADD_4 = 'out = Value(self.data + other.data, (self, other), "+")'
MUL_4 = ADD_4.replace("+", "*")
VELOCITIES = "self.velocities = [np.zeros_like(parameter.data) for parameter in self.parameters]"
STEP = "self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad"
IN_PLACE = "self.velocities[i] *= self.momentum\n            self.velocities[i] += parameter.grad"
DATA_6 = "self.data = np.array(data, dtype=float)"
LOOP_7 = (
    "        for i, parameter in enumerate(self.parameters):\n"
    f"            {STEP}\n"
    "            parameter.data = parameter.data - self.rate * self.velocities[i]\n"
)


def one_velocity(*lines: str, first: str = "self.v = 0.0") -> list[tuple[str, str]]:
    """Return the changes after which SGD has one velocity, moved in these lines."""
    return [(VELOCITIES, first), (LOOP_7, "".join(f"        {line}\n" for line in lines))]


LINES = """class Value:
    made = []
    def f(self):
        made = []
        self.made = 1
made = {}
""".split("\n")


@pytest.mark.parametrize(
    ("how", "owner", "place"),
    [
        ("class", "Value", ", in cell 1, line 2"),
        ("class", "Other", ""),
        ("global", "f", ", in cell 1, line 6"),
        ("default", "f", ""),
    ],
)
def test_the_line_that_makes_what_is_kept(how, owner, place):
    """A local name of the same spelling is another one; two lines are none."""
    blocks = Sources([Block("mine.ipynb", 1, 1, "\n".join(LINES))])

    assert _made_at(how, owner, "made", blocks) == place
    assert not _made_at(how, owner, "made", Sources([*blocks, *blocks]))


@pytest.mark.parametrize(
    "row",
    [
        (None, 2, "f", "v", "int64 (3,)", "p", 2, True),
        (9, 2, "f", "v", "int64 (3,)", "p", 2, True),
        (0, -1, "f", "v", "int64 (3,)", "p", 2, True),
        (0, 2, "f", "v", "int64 (3,)", "p", 10**9, True),
        (0, 2, "f", "(v+)+$", "int64 (3,)", "p", 2, True),
        (0, 2, "f", "v", "int64 (3,)", "(p+)+$", 2, True),
    ],
)
def test_lines_that_are_not_there_tell_nothing(row):
    """The jail may send any place and any name."""
    blocks = Sources([Block("mine.py", None, 1, "def f(ps):\n    for p in ps: v = p\n")])
    error = StudentError("ValueError", "shapes", (Frame(0, 2, "f"),))
    good = (0, 2, "f", "v", "int64 (3,)", "p", 2, True)

    assert [fact.get("how") for fact in _facts_of_lines(SharingReport(given=[good]), error, blocks)] == [
        "turn"
    ]
    assert list(_facts_of_lines(SharingReport(given=[row]), error, blocks)) == []
    assert (
        list(
            _facts_of_lines(
                SharingReport(given=[good]), StudentError("ValueError", "", (Frame(9, 1, "f"),)), blocks
            )
        )
        == []
    )


MEASURED = """    for place in np.ndindex(parameter.data.shape):
        kept = parameter.data[place]
        parameter.data[place] = kept + nudge
        above = loss_of().data
        parameter.data[place] = kept - nudge
        below = loss_of().data
        parameter.data[place] = kept
"""
ALIASED = """    old = parameter.data
    for place in np.ndindex(parameter.data.shape):
        parameter.data[place] = old[place] + nudge
        above = loss_of().data
        parameter.data[place] = old[place] - nudge
        below = loss_of().data
        parameter.data = old
"""


@pytest.fixture
def failed(session) -> Callable[..., CheckResult]:
    """Grade a day's reference after some changes; gives the first check that failed."""

    def failed(day: str, *changes: tuple[str, str]) -> CheckResult:
        source = reference(day)
        for old, new in changes:
            assert old in source, old
            source = source.replace(old, new)
        report = session(COURSE, day).grade(Work("mine.py", data=source.encode()))
        return next(check for check in report.checks if check.outcome is Outcome.FAILED)

    return failed


def shared(check: CheckResult) -> list[str]:
    """Return how the facts about a check say that something is shared."""
    return [fact.how for fact, _ in SharedFact.all_in(check.facts)]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("day", "changes", "how", "words"),
    [
        pytest.param(
            "day4",
            [
                ("children=(), op", "children=[], op"),
                ("self._prev = set(children)", "self._prev = children"),
                (ADD_4, 'out = Value(self.data + other.data, op="+")\n        out._prev += [self, other]'),
                (MUL_4, 'out = Value(self.data * other.data, op="*")\n        out._prev += [self, other]'),
            ],
            "default",
            "The default `children=[]` of `Value.__init__` is made once, when the function is defined, and not in each "
            "call: all calls share it.",
            id="default",
        ),
        pytest.param(
            "day1",
            [
                (
                    'return Value(self.data + other.data, (self, other), "+")',
                    'return Value(self.data + other.data, (Value(self.data), Value(other.data)), "+")',
                )
            ],
            "copy",
            "`_prev` of a + b holds new Values with the numbers of a and b, and not these: they are copies.",
            id="copies",
        ),
        pytest.param(
            "day7",
            [(MEASURED, ALIASED)],
            "alias",
            "`old` and `parameter.data` are one array: `old = parameter.data` in line ",
            id="alias",
        ),
        pytest.param(
            "day7",
            [(VELOCITIES, "self.velocities = [p.grad for p in self.parameters]"), (STEP, IN_PLACE)],
            "one",
            "`p.grad` and `SGD.velocities[0]` are the same array: a change to one also changes the other.",
            id="one array",
        ),
        pytest.param(
            "day7",
            [
                (
                    "    def __init__(self, parameters, rate",
                    "    velocities = {}\n\n    def __init__(self, parameters, rate",
                ),
                (f"        {VELOCITIES}\n", ""),
                (STEP, STEP.replace("* self.velocities[i]", "* self.velocities.get(i, 0)")),
            ],
            "class",
            "`velocities` is kept in the class SGD, in ",
            id="class",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day7",
            [("passes, size, rng):", "passes, size, rng, means=[]):"), ("    means = []\n", "")],
            "default",
            "The default `means=[]` of `train` is made once",
            id="from test to test",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day3",
            [
                ("def build_topo(root):", "order = []\nvisited = set()\n\n\ndef build_topo(root):"),
                ("    order = []\n    visited = set()\n    stack", "    stack"),
            ],
            "global",
            "`order` and `visited` are made once, outside `build_topo`: all calls of this function share them.",
            id="outside",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day6",
            [("self.grad = np.zeros_like(self.data)", "self.grad = self.data\n        self.grad *= 0")],
            "one",
            "`B.data` and `B.grad` are the same array",
            id="data and gradient",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day7",
            one_velocity(
                "for p in self.parameters:",
                "    self.v = self.momentum * self.v + p.grad",
                "    p.data -= self.rate * self.v",
            ),
            "turn",
            "`self.v` has the shape (1, 2). `self.v` got its numbers in line ",
            id="one velocity",
        ),
        pytest.param(
            "day7",
            one_velocity(
                "v = self.v",
                "for i in range(len(self.parameters)):",
                "    p = self.parameters[i]",
                "    v = self.momentum * v + p.grad",
                "    p.data -= self.rate * v",
                "self.v = v",
            ),
            "turn",
            "`v` has the shape (1, 2). `v` got its numbers in line ",
            id="one velocity in a name",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day7",
            one_velocity(
                "for w in self.parameters:",
                "    self.v = self.momentum * self.v + w.grad",
                "    w.data -= self.rate * self.v",
                first="for q in parameters:\n            self.v = np.zeros_like(q.data)",
            ),
            "turn",
            "`self.v` has the shape (1, 2). `self.v` got its numbers in line ",
            id="the velocity of the last parameter",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day7",
            one_velocity(
                "for w in self.parameters:",
                "    self.v *= self.momentum",
                "    self.v += w.grad",
                "    w.data -= self.rate * self.v",
            ),
            "turn",
            "`self.v` got its numbers in line ",
            id="one velocity, in place",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day6",
            [(DATA_6, "self.data = np.array(data)")],
            "whole",
            "`other.grad` got its whole numbers in line 144: `self.grad = np.zeros_like(self.data)`. `other.data` got its "
            "whole numbers in line 143: `self.data = np.array(data)`.",
            id="whole numbers",
        ),
        pytest.param(
            "day6",
            [
                (
                    "self.grad = np.zeros_like(self.data)\n        self._prev",
                    "self.grad = np.zeros(self.data.shape, int)\n        self._prev",
                )
            ],
            "whole",
            "got its whole numbers in line 144: `self.grad = np.zeros(self.data.shape, int)`.",
            id="a whole gradient",
            marks=pytest.mark.ci,
        ),
    ],
)
def test_what_is_shared(failed, day, changes, how, words):
    """In a sentence of the check's message, without the sentence of a known mistake."""
    check = failed(day, *changes)

    assert how in shared(check), check.message
    assert words in check.message
    assert how == "one" or check.mistakes == []


def test_what_two_facts_say_is_said_once(snapshot):
    """Two arrays, one after the other, were in the same two attributes."""
    fact = SharedFact("A.grad", "one", ("A.grad", "B.grad"), ("array",)).fact()

    assert all_words([fact, fact]) == snapshot


WRONG_TANH = ("(1 - t**2) * out.grad", "(1 - t) * out.grad")


@pytest.mark.parametrize(
    ("day", "changes"),
    [
        pytest.param("day2", [WRONG_TANH], id="nothing"),
        pytest.param(
            "day7",
            one_velocity(
                "for p in self.parameters:",
                "    step = self.rate * p.grad.T @ p.grad",
                "    p.data -= step",
            ),
            id="an array that each turn makes anew",
        ),
        pytest.param(
            "day7",
            [
                (VELOCITIES, "self.velocities = [np.zeros(p.data.size) for p in self.parameters]"),
                ("parameter.data = parameter.data - self.rate", "parameter.data -= self.rate"),
            ],
            id="a velocity of another shape for each parameter",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day2",
            [
                WRONG_TANH,
                ("    def __init__(self, data", "    made = []\n\n    def __init__(self, data"),
                (
                    "        self.label = label\n",
                    "        self.label = label\n        Value.made.append(self)\n",
                ),
            ],
            id="a list that the class keeps on purpose",
        ),
        pytest.param(
            "day6",
            [
                ("(1 - out.data**2) * out.grad", "(1 - out.data) * out.grad"),
                (
                    "            self.grad += unbroadcast(out.grad, self.data.shape)\n",
                    "            self.grad = out.grad\n",
                ),
            ],
            id="an array that is not changed in place",
            marks=pytest.mark.ci,
        ),
        pytest.param(
            "day1",
            [
                (
                    'return Value(self.data * other.data, (self, other), "*")',
                    'return Value(self.data, (self, other), "*")',
                )
            ],
            id="children that are the inputs",
            marks=pytest.mark.ci,
        ),
    ],
)
def test_what_is_not_told(failed, day, changes):
    """What is shared on purpose or has nothing to do with it."""
    assert shared(failed(day, *changes)) == []


@pytest.mark.ci
@pytest.mark.parametrize(
    ("day", "change", "words"),
    [
        pytest.param(
            "day2",
            (
                "        out._backward = _backward\n        return out\n\n    def __mul__",
                "            out._backward = _backward\n            return out\n\n    def __mul__",
            ),
            "`Value.__add__` itself returns nothing: the `return` in line 100 is in `_backward`, the function inside it.",
            id="inside",
        ),
        pytest.param(
            "day7",
            (
                "    return int((hidden == 0).all(axis=0).sum())",
                "    for unit in range(10):\n        if unit > 20:\n            return int((hidden == 0).all(axis=0).sum())",
            ),
            "`dead_units` ended without reaching its `return` in line 685: is that line in an `if` or a loop?",
            id="not reached",
        ),
    ],
)
def test_a_function_that_returns_nothing_though_it_has_a_return(failed, day, change, words):
    """The line is that of its own code, and not of the test's number."""
    assert words in failed(day, change).message


def test_a_return_of_a_closure_that_gives_something_else_is_not_blamed(failed):
    """The method's own `return` is missing: to move that of the closure would not help."""
    change = (
        "        out._backward = _backward\n        return out\n\n    def __mul__",
        "            return self.grad\n\n        out._backward = _backward\n\n    def __mul__",
    )
    found = failed("day2", change)

    assert "A call that ends without a `return` gives None." in found.message + str(found.rules)
    assert not any(fact.kind == "return" for fact in found.facts)


@pytest.mark.ci
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            ("    return int((hidden == 0).all(axis=0).sum())", "    hidden = None\n    return hidden"),
            id="None",
        ),
        pytest.param(
            (
                "    return int((hidden == 0).all(axis=0).sum())",
                "    if rows is None:\n        return 0\n    raise TypeError('None')",
            ),
            id="an error",
        ),
    ],
)
def test_a_return_that_was_reached_is_not_told(failed, change):
    """What it returns is None; or the function raises."""
    assert "`return`" not in failed("day7", change).message


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["old = p.data", "p.data[0] += 1", "return old"], 2),
        (["old = p.data  # before", "p.data -= 1", "return old"], 2),
        (["p.data[0] += 1", "old = p.data", "return old"], 0),
        (["old = p.data.copy()", "p.data[0] += 1", "return old"], 0),
        (["old = p.data", "old = 3", "p.data[0] += 1", "return old"], 0),
        (["old = p.data", "p.data[0] += 1"], 0),
        (["old = p.data", "if p.data[0] == 1:", "    return old"], 0),
        (["old = p.data", "x = " + "-" * 300_000 + "1", "p.data[0] += 1", "return old"], 2),
    ],
    ids=[
        "an entry",
        "the whole",
        "before",
        "a copy",
        "stored again",
        "not read",
        "compared",
        "nested deeply",
    ],
)
def test_a_second_name_is_found_as_text(lines, found):
    """Nothing of the student's is parsed in the grader's process."""
    block = Block("mine.py", None, 1, "\n".join(["def f(p):", *(f"    {line}" for line in lines)]))

    assert _line_of_alias(function_around(Frame(0, 1, "f"), [block]), "old", "p.data") == found


@pytest.mark.parametrize(
    ("lines", "may"),
    [
        (["old = p.data", "p.data[0] += 1"], True),
        (["old = p.data", "p.data -= 1"], True),
        (["old = p.data", "p.data[0] = 1"], True),
        (["old = p.data.copy()", "p.data -= 1"], False),
        (["old = p.data", "p.grad -= 1"], False),
        (["old = p.data", "p.data[0] == 1"], False),
        ([f"a{i} = b{i}.data" for i in range(5_000)], False),
    ],
    ids=["an entry changed", "changed", "an entry stored", "a copy", "another", "compared", "many"],
)
def test_calls_are_watched_only_where_a_second_name_may_matter(lines, may):
    """The test runs once more for it."""
    source = "\n".join(["def f(p):", *(f"    {line}" for line in lines)])

    assert _may_alias(Sources([Block("mine.py", None, 1, source)])) is may
