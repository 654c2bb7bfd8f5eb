"""The files of a template repository, made only from `assignments/`.

No file of a template comes from `solutions/`. The same course gives the same bytes: no file holds a date.

A template includes the running Backgrade as a wheel, packed from the files that it runs from: the package's folder, and
pip's metadata about it. A checkout (an editable install) and an installed wheel give the same wheel. That needs no build
backend and no network. The format is
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import os
import re
import stat
import sys
import zipfile
from importlib import metadata
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from packaging.utils import canonicalize_name

import grader
from grader.data import DATA
from grader.errors import Broken, Refused
from grader.files import absolute, link_in, read_plain
from grader.sandbox.packages import top_of
from grader.submissions.handed_out import without_dead_links
from grader.submissions.intake import refuse_missing_imports

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from jinja2 import Environment

    from grader.assignment import Assignment, Course


MAX_FILE = 32 << 20  # bytes of one file; a lesson may have pictures or data
WORKFLOWS = ".github/workflows"
NAME = "backgrade"
DOCS = ("docs/students.md", "docs/notebooks.md")
CALLED = ".github/workflows/grade-class.yml"  # `grade open` copies it into a course of one's own
TEMPLATE = Path(__file__).parent / "template"
# Examples on the page for students; a template has its first assignment instead.
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
        ".gitignore": fill_text("gitignore"),
        ".gitattributes": fill_text("gitattributes"),
        ".devcontainer/devcontainer.json": fill_text("devcontainer.json"),
        **{name: _page(course, days, name) for name in DOCS},
    }
    extras: dict[str, Sequence[str]] = {"requirements.txt": (), "requirements-notebook.txt": ("notebook",)}
    if not no_workflow:
        texts[f"{WORKFLOWS}/grade.yml"] = workflow(days, reporter=reporter)
        extras[".github/requirements.txt"] = ("classroom",)
    files |= what_to_install(course, days, wheel, extras)
    files |= {name: data.encode() for name, data in texts.items()}
    return dict(sorted(files.items())), notes


def fill_text(name: str, /, **values: object) -> str:
    """Return a text of `template/`, filled with these values; a missing value is an error."""
    return _environment().get_template(name).render(values)


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(  # noqa: S701  no HTML: values from the course are escaped for their own format
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
                f"{day}: a step of a workflow cannot have this name; rename the assignment's folder to a letter, then "
                "letters, digits, - and _"
            )
    # The classroom reporter's tools find only this name and this job.
    name, job = ("Autograding Tests", "run-autograding-tests") if reporter else ("Grade", "grade")
    # An id that no assignment's step has; GitHub ignores the case of ids.
    install = f"{max(days, key=len)}_" if "install" in map(str.lower, days) else "install"
    return fill_text("grade.yml", days=days, reporter=reporter, name=name, job=job, install=install)


def is_leftover(name: str) -> bool:
    """Return True for a name that tools leave behind, such as `__pycache__` or `x.swp`."""
    return name in _LEFTOVERS or _LEFTOVER.fullmatch(name) is not None


# --- The assignments


def day_files(assignment: Assignment, days: Sequence[str], notes: list[str]) -> dict[str, bytes]:
    """Return the files of one assignment that ship with the assignments `days`.

    Adds notes for the instructor to `notes`. Raises Broken, and Refused for data that no jail can have.
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
    # The jail has all data files, even those that look like a tool's leftovers.
    files |= {
        f"{folder.relative_to(root).as_posix()}/{DATA}/{n}": data
        for n, data in assignment.data["visible"].items()
    }
    files[assignment.stub.relative_to(root).as_posix()] = _pristine(assignment, notes)
    notes += [
        f"{path.relative_to(root).as_posix()} is left out: {_why(path)}"
        for path in left
        if not is_leftover(path.name)
    ]
    for name, data in files.items():
        if _MARKER.search(data):
            is_stub = root / name in {assignment.stub, assignment.pristine}
            remedy = (
                f"run `grade stub {assignment.name}` to write it again" if is_stub else "remove the solution"
            )
            raise Broken(
                f"{root / name}: students get this file, and it holds `### BEGIN SOLUTION`; {remedy}"
            )
    absent = {*assignment.course.names}.difference(days)
    return {
        name: without_dead_links(data, absent) if name.endswith((".md", ".ipynb")) else data
        for name, data in files.items()
    }


def regular_files(folder: Path, left: list[Path]) -> Iterator[Path]:
    """Yield the regular files below a folder; add links, devices and leftovers to `left`."""
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
    return "it is named like a submission, and may hold somebody's attempt"


