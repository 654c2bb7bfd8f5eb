"""Overrides that travel: `grade override export FILE` and `grade override import FILE`.

The file is JSON, and holds what Override holds, the oldest first:

    {"schema": "backgrade/overrides/v1",
     "overrides": [{"assignment": "day2", "kind": "points", "student": "ada", "check": "swap_rule", "points": 12.0,
                    "withdrawn": false, "why": "right in another way", "who": "Grace <grace@uni.edu>",
                    "at": "2026-12-02T10:00:00+00:00"}]}

Author and time are kept. Where both sides have an override about the same thing the newer one counts, and that is
told. A `forget` does not travel: it is about the results of one file.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec

from grader.console import say
from grader.errors import Refused, nearest
from grader.files import read_plain, write_new
from grader.gradebook.decide import LONGEST_WHY, list_all, next_words, said
from grader.gradebook.store import Override, Store
from grader.render import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from grader.assignment import Course

SCHEMA = "backgrade/overrides/v1"
LARGEST = 20 << 20  # bytes
LONGEST = 200  # characters of a name


class _File(msgspec.Struct, forbid_unknown_fields=True):
    schema: str
    overrides: list[Override]


def export_overrides(course: Course, results: Path, day: str | None, path: Path) -> None:
    """Write the overrides into a new file. Raises Refused, AssignmentError, FileError."""
    with Store(results) as store:
        list_all(course, store, day)  # which refuses a day that is none
        every = [d for name in ([day] if day else store.assignments()) for d in store.overrides(name)]
    told = _File(SCHEMA, [d for d in every if d.kind != "forget"])
    try:
        write_new(path, msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n", course.root)
    except FileExistsError:
        raise Refused(f"{path}: this file is there already; name a new one") from None
    say(one_line(f"{_count(told.overrides)} in {path}"))


def import_overrides(course: Course, results: Path, path: Path) -> None:
    """Add what a file holds and is not there yet. Raises Refused, AssignmentError."""
    theirs = _read(course, path)
    with Store(results) as store:
        names = dict.fromkeys(d.assignment for d in theirs)
        ours = [d for name in names for d in store.overrides(name)]
        new = [d for d in dict.fromkeys(theirs) if d not in ours]
        store.add_overrides(new)
    say(one_line(f"{_count(new)} added from {path}, {len(theirs) - len(new)} were there already"))
    for line in _conflicts(ours, new):
        say(one_line(line))
    for name in dict.fromkeys(d.assignment for d in new):
        say(next_words(name, results))


def backup_results(results: Path, path: Path) -> None:
    """Copy a file of results, and say so. Raises Refused."""
    with Store(results) as store:
        store.backup(path)
    say(one_line(f"{results} is copied to {path}"))


def _count(overrides: Sequence[Override]) -> str:
    return "1 override" if len(overrides) == 1 else f"{len(overrides)} overrides"


def _read(course: Course, path: Path) -> list[Override]:
    try:
        told = msgspec.json.decode(read_plain(path, LARGEST)[0], type=_File)
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}; check the name") from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refused(
            f"{path}: `grade override export` wrote no such file: {one_line(str(error))}"
        ) from error
    if told.schema != SCHEMA:
        raise Refused(f"{path}: this is {told.schema!r}, not {SCHEMA}; export it with this version")
    for number, override in enumerate(told.overrides, start=1):
        if trouble := _trouble(course, override):
            raise Refused(f"{path}, override {number}: {trouble}; nothing was added")
    return told.overrides


def _trouble(course: Course, override: Override) -> str:
    """Say why an override of the file cannot be one; empty where it can."""
    if override.assignment not in course.names:
        near = nearest(override.assignment, course.names)
        return f"{override.assignment} is no assignment of this course{near}"
    if override.kind == "forget":
        return "`forget` is about the results of another file; take it out"
    if override.kind == "points" and not override.withdrawn and not _is_number(override.points):
        return f"{override.points} is no number of points"
    if not override.why.strip() or len(override.why) > LONGEST_WHY:
        return f"`why` has 1 to {LONGEST_WHY} characters"
    if any(len(text) > LONGEST for text in (override.student, override.check, override.who)):
        return f"a name has at most {LONGEST} characters"
    return "" if _is_time(override.at) else f"`at` is {override.at[:30]!r}, which is no time in UTC"


def _is_number(points: float | None) -> bool:
    return points is not None and 0 <= points < float("inf")


def _is_time(text: str) -> bool:
    """True for a time that is written as ours are, so that texts in order are times in order."""
    try:
        time = dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return time.tzinfo is not None and text == time.astimezone(dt.UTC).isoformat(timespec="seconds")


def _conflicts(ours: Sequence[Override], new: Sequence[Override]) -> Iterator[str]:
    """A line for each thing about which the newest override here and the newest in the file differ."""
    here, there = _newest(ours), _newest(new)
    for about in here.keys() & there.keys():
        old, added = here[about], there[about]
        if (old.points, old.withdrawn) != (added.points, added.withdrawn):
            first, second = sorted((old, added), key=lambda override: override.at)
            yield (
                f"{old.assignment}  two overrides differ; the newer one counts: {said(second)}, {_by(second)}; "
                f"not {said(first)}, {_by(first)}"
            )


def _newest(overrides: Sequence[Override]) -> dict[tuple[str, ...], Override]:
    in_order = sorted(overrides, key=lambda override: override.at)
    return {(d.assignment, d.kind, d.student, d.check): d for d in in_order}


def _by(override: Override) -> str:
    return f"{override.who} {override.at[:16].replace('T', ' ')}"
