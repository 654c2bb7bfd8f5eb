"""The manifest, assignment.yaml: its keys, reading and validation.

docs/authors-reference.md describes every key for authors.
"""

from __future__ import annotations

import contextlib
import datetime as dt  # noqa: TC003  msgspec reads the annotations
import functools
import hashlib
import keyword
import re
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from grader.errors import Refused, nearest
from grader.files import read_cache, write_cache

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


class LateSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`late` in the manifest: the rules for work that is pushed after `due`.

    The percents are of the assignment's points. Late work counts for `days` days. If a student pushed both in time
    and late, `keep` chooses: `best`, the better of the two, or `last`.
    """

    grace_minutes: Annotated[int, Meta(ge=0, le=10_080)] = 0
    percent_per_day: Percent = 0
    at_most_percent: Percent = 100
    at_least_percent: Percent = 0
    days: Annotated[int, Meta(ge=1, le=3_650)] | None = None
    keep: str = "best"


class HiddenSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`hidden` in the manifest: the time at which students get answers of the hidden checks.

    `each_push`: as a comment on the commit, without numbers, for at most `per_day` pushes of a student in a day
    (UTC). `final`: with the final grade.
    """

    answer: str = "each_push"
    per_day: Annotated[int, Meta(ge=1, le=100)] = 5


class CheckSpec(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One check in the manifest.

    `orders` runs its tests under opposite orders of sets. `partial` gives the share of its tests that pass; in
    it a test counts as often as `weights` says, and else once.
    `reveal` is always `nothing`: hidden tests tell their outcome alone. `chart` draws the numbers of its test as bars, if
    the topic can.
    A `manual` check has no file: an instructor gives its points. `title` is its title, which the others have in their
    files. `rubric` has the points that each of its items adds or takes off.
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
    """One of `operations` that this version does not know by name: its result, and its right rules.

    docs/authors-reference.md has the language of the expressions. An operation without `other` has one input.
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
    arrays: bool = False  # numpy's arrays cross the wall of the jail as values; `imports` then has numpy
    due: dt.datetime | None = None
    late: LateSpec | None = None
    hidden: HiddenSpec = HiddenSpec()
    letters: str = "blind"  # for choices: `blind`, judged by the hidden checks alone, or `open`, judged by the visible ones too
    reference: str = "secret"  # or `full_marks`: shown to a student whose final grade is full marks
    # Explained when a check failed; without a list, everything that the topic knows is explained.
    operations: tuple[str | OperationSpec, ...] | None = None
    walks: tuple[str, ...] | None = None  # functions and methods that go through a graph
    names: dict[str, str] = {}  # what submissions call what the topic asks for, by the topic's keys

    @property
    def judged_points(self) -> float:
        """The points of all checks without the manual ones."""
        return round(sum(spec.points for spec in self.checks.values() if not spec.manual), 2)


def read_manifest(path: Path) -> Manifest:
    """Read and validate a manifest. Raises Refused that names file, key and remedy.

    What was found to be valid is kept in the user's cache, under the hash of the file and of this one.
    """
    text = _read(path)
    key = hashlib.sha256(Path(__file__).read_bytes() + text).hexdigest()
    if kept := read_cache("manifest", key):
        with contextlib.suppress(msgspec.DecodeError):
            return msgspec.convert(msgspec.json.decode(kept), Manifest)
    data, manifest = _validated(path, _parsed(path, text))
    with contextlib.suppress(ValueError):  # a text that is not Unicode
        write_cache("manifest", key, msgspec.json.encode(data))
    return manifest


def _validated(path: Path, data: Any) -> tuple[dict[str, Any], Manifest]:
    """Return the data, in its long form, and the manifest. Raises Refused."""
    if not isinstance(data, dict):
        raise Refused(f"{path}: the manifest must be a table of keys and values")
    _refuse_unknown_keys(path, data)
    checks = data.get("checks")
    if not isinstance(checks, dict) or not checks:
        raise Refused(f"{path}: `checks` must be a table with at least one check")
    for name, spec in checks.items():
        if not isinstance(name, str):
            raise Refused(f"{path}: `checks` has the key `{name}`; a check's name is a text")
        _converted(path, spec, CheckSpec, f"checks.{name}")
    if isinstance(data.get("hidden"), str):  # the short form
        data["hidden"] = {"answer": data["hidden"]}
    imports = data.get("imports", [])
    if data.get("arrays") is True and isinstance(imports, list) and "numpy" not in imports:
        data["imports"] = [*imports, "numpy"]
    manifest = _converted(path, data, Manifest, "")
    _check_references(path, manifest)
    return data, manifest


def graded_fields(manifest: Manifest) -> bytes:
    """Encode the fields of a manifest that a report depends on, for the hash of the suite.

    Dates, the answers of hidden checks and fields that only explain are left out: an author may edit them without
    grading again.
    """
    fields = msgspec.structs.asdict(manifest)
    fields["checks"] = {name: _judged_fields(spec) for name, spec in manifest.checks.items()}
    for name in ("due", "hidden", "late", "letters", "operations", "reference", "walks"):
        del fields[name]
    for name in ("arrays", "names"):  # so that the hashes of other assignments are what they were
        if not fields[name]:
            del fields[name]
    return msgspec.json.encode(fields)


def _judged_fields(spec: CheckSpec) -> dict[str, Any]:
    fields = msgspec.structs.asdict(spec)
    del fields["rubric"]  # for people, who read it anew each time
    if not spec.weights:
        del fields["weights"]
    return fields


@functools.cache
def _loader() -> Any:
    """Return a loader that refuses a key that is written twice; YAML would keep the second one."""
    import yaml  # takes 15 ms, which a manifest that is kept in the cache does not cost

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
    """Read a YAML file of the author's. Raises Refused that names file, line and remedy."""
    return _parsed(path, _read(path))


def read_settings(path: Path, kind: type[S], keys: dict[str, list[str]]) -> S:
    """Read a YAML file with the fields of a struct; `keys` has the known keys of its tables. Raises Refused."""
    data = read_yaml(path)
    data = {} if data is None else data
    if not isinstance(data, dict):
        raise Refused(f"{path}: it must be a table of keys and values")
    _refuse_others(path, "", data, [field.encode_name for field in msgspec.structs.fields(kind)])
    for name, known in keys.items():
        if isinstance(table := data.get(name), dict):
            _refuse_others(path, f"{name}.", table, known)
    return _converted(path, data, kind, "")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}") from error


