"""The jail of a page, in this process: what it says of a submission is what the real jail says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bothways import differences
from helpers import COURSE, reference
from msgspec.structs import replace
from reading import be_patient
from sampled import every
from shapes import ALL as SHAPES
from told_slips import wrong_sources

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.report import to_json
from grader.sandbox import Launcher
from grader.site.here import Here
from grader.site.play import play
from grader.submissions.submission import submission_from

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DAYS = Course(COURSE).names
RUN_BY = {
    "day2": (),
    "day3": pytest.mark.whole,
    "day4": pytest.mark.whole,
    "day7": pytest.mark.whole,
}  # the others by CI
SAMPLE = 1  # mistakes of each day by default
VARIES = {"seconds", "started", "modified", "isolation"}
# The gradients of the mean cancel: in single precision they leave more than doubles would.
FROM_MEAN = [("m", "mean", ["TENTHS"]), ("d", "-", ["TENTHS", "m"]), ("L", "**", ["d", 2])]
LEAVES = {
    "TENTHS": [[100.1, 200.2], [300.3, 700.7]],
    "A": [[1, 2], [3, 4]],
    "COLUMN": [[n] for n in range(9)],
    "self": [1] * 8,
}
DEPTH = {
    "mistake operator_forgets_data"
}  # told by how deep the stack is, and here pytest's frames are below it


def works(day: str) -> dict[str, str]:
    """The reference, the mistakes, and right and wrong engines of other shapes, by name."""
    assignment = Course(COURSE).assignment(day)
    found = {"reference": reference(day)}
    for name, text in wrong_sources(assignment).items():
        found[f"mistake {name}"] = text
    for shape in SHAPES:
        if shape.day == day:
            found[f"shape {shape.name}, right"] = shape.right
            found |= {f"shape {shape.name} {name}": shape.source(name) for name in list(shape.slips)[::12]}
    return found


def reports(day: str, opens: Any, chosen: Mapping[str, str]) -> dict[str, Any]:
    with open_grader(Course(COURSE).assignment(day), opens) as grader:
        return {
            name: json.loads(
                to_json(grader.grade(submission_from(Path("/nowhere/mine.py"), source.encode())))
            )
            for name, source in chosen.items()
        }


def are_alike(day: str, chosen: Mapping[str, str]) -> None:
    with Launcher() as launcher:
        jails = reports(day, launcher, chosen)
    heres = reports(day, Here(), chosen)
    found = [line for name in chosen for line in differences(jails[name], heres[name], name, VARIES)]
    assert "\n".join(found) == ""


@pytest.mark.parametrize("day", [pytest.param(day, marks=RUN_BY.get(day, pytest.mark.ci)) for day in DAYS])
def test_some_are_judged_alike(day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every field of the report: outcomes, points, facts, words."""
    be_patient(monkeypatch)
    are_alike(day, dict(list(works(day).items())[: 1 + SAMPLE]))


@pytest.mark.whole
@pytest.mark.parametrize("day", DAYS)
def test_more_are_judged_alike(day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)
    chosen = {name: source for name, source in works(day).items() if name not in DEPTH}
    are_alike(day, dict(every(80, list(chosen.items())[1 + SAMPLE :])))


@pytest.mark.ci
@pytest.mark.parametrize(
    ("edit", "steps"),
    [
        (("", ""), [("mean(A, axis=1) 1", "mean", ["A", "axis=1"]), ("L", "tanh", ["mean(A, axis=1) 1"])]),
        (("/ self.data.size)", "/ 2)"), [("L", "mean", ["A"])]),
        (("def backward", "def back"), [("L", "*", ["A", 2])]),
        (("", ""), [("L", "*", ["COLUMN", "self"])]),
        (("self.grad = np.zeros_like", "self.grad = np.ones_like"), [("L", "*", ["A", 2])]),
        (
            ("def sum(self", "def sum(self):\n        return self.data.sum()\n\n    def old(self"),
            [("L", "sum", ["A"])],
        ),
        (("dtype=float)", "dtype=np.float32)"), FROM_MEAN),
        (("dtype=float)", "dtype=np.float32) * np.float32(1.001)"), FROM_MEAN),
    ],
    ids=[
        "a node without a name",
        "a wrong mean",
        "no backward",
        "many entries",
        "gradients begin at 1",
        "a sum that is a number",
        "single precision",
        "single precision, a wrong result",
    ],
)
def test_arrays_that_a_student_typed(edit: tuple[str, str], steps: list[Any], snapshot: object) -> None:
    """The trace of the student's own engine, and the first step that is wrong."""
    mine = submission_from(Path("/nowhere/mine.py"), reference("day6").replace(*edit).encode())
    with open_grader(Course(COURSE).assignment("day6"), Here()) as grader:
        found = play(grader, mine, {"leaves": LEAVES, "steps": steps})
    trace = found["trace"] or {"given": "", "words": "", "student": []}
    assert [trace["given"], trace["words"], trace["student"][-2:], found["error"]] == snapshot


@pytest.mark.ci
@pytest.mark.parametrize(
    ("edit", "error"),
    [
        (
            ("t = math.tanh(self.data)", "while True: pass"),
            "it ran for more than 1 s, in `tanh`, at `while True: pass`",
        ),
        (
            ("t = math.tanh(self.data)", "t = math.tanh(self.dta)"),
            "AttributeError: 'Value' object has no attribute 'dta', in `tanh`, at `t = math.tanh(self.dta)`",
        ),
        (
            ("class Value:", "class Value(Node):"),
            "Value is not defined, because its cell stopped with NameError: name 'Node' is not defined, at `class Value(Node):`",
        ),
    ],
    ids=["does not end", "raises", "no class"],
)
def test_a_typed_graph_that_ends_early(edit: tuple[str, str], error: str) -> None:
    """It ends after the seconds of a check or with an error, and the error says where; no walk has begun."""
    assignment = Course(COURSE).assignment("day2")
    limits = replace(assignment.manifest.limits, check_seconds=1)
    vars(assignment)["manifest"] = replace(assignment.manifest, limits=limits)
    mine = submission_from(Path("/nowhere/mine.py"), reference("day2").replace(*edit).encode())
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        found = play(grader, mine, {"leaves": {"a": 2}, "steps": [("L", "tanh", ["a"])]})
    assert found == {"trace": None, "error": error}


def test_the_interpreter_is_as_before() -> None:
    """A submission that replaces what it can reach changes nothing for the grader, nor for the next one."""
    bad = "import builtins, sys\nbuiltins.print = None\nsys.stdout = None\nsys.setrecursionlimit(50)\n"
    before = reports("day1", Here(), {"right": reference("day1")})
    import builtins
    import sys

    seen, limit = (builtins.__import__, builtins.__build_class__, sys.stdout), sys.getrecursionlimit()
    kept = builtins.print
    try:
        reports("day1", Here(), {"bad": bad})
    finally:
        builtins.print = kept
    assert (builtins.__import__, builtins.__build_class__, sys.stdout) == seen
    assert sys.getrecursionlimit() == limit
    after = reports("day1", Here(), {"right": reference("day1")})
    assert list(differences(before, after, "", VARIES)) == []


def test_numpys_error_settings_are_as_before() -> None:
    """A submission that turns numpy's warnings into errors does so only for itself."""
    import numpy as np

    reports(
        "day6", Here(), {"bad": f"{reference('day6')}\n# %%\nimport numpy as np\nnp.seterr(all='raise')\n"}
    )
    assert np.geterr()["over"] == "warn"