def _pristine(assignment: Assignment, notes: list[str]) -> bytes:
    """Return the untouched notebook, never the file that somebody works in."""
    pristine, working = assignment.pristine, assignment.stub
    if not pristine.is_file() or pristine.is_symlink():
        raise Broken(
            f"{pristine}: the untouched notebook is missing; write it with `grade stub {assignment.name}`"
        )
    data, root = read_course_file(pristine), assignment.course.root
    if os.path.lexists(working) and (working.is_symlink() or read_course_file(working) != data):
        notes.append(
            f"{working.relative_to(root).as_posix()} was edited; students get the untouched notebook, "
            f"{pristine.relative_to(root).as_posix()}"
        )
    return data


def read_course_file(path: Path) -> bytes:
    """Read a file of the course that is not a link. Raises Broken."""
    try:
        return read_plain(absolute(path), MAX_FILE)[0]
    except OSError as error:
        raise Broken(f"{path}: cannot be read: {error.strerror}; correct or remove it") from error


# --- The other files


def _readme(course: Course, days: Sequence[str], *, no_workflow: bool) -> str:
    rows: list[dict[str, object]] = []
    hidden: dict[int, list[str]] = {}  # assignments by answered pushes a day; 0 means only the final grade
    for assignment in map(course.assignment, days):
        policy = assignment.manifest.hidden
        answered = policy.per_day if policy.answer == "each_push" else 0
        hidden.setdefault(answered, []).append(assignment.name)
        rows.append(
            {
                "day": assignment.name,
                "title": _cell(assignment.manifest.title),
                "lesson": (assignment.folder / "README.md").is_file(),
                "place": assignment.stub.relative_to(course.root).as_posix(),
            }
        )
    title = rows[0]["title"] if len(days) == 1 else "Assignments"
    return fill_text("README.md", title=title, days=days, rows=rows, no_workflow=no_workflow, hidden=hidden)


def _cell(title: str) -> str:
    """Escape a title for Markdown, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", " ".join(title.split()))


def _page(course: Course, days: Sequence[str], name: str) -> str:
    """Return a page of the docs with the released assignments in its examples."""
    assignment = course.assignment(days[0])
    checks = [name for name, spec in assignment.manifest.checks.items() if not spec.manual]
    hinted = [c for c in checks if assignment.manifest.checks[c].hints] or checks
    lesson = f"[the lesson of {assignment.name}](../assignments/{assignment.name}/README.md)"
    has_lesson = (assignment.folder / "README.md").is_file()
    words = {
        f"[the lesson of {_DAY}](../assignments/{_DAY}/README.md)": lesson if has_lesson else assignment.name,
        _DAY: assignment.name,
        _CHECK: _CHECK if _CHECK in checks else hinted[0],
    }
    pattern = re.compile("|".join([_NOTEBOOK.pattern, *map(re.escape, words)]))
    return pattern.sub(
        lambda match: words.get(match[0], assignment.manifest.submission),
        shipped_file(name).read_text(encoding="utf-8"),
    )


# --- What pip installs


class Wheel(NamedTuple):
    """A wheel of Backgrade; a release has it in its folder `vendor/`."""

    name: str
    data: bytes

    def line(self, *extras: str) -> str:
        """Return the line of a requirements file, with these extras."""
        return f"./vendor/{self.name}" + (f"[{','.join(extras)}]" if extras else "")


def what_to_install(
    course: Course, days: Sequence[str], wheel: Wheel, extras: Mapping[str, Sequence[str]]
) -> dict[str, bytes]:
    """Return the requirements files for pip, and the files that they name: the course's constraints, the wheel.

    `extras` maps the name of each requirements file to extras of Backgrade. Each file lists Backgrade and the modules
    that submissions of these days may import. Pip resolves the path of a wheel from its current folder, which is the top
    of the template, but a path after `-c` from the requirements file. Raises Broken, Refused.
    """
    files = {}
    if (course.root / "constraints.txt").is_file():
        files["constraints.txt"] = read_course_file(course.root / "constraints.txt")
    assignments = [course.assignment(day) for day in days]
    for assignment in assignments:
        refuse_missing_imports(assignment)
    modules = {top_of(name) for assignment in assignments for name in assignment.manifest.imports}
    allowed = _lines_of_modules(modules, files.get("constraints.txt", b""))
    for name, of_file in extras.items():
        above = "../" * name.count("/")
        lines = [f"-c {above}constraints.txt"] if "constraints.txt" in files else []
        files[name] = "\n".join([*lines, wheel.line(*of_file), *allowed, ""]).encode()
    return {**files, f"vendor/{wheel.name}": wheel.data}


def _lines_of_modules(modules: AbstractSet[str], constraints: bytes) -> list[str]:
    """Return a requirement for each third-party module: the installed package that provides it.

    It has the installed version, unless the constraints list the package. Raises Refused.
    """
    third_party = sorted(modules - sys.stdlib_module_names)
    brought = metadata.packages_distributions() if third_party else {}
    named = re.findall(r"^\s*([\w.-]+)", constraints.decode(errors="replace"), re.MULTILINE)
    pinned = {canonicalize_name(name) for name in named}
    lines = []
    for module in third_party:
        names = set(brought.get(module, ()))
        if len(names) > 1:
            names = {name for name in names if canonicalize_name(name) == canonicalize_name(module)}
        if len(names) != 1:
            raise Refused(
                f"{module}: `imports` in an assignment.yaml allows this module, but no package or several packages here "
                "provide it; with pip, install or keep exactly one next to `grade`, and release again"
            )
        (name,) = names
        lines.append(name if canonicalize_name(name) in pinned else f"{name}=={metadata.version(name)}")
    return lines


# --- The wheel of the running Backgrade

_INSTALL = "install it again (from a checkout: `pip install -c constraints.txt -e .`)"
# The other files in a .dist-info folder describe the installation on this machine.
_NOTED = ("METADATA", "WHEEL", "entry_points.txt", "licenses")


def running_wheel() -> Wheel:
    """Return the wheel of the running Backgrade. Raises Refused."""
    noted = f"{NAME}-{grader.__version__}.dist-info"
    try:
        files = _package() | {f"{noted}/{name}": data for name, data in _dist_info().items()}
    except OSError as error:
        raise Refused(f"{error.filename}: cannot be read: {error.strerror}; {_INSTALL}") from error
    files = dict(sorted(files.items()))
    files[f"{noted}/RECORD"] = _record(files, f"{noted}/RECORD")
    return Wheel(f"{NAME}-{grader.__version__}-py3-none-any.whl", _pack(tuple(files.items())))


@functools.lru_cache(maxsize=1)
def _pack(files: tuple[tuple[str, bytes], ...]) -> bytes:
    """Return a zip of the files; cached, because packing takes most of the time of a release."""
    return zip_files(dict(files))


def _package() -> dict[str, bytes]:
    """Return the package's files, and the files that a wheel takes from elsewhere in the repository."""
    top = Path(grader.__file__).parent
    files: dict[str, bytes] = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != "__pycache__"]
        place = Path(folder).relative_to(top.parent)
        files |= {
            f"{place.as_posix()}/{name}": Path(folder, name).read_bytes()
            for name in names
            if Path(folder, name).is_file() and not _is_source_of_a_page(place / name)
        }
    return files | {
        f"grader/classroom/release/template/{name}": shipped_file(name).read_bytes()
        for name in (*DOCS, CALLED)
    }


