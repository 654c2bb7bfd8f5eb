"""One session of pytest: helpers that checks share, nothing from outside, many submissions."""

import contextlib
import itertools
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from tiny import BROKEN, SPIN, X_IS_ONE, Y_IS_TWO, message_of, outcomes, put

from grader.errors import Broken
from grader.grading import feedback
from grader.grading.grader import open_grader
from grader.grading.run import CheckFile
from grader.grading.suite import open_suite
from grader.manifest import Limits
from grader.report import SubmissionInfo
from grader.sandbox import Sandbox
from grader.sandbox.jail import Process
from grader.submissions.submission import Block, Sources

# --- What checks share


USES = '''
"""x is right."""

from _helpers import right

def test_x(student):
    """x is what it should be."""
    right(student)
'''
RIGHT = "def right(student):\n    assert student.x == {}\n"


def test_checks_of_a_side_share_a_file(make, report_on):
    """Each visibility has its own; failed asserts in it are reported like those of a check."""
    assignment = make({"one": USES, "two": USES}, {"two": USES})
    put(assignment.checks_folder("visible") / "_helpers.py", RIGHT.format(1))
    put(assignment.checks_folder("hidden") / "_helpers.py", RIGHT.format(2))

    assert outcomes(report_on(assignment, "x = 1")) == {"one": "passed", "two": "failed"}

    put(assignment.checks_folder("hidden") / "_helpers.py", RIGHT.format(1) + "\n# as the other one\n")
    assert outcomes(report_on(assignment, "x = 1")) == {"one": "passed", "two": "passed"}
    (row,) = report_on(assignment, "x = 3").checks[0].readings
    assert (row.label, row.actual, row.expected) == ("x", "3", "1")


def test_hidden_checks_without_a_file_of_their_own_import_the_visible_one(make, report_on):
    assignment = make({"one": USES}, {"two": USES})
    put(assignment.checks_folder("visible") / "_helpers.py", RIGHT.format(1))

    assert outcomes(report_on(assignment, "x = 1")) == {"one": "passed", "two": "passed"}
    assert outcomes(report_on(assignment, "x = 2")) == {"one": "failed", "two": "failed"}


def test_what_is_shared_may_be_imported_in_a_test(make, report_on):
    """An import inside a test works as one at the top."""
    check = "def test_x(student):\n    from _helpers import right\n    right(student)\n"
    assignment = make({"one": check})
    put(assignment.checks_folder("visible") / "_helpers.py", RIGHT.format(1))

    assert outcomes(report_on(assignment, "x = 1")) == {"one": "passed"}


def test_a_shared_file_that_is_broken(make, report_on, snapshot):
    """The check that imports it cannot be used, and the others can."""
    assignment = make({"one": USES, "two": Y_IS_TWO})
    put(assignment.checks_folder("visible") / "_helpers.py", "def right(student:\n")

    report = report_on(assignment, "y = 2")

    assert outcomes(report) == {"one": "ungradable", "two": "passed"}
    assert message_of(report, "one") == snapshot


@pytest.mark.parametrize("other", ["solutions", "beside the submission", "in the current folder", "imported"])
def test_no_other_file_is_shared(make, report_on, monkeypatch, tmp_path, other, *, snapshot):
    """One of a student's, or of the other side, is not what the check imports."""
    assignment = make({"one": USES, "two": Y_IS_TWO}, {"two": Y_IS_TWO})
    theirs = "raise RuntimeError('executed')\n"
    if other == "solutions":
        put(assignment.checks_folder("hidden") / "_helpers.py", theirs)
    elif other == "imported":  # as a kernel may have done
        monkeypatch.setitem(sys.modules, "_helpers", SimpleNamespace(right=lambda student: None))
    else:
        folder = assignment.course.root if other == "beside the submission" else tmp_path / "current"
        put(folder / "_helpers.py", theirs)
        monkeypatch.chdir(folder)

    report = report_on(assignment, "x = 5\ny = 2")

    assert outcomes(report) == {"one": "ungradable", "two": "passed"}
    assert message_of(report, "one") == snapshot


