"""The manifest, assignment.yaml: its keys, and how it is read and validated (docs/authors-reference.md)."""

from __future__ import annotations

import contextlib
import datetime as dt  # noqa: TC003  msgspec reads the annotations
import functools
import hashlib
import keyword
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from grader.errors import Refused, nearest
from grader.files import read_cache, write_cache

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 1
TOPICS = {"autograd": "grader.autograd.topic:AutogradTopic"}  # imported when an assignment names it
KEEPS = ["best", "last"]  # values of `late.keep`
NAME = r"[a-z][a-z0-9_]*"  # of an assignment, and of a check
_MODULE = r"[A-Za-z_]\w*"  # a top-level module; the jail may read its whole folder
_ATTRIBUTE = r"(?!__)[A-Za-z_]\w*"  # inside a class Python changes a name with two underscores
LONGEST_TITLE = 200  # characters of a manual check's title
LONGEST_ITEM, MOST_ITEMS = 100, 9  # of a rubric: characters, and the items, each of which has a key
S = TypeVar("S", bound=msgspec.Struct)
Seconds = Annotated[float, Meta(gt=0, le=3600)]
Percent = Annotated[float, Meta(ge=0, le=100)]
MOST_WEIGHT = 1_000  # of a test
Points = Annotated[float, Meta(ge=0, le=10_000)]


