"""The course folder, an assignment's manifest and where its files are."""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
import difflib
import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml
from msgspec import Meta

from grader.sandbox import Limits

FORMAT = 1
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Seconds = Annotated[float, Meta(gt=0, le=3600)]
Points = Annotated[float, Meta(ge=0, le=10_000)]


class AssignmentError(Exception):
    """Something about the course's files is wrong; the text names it, the place and the remedy."""


class LimitsSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`limits` in the manifest: wall seconds, megabytes, kilobytes."""

    load_seconds: Seconds = 10
    check_seconds: Seconds = 5
    total_seconds: Seconds = 60
    memory_mb: Annotated[int, Meta(ge=64, le=65_536)] = 512
    output_kb: Annotated[int, Meta(ge=1, le=10_240)] = 64


class CheckSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One check in the manifest.

    `orders` runs its tests under opposite orders of sets; `partial` gives the share
    of its tests that pass; `reveal` says what hidden tests may show.
    """

    points: Points
    needs: tuple[str, ...] = ()
    reveal: str = "nothing"
    hints: tuple[str, ...] = ()
    partial: bool = False
    orders: bool = False


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """assignment.yaml."""

    format: int
    title: str
    submission: str
    checks: dict[str, CheckSpec]
    continues: str | None = None
    limits: LimitsSpec = LimitsSpec()
    imports: tuple[str, ...] = ()
    due: dt.datetime | None = None


@dataclass(frozen=True)
class Course:
    """A folder that holds `assignments/`, and on the instructor's side `solutions/`."""

    root: Path

    @classmethod
    def find(cls, start: Path) -> Course:
        """The course that holds `start`. Raises AssignmentError."""
        for folder in (start, *start.parents):
            if (folder / "assignments").is_dir():
                return cls(folder)
        raise AssignmentError(
            f"{start}: no course here: neither this folder nor one above it holds `assignments/`; "
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

    def assignment(self, name: str) -> Assignment:
        """That assignment. Raises AssignmentError with the nearest name."""
        if name not in self.names:
            raise AssignmentError(
                f"{name}: no such assignment{nearest(name, self.names)}; "
                f"this course has {', '.join(self.names) or 'none yet'}"
            )
        return Assignment(self, name)


@dataclass(frozen=True)
class Assignment:
    """One assignment: its manifest, and its files on both sides."""

    course: Course
    name: str

    @property
    def folder(self) -> Path:
        """What a student may see."""
        return self.course.root / "assignments" / self.name

    @property
    def solutions(self) -> Path:
        """What a student may not see; absent on a student's machine."""
        return self.course.root / "solutions" / self.name

    @property
    def stub(self) -> Path:
        """The notebook to fill in."""
        return self.folder / self.manifest.submission

    @property
    def reference(self) -> Path:
        """The solution, in percent format."""
        return self.solutions / Path(self.manifest.submission).with_suffix(".py").name

    @functools.cached_property
    def manifest(self) -> Manifest:
        """The manifest. Raises AssignmentError."""
        return read_manifest(self.folder / "assignment.yaml")

    @property
    def limits(self) -> Limits:
        """The manifest's limits, as the jail takes them."""
        return Limits(**msgspec.structs.asdict(self.manifest.limits))

    def side(self, visibility: str) -> Path:
        """The `checks` folder of the `visible` or the `hidden` checks."""
        return (self.folder if visibility == "visible" else self.solutions) / "checks"

    @property
    def has_hidden(self) -> bool:
        """Whether the hidden checks are here."""
        return any(self.side("hidden").glob("test_*.py"))

    @functools.cached_property
    def salt(self) -> str:
        """What seeds the hidden checks' `rng`."""
        path = self.solutions / "salt.txt"
        return path.read_text(encoding="utf-8").strip() if path.is_file() else ""

    def check_files(self) -> list[tuple[str, str, Path]]:
        """(check, visibility, file) in the manifest's order. Raises AssignmentError."""
        files = []
        for check in self.manifest.checks:
            for visibility in ("visible", "hidden"):
                path = self.side(visibility) / f"test_{check}.py"
                if path.is_file():
                    files.append((check, visibility, path))
        self._refuse_strays({path for _, _, path in files})
        return files

    def _refuse_strays(self, known: set[Path]) -> None:
        for visibility in ("visible", "hidden"):
            for path in sorted(self.side(visibility).glob("test_*.py")):
                if path not in known:
                    name = path.stem.removeprefix("test_")
                    raise AssignmentError(
                        f"{path}: no check `{name}` in {self.folder / 'assignment.yaml'}"
                        f"{nearest(name, list(self.manifest.checks))}; add it there or rename the file"
                    )


def nearest(name: str, known: list[str]) -> str:
    """` (did you mean `x`?)`, or nothing when no known name is near."""
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""


def read_manifest(path: Path) -> Manifest:
    """Read and validate a manifest. Raises AssignmentError that names file, key and remedy."""
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506  a safe one
    except OSError as error:
        raise AssignmentError(f"{path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        place = getattr(error, "problem_mark", None)
        line = f", line {place.line + 1}" if place else ""
        raise AssignmentError(f"{path}{line}: this is not YAML; look at indentation and quotes") from error
    if not isinstance(data, dict):
        raise AssignmentError(f"{path}: the manifest must be a table of keys and values")
    _refuse_unknown_keys(path, data)
    try:
        manifest = msgspec.convert(data, Manifest)
    except msgspec.ValidationError as error:
        raise AssignmentError(f"{path}: {_plainly(str(error))}") from error
    _check_references(path, manifest)
    return manifest


def _refuse_unknown_keys(path: Path, data: dict[Any, Any]) -> None:
    tables: list[tuple[str, Any, type[msgspec.Struct]]] = [("", data, Manifest)]
    tables.append(("limits.", data.get("limits"), LimitsSpec))
    checks = data.get("checks")
    if isinstance(checks, dict):
        tables += [(f"checks.{name}.", spec, CheckSpec) for name, spec in checks.items()]
    for prefix, table, struct in tables:
        known = [field.name for field in msgspec.structs.fields(struct)]
        for key in table if isinstance(table, dict) else ():
            if key not in known:
                raise AssignmentError(
                    f"{path}: unknown key `{prefix}{key}`{nearest(str(key), known)}; "
                    f"known here: {', '.join(known)}"
                )


def _plainly(text: str) -> str:
    """Msgspec's message with our words for the place."""
    match = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", text, re.DOTALL)
    assert match is not None
    return f"{match[1]}, at `{match[2]}`" if match[2] else match[1]


def _check_references(path: Path, manifest: Manifest) -> None:
    if manifest.format != FORMAT:
        raise AssignmentError(
            f"{path}: format {manifest.format} is not known to this version; write `format: {FORMAT}` "
            "or update Backgrade"
        )
    if Path(manifest.submission).name != manifest.submission:
        raise AssignmentError(f"{path}: `submission` must be a file name without folders")
    if Path(manifest.submission).suffix != ".ipynb":
        raise AssignmentError(f"{path}: `submission` must name a notebook (.ipynb)")
    names = list(manifest.checks)
    for name, spec in manifest.checks.items():
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise AssignmentError(f"{path}: check `{name}`: a check's name is lower case, digits and _")
        if spec.reveal not in {"nothing", "values"}:
            raise AssignmentError(f"{path}: `checks.{name}.reveal` is `nothing` or `values`")
        for needed in spec.needs:
            if needed not in names[: names.index(name)]:
                raise AssignmentError(
                    f"{path}: `checks.{name}.needs` names `{needed}`, which is not a check above it"
                    f"{nearest(needed, names)}; put the needed check first"
                )
