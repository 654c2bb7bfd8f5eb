"""Classroom 50: the bundle that is published, and what its runner gets from it in a student's checkout.

`hand_in_to` does what foundation50/classroom50 has in runner.py (`main`, `run_entrypoint`,
`finalize_result`): clear what is stale, start `autograder.py` in the checkout with variables of its own,
take every exit code but 0 for an error, stamp what only the runner knows, validate.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest
from actions import Log
from helpers import COURSE, PATIENCE, cells, notebook, reference, stub_name
from hostile import HOSTILE, judge_every_text, report_of, runner_obeys
from minicourse import put
from told import sentences_with

from grader.assignment import Course
from grader.classroom import runners
from grader.classroom.release import autograder
from grader.classroom.release.contents import running_wheel
from grader.classroom.release.plan import RECORD, plan_release
from grader.classroom.release.release import bundle_files
from grader.errors import Refused

DAY = "day2"
FILE = stub_name(DAY)
STUB = (COURSE / "assignments" / DAY / "checks" / "stub.ipynb").read_text(encoding="utf-8")
REFERENCE = notebook(*cells(DAY))
SWAPPED = (  # each factor by its own value
    REFERENCE.replace("self.grad += other.data *", "self.grad += self.data *", 1).replace(
        "other.grad += self.data *", "other.grad += other.data *", 1
    )
)
CONTRACT = json.loads((Path(__file__).parents[1] / "schemas" / "classroom50_result.json").read_text())
ADDRESS = "https://github.com/cs101/room-day2-ada"
RUN = {
    "CLASSROOM": "room",
    "ASSIGNMENT": "backward-pass",
    "ASSIGNMENT_TYPE": "individual",
    "USERNAME": "ada",
    "OWNER": "ada",
    "SUBMISSION_TAG": "submit/2025-11-20T10-00-00Z-a1b2c3d",
    "COMMIT_URL": f"{ADDRESS}/commit/a1b2c3d",
    "RELEASE_URL": f"{ADDRESS}/releases/tag/submit%2F2025-11-20T10-00-00Z-a1b2c3d",
    "REVIEW_URL": f"{ADDRESS}/compare/0000000...a1b2c3d",
    "GITHUB_ACTIONS": "true",
    "GITHUB_REPOSITORY": "cs101/room-day2-ada",
    "GITHUB_SHA": "a1b2c3d",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_ACTOR": "ada",
}


# --- A checkout, a runner


@dataclass
class Published:
    """The runner's result for a submission: `status` is success, failure or error."""

    status: str
    outputs: dict[str, str]
    result: dict | None
    body: str
    log: str

    @property
    def points(self) -> str:
        """As the summary tells them."""
        return self.outputs["summary"].partition(": ")[2].partition(" points")[0]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A student's repository as the runner has it: the template, and nothing done yet."""
    root = tmp_path / "work"
    put(root, f"assignments/{DAY}/{FILE}", STUB)
    put(root, ".classroom50.yaml", "classroom: room\n")
    (root / ".git").mkdir()
    return root


def write_bundle(course: Path, folder: Path, day: str) -> None:
    """What `grade release DAY FOLDER --classroom50` writes."""
    plan_release(Course(course), [day], folder, bundle_files)[0].write()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of day 2."""
    folder = tmp_path_factory.mktemp("written") / DAY
    write_bundle(COURSE, folder, DAY)
    return folder


@pytest.fixture
def bundle(written: Path, tmp_path: Path) -> Path:
    """A copy of it, as it is on the runner's disk."""
    return shutil.copytree(written, tmp_path / "temp" / DAY)


def graded(bundle: Path, checkout: Path, *, here: bool = True) -> Published:
    """The second half of `autograder.py` alone, in this process or in one of its own."""
    course, module = bundle / "course", ["-I", "-m", "grader.classroom.runners", "classroom50"]

    def called(environment: dict[str, str]) -> tuple[int, str]:
        log = io.StringIO()
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log):
            code = runners.main("classroom50", str(course), DAY, str(checkout), run=environment)
        return code, log.getvalue()

    command = [sys.executable, *module, str(course), DAY, str(checkout)]
    published = hand_in_to(called if here else command, bundle, checkout, bundle)
    if published.result is not None:
        refuse_as_the_runner_does(published.result)
    return published


