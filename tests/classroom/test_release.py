"""`grade release`: what is in a template, what it installs, and whether the course is up to date."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from helpers import edit_manifest, grade
from minicourse import FILES, build, change, put
from releasing import STUB, Instructor, lessons, tree
from told import sentences_with

from grader import __version__

WHEEL = f"backgrade-{__version__}-py3-none-any.whl"
links = pytest.mark.skipif(os.name == "nt", reason="Windows lets ordinary users make no links")


# --- What is in it


def test_a_template_has_what_a_student_needs(teacher: Instructor, folder: Path) -> None:
    """The assignment, the pages, what to install, the workflow, the container, and git's own files."""
    ran = teacher.release(folder)

    assert ran.code == 0, ran.text
    assert set(tree(folder)) == {
        ".devcontainer/devcontainer.json",
        ".gitattributes",
        ".github/backgrade.json",
        ".github/requirements.txt",
        ".github/workflows/grade.yml",
        ".gitignore",
        "README.md",
        "assignments/mini/assignment.yaml",
        "assignments/mini/checks/stub.ipynb",
        "assignments/mini/checks/test_box.py",
        "assignments/mini/checks/test_double.py",
        "assignments/mini/mini.ipynb",
        "docs/notebooks.md",
        "docs/students.md",
        "requirements-notebook.txt",
        "requirements.txt",
        f"vendor/{WHEEL}",
    }
    assert (folder / "requirements.txt").read_text() == f"./vendor/{WHEEL}\n"
    assert "mini" in (folder / ".github/workflows/grade.yml").read_text(encoding="utf-8")
    assert yaml.safe_load((folder / ".github/workflows/grade.yml").read_text(encoding="utf-8"))


def test_without_a_workflow(teacher: Instructor, folder: Path, snapshot) -> None:
    """For a classroom that brings its own; an earlier release's is asked for and taken out."""
    teacher.release(folder)

    refused, ran = (
        teacher.release(folder, "--no-workflow"),
        teacher.release(folder, "--no-workflow", "--yes"),
    )

    assert refused.text == snapshot
    assert ran.code == 0, ran.text
    assert [name for name in tree(folder) if name.startswith(".github/")] == [".github/backgrade.json"]
    assert "tab Actions" not in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--reporter", "--classroom50"])
def test_without_a_workflow_there_is_no_step_of_it(teacher: Instructor, folder: Path, option: str) -> None:
    """The error names two options that do not go together."""
    ran = teacher.release("mini", folder, "--no-workflow", option)

    assert ran.code == 2
    assert re.search("--no-workflow.*; remove (it|one)", ran.text)
    assert not folder.exists()


def test_twice_gives_the_same_bytes(teacher: Instructor, folder: Path, tmp_path: Path) -> None:
    """No file has a date or the name of the folder."""
    teacher.release(folder)
    teacher.release(tmp_path / "another")

    assert tree(folder) == tree(tmp_path / "another")


def test_the_pages_speak_of_what_is_released(teacher: Instructor, folder: Path) -> None:
    """Another course has no day2 and no swap_rule; its student can type what the pages say."""
    teacher.release(folder)

    pages = {name: data.decode() for name, data in tree(folder).items() if name.endswith(".md")}

    assert "grade hint mini double" in pages["docs/students.md"]
    assert "assignments/mini/mini.ipynb" in pages["docs/notebooks.md"]
    assert "`assignments/mini/mini.ipynb`" in pages["README.md"]
    assert not [name for name, text in pages.items() if re.search("day2|swap_rule|backward_pass", text)]


@pytest.mark.ci
@pytest.mark.parametrize("days", [(), ("day3",), ("day1", "day2")])
def test_no_link_is_dead(
    days: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    snapshot,
) -> None:
    """Also where a lesson speaks of a day that is not released; what is shown stays the same words."""
    folder = tmp_path / "template"
    Instructor(lessons(tmp_path / "course"), monkeypatch, capsys).release(*days, folder)

    dead = [
        (name, target)
        for name, data in tree(folder).items()
        if name.endswith((".md", ".ipynb")) and not name.endswith("checks/stub.ipynb")  # a copy
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", data.decode())
        if not (folder / name).parent.joinpath(target).exists()
    ]

    assert dead == []
    if days == ("day3",):
        lesson = (folder / "assignments/day3/README.md").read_text(encoding="utf-8")
        assert sentences_with("On day 2 you", lesson) == snapshot
        assert grade("day3", cwd=folder).code == 1  # although it continues day 2
        assert (
            sentences_with("already the untouched notebook", grade("reset", "day3", cwd=folder).out)
            == snapshot
        )


def test_the_untouched_notebook_ships(teacher: Instructor, mini: Path, folder: Path, snapshot) -> None:
    """An instructor has tried something in the working file; that is said, and stays at home."""
    (mini / "assignments/mini/mini.ipynb").write_text(STUB.replace("[]", '["answer"]'), encoding="utf-8")

    ran = teacher.release(folder)

    assert ran.text == snapshot
    assert (folder / "assignments/mini/mini.ipynb").read_text() == STUB