def _is_source_of_a_page(name: Path) -> bool:
    """Return True for the sources of the pages, which only a checkout has. pyproject.toml leaves them out too."""
    pages = (Path("grader/render/player"), Path("grader/site/page"))
    page = next((page for page in pages if name.is_relative_to(page)), None)
    return page is not None and (name.parent != page or name.suffix not in {".py", ".js", ".css", ".html"})


def _dist_info() -> dict[str, bytes]:
    """Return pip's metadata about the installed Backgrade, by its names in the .dist-info folder."""
    try:
        installed = distribution(NAME)
    except PackageNotFoundError as error:
        raise Refused(
            f"Python has no data about an installation of {NAME}, so no wheel can be made; {_INSTALL}"
        ) from error
    if installed.version != grader.__version__:
        raise Refused(
            f"{NAME} was installed as version {installed.version}, but runs as {grader.__version__}; {_INSTALL}"
        )
    noted = [path for path in installed.files or () if path.parts[0].endswith(".dist-info")]
    found = {"/".join(path.parts[1:]): path for path in noted if path.parts[1] in _NOTED}
    if not {"METADATA", "WHEEL", "entry_points.txt"} <= set(found):
        raise Refused(f"{NAME}: pip's metadata about it is incomplete; {_INSTALL}")
    return {name: Path(path.locate()).read_bytes() for name, path in found.items()}


def _record(files: Mapping[str, bytes], itself: str) -> bytes:
    """Return the wheel's RECORD: a line for each file with its name, hash and size."""
    hashes = {name: base64.urlsafe_b64encode(hashlib.sha256(data).digest()) for name, data in files.items()}
    lines = [f"{name},sha256={hashes[name].decode().rstrip('=')},{len(data)}" for name, data in files.items()]
    return "\n".join([*lines, f"{itself},,", ""]).encode()


def zip_files(files: Mapping[str, bytes], executable: Collection[str] = ()) -> bytes:
    """Return a zip archive without dates, the same on every system."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.create_system, entry.external_attr = 3, (0o100755 if name in executable else 0o100644) << 16
            # A wheel is compressed already.
            archive.writestr(
                entry, data, zipfile.ZIP_STORED if name.endswith(".whl") else zipfile.ZIP_DEFLATED
            )
    return packed.getvalue()


def shipped_file(name: str) -> Path:
    """Find a file of Backgrade's repository: next to the template's texts in a wheel, in its place in a checkout."""
    packaged = TEMPLATE / name
    return packaged if packaged.is_file() else Path(__file__).parents[3] / name
