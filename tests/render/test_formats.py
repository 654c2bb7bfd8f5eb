"""Formats for other programs, each read by its consumer or held to its schema."""

import base64
import copy
import json
import re
from pathlib import Path

import jsonschema
import msgspec
import pytest
from helpers import COURSE, grade, same_as_snapshot
from hostile import HOSTILE, report_of
from junitparser import Error, Failure, JUnitXml, Skipped
from reporter import log_of

from grader.render import FOR_PROGRAMS, FORMATS, escape
from grader.render.classroom import MAX_VARIABLE, reporter_variable
from grader.report import Outcome, Report

SUBMISSIONS = ["stub", "reference", "broken"]
SCHEMAS = {
    "gradescope": "gradescope_results",
    "classroom": "classroom_reporter",
    "classroom50": "classroom50_result",
}
RUN = {
    "CLASSROOM": "autograd-2026",
    "ASSIGNMENT": "backward-pass",
    "ASSIGNMENT_TYPE": "team",
    "USERNAME": "group-3",
    "OWNER": "group-3",
    "SUBMISSION_TAG": "submit/2025-11-20T12-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://github.com/o/r/commit/a1b2c3d",
    "RELEASE_URL": "https://github.com/o/r/releases/tag/x",
    "REVIEW_URL": "https://github.com/o/r/compare/0...a1b2c3d",
}


@pytest.fixture(scope="module")
def reports(graded):
    """Real reports, with what differs from one grading to the next made fixed."""
    found = {name: graded[name] for name in SUBMISSIONS}
    for report in found.values():
        report.started, report.seconds = "2025-11-20T12:00:00+00:00", 0.5
        report.submission = msgspec.structs.replace(report.submission, sha256="0" * 64)
        for check in report.checks:
            check.seconds = 0.01
    found["partial"] = partly(found["broken"])
    found["ungradable"] = ungradable(found["broken"])
    return found


def partly(report: Report) -> Report:
    """Two thirds of the points of the check that failed."""
    report = copy.deepcopy(report)
    failed = next(check for check in report.checks if check.outcome is Outcome.FAILED)
    failed.score = round(failed.max_score * 2 / 3 + 0.01, 2)
    report.score = round(sum(check.score for check in report.checks), 2)
    return report


def ungradable(report: Report) -> Report:
    """The grader's own fault in one check."""
    report = copy.deepcopy(report)
    first = report.checks[0]
    first.outcome, first.score, first.message = Outcome.UNGRADABLE, 0.0, "test_add_rule.py: it is broken"
    report.outcome, report.score = Outcome.UNGRADABLE, None
    return report


def schema_of(format_: str) -> dict:
    """The contract of a format, in our own words."""
    path = Path(__file__).parents[1] / "schemas" / f"{SCHEMAS[format_]}.json"
    return json.loads(path.read_text(encoding="utf-8"))


# --- All of them


def test_every_table_of_formats_is_whole():
    """docs/report.md has three: for whom a format is, what an ungradable check is in it, and what it escapes."""
    page = (COURSE / "docs" / "report.md").read_text(encoding="utf-8")
    tables = [part for part in page.split("\n\n") if part.startswith("| Format |")]
    listed = [set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) for table in tables]
    assert [set(FORMATS), set(FOR_PROGRAMS), set(FORMATS)] == listed


@pytest.mark.parametrize("name", ["broken", "ungradable"])
@pytest.mark.parametrize("format_", sorted(FOR_PROGRAMS))
def test_snapshot(reports, format_, name):
    """The whole file, as the other program reads it."""
    same_as_snapshot(f"{format_}_{name}", FORMATS[format_](reports[name]))


@pytest.mark.parametrize("format_", sorted(FOR_PROGRAMS))
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_pure_function_of_the_report(reports, format_, name):
    """It changes nothing in the report, and gives the same text again."""
    before = copy.deepcopy(reports[name])
    assert FORMATS[format_](reports[name]) == FORMATS[format_](reports[name])
    assert reports[name] == before


