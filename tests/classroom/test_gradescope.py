"""Gradescope's autograder: the zip that `grade release --gradescope` writes, unpacked and run as Gradescope does it."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import jsonschema
import pytest
from helpers import COURSE, PATIENCE, Ran, cells, notebook, stub_name
from minicourse import build, change, put
from releasing import Instructor, installed_here, without_an_index, without_solutions
from students import FORGETS, GOOD

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Gradescope's containers are Linux")

DAY = "day2"
FILE = stub_name(DAY)
REFERENCE = notebook(*cells(DAY))
WRONG = REFERENCE.replace("self.grad += other.data *", "self.grad += self.data *", 1)
SCHEMA = json.loads(
    (Path(__file__).parents[1] / "schemas" / "gradescope_results.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """/autograder, as Gradescope makes it of the zip; what setup.sh installs is borrowed from the tests."""
    top = tmp_path_factory.mktemp("gradescope")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(COURSE)
        release(top / "zip" / "day2.zip")
    with zipfile.ZipFile(top / "zip" / "day2.zip") as opened:
        for entry in opened.infolist():
            path = Path(opened.extract(entry, top / "autograder" / "source"))
            path.chmod(entry.external_attr >> 16)
    shutil.copy(top / "autograder/source/run_autograder", top / "autograder")
    assert "numpy" in (top / "autograder/source/requirements.txt").read_text().splitlines()
    without_an_index(top / "autograder/source/requirements.txt", installed_here(top))
    done = set_up(top / "autograder", top)
    assert done.code == 0, done.text
    assert "apt-get install -qq -y libseccomp2" in done.out
    assert "reads nothing but Python's library" in done.out  # of `grade doctor`
    (site,) = (top / "autograder/source/.venv/lib").glob("python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).glob("numpy*"):
        (site / path.name).symlink_to(path)
    return top / "autograder"


def release(path: Path) -> None:
    """The command, in this process."""
    from grader.cli import main

    with pytest.raises(SystemExit) as ended:
        main.main(["release", DAY, str(path), "--gradescope"])
    assert not ended.value.code


def set_up(autograder: Path, top: Path) -> Ran:
    """Start setup.sh in an image without a network; apt-get only says what it was asked for."""
    tools = put(top / "bin", "apt-get", '#!/bin/sh\necho "apt-get $*"\n')
    tools.chmod(0o755)
    environment = os.environ | {"PATH": f"{tools.parent}:{Path(sys.executable).parent}:{os.defpath}"}
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return run([autograder / "source/setup.sh"], cwd=top, env=environment | offline)


def run(command: list[Path], cwd: Path, env: dict[str, str]) -> Ran:
    streams = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENCE}
    done = subprocess.run(command, cwd=cwd, env=env, check=False, **streams)
    return Ran(done.returncode, done.stdout, done.stderr)


def hand_in(autograder: Path, files: dict[str, str]) -> tuple[Ran, dict]:
    """Run the autograder on a student's files; gives what it printed, and results.json."""
    for name in ("submission", "results"):
        shutil.rmtree(autograder / name, ignore_errors=True)
        (autograder / name).mkdir()
    for name, text in files.items():
        put(autograder / "submission", name, text)
    ran = run([autograder / "run_autograder"], cwd=autograder, env={"PATH": os.defpath})
    path = autograder / "results/results.json"
    return ran, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


# --- What it runs


@pytest.mark.whole
def test_submissions_are_graded_by_all_checks(image: Path, snapshot) -> None:
    """Right, wrong, and in a repository's folders; each result is one that Gradescope takes."""
    found = {}
    for name, files in {
        "right": {FILE: REFERENCE},
        "wrong": {FILE: WRONG},
        "repository": {f"assignments/{DAY}/{FILE}": REFERENCE, "README.md": "mine"},
        "renamed": {"day2_backward_pass (1).ipynb": REFERENCE},
        "numpy": {
            FILE: REFERENCE.replace("import math", "import math\\nimport numpy as np", 1).replace(
                "math.tanh(", "np.tanh("
            )
        },
    }.items():
        ran, results = hand_in(image, files)
        assert ran.code == 0, ran.text
        jsonschema.validate(results, SCHEMA)
        found[name] = results

    assert {name: results["score"] for name, results in found.items() if name != "wrong"} == dict.fromkeys(
        ("right", "repository", "renamed", "numpy"), 100
    )
    assert 0 < found["wrong"]["score"] < 100
    assert found["right"]["output"] == snapshot
    assert "visible checks" not in found["right"]["output"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, f"there is no {FILE}; hand in the notebook under this name"),
        ({FILE: "{"}, "the notebook ends in the middle"),
        ({"day2.zip": "PK"}, "`day2.zip` is an archive"),
    ],
    ids=["nothing", "half a notebook", "an archive"],
)
@pytest.mark.ci
def test_a_submission_that_cannot_be_read_is_worth_0(image: Path, files: dict[str, str], why: str) -> None:
    """The student reads why."""
    ran, results = hand_in(image, files)

    assert (ran.code, results["score"]) == (0, 0)
    jsonschema.validate(results, SCHEMA)
    assert why in results["output"], results["output"]


