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
LONGEST_NAME = 40  # characters: a cell's id, which holds it, may have 64
NAME = r"[a-z][a-z0-9_]*"  # of an assignment, and of a check

# The commands, those to come included: `grade release` cannot be both a command and an assignment.
RESERVED = frozenset({
    "batch", "ci", "collect", "completion", "diff", "distribute", "doctor", "help", "hint", "mistakes",
    "new", "override", "post", "release", "report", "reset", "stub", "validate", "watch",
})  # fmt: skip
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")  # Windows makes no folder of such a name
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
            folder = self.root / "assignments" / name
            if not trouble_with_name(name) and folder.is_dir():
                raise AssignmentError(
                    f"{folder}: no assignment.yaml in it; name its manifest so, or write one"
                )
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
        if manifest.continues in set(names).difference(before):
            raise AssignmentError(_no_earlier(path, str(manifest.continues), before))
        return manifest

    @property
    def earlier(self) -> Assignment | None:
        """The assignment that this one continues; None also where a course was released without it."""
        name = self.manifest.continues
        return self.course.assignment(name) if name in self.course.names else None

    @property
    def continues_nothing(self) -> str:
        """What is wrong where the earlier assignment is not here; nothing where it is, or none is named.

        A release may leave it out. The author's own course has it, or its name is mistyped.
        """
        name, names = self.manifest.continues, self.course.names
        if name is None or self.earlier is not None:
            return ""
        return _no_earlier(self.folder / "assignment.yaml", name, names[: names.index(self.name)])

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


def trouble_with_name(name: str) -> str:
    """Why an assignment cannot be called so, or nothing."""
    if not re.fullmatch(NAME, name):
        return "an assignment's name is lower case, digits and _, and begins with a letter"
    if len(name) > LONGEST_NAME:
        return f"an assignment's name has at most {LONGEST_NAME} characters"
    if name in RESERVED:
        return "this is the name of a command, which an assignment cannot have"
    return "Windows makes no folder of this name" if _DEVICES.fullmatch(name) else ""


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


def _no_earlier(path: Path, name: str, before: list[str]) -> str:
    return (
        f"{path}: `continues` names `{name}`, which is no assignment before this one{nearest(name, before)}; "
        "correct it or take the line out"
    )


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
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        return yaml.load(text, Loader=_Loader)  # noqa: S506  a safe one
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
        lines = text.split("\n")[place.line : place.line + 1] if place else []
        raise AssignmentError(
            f"{path}{line}: this is not YAML; {_look_at(str(error), ''.join(lines))}"
        ) from error
    except ValueError as error:  # a date that the calendar does not have
        raise AssignmentError(f"{path}: {error}; write a date as {_DATE}") from error


def _look_at(complaint: str, line: str) -> str:
    """What is meant by the commonest of YAML's complaints about a line."""
    if "\t" in line:
        return "a tab stands there; indent with blanks"
    if "mapping values are not allowed" in complaint:
        return "a text with a colon in it stands in quotes, and keys of one table below each other"
    return "look at indentation and quotes"


_DATE = "2026-12-01T23:59:00Z"


def _converted(path: Path, data: object, kind: type[S], prefix: str) -> S:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        match = re.fullmatch(r"(.*?)(?: - at `(key in )?\$\.?(.*)`)?", str(error), re.DOTALL)
        assert match is not None
        place = ".".join(part for part in (prefix, match[3]) if part)
        remedy = f"write it as {_DATE}" if place == "due" else _remedy(match[1])
        where = f", at `{place}`" if place else ""
        raise AssignmentError(f"{path}: {match[1]}{where}{remedy and f'; {remedy}'}") from error


# What msgspec says of a value, and what an author does about it.
_REMEDIES = {
    r"Expected `(float|int)`, got": "write a number, without quotes",
    r"Expected `array`, got": "write a list, [one, two], also where there is only one",
    r"Expected `str`, got": "put the text into quotes",
    r"Expected `bool`, got": "write true or false",
    r"Expected `object`, got": "write its keys in lines of their own below it, further to the right",
    r"Object missing required field `(.*)`": r"add a line `\1: ...`",
}


def _remedy(complaint: str) -> str:
    for pattern, remedy in _REMEDIES.items():
        if match := re.match(pattern, complaint):
            return match.expand(remedy)
    return ""


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
        if not re.fullmatch(NAME, name):
            raise AssignmentError(f"{path}: check `{name}`: a check's name is lower case, digits and _")
        if spec.reveal not in {"nothing", "values"}:
            raise AssignmentError(f"{path}: `checks.{name}.reveal` is `nothing` or `values`")
        if round(spec.points, 2) != spec.points:
            raise AssignmentError(
                f"{path}: `checks.{name}.points` is {spec.points:g}; points have at most two decimal places"
            )
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