class Limits(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`limits` in the manifest, for one submission: wall seconds, megabytes of memory, kilobytes of output."""

    load_seconds: Seconds = 10
    check_seconds: Seconds = 5
    total_seconds: Seconds = 60
    memory_mb: Annotated[int, Meta(ge=64, le=65_536)] = 512
    output_kb: Annotated[int, Meta(ge=1, le=10_240)] = 64


class _LateSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`late` in the manifest: the policy for work that is pushed after `due`.

    The percents are of the assignment's points. Late work counts for `days` days. If a student pushed both on time
    and late, `keep` chooses the `best` or the `last` of the two.
    """

    grace_minutes: Annotated[int, Meta(ge=0, le=10_080)] = 0
    percent_per_day: Percent = 0
    at_most_percent: Percent = 100
    at_least_percent: Percent = 0
    days: Annotated[int, Meta(ge=1, le=3_650)] | None = None
    keep: str = "best"


class _HiddenSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`hidden` in the manifest: when students get the results of the hidden checks.

    `each_push` comments on the commit, without numbers, for at most `per_day` pushes of a student per day (UTC).
    `final` waits for the final grade.
    """

    answer: str = "each_push"
    per_day: Annotated[int, Meta(ge=1, le=100)] = 5


class CheckSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One check in the manifest.

    `orders` runs its tests under opposite orders of sets. `partial` gives points for the share of tests that pass;
    `weights` says how often a test counts (default: once). `reveal` is always `nothing`: hidden tests report only their
    outcome. `chart` draws the numbers of its test as bars, if the topic can.
    A `manual` check has no file: an instructor gives its points. Only a manual check has a `title` here; other checks have
    it in their files. `rubric` maps each item to the points that it adds or takes off.
    """

    points: Points
    needs: tuple[str, ...] = ()
    reveal: str = "nothing"
    hints: tuple[str, ...] = ()
    partial: bool = False
    weights: dict[str, float] = {}
    orders: bool = False
    chart: bool = False
    manual: bool = False
    title: str = ""
    rubric: dict[str, float] = {}


class OperationSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An entry of `operations` that defines an operation: its result `out`, and the right rule of each input.

    docs/authors-reference.md defines the expressions. An operation without `other` has one input.
    """

    name: str
    out: str
    self: str
    other: str = ""


class Manifest(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """assignment.yaml."""

    format: int
    title: str
    submission: str
    checks: dict[str, CheckSpec]
    topic: str | None = None
    continues: str | None = None
    limits: Limits = Limits()
    imports: tuple[str, ...] = ()
    arrays: bool = False  # numpy arrays enter and leave the jail as values; `imports` then has numpy
    due: dt.datetime | None = None
    late: _LateSpec | None = None
    hidden: _HiddenSpec = _HiddenSpec()
    letters: str = "blind"  # only hidden checks judge choices; with `open` visible checks judge them, too
    reference: str = "secret"  # or `full_marks`: shown to a student whose final grade is full marks
    # Explained when a check failed; without a list, the topic explains everything that it can.
    operations: tuple[str | OperationSpec, ...] | None = None
    walks: tuple[str, ...] | None = None  # functions and methods that go through a graph
    names: dict[str, str] = {}  # the submissions' names for parts of the subject, by the topic's keys

    @property
    def judged_points(self) -> float:
        """The points of all checks without the manual ones."""
        return round(sum(spec.points for spec in self.checks.values() if not spec.manual), 2)


def read_manifest(path: Path) -> Manifest:
    """Read and validate a manifest. Raises Refused that names file, key and remedy.

    The user's cache keeps valid manifests, under the hash of the manifest and of this module.
    """
    text = _read(path)
    key = hashlib.sha256(Path(__file__).read_bytes() + text).hexdigest()
    if kept := read_cache("manifest", key):
        with contextlib.suppress(msgspec.DecodeError):
            return msgspec.convert(msgspec.json.decode(kept), Manifest)
    data, manifest = _validate(path, _parse(path, text))
    with contextlib.suppress(ValueError):  # a text that is not Unicode
        write_cache("manifest", key, msgspec.json.encode(data))
    return manifest


def _validate(path: Path, data: Any) -> tuple[dict[str, Any], Manifest]:
    """Return the data, with short forms expanded, and the manifest. Raises Refused."""
    if not isinstance(data, dict):
        raise Refused(
            f"{path}: this file must hold keys with values; write one a line, such as `title: Doubling`"
        )
    _refuse_unknown_keys(path, data)
    checks = data.get("checks")
    if not isinstance(checks, dict) or not checks:
        raise Refused(
            f"{path}: `checks` has no check with a name; write one below it, such as `double: {{points: 10}}`"
        )
    for name, spec in checks.items():
        if not isinstance(name, str):
            raise Refused(f"{path}: `{name}` cannot name a check; write a name that begins with a letter")
        _convert(path, spec, CheckSpec, f"checks.{name}")
    if isinstance(data.get("hidden"), str):  # the short form
        data["hidden"] = {"answer": data["hidden"]}
    imports = data.get("imports", [])
    if data.get("arrays") is True and isinstance(imports, list) and "numpy" not in imports:
        data["imports"] = [*imports, "numpy"]
    manifest = _convert(path, data, Manifest, "")
    for problem in _problems(manifest):
        raise Refused(f"{path}: {problem}")
    return data, manifest


def graded_fields(manifest: Manifest) -> bytes:
    """Encode the fields of a manifest that a report depends on, for the hash of the suite.

    It omits dates, the answers of hidden checks and fields that only explain: an author may edit them without
    grading again.
    """
    fields = msgspec.structs.asdict(manifest)
    fields["checks"] = {name: _judged_fields(spec) for name, spec in manifest.checks.items()}
    for name in ("due", "hidden", "late", "letters", "operations", "reference", "walks"):
        del fields[name]
    for name in ("arrays", "names"):  # so that the hashes of other assignments do not change
        if not fields[name]:
            del fields[name]
    return msgspec.json.encode(fields)


def _judged_fields(spec: CheckSpec) -> dict[str, Any]:
    fields = msgspec.structs.asdict(spec)
    del fields["rubric"]  # only people read it
    if not spec.weights:
        del fields["weights"]
    return fields


@functools.cache
def _loader() -> Any:
    """Return a loader that refuses duplicate keys; YAML would keep the second value."""
    import yaml  # takes 15 ms; a cached manifest does not need it

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            for place, key in enumerate(keys):
                if key in keys[:place]:
                    line = node.value[place][0].start_mark.line + 1
                    raise Refused(f", line {line}: `{key}` is written twice; keep one of them")
            mapping: dict[Any, Any] = super().construct_mapping(node, deep)
            return mapping

    return Loader


def read_yaml(path: Path) -> Any:
    """Read an author's YAML file. Raises Refused that names file, line and remedy."""
    return _parse(path, _read(path))


def read_settings(path: Path, kind: type[S], keys: dict[str, list[str]]) -> S:
    """Read a YAML file with the fields of a struct; `keys` has the valid keys of its tables. Raises Refused."""
    data = read_yaml(path)
    data = {} if data is None else data
    if not isinstance(data, dict):
        raise Refused(f"{path}: this file must hold keys with values; write one a line, such as `key: value`")
    _refuse_others(path, "", data, [field.encode_name for field in msgspec.structs.fields(kind)])
    for name, known in keys.items():
        if isinstance(table := data.get(name), dict):
            _refuse_others(path, f"{name}.", table, known)
    return _convert(path, data, kind, "")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: this file cannot be read: {error.strerror}") from error


def _parse(path: Path, data: bytes) -> Any:
    """Return the values of a YAML file's bytes. Raises Refused."""
    import yaml

    text = ""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        return yaml.load(text, Loader=_loader())  # noqa: S506  a safe one
    except UnicodeDecodeError as error:
        raise Refused(f"{path}: this is not text in UTF-8; save it as UTF-8") from error
    except Refused as error:  # the loader does not know the file
        raise Refused(f"{path}{error}") from error
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        line = f", line {place.line + 1}" if place else ""
        lines = text.split("\n")[place.line : place.line + 1] if place else []
        raise Refused(
            f"{path}{line}: this is not valid YAML; {_look_at(str(error), ''.join(lines))}"
        ) from error
    except ValueError as error:  # a date that is not in the calendar
        raise Refused(f"{path}: {error}; write a date as {_DATE}") from error


def _look_at(complaint: str, line: str) -> str:
    """Return the remedy for the usual YAML errors in a line."""
    if "\t" in line:
        return "replace the tab in this line by spaces"
    if "mapping values are not allowed" in complaint:
        return "put a text with a colon in quotes, and begin keys of the same level in the same column"
    return "look at the indentation and the quotes"


FIRST_YEAR, LAST_YEAR = 1970, 9000  # of a due date
_DATE = "2026-12-01T23:59:00Z"


def _convert(path: Path, data: object, kind: type[S], prefix: str) -> S:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        match = re.fullmatch(r"(.*?)(?: - at `(key in )?\$\.?(.*)`)?", str(error), re.DOTALL)
        assert match is not None
        place = ".".join(part for part in (prefix, match[3]) if part)
        if bound := re.fullmatch(r"Expected `(?:float|int)` (>=|<=|>|<) (.*)", match[1]):
            found, limit = _find_value(data, match[3]), f"{_BOUNDS[bound[1]]} {float(bound[2]):g}"
            raise Refused(f"{path}: `{place}` is {found}; write a number {limit}") from error
        remedy = f"write it as {_DATE}" if place == "due" else _remedy(match[1])
        where = f", at `{place}`" if place else ""
        raise Refused(f"{path}: {match[1]}{where}{remedy and f'; {remedy}'}") from error


_BOUNDS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}