@pytest.mark.ci
def test_a_submission_cannot_read_the_checks_nor_write_the_result(image: Path) -> None:
    """It runs in the jail; the files of the image are closed even where Landlock is not."""
    attack = (
        "import pathlib\n"
        f"pathlib.Path({str(image / 'results/results.json')!r}).write_text('{{\"score\": 100}}')\n",
        f"stolen = pathlib.Path({str(image / 'source/course/solutions/day2/salt.txt')!r}).read_text()\n",
    )

    _, results = hand_in(image, {FILE: notebook(*attack, *cells(DAY)[:1])})

    assert results["score"] == 0
    assert results["output"].count("Permission denied") == 2, results["output"]
    assert not (image / "source/course/solutions/day2/salt.txt").stat().st_mode & 0o077


@pytest.mark.whole
def test_without_what_it_may_import_nothing_is_graded(image: Path, tmp_path: Path, snapshot) -> None:
    """A student who imports numpy would lose points for an install that failed."""
    copy = tmp_path / "autograder"
    shutil.copytree(image, copy, symlinks=True)
    (site,) = (copy / "source/.venv/lib").glob("python*/site-packages")
    (site / "numpy").unlink()

    ran, results = hand_in(copy, {FILE: REFERENCE})

    assert (ran.code, results) == (3, {})
    assert ran.err == snapshot


@pytest.mark.ci
def test_a_broken_check_gives_no_grade(image: Path, tmp_path: Path) -> None:
    """Gradescope says that the autograder failed; nobody gets 0 points for it, and the log says why."""
    copy = tmp_path / "autograder"
    shutil.copytree(image, copy, symlinks=True)
    put(copy, f"source/course/solutions/{DAY}/checks/test_swap_rule.py", "def broken(:\n")

    ran, results = hand_in(copy, {FILE: REFERENCE})

    assert ran.code == 3
    assert "score" not in results
    assert "tests" not in results
    assert "test_swap_rule.py" in results["output"] + ran.err


@pytest.mark.ci
@pytest.mark.parametrize(
    ("work", "score", "answer"),
    [
        pytest.param(GOOD, 100, "each_push", id="right"),
        pytest.param(FORGETS, 60, "each_push", id="wrong"),
        pytest.param(FORGETS, 60, "final", id="wrong, with hidden: final"),
        pytest.param(None, 0, "final", id="missing"),
    ],
)
def test_the_zips_course_grades(
    author: Instructor, tmp_path: Path, work: str | None, score: float, answer: str
) -> None:
    """The command of run_autograder, with the Backgrade that is installed here.

    With `hidden: final` students read nothing of a grading before the grades are published.
    """
    change(
        tmp_path / "course",
        "assignments/mini/assignment.yaml",
        "submission:",
        f"hidden: {{answer: {answer}}}\nsubmission:",
    )
    author.release("mini", tmp_path / "mini.zip", "--gradescope")
    with zipfile.ZipFile(tmp_path / "mini.zip") as opened:
        opened.extractall(tmp_path / "source")
    (tmp_path / "submission").mkdir()
    if work:
        put(tmp_path, "submission/mini.ipynb", notebook(work))
    words = [tmp_path / "source/course", "mini", tmp_path / "submission", tmp_path / "results/results.json"]
    (module,) = re.findall(r"-m (\S+ \S+)", (tmp_path / "source/run_autograder").read_text(encoding="utf-8"))
    assert module == "grader.classroom.runners gradescope"

    ran = run([sys.executable, "-I", "-m", *module.split(), *words], tmp_path, dict(os.environ))

    assert ran.code == 0, ran.text
    results = json.loads((tmp_path / "results/results.json").read_text(encoding="utf-8"))
    jsonschema.validate(results, SCHEMA)
    assert results["score"] == score
    shown = "after_published" if work and answer == "final" else "visible"
    assert {results["visibility"], *(test["visibility"] for test in results["tests"])} == {shown}
    assert ("points" in results["output"]) is (shown == "visible"), results["output"]
    assert ran.out == f"mini: {score} of 100 points\n"


