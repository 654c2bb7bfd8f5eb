"""The files of a template repository, each with its bytes, made from `assignments/` alone.

No file of a template comes from `solutions/`. The same course gives the same bytes: no file holds a date.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.release.requirement import DOCS, TEMPLATE, lines_of_modules, shipped_file
from grader.classroom.release.workflow import workflow
from grader.errors import Broken
from grader.files import absolute, link_in, read_plain
from grader.sandbox.packages import top_of
from grader.submissions.handed_out import without_dead_links
from grader.submissions.intake import refuse_missing_imports

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.assignment import Assignment, Course
    from grader.classroom.release.requirement import Wheel

MAX_FILE = 32 << 20  # bytes of one file; a lesson may have pictures or data
RELEASED = "released.json"  # in solutions/DAY
WORKFLOWS = ".github/workflows"
_KINDS = ("0" * 40, "0" * 64)  # git has hashes of two lengths
# The examples of the page for students. In a template the first assignment replaces them.
_DAY, _CHECK = "day2", "swap_rule"
_NOTEBOOK = re.compile(r"\bday2_\w+\.ipynb")
_LEFTOVERS = {
    "__pycache__",
    ".ipynb_checkpoints",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".virtual_documents",
    ".DS_Store",
    ".git",
    ".venv",
    ".backgrade",
    "feedback",
    "node_modules",
}
# README: the location of the feedback on a push, with the template's workflow and without it (True).
_PUSHED = {
    False: """\
After each push: on the page of the newest run in the tab Actions, at your lines in the commit, in a
comment on your pull request or commit, and as a file to download from the page of the run. Those
points are advice from the checks that are in this repository.""",
    True: """\
After each push: where your classroom shows it, such as on the page Releases of your repository. Those
points are advice.""",
}
# README: the time at which hidden checks answer, by `hidden` in the manifests.
_HIDDEN = {
    "each_push": """\
If your class uses this, their result for {days} is a mark beside your newest commit, with a link: usually
within half an hour, for at most {per_day} pushes a day. It is provisional until the grade is final.
""",
    "final": "Their result for {days} comes with the final grade.\n",
}
_MARKER = re.compile(rb"### BEGIN SOLUTION")
_LEFTOVER = re.compile(r".*(\.py[co]|~|\.swp|\.backgrade|\.bak|\.orig|\.rej)")


def template_files(
    course: Course, days: Sequence[str], wheel: Wheel, *, reporter: bool = False, no_workflow: bool = False
) -> tuple[dict[str, bytes], list[str]]:
    """Return every file of the template by its name, and notes for the instructor.

    Raises Broken, Refused.
    """
    notes = list[str]()
    files: dict[str, bytes] = {}
    for day in days:
        files |= day_files(course.assignment(day), days, notes)
    texts = {
        "README.md": _readme(course, days)
        .replace("{pushed}", _PUSHED[no_workflow])
        .replace("{hidden}", _when_hidden_answer(course, days)),
        ".gitignore": _text("gitignore"),
        ".gitattributes": _text("gitattributes"),
        ".devcontainer/devcontainer.json": _text("devcontainer.json").replace("{name}", "Assignments"),
        **{name: _page(course, days, name) for name in DOCS},
    }
    extras: dict[str, Sequence[str]] = {"requirements.txt": (), "requirements-notebook.txt": ("notebook",)}
    if not no_workflow:
        texts[".github/workflows/grade.yml"] = workflow(days, reporter=reporter)
        extras[".github/requirements.txt"] = ("classroom",)
    files |= what_to_install(course, days, wheel, extras)
    files |= {name: text.encode() for name, text in texts.items()}
    return dict(sorted(files.items())), notes


def _when_hidden_answer(course: Course, days: Sequence[str]) -> str:
    """Return sentences about the time at which hidden checks answer, for all assignments."""
    days_by_rule: dict[tuple[str, int], list[str]] = {}
    for day in days:
        rule = course.assignment(day).manifest.hidden
        days_by_rule.setdefault((rule.answer, rule.per_day if rule.answer == "each_push" else 0), []).append(
            day
        )
    return "".join(
        _HIDDEN[answer].replace("{days}", ", ".join(names)).replace("{per_day}", str(per_day))
        for (answer, per_day), names in days_by_rule.items()
    )


def is_leftover(name: str) -> bool:
    """Return True for a name that tools leave behind, such as `__pycache__` or `x.swp`."""
    return name in _LEFTOVERS or _LEFTOVER.fullmatch(name) is not None


# --- The assignments


def day_files(assignment: Assignment, days: Sequence[str], notes: list[str]) -> dict[str, bytes]:
    """Return the files of one assignment that ship with the assignments `days`.

    Adds notes for the instructor to `notes`. Raises Broken.
    """
    folder, root = assignment.folder, assignment.course.root
    if (link := link_in(root, folder)) is not None:
        raise Broken(f"{link}: this is a symbolic link; put the folder itself there")
    stems = [assignment.course.assignment(name).stub.stem for name in assignment.course.names]
    files: dict[str, bytes] = {}
    left: list[Path] = []
    for path in regular_files(folder, left):
        name = path.relative_to(root).as_posix()
        is_a_copy = path.suffix in {".py", ".ipynb"} and path.name.startswith(tuple(stems))
        if path != assignment.stub and path.parent == folder and is_a_copy:
            left.append(path)
        elif path != assignment.stub:
            files[name] = read_course_file(path)
    files[assignment.stub.relative_to(root).as_posix()] = _pristine(assignment, notes)
    notes += [
        f"{path.relative_to(root).as_posix()} is left out: {_why(path)}"
        for path in left
        if not is_leftover(path.name)
    ]
    for name, data in files.items():
        if _MARKER.search(data):
            is_stub = root / name in {assignment.stub, assignment.pristine}
            remedy = f"run `grade stub {assignment.name}`, which makes it anew" if is_stub else "take it out"
            raise Broken(f"{root / name}: holds `### BEGIN SOLUTION`, so a solution; {remedy}")
    absent = {*assignment.course.names}.difference(days)
    return {
        name: without_dead_links(data, absent) if name.endswith((".md", ".ipynb")) else data
        for name, data in files.items()
    }


def regular_files(folder: Path, left: list[Path]) -> Iterator[Path]:
    """Yield the regular files below a folder; links, devices and leftovers go to `left`."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        path = Path(entry.path)
        if is_leftover(entry.name) or not (
            entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
        ):
            left.append(path)
        elif entry.is_dir(follow_symlinks=False):
            yield from regular_files(path, left)
        else:
            yield path