@pytest.mark.parametrize("format_", SCHEMAS)
def test_every_report_is_of_its_schema(reports, format_):
    """Real ones, and one that is full of strange text; Gradescope's without a score is none, on purpose."""
    found = [*reports.values(), *(report_of(HOSTILE[name]) for name in ("error", "nothing", "JSON"))]
    for report in found:
        if format_ != "gradescope" or report.score is not None:
            jsonschema.validate(json.loads(FORMATS[format_](report)), schema_of(format_))


@pytest.mark.parametrize("format_", ["terminal", "markdown", "fragment", "junit", "gradescope"])
def test_nearly_full_marks_do_not_look_full(reports, format_):
    """However many points there are, a cent of them is seen."""
    report = msgspec.structs.replace(reports["broken"], score=99_999.99, max_score=100_000.0)
    assert "99999.99 of 100000 points" in FORMATS[format_](report)


@pytest.mark.ci
def test_the_command_prints_them():
    """`--format` offers each, and a score of less than all is exit code 1."""
    ran = grade(
        "day2",
        "tests/engines/broken.py",
        "--check",
        "swap_rule",
        "--format",
        "classroom50",
        cwd=COURSE,
        env=RUN,
    )
    result = json.loads(ran.out)
    assert ran.code == 1
    assert (result["classroom"], result["assignment_type"], result["owner"]) == (
        "autograd-2026",
        "team",
        "group-3",
    )


# --- JUnit


def test_junit_is_read_by_junitparser(reports):
    """Failed, skipped and ungradable checks are what readers call failures, skips and errors."""
    kinds = {
        Outcome.FAILED: Failure,
        Outcome.UNGRADABLE: Error,
        Outcome.TODO: Skipped,
        Outcome.BLOCKED: Skipped,
    }
    for name in ("stub", "reference", "broken", "ungradable"):
        report = reports[name]
        (suite,) = JUnitXml.fromstring(FORMATS["junit"](report).encode())
        for check, case in zip(report.checks, suite, strict=True):
            assert (case.classname, case.name, case.time) == ("day2", check.id, check.seconds)
            assert [type(result) for result in case.result] == [
                kinds[check.outcome] for _ in [1] if check.outcome in kinds
            ]
        before = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        assert before == (suite.tests, suite.failures, suite.errors, suite.skipped)


def test_junit_tells_points_and_words(reports, snapshot):
    """Points are the suite's properties, for its strictest reader knows none of a case; a failure says it all."""
    (suite,) = JUnitXml.fromstring(FORMATS["junit"](reports["partial"]).encode())
    points = {each.name: each.value for each in suite.properties()}
    case = next(case for case in suite if case.name == "swap_rule")
    assert (points["score"], points["max_score"], points["outcome"]) == ("16.68", "100", "failed")
    assert (points["swap_rule.score"], points["swap_rule.max_score"]) == ("6.68", "10")
    assert points["pytorch_parity.outcome"] == "blocked"
    assert case.result[0].text == snapshot
    assert "broken.py, line" in case.result[0].text


def test_junit_without_a_score_has_none(reports):
    """No number that a reader could take for 0."""
    (suite,) = JUnitXml.fromstring(FORMATS["junit"](reports["ungradable"]).encode())
    assert not {"score", "add_rule.score"} & {each.name for each in suite.properties()}


# --- Gradescope


def test_gradescope_has_the_exact_points(reports):
    """Fractions stay; the score is that of the report and of the tests together."""
    results = json.loads(FORMATS["gradescope"](reports["partial"]))
    assert results["score"] == 16.68
    assert round(sum(test["score"] for test in results["tests"]), 2) == 16.68
    assert [test["status"] for test in results["tests"]][:2] == ["passed", "failed"]


def test_gradescope_is_given_no_score_where_there_is_none(reports, snapshot):
    """Neither of the two that it takes a grade from: no full marks, no silent 0; the words say why."""
    results = json.loads(FORMATS["gradescope"](reports["ungradable"]))
    assert not {"score", "tests"} & set(results)
    assert "test_add_rule.py: it is broken" in results["output"]
    assert results["output"] == snapshot
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(results, schema_of("gradescope"))


def test_gradescope_shows_text_as_text(reports):
    """It would make HTML or Markdown of anything else."""
    results = json.loads(FORMATS["gradescope"](reports["broken"]))
    formats = [value for key, value in results.items() if key.endswith("_format")]
    formats += [value for test in results["tests"] for key, value in test.items() if key.endswith("_format")]
    assert set(formats) == {"text"}


