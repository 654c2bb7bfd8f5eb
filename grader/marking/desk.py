"""A marker's desk: the groups of answers that are theirs, in an order, with their marks, and what the marker does.

Marks are read anew each time, for others mark, too. Who left a group and which groups were taken together is known as long
as the desk is; afterwards answers that were marked otherwise stay apart.
"""

from __future__ import annotations

import builtins
import datetime as dt
import keyword
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from grader.errors import Refused
from grader.gradebook.in_force import Override
from grader.gradebook.overrides import LONGEST_COMMENT, LONGEST_WHY, checked_text, read_points, who
from grader.gradebook.store import now
from grader.marking.answers import ManualAnswer
from grader.marking.groups import AnswerGroup, in_share, key_of, near
from grader.marking.marks import STATES, DayMarks, GivenMark, overrides_for, signed
from grader.marking.words import HIDDEN, hider, printed, rendered
from grader.render.words import points_text

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.store import Store
    from grader.marking.answers import AnswerCell
    from grader.marking.marks import AnswerMark, MarkState

LONGEST = 100_000  # characters of a cell that are shown
PYTHON = {*dir(builtins), *keyword.kwlist}  # names such as `max` that are not hidden in code


class MarkingRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends about a group: a mark with what the page has seen of the group (`GroupRow.seen`), a member that
    leaves or asks for a regrade, a cell of the first to run again, or another group that joins.
    """

    group: str
    seen: tuple[str, ...] = ()
    points: str = ""
    items: tuple[int, ...] = ()
    comment: str = ""
    member: int = 0
    cell: int = 0
    other: str = ""
    until: str = ""


class GroupRow(NamedTuple):
    """A group with the marks of its members."""

    group: AnswerGroup
    marks: list[AnswerMark]

    @property
    def state(self) -> MarkState:
        """The state of the group: the first in order that one of its members has."""
        states = [mark.state for mark in self.marks]
        return next(state for state in STATES if state in states)

    @property
    def given(self) -> GivenMark | None:
        """The mark that its members have, the most frequent one; that of an answer before it changed if there is no other."""
        every = [mark.given for mark in self.marks if mark.given]
        fresh = [mark.given for mark in self.marks if mark.given and mark.state == "marked"]
        return max(fresh or every, key=every.count) if every else None

    @property
    def seen(self) -> list[str]:
        """The ids of its overrides, and the key of its members: what a page knows that shows it."""
        members = (f"{one.student} {one.sha256}" for one in self.group.members)
        return [key_of(*members), *(uid for mark in self.marks for uid in mark.seen)]


class MarkingDesk:
    """The answers of one assignment, as one marker sees them; `names` are those to hide, if they are hidden."""

    def __init__(
        self,
        assignment: Assignment,
        store: Store,
        answers: Sequence[ManualAnswer],
        *,
        share: tuple[int, int] = (1, 1),
        names: Iterable[str] | None = None,
    ) -> None:
        self.assignment, self.store, self.author = assignment, store, who()
        self.anonymous = names is not None
        self._hider, self._code_hider = hider(names or ()), hider(names or (), but=PYTHON)
        self.answers = [answer for answer in answers if in_share(answer, *share)]
        students = sorted({one.student for one in answers}, key=lambda name: key_of(store.identity, name))
        self._labels = {
            name: f"student {n}" if self.anonymous else name for n, name in enumerate(students, 1)
        }
        self.pictures = {
            out.name: out.picture
            for one in self.answers
            for part in one.parts
            for out in part.outputs
            if out.name
        }
        self._alone: set[tuple[str, str]] = set()  # student and check
        self._joined: dict[str, str] = {}  # the key of a group, and that of the one that took it in
        self._last: dict[str, GivenMark] = {}  # by check

    # --- The list

    def rows(self) -> list[GroupRow]:
        """Return the groups with their marks, check by check, the largest first; those that begin alike follow one another."""
        marks = DayMarks(self.store.overrides(self.assignment.name))
        found: dict[tuple[str, str], list[ManualAnswer]] = defaultdict(list)
        for key, members in sorted(self._equal(marks).items(), key=lambda item: item[0] in self._joined):
            while key in self._joined:
                key = self._joined[key]  # noqa: PLW2901  the group that took it in
            found[members[0].check, key] += members
        groups = [AnswerGroup(key, check, tuple(members)) for (check, key), members in found.items()]
        checks = [*self.assignment.manifest.checks]
        groups.sort(
            key=lambda one: (checks.index(one.check), -len(one.members), one.members[0].words, one.key)
        )
        return [GroupRow(group, [marks.of(one) for one in group.members]) for group in groups]

    def _equal(self, marks: DayMarks) -> dict[str, list[ManualAnswer]]:
        """Return equal answers by the key of their group: those that were marked otherwise, or have left, are apart."""
        equal: dict[str, list[ManualAnswer]] = defaultdict(list)
        for one in self.answers:
            alone = (one.student, one.check) in self._alone or marks.of(one).state == "request"
            equal[key_of(one, one.student) if alone else key_of(one)].append(one)
        found = dict[str, list[ManualAnswer]]()
        for key, members in equal.items():
            found_marks = {one.student: marks.of(one) for one in members}
            given = {
                name: mark.given if mark.state == "marked" else None for name, mark in found_marks.items()
            }
            usual = next(iter(Counter(filter(None, given.values())).most_common(1)), (None, 0))[0]
            for one in members:
                apart = given[one.student] not in (None, usual)
                found.setdefault(key_of(one, repr(given[one.student])) if apart else key, []).append(one)
        return found

    def progress(self, rows: Sequence[GroupRow]) -> dict[str, Any]:
        """Return how many answers and groups are marked, of how many."""
        states = [mark.state for row in rows for mark in row.marks]
        left = sum(row.state != "marked" for row in rows)
        return {"done": states.count("marked"), "of": len(states), "groups": left}

    def after(self, key: str, rows: Sequence[GroupRow]) -> str:
        """Return the key of the next group to mark, beginning after this one; empty if there is none."""
        keys = [row.group.key for row in rows]
        start = keys.index(key) + 1 if key in keys else 0
        around = [*rows[start:], *rows[:start]]
        return next((row.group.key for row in around if row.state != "marked" and row.group.key != key), "")

    def list_page(self) -> dict[str, Any]:
        """Return what the page with all groups shows."""
        rows = self.rows()
        return {
            "assignment": self.assignment,
            "anonymous": self.anonymous,
            "progress": self.progress(rows),
            "first": self.after("", rows),
            "rows": [self._line(row) for row in rows],
        }

    def _line(self, row: GroupRow) -> dict[str, Any]:
        last = max((mark.points for mark in row.marks if mark.points), key=lambda one: one.at, default=None)
        request = next((mark.request for mark in row.marks if mark.request), None)
        return {
            "key": row.group.key,
            "check": row.group.check,
            "who": ", ".join(self._labels[one.student] for one in row.group.members),
            "count": len(row.group.members),
            "state": STATES[row.state],
            "given": points_text(row.given.points) if row.given else "",
            "by": _by(last) if last else "",
            "request": self._request_words(request) if request else "",
        }

    def _request_words(self, request: Override) -> str:
        if request.withdrawn:
            return f"request answered by {_by(request)}"
        until = f", to be answered until {request.until}" if request.until else ""
        asks = f"{self._labels[request.student]} asks, noted by {_by(request)}"
        return f"{asks}{until}: {self.hide(request.why)}"

    # --- One group

    def page(self, key: str) -> dict[str, Any] | None:
        """Return what the page of a group shows; None if there is no such group (any more)."""
        rows = self.rows()
        row = next((row for row in rows if row.group.key == key), None)
        if row is None:
            return None
        check, spec = row.group.check, self.assignment.manifest.checks[row.group.check]
        others = [other for other in rows if other.group.check == check and other.group.key != key]
        by_key = {other.group.key: other for other in others}
        close = [by_key[group.key] for group in near(row.group, [other.group for other in others])]
        given = row.given
        before = next((one.given for one in close if one.given), None) or self._last.get(check)
        data = {
            "group": key,
            "seen": row.seen,
            "most": spec.points,
            "start": 0 if any(points > 0 for points in spec.rubric.values()) else spec.points,
            "next": self.after(key, rows),
            "before": _to_page(before, [*spec.rubric]),
            "join": close[0].group.key if close else "",
        }
        return {
            "assignment": self.assignment,
            "anonymous": self.anonymous,
            "check": check,
            "asks": spec.title,
            "most": points_text(spec.points),
            "line": self._line(row),
            "members": [self._labels[one.student] for one in row.group.members],
            "variants": [self._variant(one) for one in row.group.variants],
            "near": [{"line": self._line(one), **self._variant(one.group.members[0])} for one in close],
            "rubric": [(item, signed(points), points) for item, points in spec.rubric.items()],
            "given": _to_page(given, [*spec.rubric]),
            "comments": DayMarks(self.store.overrides(self.assignment.name)).comments(check),
            "progress": self.progress(rows),
            "data": data,
        }

    def _variant(self, answer: ManualAnswer) -> dict[str, Any]:
        parts = [self._part(part) for part in answer.parts]
        outputs = [output for part in parts for output in part["outputs"]]
        return {"label": self._labels[answer.student], "parts": parts, "outputs": outputs}

    def _part(self, part: AnswerCell) -> dict[str, Any]:
        source = self.hide(part.source, self._code_hider if part.is_code else None)
        if len(source) > LONGEST:
            source = f"{source[:LONGEST]}\n(the rest is not shown)"
        return {
            "number": part.number,
            "code": printed(source) if part.is_code else "",
            "text": "" if part.is_code else rendered(source),
            "outputs": [{"text": self.shown(out.text), "picture": out.name} for out in part.outputs],
        }

    def hide(self, text: str, finder: re.Pattern[str] | None = None) -> str:
        """Return a text without the names that are hidden, or without those that `finder` finds."""
        return (finder or self._hider).sub(HIDDEN, text) if self.anonymous else text

    def shown(self, text: str) -> str:
        """Return printed text as the page shows it."""
        return printed(self.hide(text))

    # --- What the marker does

    def find(self, key: str) -> GroupRow:
        """Return a group. Raises Refused if it is not there any more."""
        for row in self.rows():
            if row.group.key == key:
                return row
        raise Refused("this group is not there any more; go back to the list")

    def save(self, new: MarkingRequest) -> str:
        """Save a mark for all of a group and return the key of the next group to mark; empty if there is none.

        Raises Refused if somebody else has marked one of the answers since, and for points or a comment that cannot be.
        """
        row = self.find(new.group)
        check, spec = row.group.check, self.assignment.manifest.checks[row.group.check]
        self._refuse_stale(row, new.seen)
        comment = (
            checked_text(new.comment, "comment", "write one", LONGEST_COMMENT) if new.comment.strip() else ""
        )
        rubric = [*spec.rubric]
        if any(not 0 <= place < len(rubric) for place in new.items):
            raise Refused("the rubric has changed; load the page again")
        points = read_points(new.points.replace(",", "."), spec.points, check)
        given = GivenMark(points, tuple(rubric[place] for place in sorted({*new.items})), comment)
        pairs = zip(row.group.members, row.marks, strict=True)
        make = Override(self.assignment.name, "points", "", self.author)
        made = [
            one for answer, mark in pairs for one in overrides_for(make, answer, mark, given, spec.rubric)
        ]
        self.store.add_overrides(made, seen=set(new.seen))
        self._last[check] = given
        return self.after(new.group, self.rows())

    def _refuse_stale(self, row: GroupRow, seen: Collection[str]) -> None:
        every = [one for mark in row.marks for one in (mark.points, mark.comment, mark.request) if one]
        for one in every:
            if one.uid not in seen:
                raise Refused(f"{one.who} has changed this since; nothing was saved, load the page again")
        if {*seen} != {*row.seen}:
            raise Refused("the group has changed since; nothing was saved, load the page again")

    def leave(self, named: MarkingRequest) -> str:
        """Take a member out of its group; return the key of the group that is left."""
        one = self._member(named.group, named.member)
        if self._joined.pop(key_of(one), None) is None:  # else with all that are equal to it
            self._alone.add((one.student, one.check))
        return named.group

    def _member(self, key: str, place: int) -> ManualAnswer:
        members = self.find(key).group.members
        if not 0 <= place < len(members):
            raise Refused("the group has changed since; load the page again")
        return members[place]

    def join(self, named: MarkingRequest) -> str:
        """Take a group of the same check in, and return the key of the one group."""
        ours, theirs = self.find(named.group).group, self.find(named.other).group
        if ours.check != theirs.check or ours.key == theirs.key:
            raise Refused("these groups cannot be one")
        self._joined[theirs.key] = ours.key
        return ours.key

    def request(self, asked: MarkingRequest) -> str:
        """Open a request to regrade the answer of a member, and return the key of its group. Raises Refused."""
        one = self._member(asked.group, asked.member)
        until = asked.until.strip()
        try:
            dt.date.fromisoformat(until or "2026-12-01")
        except ValueError as error:
            raise Refused(f"{until}: write the date as 2026-12-01, or none") from error
        text = checked_text(asked.comment, "request", "write one", LONGEST_WHY)
        about = (self.author, one.student, one.check)
        self.store.add_overrides(
            [Override(self.assignment.name, "request", text, *about, at=now(), until=until)]
        )
        return key_of(one, one.student)


def _to_page(given: GivenMark | None, rubric: Sequence[str]) -> Mapping[str, Any] | None:
    """Return a mark as the page's fields have it; an item that the rubric has no longer is left out."""
    if given is None:
        return None
    places = [rubric.index(item) for item in given.items if item in rubric]
    return {"points": points_text(given.points), "items": places, "comment": given.comment}


def _by(one: Override) -> str:
    return f"{one.who.partition(' <')[0]}, {one.at[:16].replace('T', ' ')}"