def _find_value(data: object, place: str) -> object:
    """Return the value at a path such as `checks.double.points`."""
    for key in place.split("."):
        data = data.get(key) if isinstance(data, dict) else None
    return data


# Errors of msgspec, and their remedies.
_REMEDIES = {
    r"Expected `(float|int)`, got": "write a number, without quotes",
    r"Expected `array`, got": "write a list, [one, two], even for a single item",
    r"Expected `str`, got": "put the text into quotes",
    r"Expected `bool`, got": "write true or false",
    r"Expected `object`, got": "write its keys below it, one on each line, further to the right",
    r"Object missing required field `(.*)`": r"add a line `\1: ...`",
}


def _remedy(complaint: str) -> str:
    found = ((re.match(pattern, complaint), remedy) for pattern, remedy in _REMEDIES.items())
    return next((match.expand(remedy) for match, remedy in found if match), "")


def _refuse_unknown_keys(path: Path, data: dict[Any, Any]) -> None:
    tables: list[tuple[str, Any, type[msgspec.Struct]]] = [
        ("", data, Manifest),
        ("limits.", data.get("limits"), Limits),
        ("late.", data.get("late"), _LateSpec),
        ("hidden.", data.get("hidden"), _HiddenSpec),
    ]
    for place, spec in enumerate(declared if isinstance(declared := data.get("operations"), list) else ()):
        name = spec.get("name", place) if isinstance(spec, dict) else place
        tables.append((f"operations.{name}.", spec, OperationSpec))
    checks = data.get("checks")
    if isinstance(checks, dict):
        tables += [(f"checks.{name}.", spec, CheckSpec) for name, spec in checks.items()]
    for prefix, table, struct in tables:
        known = [field.name for field in msgspec.structs.fields(struct)]
        _refuse_others(path, prefix, table if isinstance(table, dict) else {}, known)