# --- The zip


def names(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as opened:
        return set(opened.namelist())


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A miniature course with solutions."""
    return build(tmp_path_factory.mktemp("sound"))


@pytest.fixture
def author(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Instructor:
    shutil.copytree(sound, tmp_path / "course")
    return Instructor(tmp_path / "course", monkeypatch, capsys)


def test_the_zip_holds_the_checks_and_not_the_reference(author: Instructor, tmp_path: Path, snapshot) -> None:
    """At its root what Gradescope looks for; of solutions/ no more than grading reads."""
    ran = author.release("mini", tmp_path / "mini.zip", "--gradescope")

    assert ran.code == 0, ran.text
    found = {name for name in names(tmp_path / "mini.zip") if not name.startswith("vendor/backgrade-")}
    assert found == {
        "course/assignments/mini/assignment.yaml",
        "course/assignments/mini/checks/replay.json",
        "course/assignments/mini/checks/sealed.json",
        "course/assignments/mini/checks/stub.ipynb",
        "course/assignments/mini/checks/test_box.py",
        "course/assignments/mini/checks/test_double.py",
        "course/solutions/mini/checks/replay.json",
        "course/solutions/mini/checks/test_box.py",
        "course/solutions/mini/checks/test_double.py",
        "course/solutions/mini/salt.txt",
        "requirements.txt",
        "run_autograder",
        "setup.sh",
    }
    assert ran.out == snapshot
    assert ran.text == snapshot


@pytest.mark.ci
def test_the_same_zip_twice(author: Instructor, tmp_path: Path) -> None:
    """An earlier zip is written anew, and the same course gives the same bytes."""
    for _ in range(2):
        ran = author.release("mini", tmp_path / "mini.zip", "--gradescope")
        assert ran.code == 0, ran.text
    author.release("mini", tmp_path / "folder" / "again.zip", "--gradescope")

    assert (tmp_path / "mini.zip").read_bytes() == (tmp_path / "folder/again.zip").read_bytes()


@pytest.mark.parametrize("weak", [False, True])
def test_weak_isolation_is_the_instructors_choice(author: Instructor, tmp_path: Path, *, weak: bool) -> None:
    """Without the option a machine that cannot close a jail grades nothing."""
    ran = author.release(
        "mini", tmp_path / "mini.zip", "--gradescope", *["--allow-weak-isolation"][: int(weak)]
    )

    with zipfile.ZipFile(tmp_path / "mini.zip") as opened:
        script = opened.read("run_autograder").decode()
    assert ran.code == 0, ran.text
    assert weak is script.endswith('results.json" --allow-weak-isolation\n')
    assert weak is ("submissions are graded anyway" in ran.text)


def test_without_hidden_checks_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], snapshot
) -> None:
    """A copy of the course that has no solutions/."""
    course = without_solutions(tmp_path / "course")

    ran = Instructor(course, monkeypatch, capsys).release("mini", tmp_path / "mini.zip", "--gradescope")

    assert ran.code == 0, ran.text
    assert ran.text == snapshot


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("mini", "{top}/mini"), "Gradescope takes a zip; name one, such as ../mini-autograder.zip"),
        (
            ("mini", "{top}/course/mini.zip"),
            "release into a place that is not in the course folder",
        ),
        (
            ("mini", "{top}/other.zip"),
            "this file is not from `grade release`; remove it, or name another one",
        ),
        (("{top}/mini.zip",), "a zip is for one assignment"),
        (("mini", "{top}/mini.zip", "--reporter"), "--reporter does not apply to Gradescope's zip"),
        (("mini", "{top}/mini.zip", "--classroom50"), "cannot be combined; remove one"),
    ],
)
def test_what_is_refused(author: Instructor, tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    """Each with its remedy; what was there stays."""
    other = put(tmp_path, "other.zip", "mine")

    ran = author.release(*(word.format(top=tmp_path) for word in words), "--gradescope")

    assert ran.code == 2
    assert why in ran.text
    assert other.read_text() == "mine"
    assert not (tmp_path / "mini.zip").exists()


def test_only_gradescopes_zip_knows_weak_isolation(author: Instructor, tmp_path: Path) -> None:
    """A template is graded at home and in jobs, each of which says itself what it allows."""
    ran = author.release("mini", tmp_path / "mini", "--allow-weak-isolation")

    assert ran.code == 2
    assert "--allow-weak-isolation works only with --gradescope" in ran.text
