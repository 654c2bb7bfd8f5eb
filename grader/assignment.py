"""The course folder, an assignment's manifest and where its files are."""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
import difflib
import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
import yaml
from msgspec import Meta

from grader.errors import Refused
from grader.files import absolute, link_in, repository
from grader.sandbox import Limits
from grader.topic import TOPICS

FORMAT = 1
SHORTEST_PART = 3  # letters; fewer are in many names
S = TypeVar("S", bound=msgspec.Struct)
Seconds = Annotated[float, Meta(gt=0, le=3600)]
Points = Annotated[float, Meta(ge=0, le=10_000)]


class AssignmentError(Refused):
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
    of its tests that pass; `reveal` says what hidden tests may show; `chart` draws what
    its test left as bars, where the topic knows how.
    """

    points: Points
    needs: tuple[str, ...] = ()
    reveal: str = "nothing"
    hints: tuple[str, ...] = ()
    partial: bool = False
    orders: bool = False
    chart: bool = False


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """assignment.yaml."""

    format: int
    title: str
    submission: str
    checks: dict[str, CheckSpec]
    topic: str | None = None
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

    def owns(self, path: Path) -> bool:
        """Whether a file is one's own work: it lies in this folder, and no link in it leads there.

        Another repository in the folder is somebody else's; only one below `assignments/` is not.
        """
        path, root = absolute(path), self.root.resolve()
        if not any(folder.exists() and folder.samefile(root) for folder in path.parents):
            return False  # also where a link from outside leads into it
        top = (repository(path) or root).resolve()
        collected = root in top.parents and not top.is_relative_to(root / "assignments")
        return not collected and link_in(root, path) is None


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
    def pristine(self) -> Path:
        """The notebook as it was handed out; `grade reset` puts it back."""
        return self.side("visible") / "stub.ipynb"

    @property
    def reference(self) -> Path:
        """The solution, in percent format."""
        return self.solutions / Path(self.manifest.submission).with_suffix(".py").name

    @functools.cached_property
    def manifest(self) -> Manifest:
        """The manifest. Raises AssignmentError."""
        path = self.folder / "assignment.yaml"
        manifest, names = read_manifest(path), self.course.names
        before = names[: names.index(self.name)] if self.name in names else names
        if manifest.continues is not None and manifest.continues not in before:
            raise AssignmentError(
                f"{path}: `continues` names `{manifest.continues}`, which is no assignment before this one"
                f"{nearest(manifest.continues, before)}; correct it or take the line out"
            )
        return manifest

    @property
    def limits(self) -> Limits:
        """The manifest's limits, as the jail takes them."""
        return Limits(**msgspec.structs.asdict(self.manifest.limits))

    def side(self, visibility: str) -> Path:
        """The `checks` folder of the `visible` or the `hidden` checks."""
        return (self.folder if visibility == "visible" else self.solutions) / "checks"

    @property
    def sides(self) -> dict[str, Path]:
        """Both of them, by their names."""
        return {name: self.side(name) for name in ("visible", "hidden")}

    @property
    def has_hidden(self) -> bool:
        """Whether the hidden checks are here."""
        return any(self.side("hidden").glob("test_*.py"))

    @functools.cached_property
    def salt(self) -> str:
        """What seeds the hidden checks' `rng`. Raises AssignmentError."""
        path = self.solutions / "salt.txt"
        try:
            return path.read_text(encoding="utf-8").strip() if path.is_file() else ""
        except UnicodeDecodeError as error:
            raise AssignmentError(f"{path}: this is not text in UTF-8; save it as UTF-8") from error

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
    """` (did you mean `x`?)`, or nothing when no known name is near, nor one that `name` is a part of."""
    close = difflib.get_close_matches(name, known, n=1)
    if not close and len(name) >= SHORTEST_PART:
        close = [whole for whole in known if name.lower() in whole]
    return f" (did you mean `{close[0]}`?)" if close else ""


