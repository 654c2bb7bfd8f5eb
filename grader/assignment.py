"""The course folder, its assignments and the paths of their files."""

from __future__ import annotations

import functools
import re
import shlex
from pathlib import Path

import msgspec

from grader.data import DATA, DEVICES, read_data
from grader.errors import Refused, nearest
from grader.files import absolute, find_repository, link_in, seen_from
from grader.manifest import NAME, Manifest, read_manifest

COLLECTED = ".collected"  # the folder for the records of `grade collect`
SALT = "salt.txt"  # the file that seeds the hidden checks' random numbers
LONGEST_NAME = 40  # characters: a cell's id contains the name, and may have 64

# The commands, including planned ones: a name such as `release` cannot be both a command and an assignment.
RESERVED = frozenset({
    "answer", "batch", "ci", "class", "collect", "copies", "diff", "doctor",
    "help", "hint", "mark", "new", "open", "override", "play", "post", "release", "report", "reset", "site", "stub",
    "validate", "viva", "walk", "watch",
})  # fmt: skip


class Course(msgspec.Struct, frozen=True, dict=True):
    """A folder that holds `assignments/`, and on the instructor's machine `solutions/`."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Course:
        """Return the course that contains the folder `start`. Raises Refused."""
        for folder in (start, *start.parents):
            if (folder / "assignments").is_dir():
                return cls(folder)
        raise Refused(
            f"{start}: there is no course here, because neither this folder nor a folder above it contains `assignments/`; "
            "go to the course's folder and try again"
        )

    @functools.cached_property
    def names(self) -> list[str]:
        """The assignments, in the order of their names (day2 before day10)."""
        found = (self.root / "assignments").glob("*/assignment.yaml")
        return sorted(
            (path.parent.name for path in found),
            key=lambda name: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", name)],
        )

    @functools.cached_property
    def _assignments(self) -> dict[str, Assignment]:
        return {}

    def assignment(self, name: str) -> Assignment:
        """Return that assignment, the same object each time. Raises Refused with the nearest name."""
        if name not in self.names:
            folder = self.root / "assignments" / name
            if not trouble_with_name(name) and folder.is_dir():
                raise Refused(
                    f"{folder}: there is no assignment.yaml in this folder; write it, or rename your manifest to assignment.yaml"
                )
            raise Refused(
                f"{name}: no such assignment{nearest(name, self.names)}; "
                f"this course has {', '.join(self.names) or 'no assignments yet; `grade new DAY` begins one'}"
            )
        return self._assignments.setdefault(name, Assignment(self, name))

    @property
    def assignments(self) -> list[Assignment]:
        """All assignments, in the order of their names."""
        return [self.assignment(name) for name in self.names]

    def owns(self, path: Path) -> bool:
        """Return True if a file is the user's own work: in this folder, and not reached by a link in the folder.

        Files of another repository in the folder belong to others, unless it is below `assignments/`. So do the files that
        `grade collect` fetched.
        """
        path, root = absolute(path), self.root.resolve()
        if not any(folder.exists() and folder.samefile(root) for folder in path.parents):
            return False  # even if a link from outside leads into it
        top = (find_repository(path) or root).resolve()
        collected = root in top.parents and not top.is_relative_to(root / "assignments")
        inside = (folder for folder in path.parents if folder.resolve().is_relative_to(root))
        collected = collected or any((folder / COLLECTED).is_dir() for folder in inside)
        return not collected and link_in(root, path) is None


class Assignment(msgspec.Struct, frozen=True, dict=True):
    """One assignment: its manifest, its visible and its hidden files."""

    course: Course
    name: str

    @property
    def folder(self) -> Path:
        """The folder that students get."""
        return self.course.root / "assignments" / self.name

    @property
    def solutions(self) -> Path:
        """The folder that students do not get; absent on their machines."""
        return self.course.root / "solutions" / self.name

    @property
    def stub(self) -> Path:
        """The notebook to fill in."""
        return self.folder / self.manifest.submission

    def argument(self, path: Path) -> str:
        """Return the argument of `grade DAY` for this file, quoted for a shell; empty for the notebook to fill in."""
        own = absolute(path) == absolute(self.stub)
        return "" if own else shlex.quote(seen_from(path, Path.cwd()))

    @property
    def pristine(self) -> Path:
        """The untouched notebook, which `grade reset` restores."""
        return self.checks_folder("visible") / "stub.ipynb"

    @property
    def reference(self) -> Path:
        """The solution, in percent format."""
        return self.solutions / Path(self.manifest.submission).with_suffix(".py").name

    @functools.cached_property
    def manifest(self) -> Manifest:
        """The manifest. Raises Refused."""
        path = self.folder / "assignment.yaml"
        manifest, names = read_manifest(path), self.course.names
        before = names[: names.index(self.name)] if self.name in names else names
        if manifest.continues in set(names).difference(before):
            raise Refused(_no_earlier(path, str(manifest.continues), before))
        return manifest

    @functools.cached_property
    def own_data(self) -> dict[str, dict[str, bytes]]:
        """The files of both folders `data/`, by visibility and by name. Raises Refused."""
        return read_data({side: folder.with_name(DATA) for side, folder in self.checks_folders.items()})

    @functools.cached_property
    def data(self) -> dict[str, dict[str, bytes]]:
        """The files in a jail's `data/`, by the visibility of its tests and by name. Raises Refused."""
        visible, hidden = self.own_data["visible"], self.own_data["hidden"]
        return {"visible": visible, "hidden": visible | hidden}

    def data_paths(self, *sides: str) -> list[Path]:
        """Return the paths of the data files of each visibility. Raises Refused."""
        return [
            self.checks_folder(side).with_name(DATA) / name for side in sides for name in self.own_data[side]
        ]

    @property
    def earlier(self) -> Assignment | None:
        """The assignment that this one continues; None if there is none or the release omits it."""
        name = self.manifest.continues
        return self.course.assignment(name) if name in self.course.names else None

    @property
    def lineage(self) -> list[Assignment]:
        """The assignment and those that it continues, the earliest last."""
        return [self, *(self.earlier.lineage if self.earlier else [])]

    @property
    def missing_earlier(self) -> str:
        """Return the problem if the earlier assignment is missing, else an empty text.

        A release may omit it. In the author's course it must exist; otherwise its name is mistyped.
        """
        name, names = self.manifest.continues, self.course.names
        if name is None or self.earlier is not None:
            return ""
        return _no_earlier(self.folder / "assignment.yaml", name, names[: names.index(self.name)])

    def checks_folder(self, visibility: str) -> Path:
        """The `checks` folder of the `visible` or the `hidden` checks."""
        return (self.folder if visibility == "visible" else self.solutions) / "checks"

    @property
    def checks_folders(self) -> dict[str, Path]:
        """The `checks` folders that take part, by visibility."""
        return {name: self.checks_folder(name) for name in ("visible", "hidden")}

    @property
    def has_hidden(self) -> bool:
        """True if the hidden checks are here."""
        return any(self.checks_folder("hidden").glob("test_*.py"))

    @functools.cached_property
    def salt(self) -> str:
        """The text that seeds the hidden checks' `rng`. Raises Refused."""
        return read_salt(self.solutions / SALT)

    def check_files(self) -> list[tuple[str, str, Path]]:
        """Return (check, visibility, file) for each check file, in the manifest's order. Raises Refused."""
        files = []
        for check, spec in self.manifest.checks.items():
            for visibility, side in self.checks_folders.items():
                path = side / f"test_{check}.py"
                if path.is_file() and spec.manual:
                    raise Refused(
                        f"{path}: `{check}` is a manual check in {self.folder / 'assignment.yaml'}; remove this file, "
                        "or remove `manual`, `title` and `rubric` there"
                    )
                if path.is_file():
                    files.append((check, visibility, path))
        self._refuse_strays({path for _, _, path in files})
        return files

    def _refuse_strays(self, expected: set[Path]) -> None:
        for side in self.checks_folders.values():
            for path in sorted(side.glob("test_*.py")):
                if path not in expected:
                    name = path.stem.removeprefix("test_")
                    raise Refused(
                        f"{path}: there is no check `{name}` in {self.folder / 'assignment.yaml'}"
                        f"{nearest(name, list(self.manifest.checks))}; add this check there, or rename the file"
                    )


def read_salt(path: Path) -> str:
    """Return the salt in a file; empty if the file is missing. Raises Refused."""
    try:
        return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}; correct that") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: this is not text in UTF-8; save it as UTF-8") from error


def trouble_with_name(name: str) -> str:
    """Return the reason why an assignment cannot have this name, or an empty text."""
    if not re.fullmatch(NAME, name):
        return "an assignment's name has only lower-case letters, digits and `_`, and begins with a letter"
    if len(name) > LONGEST_NAME:
        return f"an assignment's name has at most {LONGEST_NAME} characters"
    if name in RESERVED:
        return "a command has this name"
    return "Windows reserves this name" if DEVICES.fullmatch(name) else ""


def _no_earlier(path: Path, name: str, before: list[str]) -> str:
    return (
        f"{path}: `continues` names `{name}`, but no assignment before this one has this name{nearest(name, before)}; "
        "correct the name or remove the line"
    )