def hand_in_to(
    how: list[str] | Callable[[dict[str, str]], tuple[int, str]],
    bundle: Path,
    checkout: Path,
    cwd: Path,
    **environment: str,
) -> Published:
    """Do what runner.py does."""
    for name in ("result.json", "release-body.md"):
        if (checkout / name).exists():  # not so of a link that leads nowhere
            (checkout / name).unlink()
    file = bundle.parent / "outputs"
    file.touch()
    system = {name: value for name in ("PATH", "HOME", "SYSTEMROOT") if (value := os.environ.get(name))}
    ours = {
        "RUNNER_TEMP": str(bundle.parent),
        "GITHUB_OUTPUT": str(file),
        "CLASSROOM50_BUNDLE_DIR": str(bundle),
    }
    given = system | ours | RUN | environment
    if callable(how):
        code, log = how(given)
    else:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(how, cwd=cwd, env=given, timeout=10 * PATIENCE, check=False, **streams)
        code, log = done.returncode, done.stdout.decode()
    outputs = dict(line.split("=", 1) for line in file.read_text(encoding="utf-8").splitlines())
    path = checkout / "result.json"
    if code or not path.is_file():
        return Published("error", outputs, None, "", log)
    result = json.loads(path.read_text(encoding="utf-8"))
    body = (checkout / "release-body.md").read_text(encoding="utf-8")
    return Published(outputs["status"], outputs, result, body, log)


def refuse_as_the_runner_does(result: dict) -> None:
    """The test fails where the runner, or score collection after it, would refuse the result."""
    stamped = {"datetime": "2025-11-20T10:00:00Z", "graded_at": "2025-11-20T10:01:00Z"}
    result = result | stamped | {"owner": "ada", "assignment_type": "individual"}
    jsonschema.validate(result, CONTRACT)
    assert (result["classroom"], result["assignment"]) == ("room", "backward-pass")
    assert all(part["score"] <= part["max-score"] for part in [result, *result["tests"]])
    assert sum(test["score"] for test in result["tests"]) == result["score"]


# --- What is graded


def test_stub_is_zero_points_and_a_next_step(bundle, checkout):
    """The first push of everybody: nothing is wrong with it, and it says what to write."""
    published = graded(bundle, checkout, here=False)

    assert (published.status, published.points) == ("failure", "0 of 100")
    assert "Next: work on" in published.log
    assert "add_rule" in published.body


def test_reference_is_full_marks(bundle, checkout, snapshot):
    """A student who solved everything sees success, also with a .py file instead of the notebook."""
    put(checkout, f"assignments/{DAY}/{Path(FILE).stem}.py", reference(DAY))

    published = graded(bundle, checkout)

    assert (published.status, published.points) == ("success", "100 of 100")
    assert published.outputs["summary"] == snapshot


@pytest.mark.ci
def test_broken_engine_reads_what_it_computed(bundle, checkout, snapshot):
    """The wrong rule is reported in the page that the student reads, and in the log.

    The template's untouched notebook, which is still in its folder, does not count beside the work.
    """
    put(checkout, FILE, SWAPPED)  # uploaded to the top of the repository

    published = graded(bundle, checkout)

    assert published.status == "failure"
    assert sentences_with("In a * b", " ".join(published.log.split())) == snapshot
    assert sentences_with("where the value of", published.body) == snapshot
    assert str(checkout) not in published.log + published.body


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, f"{FILE}: there is no {FILE}; hand in the notebook under this name"),
        ({f"assignments/{DAY}/{FILE}": "{"}, f"assignments/{DAY}/{FILE}: the notebook ends in the middle"),
        (
            {FILE: notebook("a = 1"), f"assignments/{DAY}/{FILE}": notebook("b = 2")},
            f"it is unclear which of `assignments/{DAY}/{FILE}` and `{FILE}` counts",
        ),
        (
            {FILE: notebook("a = 1", backgrade={"assignment": "day3"})},
            "this is the notebook of day3, not of day2",
        ),
    ],
    ids=["missing", "broken", "doubled", "of another day"],
)
def test_what_cannot_be_read_is_zero_points_in_words(bundle, checkout, files, words):
    """It is the student's to fix, so it is a grading: 0 points, and a sentence that says what to do."""
    (checkout / "assignments" / DAY / FILE).unlink()
    for name, text in files.items():
        put(checkout, name, text)

    published = graded(bundle, checkout)

    assert (published.status, published.points) == ("failure", "0 of 100")
    assert words in " ".join(published.log.split())
    assert str(checkout) not in published.log + published.body