LEFT_OUT = [
    "mini.py",
    "mini-Copy1.ipynb",
    "mini.2025-11-21-101500.ipynb",
    ".mini.ipynb.swp",
    "checks/__pycache__/test_box.pyc",
    ".ipynb_checkpoints/mini-checkpoint.ipynb",
    "feedback/mini.json",
    ".backgrade/state.json",
]


def test_what_tools_and_people_leave_behind_stays(
    teacher: Instructor, mini: Path, folder: Path, snapshot
) -> None:
    """Copies of a submission are named; caches are not worth a word."""
    for name in LEFT_OUT:
        put(mini, f"assignments/mini/{name}", "what was tried\n")
    put(mini, "assignments/mini/picture.svg", "<svg/>\n")

    ran = teacher.release(folder)

    given = tree(folder)
    assert not [name for name, data in given.items() if b"what was tried" in data]
    assert "assignments/mini/picture.svg" in given
    assert ran.text == snapshot
    assert "__pycache__" not in ran.text


@links
def test_no_link_is_followed(teacher: Instructor, mini: Path, folder: Path, tmp_path: Path, snapshot) -> None:
    """Neither in the course nor in the folder."""
    secret = put(tmp_path, "secret.txt", "the answer\n")
    (mini / "assignments/mini/data.txt").symlink_to(secret)

    ran = teacher.release(folder)

    assert ran.text == snapshot
    assert not (folder / "assignments/mini/data.txt").exists()


def test_a_solution_among_the_assignments_is_refused(
    teacher: Instructor, mini: Path, folder: Path, snapshot
) -> None:
    """A reference that was put into the wrong folder."""
    put(mini, "assignments/mini/help.py", FILES["solutions/mini/mini.py"])

    ran = teacher.release(folder)

    assert ran.code == 3
    assert ran.text == snapshot
    assert not folder.exists()


def test_a_title_is_no_markup(teacher: Instructor, mini: Path, folder: Path, snapshot) -> None:
    """It is in a table of the README."""
    edit_manifest(mini, "mini", title="a | b [c](d) *e*")

    teacher.release(folder)

    assert sentences_with("a \\| b", (folder / "README.md").read_text(encoding="utf-8")) == snapshot


def test_the_container_finds_what_it_makes(teacher: Instructor, folder: Path) -> None:
    """One `.venv`, made once, and the editor is told where."""
    teacher.release(folder)

    container = json.loads((folder / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))

    assert "-r requirements-notebook.txt" in container["postCreateCommand"]
    settings = container["customizations"]["vscode"]["settings"]
    assert settings["python.defaultInterpreterPath"].endswith("/.venv/bin/python")


# --- What is installed


def test_by_itself_it_brings_the_running_backgrade(teacher: Instructor, folder: Path) -> None:
    """As pip installs it, with its command; nothing that pip noted down about this machine is in it."""
    teacher.release(folder)

    with zipfile.ZipFile(folder / "vendor" / WHEEL) as opened:
        held = {name: opened.read(name) for name in opened.namelist()}

    noted = f"backgrade-{__version__}.dist-info"
    assert held["grader/cli.py"]
    assert held["grader/classroom/release/template/docs/students.md"].startswith(b"# From a clone")
    assert {name for name in held if name.startswith(noted)} == {
        f"{noted}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    }
    assert set(held) == {line.split(",")[0] for line in held[f"{noted}/RECORD"].decode().splitlines()}


@pytest.mark.parametrize(
    ("imports", "pins", "lines"),
    [
        (["numpy"], "click==8.5.1\n", [f"numpy=={metadata.version('numpy')}"]),
        (["numpy"], "# ours\nNumPy==2.4.6  # the last\n", ["numpy"]),
        (["yaml", "math"], "", [f"PyYAML=={metadata.version('PyYAML')}"]),
        (["math"], "", []),
    ],
)
def test_what_submissions_may_import_is_installed(
    teacher: Instructor, folder: Path, imports: list[str], pins: str, lines: list[str]
) -> None:
    """By the name of its package; of the version that the course pins, or else of the instructor's."""
    edit_manifest(teacher.course, "mini", imports=imports)
    if pins:
        put(teacher.course, "constraints.txt", pins)

    ran = teacher.release(folder)

    assert ran.code == 0, ran.text
    for name, extra in {"": "", "-notebook": "[notebook]", ".github/": "[classroom]"}.items():
        place = f"{name}requirements.txt" if name.endswith("/") else f"requirements{name}.txt"
        given = (folder / place).read_text().splitlines()
        assert given[-1 - len(lines) :] == [f"./vendor/{WHEEL}{extra}", *lines]


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("nowhere", "-m pip install nowhere`"),
        ("numpy..linalg", "write the name that `import` uses, such as numpy or scipy.optimize"),
        ("numpy==2.0", "`imports` has `numpy==2.0`; write the name that `import` uses"),
        ("by_hand", "install or keep exactly one next to `grade`"),
    ],
)
def test_a_module_that_cannot_be_installed(
    teacher: Instructor, folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, why: str
) -> None:
    """It is not here, is no module, or was put there by hand; nothing is written."""
    edit_manifest(teacher.course, "mini", imports=[module])
    put(folder.parent / "site", "by_hand.py", "")
    monkeypatch.setattr("grader.sandbox.packages.site_packages", lambda: [str(folder.parent / "site")])

    ran = teacher.release(folder)

    assert ran.code == 2
    assert why in ran.text
    assert not folder.exists()


