"""Manual checks: nothing runs for them, and no other check notices them."""

import base64
import json

import jsonschema
import pytest
import yaml
from helpers import COURSE, grade
from helpers import notebook as made_of
from junitparser import JUnitXml, Skipped
from reporter import log_of
from tiny import BROKEN, X_IS_ONE, outcomes, put, scores

from grader.assignment import Course
from grader.classroom import runners
from grader.fleet.packing import pack_course, unpack_course
from grader.grading.grader import grade_work, open_grader
from grader.grading.suitehash import hash_of_suite
from grader.render import FORMATS
from grader.render.classroom import reporter_variable
from grader.report import Outcome, from_json, to_json
from grader.submissions.choice import wanted_by, work_in
from grader.submissions.tree import Folder

ESSAY = {"manual": True, "title": "Why x is one."}
SKIPS = """
import pytest

def test_later(student):
    pytest.skip("later")
"""


@pytest.fixture
def tiny(make):
    """A check with a file and a manual one, of 10 points each."""
    return make({"one": X_IS_ONE}, essay=ESSAY)


def test_it_waits_for_a_person(tiny, report_on):
    """Everything else is right: full marks so far, and 10 points that nobody has given yet."""
    report = report_on(tiny, "x = 1")
    assert outcomes(report) == {"one": "passed", "essay": "manual"}
    assert (report.score, report.max_score, report.waiting_points) == (10, 20, 10)
    assert (report.outcome, report.is_full) == (Outcome.PASSED, True)
    assert (report.checks[1].title, report.checks[1].message) == (
        "Why x is one.",
        "Your instructor grades this.",
    )


@pytest.mark.parametrize(
    ("source", "outcome"),
    [("x = 2", Outcome.FAILED), ("y = 1", Outcome.TODO)],
    ids=["wrong", "nothing begun"],
)
def test_the_others_decide_the_outcome(tiny, report_on, source, outcome):
    """A manual check makes nothing better or worse."""
    report = report_on(tiny, source)
    assert (report.outcome, report.score, report.is_full) == (outcome, 0, False)


def test_a_broken_check_still_costs_the_score(make, report_on):
    """Manual points do not hide a fault of the course."""
    report = report_on(make({"one": BROKEN}, essay=ESSAY), "x = 1")
    assert (report.outcome, report.score, report.is_full) == (Outcome.UNGRADABLE, None, False)


def test_nothing_waits_for_it(make, report_on):
    """A test that skips itself would be blocked by an earlier check that did not pass; here it fails."""
    assignment = make({"later": SKIPS}, essay=ESSAY)
    path = assignment.folder / "assignment.yaml"
    manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    manifest["checks"] = dict(reversed(manifest["checks"].items()))
    put(path, yaml.safe_dump(manifest, sort_keys=False))
    report = report_on(Course(assignment.course.root).assignment("tiny"), "x = 1")
    assert outcomes(report) == {"essay": "manual", "later": "failed"}


def test_alone(tiny, report_on, snapshot):
    """`grade DAY --check essay`: no failure, and no points."""
    report = report_on(tiny, "x = 1", only="essay")
    assert (report.outcome, report.is_full) == (Outcome.MANUAL, True)
    page = FORMATS["terminal"](report, only="essay")
    assert " ".join(page.split()) == snapshot  # where lines end depends on the length of the folder's name


def test_without_work_there_is_nothing_to_grade_by_hand(tiny, launcher):
    """A missing file has 0 points in every check, and the instructor has nothing to do."""
    from grader.grading.grader import grade

    report = grade(tiny, tiny.course.root / "gone.py", launcher, report_unread=True)
    assert (outcomes(report), scores(report)) == ({"one": "todo", "essay": "todo"}, {"one": 0, "essay": 0})
    assert (report.waiting, report.is_full) == ([], False)


def notebook(*cells):
    """A notebook of cells of text and code, each with its source and outputs."""
    made = [
        {"cell_type": kind, "metadata": {}, "source": source}
        | ({"outputs": outputs, "execution_count": len(outputs)} if kind == "code" else {})
        for kind, source, outputs in cells
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


STREAM = [{"output_type": "stream", "name": "stdout", "text": "1"}]


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ([("markdown", "Why?", []), ("code", "y = 1", [])], "todo"),
        ([("markdown", "Why?", []), ("code", "y = 1", STREAM)], "todo"),
        ([("markdown", "Why?\nBecause.", []), ("code", "y = 1", [])], "manual"),
        ([("markdown", "Why?", []), ("code", "y = 2", [])], "manual"),
    ],
    ids=["as given", "run", "text", "code"],
)
def test_whoever_wrote_nothing_has_no_points(tiny, launcher, tmp_path, cells, outcome):
    """The notebook that was handed out earns 0 and waits for nobody, also after it was run."""
    tiny.pristine.write_bytes(notebook(("markdown", "Why?", []), ("code", "y = 1", [])))
    handed_in = tmp_path / "handed in"
    handed_in.mkdir()
    (handed_in / "tiny.ipynb").write_bytes(notebook(*cells))
    work = work_in(wanted_by(tiny), Folder(handed_in))
    with open_grader(tiny, launcher) as grader:
        report = grade_work(grader, work)
    assert outcomes(report) == {"one": "todo", "essay": outcome}
    assert (report.score, report.outcome) == (0, Outcome.TODO)
    assert bool(report.waiting) == (outcome == "manual")