def _parsed(path: Path, data: bytes) -> Any:
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
        raise Refused(f"{path}{line}: this is not YAML; {_look_at(str(error), ''.join(lines))}") from error
    except ValueError as error:  # a date that the calendar does not have
        raise Refused(f"{path}: {error}; write a date as {_DATE}") from error


def _look_at(complaint: str, line: str) -> str:
    """Return the remedy for the most frequent of YAML's complaints about a line."""
    if "\t" in line:
        return "it has a tab; indent with spaces"
    if "mapping values are not allowed" in complaint:
        return "put a text with a colon in it into quotes, and the keys of one table below each other"
    return "look at indentation and quotes"


FIRST_YEAR, LAST_YEAR = 1970, 9000  # of a due date
_DATE = "2026-12-01T23:59:00Z"


def _converted(path: Path, data: object, kind: type[S], prefix: str) -> S:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        match = re.fullmatch(r"(.*?)(?: - at `(key in )?\$\.?(.*)`)?", str(error), re.DOTALL)
        assert match is not None
        place = ".".join(part for part in (prefix, match[3]) if part)
        if bound := re.fullmatch(r"Expected `(?:float|int)` (>=|<=|>|<) (.*)", match[1]):
            found, limit = _found(data, match[3]), f"{_BOUNDS[bound[1]]} {float(bound[2]):g}"
            raise Refused(f"{path}: `{place}` is {found}; write a number {limit}") from error
        remedy = f"write it as {_DATE}" if place == "due" else _remedy(match[1])
        where = f", at `{place}`" if place else ""
        raise Refused(f"{path}: {match[1]}{where}{remedy and f'; {remedy}'}") from error


_BOUNDS = {">=": "not below", "<=": "not above", ">": "above", "<": "below"}


def _found(data: object, place: str) -> object:
    """Return the value at a path such as `checks.double.points`."""
    for key in place.split("."):
        data = data.get(key) if isinstance(data, dict) else None
    return data


# Complaints of msgspec, and their remedies.
_REMEDIES = {
    r"Expected `(float|int)`, got": "write a number, without quotes",
    r"Expected `array`, got": "write a list, [one, two], also where there is only one",
    r"Expected `str`, got": "put the text into quotes",
    r"Expected `bool`, got": "write true or false",
    r"Expected `object`, got": "write its keys in lines of their own below it, further to the right",
    r"Object missing required field `(.*)`": r"add a line `\1: ...`",
}