# --- The classroom reporter


@pytest.mark.parametrize("name", ["stub", "reference", "broken", "partial", "ungradable"])
def test_the_reporter_shows_it_right(reports, name):
    """No undefined, no NaN, no point with many places; every check and its words are there."""
    log = log_of(day2=reporter_variable(reports[name]))
    assert "undefined" not in log
    assert "NaN" not in log
    for check in reports[name].checks:
        assert check.id in log
        if check.outcome is not Outcome.PASSED:
            assert check.message in log
    same_as_snapshot(f"reporter_{name}", log)


def test_the_reporter_adds_up_points(reports):
    """The notice is the sum, in whole points; the log's total is another number, and the last test says so."""
    log = log_of(day2=reporter_variable(reports["partial"]), day3=reporter_variable(reports["reference"]))
    assert "::notice title=Autograding complete::Points 116/200\n" in log
    assert "16.68 of 100 points (16 of 100 in whole points), 1 of 11 checks passed." in log


def test_the_reporter_of_what_could_not_be_graded(reports):
    """It fails, and no notice names points."""
    log = log_of(day2=reporter_variable(reports["ungradable"]))
    assert log.endswith("::error::Some tests errored.\n")
    assert "::notice" not in log
    assert "Total points" not in log


def test_the_reporter_is_always_given_a_test(reports):
    """Without one it divides by nothing."""
    report = copy.deepcopy(reports["reference"])
    report.checks, report.score, report.max_score = [], 0.0, 0.0
    assert "NaN" not in log_of(day2=reporter_variable(report))


def test_one_variable_holds_it(reports):
    """128 KiB with its name; the longest words are shortened first, and short ones stay whole."""
    report = copy.deepcopy(reports["broken"])
    for check in report.checks[2:]:
        check.message = "é" * 4_000

    value = reporter_variable(report)

    whole = json.loads(FORMATS["classroom"](report))["tests"]
    tests = json.loads(base64.b64decode(value))["tests"]
    assert MAX_VARIABLE - 100 < len(value) <= MAX_VARIABLE
    assert len("DAY2_RESULTS=") + len(value) < 128 * 1024
    assert tests[:2] == whole[:2]
    assert {len(test["test_code"]) for test in tests[2:-1]} == {len(tests[2]["message"])}
    assert tests[2]["test_code"].endswith("...")
    assert tests[-1]["test_code"].endswith("count checks, not points.")


@pytest.mark.parametrize("count", [300, 1_000])
def test_one_variable_holds_many_checks(reports, count):
    """If even the names of the checks do not fit, the whole is one test, with all its points."""
    report = copy.deepcopy(reports["reference"])
    report.checks = [msgspec.structs.replace(report.checks[0], id=f"check_{i}") for i in range(count)]
    log = log_of(day2=reporter_variable(report))
    assert len(reporter_variable(report)) <= MAX_VARIABLE
    assert f"Points {count}0/{count}0\n" in log
    report.score, report.outcome = None, Outcome.UNGRADABLE
    log = log_of(day2=reporter_variable(report))
    assert log.endswith("::error::Some tests errored.\n")
    assert "Points " not in log


# --- Classroom 50


def test_classroom50_is_whose_the_runner_says(reports):
    """Its validator compares classroom, assignment and owner with those of the repository."""
    result = json.loads(FORMATS["classroom50"](reports["broken"], run=RUN))
    jsonschema.validate(result, schema_of("classroom50"))
    assert (
        result.items()
        >= {
            "classroom": "autograd-2026",
            "assignment": "backward-pass",
            "assignment_type": "team",
            "owner": "group-3",
            "submission": "submit/2025-11-20T12-00-00Z-a1b2c3d",
            "commit": RUN["COMMIT_URL"],
            "release": RUN["RELEASE_URL"],
            "review": RUN["REVIEW_URL"],
        }.items()
    )


def test_classroom50_makes_up_a_tag_where_it_is_given_none(reports):
    """Another tag than its own would be refused."""
    result = json.loads(FORMATS["classroom50"](reports["broken"], run={**RUN, "SUBMISSION_TAG": "v1"}))
    jsonschema.validate(result, schema_of("classroom50"))
    assert result["submission"] == "submit/2025-11-20T12-00-00Z-0000000"