def test_what_is_shared_is_part_of_the_suite(make, report_on):
    """Another file, another hash."""
    assignment = make({"one": USES})
    file = put(assignment.checks_folder("visible") / "_helpers.py", RIGHT.format(1))
    before = report_on(assignment, "x = 1").grader.suite_sha256
    put(file, RIGHT.format(2))

    assert report_on(assignment, "x = 1").grader.suite_sha256 != before


# --- Nothing from outside


FILES = {
    "conftest.py": "import pytest\n\n@pytest.fixture\ndef student():\n    class Everything:\n        x = 1\n    return Everything()\n",
    "pytest.ini": "[pytest]\naddopts = --collect-only -k nothing\npython_files = nothing.py\npython_functions = nothing\n",
    "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
    "tox.ini": "[pytest]\naddopts = --no-such-option\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\nminversion = '99'\n",
    "pytest.toml": "[pytest]\naddopts = ['--collect-only']\n",
    "colorsys.py": "raise RuntimeError('beside')\n",
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_beside_changes_nothing(make, report_on, monkeypatch, tmp_path, name):
    """Beside the checks, in the course's folder, above it, in the folder from which it is called."""
    assignment = make({"one": X_IS_ONE + "\nimport colorsys\n", "two": Y_IS_TWO}, {"two": Y_IS_TWO})
    current = tmp_path / "current"
    for folder in (
        assignment.checks_folder("visible"),
        assignment.folder,
        assignment.course.root,
        tmp_path,
        current,
    ):
        put(folder / name, FILES[name])
    monkeypatch.chdir(current)

    report = report_on(assignment, "x = 5\ny = 2")

    assert outcomes(report) == {"one": "failed", "two": "passed"}


def test_a_folder_of_checks_is_no_package(make, report_on, tmp_path):
    """An `__init__.py` in it, or above it, is not executed: at most the folder is refused."""
    assignment = make({"one": X_IS_ONE}, {"one": X_IS_ONE})
    witness = tmp_path / "witness"
    for folder in (assignment.checks_folder("visible"), assignment.folder, assignment.course.root):
        put(folder / "__init__.py", f"open({str(witness)!r}, 'w').close()\n")

    with contextlib.suppress(Broken):
        report_on(assignment, "x = 1")

    assert not witness.exists()


def test_only_the_course_is_looked_at(make, tmp_path):
    """Folders above it are not even listed: they may be large, or closed to whoever grades."""
    assignment = make({"one": X_IS_ONE})
    code = """if True:
        import sys
        from pathlib import Path
        from grader.grading.suite import open_suite
        from grader.grading.run import CheckFile
        listed = set()
        def watch(event, arguments):
            if event in ("os.scandir", "os.listdir"):
                listed.add(str(Path(str(arguments[0])).resolve()))
        import _pytest.assertion.rewrite
        sys.addaudithook(watch)
        with open_suite([CheckFile("one", "visible", Path(sys.argv[1]), False)], {"visible": ""}):
            pass
        print("\\n".join(listed))
    """
    path = assignment.checks_folder("visible") / "test_one.py"

    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)

    above = {str(folder) for folder in assignment.course.root.parents}
    assert above & set(done.stdout.split("\n")) == set()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTEST_ADDOPTS", "--collect-only"), ("PYTEST_ADDOPTS", "--no-such-option"), ("PYTEST_ADDOPTS", "-k nothing"),
        ("PYTEST_PLUGINS", "nothing_of_this_name"), ("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "0"), ("PYTEST_THEME", "no-such-theme"),
    ],
)  # fmt: skip
def test_the_environment_changes_nothing(make, report_on, monkeypatch, name, value):
    """And it is the same afterwards."""
    monkeypatch.setenv(name, value)

    report = report_on(make({"one": X_IS_ONE, "two": Y_IS_TWO}), "x = 1\ny = 5")

    assert outcomes(report) == {"one": "passed", "two": "failed"}
    assert os.environ[name] == value