def _why(path: Path) -> str:
    if path.is_symlink():
        return "it is a symbolic link"
    if not stat.S_ISREG(path.lstat().st_mode):
        return "it is a pipe, a socket or a device"
    return "it has the name of a submission, and may hold somebody's attempt"


def _pristine(assignment: Assignment, notes: list[str]) -> bytes:
    """Return the untouched notebook, never the file that somebody works in."""
    pristine, working = assignment.pristine, assignment.stub
    if not pristine.is_file() or pristine.is_symlink():
        raise Broken(
            f"{pristine}: the untouched notebook should be here; make it with `grade stub {assignment.name}`"
        )
    data, root = read_course_file(pristine), assignment.course.root
    if os.path.lexists(working) and (working.is_symlink() or read_course_file(working) != data):
        notes.append(
            f"{working.relative_to(root).as_posix()} was edited; the untouched notebook ships, "
            f"{pristine.relative_to(root).as_posix()}"
        )
    return data


def read_course_file(path: Path) -> bytes:
    """Read a file of the course that is not a link. Raises Broken."""
    try:
        return read_plain(absolute(path), MAX_FILE)[0]
    except OSError as error:
        raise Broken(f"{path}: cannot be read: {error.strerror}; correct or remove it") from error


# --- The files beside them


def _readme(course: Course, days: Sequence[str]) -> str:
    titles = {day: " ".join(course.assignment(day).manifest.title.split()) for day in days}
    rows = [
        f"| {day} | [{_cell(titles[day])}](assignments/{day}/README.md) | `{_place(course.assignment(day))}` |"
        if (course.assignment(day).folder / "README.md").is_file()
        else f"| {day} | {_cell(titles[day])} | `{_place(course.assignment(day))}` |"
        for day in days
    ]
    title = titles[days[0]] if len(days) == 1 else "Assignments"
    text = _text("README.md").replace("{title}", _cell(title)).replace("{rows}", "\n".join(rows))
    return text.replace("{day}", days[0])


def _cell(title: str) -> str:
    """Escape a title for Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", title)


def _place(assignment: Assignment) -> str:
    return assignment.stub.relative_to(assignment.course.root).as_posix()


def _page(course: Course, days: Sequence[str], name: str) -> str:
    """Return a page of the docs with the released assignments in its examples."""
    assignment = course.assignment(days[0])
    checks = [name for name, spec in assignment.manifest.checks.items() if not spec.manual]
    hinted = [c for c in checks if assignment.manifest.checks[c].hints] or checks
    words = {
        f"[the lesson of {_DAY}](../assignments/{_DAY}/README.md)": _lesson(assignment),
        _DAY: assignment.name,
        _CHECK: _CHECK if _CHECK in checks else hinted[0],
    }
    pattern = re.compile("|".join([_NOTEBOOK.pattern, *map(re.escape, words)]))
    return pattern.sub(
        lambda match: words.get(match[0], assignment.manifest.submission),
        shipped_file(name).read_text(encoding="utf-8"),
    )


def _lesson(assignment: Assignment) -> str:
    link = f"[the lesson of {assignment.name}](../assignments/{assignment.name}/README.md)"
    return link if (assignment.folder / "README.md").is_file() else f"{assignment.name}"


def what_to_install(
    course: Course, days: Sequence[str], wheel: Wheel, extras: Mapping[str, Sequence[str]]
) -> dict[str, bytes]:
    """Return the files for pip, and the files that they name: the course's constraints, the wheel.

    `extras` has the extras of Backgrade by the name of a requirements file. Each such file names Backgrade and
    the modules that submissions of these days may import. Pip resolves the path of a wheel from its current
    folder, which is the top of the template, and a path behind `-c` from the file that names it.
    Raises Broken, Refused.
    """
    files = {}
    if (course.root / "constraints.txt").is_file():
        files["constraints.txt"] = read_course_file(course.root / "constraints.txt")
    assignments = [course.assignment(day) for day in days]
    for assignment in assignments:
        refuse_missing_imports(assignment)
    modules = {top_of(name) for assignment in assignments for name in assignment.manifest.imports}
    allowed = lines_of_modules(modules, files.get("constraints.txt", b""))
    for name, of_file in extras.items():
        above = "../" * name.count("/")
        lines = [f"-c {above}constraints.txt"] if "constraints.txt" in files else []
        files[name] = "\n".join([*lines, wheel.line(*of_file), *allowed, ""]).encode()
    return {**files, f"vendor/{wheel.name}": wheel.data}


def _text(name: str) -> str:
    return (TEMPLATE / name).read_text(encoding="utf-8")