def test_classroom50_takes_empty_variables_for_none(reports):
    """A review link may be empty; it is then the commit's."""
    result = json.loads(FORMATS["classroom50"](reports["broken"], run={**RUN, "REVIEW_URL": "", "OWNER": ""}))
    assert (result["review"], result["owner"]) == (RUN["COMMIT_URL"], "group-3")


@pytest.mark.parametrize(
    ("name", "points"), [("stub", (0, 100)), ("partial", (16, 100)), ("reference", (100, 100))]
)
def test_classroom50_adds_up(reports, name, points):
    """The whole is the sum of its tests, and no test has more than its maximum."""
    result = json.loads(FORMATS["classroom50"](reports[name]))
    assert (result["score"], result["max-score"]) == points
    assert points == tuple(sum(test[key] for test in result["tests"]) for key in ("score", "max-score"))
    assert all(test["score"] <= test["max-score"] for test in result["tests"])


def test_classroom50_has_nothing_to_lose_where_nothing_was_graded(reports):
    """0 of 0, and a test that did not pass, so that the runner does not call it a success."""
    result = json.loads(FORMATS["classroom50"](reports["ungradable"]))
    assert (result["score"], result["max-score"]) == (0, 0)
    assert not all(test["passed"] for test in result["tests"])


# --- A file that is missing or cannot be read


UNREADABLE = {"missing": None, "half": b"{", "empty": b"", "no notebook": "{}"}


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        pytest.param(
            name, text, id=f"{name}-{why}", marks=[pytest.mark.ci] * (name != "junit" and why != "half")
        )
        for name in ("junit", *SCHEMAS)
        for why, text in UNREADABLE.items()
    ],
)
def test_a_file_that_cannot_be_read_is_worth_0(tmp_path, format_, text):
    """The program that makes a grade of it gets one, with the reason; a person reads it too."""
    path, result = tmp_path / "day2_backward_pass.ipynb", tmp_path / "result"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    ran = grade("day2", path, "--format", format_, "--output", result, cwd=COURSE, env=RUN)
    given = result.read_text(encoding="utf-8")
    why = ran.err.removeprefix(f"grade: {path}: ").splitlines()[0]
    assert (ran.code, ran.out) == (1, "")
    assert why
    if format_ == "junit":
        (suite,) = JUnitXml.fromstring(given.encode())
        first = next(iter(suite))
        assert (suite.failures, suite.skipped) == (1, suite.tests - 1)
        assert isinstance(first.result[0], Failure)
        assert why in first.result[0].message
        assert {p.name: p.value for p in suite.properties()}["score"] == "0"
        return
    told = json.loads(given)
    jsonschema.validate(told, schema_of(format_))
    assert not told.get("score", 0)
    assert told.get("max-score", told.get("max_score", 100)) == 100
    assert json.dumps(why)[1:-1].split("`")[0] in given


def test_one_check_of_a_file_that_is_missing(tmp_path):
    """The points are those of that check."""
    ran = grade("day2", tmp_path / "no.ipynb", "--check", "quiz", "--format", "gradescope", cwd=COURSE)
    assert [(test["score"], test["max_score"]) for test in json.loads(ran.out)["tests"]] == [(0, 5)]


@pytest.mark.parametrize("format_", ["terminal", "json", "markdown", "html"])
def test_a_person_is_told_that_the_file_is_missing(tmp_path, format_):
    """And gets no report that looks like a grading."""
    ran = grade("day2", tmp_path / "no.ipynb", "--format", format_, cwd=COURSE)
    assert (ran.code, ran.out) == (2, "")


def test_json_is_ascii(reports):
    """Classroom 50's runner reads the file in the encoding of its machine."""
    for format_ in SCHEMAS:
        assert FORMATS[format_](reports["broken"]).isascii()


def test_a_printed_page_is_the_page(reports):
    """The escaping of `say` changes nothing here."""
    for format_ in sorted(FOR_PROGRAMS):
        page = FORMATS[format_](reports["broken"])
        assert escape(page) == page