def test_two_courses_in_one_process(make, report_on):
    """Check files of the same name in another folder are other check files."""
    first = make({"one": X_IS_ONE}, {"one": X_IS_ONE}, root="first")
    second = make(
        {"one": X_IS_ONE.replace("== 1", "== 2")}, {"one": X_IS_ONE.replace("== 1", "== 2")}, root="second"
    )

    assert outcomes(report_on(first, "x = 1")) == {"one": "passed"}
    assert outcomes(report_on(second, "x = 1")) == {"one": "failed"}
    assert outcomes(report_on(second, "x = 2")) == {"one": "passed"}


def test_a_check_that_was_edited_in_the_meantime(make, report_on):
    """`grade watch` and `grade new` grade again in one process: what is there now counts."""
    assert outcomes(report_on(make({"one": X_IS_ONE}), "x = 2")) == {"one": "failed"}

    edited = make({"one": X_IS_ONE.replace("== 1", "== 2") + "\n# edited\n"})

    assert outcomes(report_on(edited, "x = 2")) == {"one": "passed"}


def test_the_suites_hash_does_not_depend_on_the_place(make, report_on):
    """Two checkouts of one course grade with the same suite; an edited check is another one."""
    here = report_on(make({"one": X_IS_ONE}, {"one": Y_IS_TWO}), "x = 1").grader.suite_sha256
    there = report_on(
        make({"one": X_IS_ONE}, {"one": Y_IS_TWO}, root="elsewhere"), "x = 2"
    ).grader.suite_sha256
    other = report_on(
        make({"one": X_IS_ONE}, {"one": Y_IS_TWO + "\n"}, root="other"), "x = 1"
    ).grader.suite_sha256

    assert here == there
    assert here != other


def test_dates_are_no_part_of_the_suite(make, report_on):
    """A due date may be edited without grading a class again; a check's points may not."""

    def hash_with(old, new):
        assignment = make({"one": X_IS_ONE})
        manifest = assignment.folder / "assignment.yaml"
        put(manifest, manifest.read_text().replace(old, new))
        return report_on(assignment, "x = 1").grader.suite_sha256

    dated = "due: 2025-12-01T23:59:00Z\nlate: {days: 3}\nlimits:"
    assert hash_with("", "") == hash_with("limits:", dated) != hash_with("points: 10", "points: 11")


# --- One warm session


def test_gradings_in_one_session_do_not_influence_each_other(make, launcher):
    """Whatever one submission did, the next is graded as if it were the first."""
    sources = [
        "x = 1\ny = 2",
        "import math, builtins, sys\nmath.pi = 3\nbuiltins.len = None\nsys.modules.clear()\nx = 5",
        "import os\nos._exit(0)\nx = y = 1",
        SPIN + "class X:\n    def __eq__(self, other): return True\nx = y = X()",
        "x = 1\ny = 2\nimport math\nassert math.pi > 3.1 and len([1]) == 1",
        "",
        "x = 1\ny = 2",
    ]
    assignment = make({"one": X_IS_ONE, "two": Y_IS_TWO}, limits={"check_seconds": 1})

    with open_grader(assignment, launcher) as grader:
        runs = [grader.run([Block("mine.py", None, 1, source)])[1] for source in sources]

    assert [[result.outcome.value for result in results] for results in runs] == [
        ["passed", "passed"],
        ["failed", "todo"],
        ["failed", "failed"],
        ["failed", "failed"],
        ["passed", "passed"],
        ["todo", "todo"],
        ["passed", "passed"],
    ]


@pytest.mark.parametrize("graded_by", ["a student", "an author"])
def test_no_jail_outlives_its_submission(make, launcher, monkeypatch, graded_by):
    """The note on a slow cell, which an author does not get, asks the jail for the cell's names."""
    opened, start = [], launcher.open
    monkeypatch.setattr(
        launcher, "open", lambda *given, **how: opened.append(start(*given, **how)) or opened[-1]
    )
    monkeypatch.setattr(feedback, "SLOW_SECONDS", -1.0)  # every cell is slow
    blocks = [Block("mine.py", None, 1, "x = 1")]

    with open_grader(make({"one": X_IS_ONE}), launcher) as grader:
        if graded_by == "a student":
            notes = grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), Sources(blocks)).notes
        else:
            notes = grader.run(blocks)[0]

    assert ["To save that time" in note for note in notes] == [True] * (graded_by == "a student")
    assert [process.ended for process in opened] == [True]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the clock alone decides")
