"""The files of a template repository, each with its bytes, made from `assignments/` alone.

No file of a template comes from `solutions/`. The same course gives the same bytes: no file holds a date.
"""

from __future__ import annotations

import functools
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from grader.classroom.release.requirement import DOCS, TEMPLATE, lines_of_modules, shipped_file
from grader.errors import Broken, Refused
from grader.files import absolute, link_in, read_plain
from grader.submissions.handed_out import without_dead_links
from grader.submissions.intake import refuse_missing_imports

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from jinja2 import Environment

    from grader.assignment import Assignment, Course
    from grader.classroom.release.requirement import Wheel

MAX_FILE = 32 << 20  # bytes of one file; a lesson may have pictures or data
WORKFLOWS = ".github/workflows"
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
        "README.md": _readme(course, days, no_workflow=no_workflow),
        ".gitignore": text("gitignore"),
        ".gitattributes": text("gitattributes"),
        ".devcontainer/devcontainer.json": text("devcontainer.json"),
        **{name: _page(course, days, name) for name in DOCS},
    }
    extras: dict[str, Sequence[str]] = {"requirements.txt": (), "requirements-notebook.txt": ("notebook",)}
    if not no_workflow:
        texts[f"{WORKFLOWS}/grade.yml"] = workflow(days, reporter=reporter)
        extras[".github/requirements.txt"] = ("classroom",)
    files |= what_to_install(course, days, wheel, extras)
    files |= {name: data.encode() for name, data in texts.items()}
    return dict(sorted(files.items())), notes


def text(name: str, /, **values: object) -> str:
    """Return a text of `template/` with these values; a name that it does not get is an error."""
    return _environment().get_template(name).render(values)


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(  # noqa: S701  no HTML: what comes from the course is escaped for its own format
        variable_start_string="<<",  # workflows and Markdown have none of these
        variable_end_string=">>",
        block_start_string="<%",
        block_end_string="%>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        loader=FileSystemLoader(TEMPLATE),
    )


def workflow(days: Sequence[str], *, reporter: bool = False) -> str:
    """Return the workflow that grades these assignments, one step each.

    With `reporter` its last step is the classroom reporter's. Raises Refused for a name that no step can have.
    """
    for day in days:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", day):
            raise Refused(
                f"{day}: a step of a workflow cannot have this name; rename the assignment's folder to letters, "
                "digits, - and _, with a letter at its beginning"
            )
    # Tools around the classroom reporter look for this name and this job only.
    name, job = ("Autograding Tests", "run-autograding-tests") if reporter else ("Grade", "grade")
    # An id that no assignment's step has; GitHub ignores the case of ids.
    install = f"{max(days, key=len)}_" if "install" in map(str.lower, days) else "install"
    return text("grade.yml", days=days, reporter=reporter, name=name, job=job, install=install)


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


def _readme(course: Course, days: Sequence[str], *, no_workflow: bool) -> str:
    rows, hidden = (
        [],
        dict[int, list[str]](),
    )  # the time at which hidden checks answer: pushes a day, 0 for the end
    for assignment in map(course.assignment, days):
        rule = assignment.manifest.hidden
        hidden.setdefault(rule.per_day if rule.answer == "each_push" else 0, []).append(assignment.name)
        rows.append(
            {
                "day": assignment.name,
                "title": _cell(assignment.manifest.title),
                "lesson": (assignment.folder / "README.md").is_file(),
                "place": assignment.stub.relative_to(course.root).as_posix(),
            }
        )
    title = rows[0]["title"] if len(days) == 1 else "Assignments"
    return text("README.md", title=title, days=days, rows=rows, no_workflow=no_workflow, hidden=hidden)


def _cell(title: str) -> str:
    """Escape a title for Markdown, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", " ".join(title.split()))


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
    modules = {module for assignment in assignments for module in assignment.manifest.imports}
    allowed = lines_of_modules(modules, files.get("constraints.txt", b""))
    for name, of_file in extras.items():
        above = "../" * name.count("/")
        lines = [f"-c {above}constraints.txt"] if "constraints.txt" in files else []
        files[name] = "\n".join([*lines, wheel.line(*of_file), *allowed, ""]).encode()
    return {**files, f"vendor/{wheel.name}": wheel.data}