@pytest.mark.parametrize(
    ("installed", "why"),
    [
        (None, "no data about an installation of backgrade"),
        ("0.0.9", "was installed as version 0.0.9, but runs as"),
    ],
)
def test_a_backgrade_that_cannot_be_packed(
    teacher: Instructor,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    installed: str | None,
    why: str,
    *,
    snapshot,
) -> None:
    """A checkout that was never installed, or is newer than what was; nothing is written."""

    def found(name: str) -> metadata.Distribution:
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        (folder.parent / "METADATA").write_text(f"Name: {name}\nVersion: {installed}\n")
        return metadata.PathDistribution(folder.parent)

    monkeypatch.setattr("grader.classroom.release.contents.distribution", found)

    ran = teacher.release(folder)

    assert ran.code == 2
    assert why in ran.text
    assert ran.text == snapshot
    assert not folder.exists()


# --- What is generated


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound course with solutions, made once."""
    return build(tmp_path_factory.mktemp("built"))


@pytest.fixture
def author(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Instructor:
    """Stands in the folder of a copy of it."""
    shutil.copytree(built, tmp_path / "sound")
    return Instructor(tmp_path / "sound", monkeypatch, capsys)


def test_a_notebook_that_is_out_of_date_is_not_released(author: Instructor, folder: Path, snapshot) -> None:
    """The file and the command are named."""
    path = author.course / "assignments/mini/checks/stub.ipynb"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")

    refused = author.release(folder)

    assert refused.code == 2
    assert refused.text == snapshot
    assert not folder.exists()


def test_a_sound_course_is_looked_at_and_released(author: Instructor, folder: Path) -> None:
    """With solutions beside it, of which nothing is in the template."""
    ran = author.release(folder)

    assert ran.code == 0, ran.text
    assert "not looked at" not in ran.text
    assert not [name for name in tree(folder) if "solutions" in name]


GIVEAWAYS = {
    "the values of an answer": ("checks/_helpers.py", "GRADS = (7.0, 2.0, -1.0)\n", "mini's answer `grads`"),
    "three lines of a solution": (
        "README.md",
        "    self.number = double(self.number)\n    self.grown += 1\n    print(self.number)\n",
        "3 lines of the solution of `mini`",
    ),
}


@pytest.mark.parametrize("case", GIVEAWAYS)
def test_a_file_that_gives_a_solution_away_is_not_released(
    author: Instructor, folder: Path, case: str, snapshot
) -> None:
    """File, line and secret are named, and the command that lists all of them."""
    name, text, what = GIVEAWAYS[case]
    path = put(author.course, f"assignments/mini/{name}", text)
    put(author.course, "solutions/mini/answers.yaml", "grads:\n  right: {a: 7, b: 2, c: -1}\n")
    line = "self.number = double(self.number)"
    more = f"{line}\n        self.grown += 1\n        print(self.number)"
    change(author.course, "solutions/mini/mini.py", line, more)

    refused = author.release(folder)

    assert refused.code == 2
    assert f"{path}, line 1: students get this file, which holds " in refused.text
    assert what in refused.text
    assert refused.text == snapshot
    assert not folder.exists()


def test_the_working_file_may_be_worked_in(author: Instructor, folder: Path) -> None:
    """It does not ship, so it need not be up to date."""
    (author.course / "assignments/mini/mini.ipynb").write_text(STUB)

    ran = author.release(folder)

    assert ran.code == 0, ran.text
    assert "was edited" in ran.text


def test_what_cannot_be_looked_at_is_said(
    author: Instructor, folder: Path, monkeypatch: pytest.MonkeyPatch, snapshot
) -> None:
    """Without the extra `instructor`, the release prints a note."""
    monkeypatch.setitem(sys.modules, "jupytext", None)

    ran = author.release(folder)

    assert ran.code == 0, ran.text
    assert ran.text == snapshot


def test_without_the_untouched_notebook(teacher: Instructor, mini: Path, folder: Path, snapshot) -> None:
    """The command that makes it is named."""
    (mini / "assignments/mini/checks/stub.ipynb").unlink()

    ran = teacher.release(folder)

    assert ran.code == 3
    assert ran.text == snapshot