def test_a_busy_machine_makes_no_slow_cell(make, launcher, monkeypatch):
    """The time that a jail waits for a core is not the cell's."""
    waited = itertools.count(step=1_000_000)
    monkeypatch.setattr(Process, "waited", property(lambda _: next(waited)))
    monkeypatch.setattr(feedback, "SLOW_SECONDS", -1.0)
    with open_grader(make({"one": X_IS_ONE}), launcher) as grader:
        blocks = Sources([Block("mine.py", None, 1, "x = 1")])
        assert grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), blocks).notes == []


def test_nothing_saves_the_time_of_imports(make, launcher, monkeypatch):
    """A tag `demo` would take the modules away."""
    monkeypatch.setattr(feedback, "SLOW_SECONDS", -1.0)
    with open_grader(make({"one": X_IS_ONE}), launcher) as grader:
        blocks = Sources(
            [Block("mine.py", None, 1, "import math  # for exp\n"), Block("mine.py", None, 3, "x = 1")]
        )
        (note,) = grader.grade_sources(SubmissionInfo("mine.py", "0", "now"), blocks).notes
    assert note.startswith("mine.py took")


def test_the_wait_of_a_jail_is_read(launcher):
    """In seconds, of a process that lives."""
    process = launcher.open(Limits())
    try:
        assert 0 <= process.waited < 600
    finally:
        process.end()


def test_a_suite_runs_the_checks_of_one_visibility(make, launcher):
    """As the parity records of each are written by its own tests alone."""
    assignment = make({"one": X_IS_ONE}, {"one": X_IS_ONE})
    files = [CheckFile(check, side, path, orders=False) for check, side, path in assignment.check_files()]

    with open_suite(files, {"visible": "", "hidden": ""}) as suite:
        box = Sandbox(launcher, ["x = 1"], Limits())
        try:
            keys = [result.test.key for result in suite.run(box, visibility="hidden")]
        finally:
            box.close()

    assert keys == ["one/hidden/test_x"]


@pytest.mark.parametrize("check", [X_IS_ONE, BROKEN], ids=["sound", "broken"])
@pytest.mark.parametrize(
    "error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3), StopIteration(), RuntimeError("x" * 10_000)], ids=repr
)  # fmt: skip
def test_what_is_raised_in_a_session_comes_out_unchanged(make, launcher, error, check):
    """The very same object, whatever pytest would have made of it."""
    with pytest.raises(type(error)) as caught, open_grader(make({"one": check}), launcher):
        raise error

    assert caught.value is error


def test_no_checks_at_all(make, launcher, snapshot):
    """Somebody has deleted the folder: what is missing, and where."""
    assignment = make({"one": X_IS_ONE})
    (assignment.checks_folder("visible") / "test_one.py").unlink()

    with pytest.raises(Broken) as caught, open_grader(assignment, launcher):
        pass

    assert str(caught.value) == snapshot


def test_a_check_that_is_not_there():
    """A suite that pytest cannot even start is reported by name."""
    missing = CheckFile("one", "visible", __import__("pathlib").Path("/nowhere/test_one.py"), orders=False)

    with (
        open_suite([missing], {"visible": ""}) as suite,
        pytest.raises(Broken, match="pytest could not run the checks"),
    ):
        suite.collect()


def test_a_check_file_that_ends_python(make, launcher):
    """The error names what pytest met: the course is broken, and nobody gets a score."""
    assignment = make({"one": f"raise SystemExit(3)\n{X_IS_ONE}"})

    with open_grader(assignment, launcher) as grader, pytest.raises(Broken, match="SystemExit: 3"):
        grader.suite.collect()