SHOUT = "\n::error::boom\n##[error]boom\nstatus=success"


@pytest.mark.parametrize(
    "text",
    [
        notebook(f"class Value:\n    def __init__(self, data):\n        raise ValueError({SHOUT!r})"),
        notebook("a = 1", backgrade={"assignment": SHOUT}),
    ],
    ids=["an error", "a name"],
)
def test_no_text_becomes_a_command_or_an_output(bundle, checkout, text):
    """The log holds what the student's code says, and the runner executes no line of it."""
    put(checkout, f"assignments/{DAY}/{FILE}", text)

    published = graded(bundle, checkout)

    assert "boom" in published.log
    assert [line for line in Log.of(published.log).shown if runner_obeys(line)] == []
    assert Log.of(published.log).commands == []
    assert set(published.outputs) == {"status", "summary"}
    assert published.status == "failure"


def test_no_text_becomes_an_error_of_the_job(bundle, checkout):
    """Two lines that look like a traceback are one, until the runner is told not to look."""
    text = HOSTILE["traceback in lines of 96"]
    put(checkout, f"assignments/{DAY}/{FILE}", notebook(f"raise ValueError({text!r})"))

    published = graded(bundle, checkout)

    assert "raise E('zzz" in published.log
    assert Log.of(published.log).commands == []


def test_broken_check_is_nobodys_zero(bundle, checkout):
    """The grader's own fault gives no result, so that the runner says error and publishes nothing."""
    put(bundle, f"course/assignments/{DAY}/checks/test_add_rule.py", '"""Broken."""\n\nimport nowhere\n')

    published = graded(bundle, checkout)

    assert (published.status, published.outputs) == ("error", {})
    assert not (checkout / "result.json").exists()
    assert "This is not your fault" in " ".join(published.log.split())


@pytest.mark.ci
def test_folder_in_the_place_of_the_result_is_an_error(bundle, checkout):
    """The grader writes nowhere else, and removes no file of the student's."""
    put(checkout, "result.json/mine.txt", "keep")

    published = graded_beside_a_folder(bundle, checkout)

    assert published.returncode == 3
    assert "result.json: cannot be written" in published.stderr
    assert (checkout / "result.json" / "mine.txt").read_text() == "keep"