def read_manifest(path: Path) -> Manifest:
    """Read and validate a manifest. Raises AssignmentError that names file, key and remedy."""
    data = _read_yaml(path)
    if not isinstance(data, dict):
        raise AssignmentError(f"{path}: the manifest must be a table of keys and values")
    _refuse_unknown_keys(path, data)
    checks = data.get("checks")
    if not isinstance(checks, dict) or not checks:
        raise AssignmentError(f"{path}: `checks` must be a table with at least one check")
    for name, spec in checks.items():
        if not isinstance(name, str):
            raise AssignmentError(f"{path}: `checks` has the key `{name}`; a check's name is a text")
        _converted(path, spec, CheckSpec, f"checks.{name}")
    manifest = _converted(path, data, Manifest, "")
    _check_references(path, manifest)
    return manifest


class _TwiceError(Exception):
    """A key that is written twice, and the line."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Also refuses a key that is written twice, of which YAML would keep the second."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise _TwiceError(key, node.value[place][0].start_mark.line + 1)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def _read_yaml(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506  a safe one
    except OSError as error:
        raise AssignmentError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise AssignmentError(f"{path}: this is not text in UTF-8; save it as UTF-8") from error
    except _TwiceError as error:
        key, number = error.args
        raise AssignmentError(f"{path}, line {number}: `{key}` is written twice; keep one of them") from error
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        line = f", line {place.line + 1}" if place else ""
        raise AssignmentError(f"{path}{line}: this is not YAML; look at indentation and quotes") from error
    except ValueError as error:  # a date that the calendar does not have
        raise AssignmentError(f"{path}: {error}; write a date as {_DATE}") from error


_DATE = "2026-12-01T23:59:00Z"


def _converted(path: Path, data: object, kind: type[S], prefix: str) -> S:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        match = re.fullmatch(r"(.*?)(?: - at `(key in )?\$\.?(.*)`)?", str(error), re.DOTALL)
        assert match is not None
        place = ".".join(part for part in (prefix, match[3]) if part)
        remedy = f"; write it as {_DATE}" if place == "due" else ""
        where = f", at `{place}`" if place else ""
        raise AssignmentError(f"{path}: {match[1]}{where}{remedy}") from error


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


def _check_references(path: Path, manifest: Manifest) -> None:
    if manifest.format != FORMAT:
        raise AssignmentError(
            f"{path}: format {manifest.format} is not known to this version; write `format: {FORMAT}` "
            "or update Backgrade"
        )
    if manifest.topic is not None and manifest.topic not in TOPICS:
        known = list(TOPICS)
        raise AssignmentError(
            f"{path}: no topic `{manifest.topic}`{nearest(manifest.topic, known)}; known are "
            f"{', '.join(known)}; a plain assignment has no such line"
        )
    if Path(manifest.submission).name != manifest.submission:
        raise AssignmentError(f"{path}: `submission` must be a file name without folders")
    if Path(manifest.submission).suffix != ".ipynb":
        raise AssignmentError(f"{path}: `submission` must name a notebook (.ipynb)")
    if manifest.due is not None and manifest.due.tzinfo is None:
        raise AssignmentError(f"{path}: `due` lacks a time zone; write it as {_DATE}")
    names = list(manifest.checks)
    for name, spec in manifest.checks.items():
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
            raise AssignmentError(f"{path}: check `{name}`: a check's name is lower case, digits and _")
        if spec.reveal not in {"nothing", "values"}:
            raise AssignmentError(f"{path}: `checks.{name}.reveal` is `nothing` or `values`")
        if spec.chart and manifest.topic is None:
            raise AssignmentError(
                f"{path}: `checks.{name}.chart`: a plain assignment has no charts; name a topic that draws "
                "them or take the line out"
            )
        above = names[: names.index(name)]
        for needed in spec.needs:
            if needed not in above:
                other = "" if needed in names else nearest(needed, above)
                raise AssignmentError(
                    f"{path}: `checks.{name}.needs` names `{needed}`, which is not a check above it"
                    f"{other}; put the needed check first"
                )