def test_a_report_with_it_is_read_again(tiny, report_on):
    """It is a value of the public schema."""
    report = report_on(tiny, "x = 1")
    assert from_json(to_json(report)) == report


def test_the_students_commands(tiny, snapshot):
    """The exit code is that of full marks; the progress and the hint name the instructor."""
    root = tiny.course.root
    put(root / "assignments/tiny/tiny.py", "x = 1\n")
    ran = grade("tiny", "assignments/tiny/tiny.py", cwd=root)
    assert ran.code == 0, ran.text
    assert ran.out == snapshot
    assert grade(cwd=root).out == snapshot
    assert grade("hint", "tiny", "essay", cwd=root).out == snapshot


# --- Formats of others


def schema(name):
    return json.loads((COURSE / "tests" / "schemas" / f"{name}.json").read_text(encoding="utf-8"))


def test_junit(tiny, report_on):
    """Skipped, and without a score of its own."""
    text = FORMATS["junit"](report_on(tiny, "x = 1"))
    (suite,) = JUnitXml.fromstring(text.encode())
    assert [[type(result) for result in case.result] for case in suite] == [[], [Skipped]]
    assert "essay.score" not in {each.name for each in suite.properties()}


def test_gradescope(tiny, report_on):
    """A test without score and status; the score of the whole is that of the other checks."""
    results = json.loads(FORMATS["gradescope"](report_on(tiny, "x = 1")))
    jsonschema.validate(results, schema("gradescope_results"))
    assert (results["score"], [test.get("score") for test in results["tests"]]) == (10, [10, None])
    assert results["tests"][1]["output"] == "Your instructor grades this."


def test_gradescope_has_its_own_maximum(tiny, report_on, snapshot):
    """That of the tests with a score, in its words too."""
    results = json.loads(FORMATS["gradescope"](report_on(tiny, "x = 1")))
    assert "10 of 10 points" in results["output"]
    assert results["output"] == snapshot


def test_gradescope_without_a_file(tiny, tmp_path):
    """The manual check is no failed test: a person grades it in Gradescope."""
    (tmp_path / "empty").mkdir()
    file = tmp_path / "results.json"
    told = (str(tmp_path / "empty"), str(file), runners.WEAK)
    runners.main("gradescope", str(tiny.course.root), tiny.name, *told, run={})
    results = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.validate(results, schema("gradescope_results"))
    assert [(test.get("status"), test.get("score"), test.get("max_score")) for test in results["tests"]] == [
        ("failed", 0, 10),
        (None, None, None),
    ]


def test_classroom_reporter(tiny, report_on, snapshot):
    """Left out, because a test passes or fails; a note in the log names it."""
    value = reporter_variable(report_on(tiny, "x = 1"))
    results = json.loads(base64.b64decode(value))
    jsonschema.validate(results, schema("classroom_reporter"))
    assert (results["status"], results["max_score"], len(results["tests"])) == ("pass", 10, 1)
    assert log_of(tiny=value) == snapshot


def test_classroom50(tiny, report_on):
    """Left out, too: the points are those of the checks that ran."""
    results = json.loads(FORMATS["classroom50"](report_on(tiny, "x = 1")))
    jsonschema.validate(results, schema("classroom50_result"))
    assert (results["score"], results["max-score"]) == (10, 10)
    assert [test["test-name"] for test in results["tests"]] == ["one"]


@pytest.mark.parametrize("form", ["markdown", "html", "fragment"])
def test_pages(tiny, report_on, form):
    """A row with a dash for the points, and a sentence."""
    page = FORMATS[form](report_on(tiny, "x = 1"))
    assert "-/10" in page
    assert "Your instructor grades essay, for up to 10 points." in page


def test_a_changed_stub_with_its_cell_is_another_suite(tiny, tmp_path):
    """Work that was graded before is compared with it anew, also by the packed course of a worker."""
    plain = hash_of_suite(tiny)
    tiny.pristine.write_text(tagged("Why?", ()), encoding="utf-8")
    assert hash_of_suite(tiny) == plain
    tiny.pristine.write_text(tagged("Why?", ["essay"]), encoding="utf-8")
    before = hash_of_suite(tiny)
    assert hash_of_suite(unpack_course(pack_course(tiny), tmp_path / "worker").assignment("tiny")) == before
    tiny.pristine.write_text(tagged("Why not?", ["essay"]), encoding="utf-8")
    assert len({plain, before, hash_of_suite(tiny)}) == 3


def tagged(text, tags):
    return made_of(text, "x = 1", kinds={1: "markdown"}, tags={1: tags})