def graded_beside_a_folder(bundle: Path, checkout: Path) -> subprocess.CompletedProcess[str]:
    """The runner itself stops at such a folder; here the grader has to cope with it."""
    command = [
        sys.executable,
        "-I",
        "-m",
        "grader.classroom.runners",
        "classroom50",
        str(bundle / "course"),
        DAY,
        str(checkout),
    ]
    return subprocess.run(command, cwd=bundle, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_no_text_adds_an_output():
    """Two lines, of our own words and numbers, short enough for a commit's status."""
    judge_every_text(adds_no_output, scores=(1.0,))  # an ungradable one has no outputs


def adds_no_output(report):
    status, summary, rest = runners.outputs_of(report).split("\n")

    assert status in ("status=success", "status=failure")
    assert summary.startswith("summary=")
    assert len(summary) <= len("summary=") + 140
    assert rest == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("name", ["pipe", "folder", "gone/file", ""])
def test_outputs_that_cannot_be_written_cost_nothing(tmp_path, capsys, name, snapshot):
    """The runner derives status and summary from the result, which is there."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()

    runners.write_result(report_of("x"), tmp_path, {"GITHUB_OUTPUT": str(tmp_path / name) if name else ""})

    assert capsys.readouterr().out == snapshot
    assert (tmp_path / "result.json").is_file()


# --- The bundle


def test_bundle_holds_the_visible_side_and_nothing_else(bundle):
    """It is published for everybody: each file is named here."""
    course = Path("course/assignments/day2")
    visible = {path.name for path in (COURSE / "assignments" / DAY / "checks").iterdir() if path.is_file()}
    expected = {Path("autograder.py"), Path("constraints.txt"), Path("requirements.txt")}
    expected |= {course / "assignment.yaml", *(course / "checks" / name for name in visible)}
    expected |= {Path("vendor") / running_wheel().name, Path(RECORD)}

    found = {path.relative_to(bundle) for path in bundle.rglob("*") if path.is_file()}

    assert found == expected
    for path in (p for p in found if p.is_relative_to(course) and p.suffix != ".ipynb"):  # that loses links
        assert (bundle / path).read_bytes() == (COURSE / path.relative_to("course")).read_bytes()
    assert (
        bundle / "requirements.txt"
    ).read_text() == f"-c constraints.txt\n./vendor/{running_wheel().name}\nnumpy\n"


def test_bundle_of_a_day_that_continues_has_the_earlier_manifest(tmp_path):
    """The bundle of day 3 has the manifest of day 2, so a student's own day 2 can be graded with it."""
    write_bundle(COURSE, tmp_path / "day3", "day3")

    assert Course(tmp_path / "day3" / "course").assignment("day3").manifest.continues == "day2"
    assert [p.name for p in (tmp_path / "day3/course/assignments/day2").iterdir()] == ["assignment.yaml"]


@pytest.mark.ci
def test_bundle_is_written_anew_with_the_same_bytes(bundle, tmp_path):
    """A check that was taken out does not stay, and nothing has a date in it."""
    before = {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    script = (bundle / "autograder.py").read_text(encoding="utf-8")
    put(bundle, "autograder.py", script.replace("The script", "The earlier script", 1))
    record = bundle / RECORD
    files = {path.relative_to(bundle).as_posix(): "" for path in bundle.rglob("*") if path.is_file()}
    for name in ("course/assignments/day2/checks/test_gone.py", "vendor/old.whl"):
        put(bundle, name, "")
        files[name] = hashlib.sha256(b"").hexdigest()
    record.write_text(json.dumps({"days": [DAY], "files": files}))

    write_bundle(COURSE, bundle, DAY)

    assert {path: path.read_bytes() for path in bundle.rglob("*") if path.is_file()} == before


def test_a_bundle_that_is_too_large_is_told(course, tmp_path, snapshot):
    """The runner would refuse it, as a student finds out."""
    put(course, "assignments/day2/checks/numbers.txt", "0" * (10 << 20))

    _, notes = bundle_files(Course(course), [DAY], running_wheel())

    assert notes == snapshot


def test_bundle_goes_into_no_folder_of_somebody_elses(tmp_path):
    """Somebody's own autograder is not overwritten without a question, and what else is there is told."""
    put(tmp_path / "there", "autograder.py", "mine\n")
    put(tmp_path / "there", "notes.txt", "mine\n")

    plan, _ = plan_release(Course(COURSE), [DAY], tmp_path / "there", bundle_files)
    assert (plan.overwritten, plan.foreign) == (["autograder.py"], ["notes.txt"])
    assert "will be overwritten" in plan.asks


@pytest.mark.parametrize("place", [".", "dist", "solutions/bundle", ".."])
def test_bundle_goes_nowhere_near_the_solutions(course, place):
    """A folder that is published must not be one that the course is in, or is in the course."""
    with pytest.raises(Refused, match="a place that is not in the course folder"):
        write_bundle(course, course / place, DAY)


def test_link_in_the_place_of_a_folder_is_refused(bundle, tmp_path):
    """The folder that the link leads to is not emptied."""
    put(tmp_path / "elsewhere", "kept.txt", "kept")
    shutil.rmtree(bundle / "course")
    (bundle / "course").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(Refused, match=re.escape("a symbolic link is in the way")):
        write_bundle(COURSE, bundle, DAY)
    assert (tmp_path / "elsewhere" / "kept.txt").read_text() == "kept"


# --- The file that the runner starts


def test_autograder_needs_nothing_and_is_read_by_an_old_python(bundle):
    """An old interpreter must come as far as the sentence about it."""
    tree = ast.parse((bundle / "autograder.py").read_text(encoding="utf-8"), feature_version=(3, 9))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
    text = (bundle / "autograder.py").read_text(encoding="utf-8")
    assert f'DAY = "{DAY}"' in text
    assert '"-m", "grader.classroom.runners", "classroom50"' in text


def test_old_python_is_told_so(monkeypatch, capsys):
    """It is the assignment's runtime that is to be changed, and nobody has 0 points."""
    monkeypatch.setattr(autograder, "OLDEST", (99, 0))

    assert autograder.main() == 3
    assert "set `python` in the assignment's runtime" in capsys.readouterr().err


def started(bundle: Path, checkout: Path, **environment: str) -> Published:
    """The whole way: the runner starts `autograder.py` in the checkout."""
    return hand_in_to(
        [sys.executable, str(bundle / "autograder.py")], bundle, checkout, checkout, **environment
    )


OWNED = "from pathlib import Path\nPath({owned!r}).write_text('owned')\n"


def make_hostile(checkout: Path, owned: Path, elsewhere: Path) -> None:
    """Whatever a student can put into a repository to have a say in its grading."""
    code = OWNED.format(owned=str(owned))
    modules = ("json", "msgspec", "pip", "pytest", "random", "sitecustomize", "subprocess", "usercustomize")
    for name in [f"{module}.py" for module in modules]:
        put(checkout, name, code)
    for name in ("grader/__init__.py", "grader/classroom/runners.py", "conftest.py", "autograder.py"):
        put(checkout, name, code)
    put(checkout, "owned.pth", f"import os; open({str(owned)!r}, 'w')\n")
    put(checkout, "pip.conf", "[global]\nindex-url = https://example.org/\n")
    put(checkout, "setup.cfg", "[tool:pytest]\naddopts = -p owned\n")
    put(checkout, "pytest.ini", "[pytest]\naddopts = -p json\n")
    put(checkout, "pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-p json'\n")
    put(checkout, "requirements.txt", "no-such-thing-at-all\n")
    for folder in ("", "course/"):
        put(
            checkout,
            f"{folder}assignments/{DAY}/checks/test_swap_rule.py",
            '"""x"""\n\ndef test_x():\n    """x"""\n',
        )
        put(checkout, f"{folder}assignments/{DAY}/assignment.yaml", "format: 1\ntitle: x\n")
    for name in ("result.json", "release-body.md"):
        (checkout / name).symlink_to(elsewhere / name)


def test_nothing_is_installed_into_the_checkout(bundle, checkout, snapshot):
    """There a student's files would lie above Backgrade's own."""
    (checkout / "temp").mkdir()

    published = started(bundle, checkout, RUNNER_TEMP=str(checkout / "temp"))

    assert published.status == "error"
    assert published.log == snapshot


@pytest.mark.whole
def test_install_that_fails_is_nobodys_zero(bundle, checkout, snapshot):
    """An index that is down, a version that is not there: an error, with pip's own words above."""
    put(bundle, "requirements.txt", "./vendor/not_there.whl\n")

    published = started(bundle, checkout, PIP_NO_INDEX="1")

    assert (published.status, published.outputs) == ("error", {})
    assert published.log == snapshot
    assert not (checkout / "result.json").exists()


@pytest.mark.whole
def test_real_install_grades_a_hostile_checkout(bundle, checkout, tmp_path):
    """With every dependency from the package index that is set up here, at the course's pins.

    Installed and started as the runner does it: the engine is graded as it is, and nothing is fooled.
    """
    write_bundle(COURSE, bundle, DAY)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    make_hostile(checkout, tmp_path / "owned", elsewhere)
    put(checkout, f"assignments/{DAY}/{FILE}", SWAPPED)
    before = sorted(checkout.rglob("*"))
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}

    published = started(bundle, checkout, **pip | {"PIP_NO_COMPILE": "0"})  # pip's way to say yes

    assert published.status == "failure", published.log
    assert "failed     swap_rule             0/10" in published.log
    assert "passed     add_rule" in published.log
    assert not (tmp_path / "owned").exists()
    assert list(elsewhere.iterdir()) == []
    assert not (checkout / "result.json").is_symlink()
    assert sorted(checkout.rglob("*")) == before
    assert sorted(path.name for path in bundle.parent.iterdir()) == [DAY, "outputs"]