def _refuse_others(path: Path, prefix: str, table: dict[Any, Any], known: list[str]) -> None:
    for key in table:
        if key not in known:
            raise Refused(
                f"{path}: unknown key `{prefix}{key}`{nearest(str(key), known)}; valid keys: {', '.join(known)}"
            )


def _problems(manifest: Manifest) -> Iterator[str]:
    """Yield what is wrong in a manifest whose keys and types are right, each time with the remedy."""
    if manifest.format != FORMAT:
        yield f"this version does not support format {manifest.format}; write `format: {FORMAT}` or update Backgrade"
    if manifest.topic is not None and manifest.topic not in TOPICS:
        known = list(TOPICS)
        yield (
            f"there is no topic `{manifest.topic}`{nearest(manifest.topic, known)}; write "
            f"{' or '.join(known)}, or remove the line for a plain assignment"
        )
    if Path(manifest.submission).name != manifest.submission:
        yield "`submission` must be a file name without folders"
    if Path(manifest.submission).suffix != ".ipynb":
        yield "`submission` must name a notebook (.ipynb)"
    yield from _problems_of_paths(manifest)
    yield from _problems_of_names(manifest)
    yield from _problems_of_dates(manifest)
    for key, (word, *allowed) in {
        "hidden": (manifest.hidden.answer, "each_push", "final"),
        "letters": (manifest.letters, "blind", "open"),
        "reference": (manifest.reference, "secret", "full_marks"),
    }.items():
        if word not in allowed:
            yield f"`{key}` is `{word}`{nearest(word, allowed)}; write {' or '.join(allowed)}"
    for place, (name, spec) in enumerate(manifest.checks.items()):
        yield from _problems_of_check(manifest, name, spec, [*manifest.checks][:place])
    if all(spec.manual for spec in manifest.checks.values()):
        yield "every check is manual, so there is nothing to run; add a check without `manual`, and write its file"


def _problems_of_paths(manifest: Manifest) -> Iterator[str]:
    """Yield the names that are paths: they become parts of paths on this machine."""
    earlier = manifest.continues
    if earlier is not None and not re.fullmatch(NAME, earlier):
        yield f"`continues` is `{earlier}`; write the name of an earlier assignment, such as day1, without folders"
    for name in manifest.imports:
        if not all(re.fullmatch(_MODULE, part, re.ASCII) for part in name.split(".")):
            yield (
                f"`imports` has `{name}`; write the name that `import` uses, such as numpy or scipy.optimize, "
                "without folders or versions"
            )


def _problems_of_names(manifest: Manifest) -> Iterator[str]:
    """Yield the `names` that no code can have, and equal ones; the topic knows the valid keys."""
    if manifest.names and manifest.topic is None:
        yield "`names` has no effect without a topic; add a line `topic: ...`, or remove `names`"
    known: dict[str, str] = {}
    for key, name in manifest.names.items():
        if keyword.iskeyword(name) or not re.fullmatch(_ATTRIBUTE, name, re.ASCII):
            yield f"`names.{key}` is `{name}`; write the Python name that code outside of the class uses"
        if name in known:
            yield f"`names.{known[name]}` and `names.{key}` are both `{name}`; give each its own name"
        known[name] = key