def _remedy(complaint: str) -> str:
    found = ((re.match(pattern, complaint), remedy) for pattern, remedy in _REMEDIES.items())
    return next((match.expand(remedy) for match, remedy in found if match), "")


def _refuse_unknown_keys(path: Path, data: dict[Any, Any]) -> None:
    tables: list[tuple[str, Any, type[msgspec.Struct]]] = [
        ("", data, Manifest),
        ("limits.", data.get("limits"), Limits),
        ("late.", data.get("late"), LateSpec),
        ("hidden.", data.get("hidden"), HiddenSpec),
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
                f"{path}: unknown key `{prefix}{key}`{nearest(str(key), known)}; known here: {', '.join(known)}"
            )


def _check_references(path: Path, manifest: Manifest) -> None:
    if manifest.format != FORMAT:
        raise Refused(
            f"{path}: format {manifest.format} is not known to this version; write `format: {FORMAT}` "
            "or update Backgrade"
        )
    if manifest.topic is not None and manifest.topic not in TOPICS:
        known = list(TOPICS)
        raise Refused(
            f"{path}: no topic `{manifest.topic}`{nearest(manifest.topic, known)}; known are "
            f"{', '.join(known)}; a plain assignment has no such line"
        )
    if Path(manifest.submission).name != manifest.submission:
        raise Refused(f"{path}: `submission` must be a file name without folders")
    if Path(manifest.submission).suffix != ".ipynb":
        raise Refused(f"{path}: `submission` must name a notebook (.ipynb)")
    _check_names(path, manifest)
    _check_own_names(path, manifest)
    _check_dates(path, manifest)
    _check_word(path, "hidden", manifest.hidden.answer, ["each_push", "final"])
    _check_word(path, "letters", manifest.letters, ["blind", "open"])
    _check_word(path, "reference", manifest.reference, ["secret", "full_marks"])
    _check_checks(path, manifest)


def _check_names(path: Path, manifest: Manifest) -> None:
    """Refuse paths where names stand: both become parts of paths of this machine."""
    earlier = manifest.continues
    if earlier is not None and not re.fullmatch(NAME, earlier):
        raise Refused(
            f"{path}: `continues` is `{earlier}`; write the name of an earlier assignment, such as day1, without folders"
        )
    for name in manifest.imports:
        if not all(re.fullmatch(_MODULE, part, re.ASCII) for part in name.split(".")):
            raise Refused(
                f"{path}: `imports` has `{name}`; write the name by which it is imported, such as numpy or scipy.optimize, "
                "without folders or versions"
            )


def _check_own_names(path: Path, manifest: Manifest) -> None:
    """Refuse `names` that no code can have, or that leave open which is meant; the topic knows their keys."""
    if manifest.names and manifest.topic is None:
        raise Refused(
            f"{path}: `names` needs a topic: a plain check has the names of its submission in itself"
        )
    known: dict[str, str] = {}
    for key, name in manifest.names.items():
        if keyword.iskeyword(name) or not re.fullmatch(_ATTRIBUTE, name, re.ASCII):
            raise Refused(
                f"{path}: `names.{key}` is `{name}`; write a name of Python's, as outside of its class"
            )
        if name in known:
            raise Refused(
                f"{path}: `names.{known[name]}` and `names.{key}` are both `{name}`; they must differ"
            )
        known[name] = key


def _check_checks(path: Path, manifest: Manifest) -> None:
    names = list(manifest.checks)
    for name, spec in manifest.checks.items():
        if not re.fullmatch(NAME, name):
            raise Refused(f"{path}: check `{name}`: a check's name is lower case, digits and _")
        if spec.reveal != "nothing":
            raise Refused(
                f"{path}: `checks.{name}.reveal` is `{spec.reveal}`: hidden tests tell their outcome and no values; "
                "take the line out, and grade the class again"
            )
        if test := next(
            (test for test, weight in spec.weights.items() if not 0 <= weight <= MOST_WEIGHT), ""
        ):
            raise Refused(
                f"{path}: `checks.{name}.weights.{test}` is {spec.weights[test]:g}; write a number from 0 to {MOST_WEIGHT}"
            )
        if spec.weights and not spec.partial:
            raise Refused(
                f"{path}: `checks.{name}.weights` needs `partial: true`: without it all tests must pass, or none counts"
            )
        if round(spec.points, 2) != spec.points:
            raise Refused(
                f"{path}: `checks.{name}.points` is {spec.points:g}; points have at most two decimal places"
            )
        if spec.chart and manifest.topic is None:
            raise Refused(
                f"{path}: `checks.{name}.chart`: a plain assignment has no charts; name a topic that draws "
                "them or take the line out"
            )
        _check_manual(path, name, spec)
        above = names[: names.index(name)]
        for needed in spec.needs:
            if needed not in above:
                other = "" if needed in names else nearest(needed, above)
                raise Refused(
                    f"{path}: `checks.{name}.needs` names `{needed}`, which is not a check above it"
                    f"{other}; put the needed check first"
                )
            if manifest.checks[needed].manual:
                raise Refused(
                    f"{path}: `checks.{name}.needs` names `{needed}`, which is manual, so `{name}` would wait for your "
                    "points; take it out"
                )
    if all(spec.manual for spec in manifest.checks.values()):
        raise Refused(f"{path}: every check is manual, so there is nothing to run; add a check with a file")


def _check_manual(path: Path, name: str, spec: CheckSpec) -> None:
    if not spec.manual:
        if spec.title:
            raise Refused(
                f"{path}: `checks.{name}.title`: only a manual check has its title here; write it into the docstring "
                f"of test_{name}.py"
            )
        if spec.rubric:
            raise Refused(
                f"{path}: `checks.{name}.rubric`: only a manual check has a rubric; add `manual: true`, or take it out"
            )
        return
    _check_rubric(f"{path}: `checks.{name}.rubric`", spec)
    defaults = CheckSpec(spec.points)
    for key in ("needs", "reveal", "partial", "orders", "chart"):
        if getattr(spec, key) != getattr(defaults, key):
            raise Refused(
                f"{path}: `checks.{name}.{key}` has no effect, because nothing runs for a manual check; take the line "
                "out"
            )
    if not spec.title.strip() or not spec.title.isprintable() or len(spec.title) > LONGEST_TITLE:
        raise Refused(
            f"{path}: `checks.{name}.title` must be one line of at most {LONGEST_TITLE} characters: a manual check has "
            f"no file with a docstring; add `title: ...`"
        )


def _check_rubric(place: str, spec: CheckSpec) -> None:
    if len(spec.rubric) > MOST_ITEMS:
        raise Refused(f"{place} has {len(spec.rubric)} items; write at most {MOST_ITEMS}, one for each key")
    for text, points in spec.rubric.items():
        if not text.strip() or not text.isprintable() or len(text) > LONGEST_ITEM:
            raise Refused(f"{place}: an item is one line of at most {LONGEST_ITEM} characters; mend {text!r}")
        if not points or abs(points) > spec.points or round(points, 2) != points:
            raise Refused(
                f"{place}: `{text}` gives {points:g}; write points that are added or, below 0, taken off: not 0, at most "
                f"{spec.points:g}, with at most two decimal places"
            )
    added = round(sum(points for points in spec.rubric.values() if points > 0), 2)
    if added and added < spec.points:
        raise Refused(
            f"{place}: all items that add points give {added:g} of {spec.points:g}, so nobody could have full marks; raise "
            "one, or write only items that take points off"
        )


def _check_word(path: Path, key: str, word: str, known: list[str]) -> None:
    if word not in known:
        raise Refused(f"{path}: `{key}` is `{word}`{nearest(word, known)}; write {' or '.join(known)}")


def can_be_due(moment: dt.datetime) -> bool:
    """Return True if the moment, and years of lateness after it, can be written in every time zone."""
    return FIRST_YEAR <= moment.year <= LAST_YEAR


def _check_dates(path: Path, manifest: Manifest) -> None:
    if manifest.due is not None and manifest.due.tzinfo is None:
        raise Refused(f"{path}: `due` lacks a time zone; write it as {_DATE}")
    if manifest.due is not None and not can_be_due(manifest.due):
        raise Refused(
            f"{path}: `due` is in the year {manifest.due.year}; write a date from {FIRST_YEAR} to {LAST_YEAR}"
        )
    if manifest.late is not None and manifest.due is None:
        raise Refused(f"{path}: `late` has no effect without `due`; add a line `due: {_DATE}`")
    if manifest.late is not None and manifest.late.keep not in KEEPS:
        raise Refused(
            f"{path}: `late.keep` is `{manifest.late.keep}`{nearest(manifest.late.keep, KEEPS)}; write `best`, the "
            "better of the work in time and the late work, or `last`"
        )