def _problems_of_check(manifest: Manifest, name: str, spec: CheckSpec, above: list[str]) -> Iterator[str]:
    key = f"checks.{name}"
    if not re.fullmatch(NAME, name):
        yield f"`{name}` cannot name a check; use lower-case letters, digits and _, and begin with a letter"
    if spec.reveal != "nothing":
        yield (
            f"`{key}.reveal` is `{spec.reveal}`, but hidden tests never reveal values; remove the line, "
            "and grade the class again"
        )
    for test, weight in spec.weights.items():
        if not 0 <= weight <= MOST_WEIGHT:
            yield f"`{key}.weights.{test}` is {weight:g}; write a number from 0 to {MOST_WEIGHT}"
    if spec.weights and not spec.partial:
        yield (
            f"`{key}.weights` has no effect, because this check gives all of its points or none; add `partial: true`"
        )
    if round(spec.points, 2) != spec.points:
        yield f"`{key}.points` is {spec.points:g}; write points with at most two decimal places"
    if spec.chart and manifest.topic is None:
        yield (
            f"`{key}.chart` has no effect without a topic that draws charts; add a line `topic: ...`, or remove this one"
        )
    yield from _problems_of_manual(name, spec) if spec.manual else _problems_of_file(name, spec)
    for needed in spec.needs:
        if needed not in above:
            other = "" if needed in manifest.checks else nearest(needed, above)
            yield f"`{key}.needs` names `{needed}`, but no check above has this name{other}; correct the name, or put the needed check first"
        if manifest.checks[needed].manual:
            yield (
                f"`{key}.needs` names `{needed}`, which is manual, so `{name}` would wait for your points; remove this name"
            )


def _problems_of_file(name: str, spec: CheckSpec) -> Iterator[str]:
    if spec.title:
        yield (
            f"`checks.{name}.title` is only for a manual check; write the title into the docstring "
            f"of test_{name}.py"
        )
    if spec.rubric:
        yield f"`checks.{name}.rubric` is only for a manual check; add `manual: true`, or remove the rubric"


def _problems_of_manual(name: str, spec: CheckSpec) -> Iterator[str]:
    yield from _problems_of_rubric(f"`checks.{name}.rubric`", spec)
    defaults = CheckSpec(spec.points)
    for key in ("needs", "reveal", "partial", "orders", "chart"):
        if getattr(spec, key) != getattr(defaults, key):
            yield (
                f"`checks.{name}.{key}` has no effect, because nothing runs for a manual check; remove the line"
            )
    if not spec.title.strip() or not spec.title.isprintable() or len(spec.title) > LONGEST_TITLE:
        yield (
            f"`checks.{name}.title` must be one line of at most {LONGEST_TITLE} characters, because a manual check has "
            f"no docstring; add `title: ...`"
        )


def _problems_of_rubric(place: str, spec: CheckSpec) -> Iterator[str]:
    if len(spec.rubric) > MOST_ITEMS:
        yield f"{place} has {len(spec.rubric)} items; write at most {MOST_ITEMS}, one for each digit key"
    for text, points in spec.rubric.items():
        if not text.strip() or not text.isprintable() or len(text) > LONGEST_ITEM:
            yield f"{place} has the item {text!r}; write one line of text, with at most {LONGEST_ITEM} characters"
        if not points or abs(points) > spec.points or round(points, 2) != points:
            yield (
                f"{place} gives {points:g} points for `{text}`; write a number other than 0, at most "
                f"{spec.points:g} up or down, with at most two decimal places"
            )
    added = round(sum(points for points in spec.rubric.values() if points > 0), 2)
    if added and added < spec.points:
        yield (
            f"{place} gives at most {added:g} of {spec.points:g} points, so full marks are out of reach; give an item more, "
            "or write only items that take points off"
        )


def can_be_due(moment: dt.datetime) -> bool:
    """Return True if every time zone can express the moment and the years of late work after it."""
    return FIRST_YEAR <= moment.year <= LAST_YEAR


def _problems_of_dates(manifest: Manifest) -> Iterator[str]:
    if manifest.due is not None and manifest.due.tzinfo is None:
        yield f"`due` has no time zone; write it as {_DATE}"
    if manifest.due is not None and not can_be_due(manifest.due):
        yield f"`due` is in the year {manifest.due.year}; write a date from {FIRST_YEAR} to {LAST_YEAR}"
    if manifest.late is not None and manifest.due is None:
        yield f"`late` has no effect without `due`; add a line `due: {_DATE}`"
    if manifest.late is not None and manifest.late.keep not in KEEPS:
        yield (
            f"`late.keep` is `{manifest.late.keep}`{nearest(manifest.late.keep, KEEPS)}; write `best`, the "
            "better of the work on time and the late work, or `last`"
        )
