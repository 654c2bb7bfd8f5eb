"""A marker's desk: the groups of answers in a marker's share, in an order, with their marks, and the marker's actions.

Marks are read each time, because other people mark, too. The desk remembers who left a group and which groups were merged
only until it closes; later, answers with different marks stay apart.
"""

from __future__ import annotations

import builtins
import datetime as dt
import keyword
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from grader.console import count_noun
from grader.errors import Refused
from grader.gradebook.in_force import Override
from grader.gradebook.overrides import (
    LONGEST_COMMENT,
    LONGEST_WHY,
    checked_text,
    next_words,
    read_points,
    who,
)
from grader.gradebook.store import now
from grader.marking.marks import (
    STATES,
    AnswerGroup,
    GivenMark,
    key_of,
    marks_of,
    near,
    overrides_for,
    sign_points,
)
from grader.marking.words import HIDDEN, clean_output, hider, markdown_to_html
from grader.render.words import points_text

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.store import Store
    from grader.marking.answers import AnswerCell, ManualAnswer
    from grader.marking.marks import AnswerMark

MOST_COMMENTS = 9  # used before; each has a key on the page
LONGEST = 100_000  # characters of a cell on the page
PYTHON = {*dir(builtins), *keyword.kwlist}  # code keeps names such as `max`


class MarkingRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request of the page about a group, for one of the actions of MarkingDesk.

    `seen` is `AnswerGroup.seen` of the group on the page, `member` the place of a student in the group, `cell` the number of
    a cell to run again, `other` the key of a group that joins.
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


class MarkingDesk:
    """The answers of one assignment, as one marker sees them; `names` are the names to hide, None to hide none."""

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
        # Equal answers have the same hash, so they are in the same share. The salt is secret, so that no student can
        # choose a marker by the words of an answer. Markers on other machines have the same salt.
        number, of = share
        self.answers = [one for one in answers if int(key_of(one, assignment.salt), 16) % of == number - 1]
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
        self._joined: dict[str, str] = {}  # a merged group's key, and the key of the group that took it in
        self._last: dict[str, GivenMark] = {}  # by check

    # --- The list

    def groups(self) -> list[AnswerGroup]:
        """Return the groups with their marks, by check, then size (largest first), then words."""
        equal: dict[str, list[AnswerMark]] = defaultdict(list)
        found: dict[str, list[AnswerMark]] = defaultdict(list)
        for mark in marks_of(self.answers, self.store.overrides(self.assignment.name)):
            one = mark.answer
            alone = (one.student, one.check) in self._alone or mark.state == "request"
            equal[key_of(one, one.student) if alone else key_of(one)].append(mark)
        placed: list[tuple[str, AnswerMark]] = []
        for key, marks in equal.items():
            usual = AnswerGroup(key, tuple(marks)).given
            for mark in marks:  # an equal answer with another mark forms a group of its own
                apart = mark.state == "marked" and mark.given != usual
                placed.append((key_of(mark.answer, repr(mark.given)) if apart else key, mark))
        for key, mark in sorted(placed, key=lambda one: one[0] in self._joined):
            found[self._joined.get(key, key)].append(mark)
        checks, groups = [*self.assignment.manifest.checks], [AnswerGroup(k, (*m,)) for k, m in found.items()]
        return sorted(
            groups, key=lambda g: (checks.index(g.first.check), -len(g.marks), g.first.words, g.key)
        )

    def after(self, key: str, groups: Sequence[AnswerGroup]) -> str:
        """Return the key of the next group to mark after this one, from the start again at the end; "" if all are marked."""
        keys = [group.key for group in groups]
        start = keys.index(key) + 1 if key in keys else 0
        around = [*groups[start:], *groups[:start]]
        return next((group.key for group in around if group.state != "marked" and group.key != key), "")

    def list_page(self) -> dict[str, Any]:
        """Return the values for the page with all groups."""
        groups = self.groups()
        return {
            **self._head(groups),
            "first": self.after("", groups),
            "rows": [*map(self._line, groups)],
            "next": next_words(self.assignment.name, self.store.path).removeprefix("Next: "),
        }

    def _head(self, groups: Sequence[AnswerGroup]) -> dict[str, Any]:
        """Return the values for both pages: how many answers are marked, and how many groups are left."""
        states = [mark.state for group in groups for mark in group.marks]
        left = sum(group.state != "marked" for group in groups)
        done, of = states.count("marked"), len(states)
        words = f"{done} of {count_noun(of, 'answer')} marked, {count_noun(left, 'group')} left"
        progress = {"done": done, "of": of, "words": words}
        return {"assignment": self.assignment, "anonymous": self.anonymous, "progress": progress}

    def _line(self, group: AnswerGroup) -> dict[str, Any]:
        last = max((mark.points for mark in group.marks if mark.points), key=lambda one: one.at, default=None)
        request = next((mark.request for mark in group.marks if mark.request), None)
        return {
            "key": group.key,
            "check": group.first.check,
            "who": ", ".join(self._members(group)),
            "count": len(group.marks),
            "state": STATES[group.state],
            "given": points_text(group.given.points) if group.given else "",
            "by": _by(last) if last else "",
            "request": self._request_words(request) if request else "",
        }

    def _members(self, group: AnswerGroup) -> list[str]:
        return [self._labels[mark.answer.student] for mark in group.marks]

    def _request_words(self, request: Override) -> str:
        if request.withdrawn:
            return f"request answered by {_by(request)}"
        until = f", answer until {request.until}" if request.until else ""
        asks = f"request of {self._labels[request.student]}, opened by {_by(request)}"
        return f"{asks}{until}: {self.hide(request.why)}"

    # --- One group

    def page(self, key: str) -> dict[str, Any]:
        """Return the values for the page of a group. Raises Refused if there is no such group."""
        groups = self.groups()
        group = self.find(key, groups)
        check = group.first.check
        spec = self.assignment.manifest.checks[check]
        close = near(group, [one for one in groups if one.first.check == check and one.key != key])
        before = next((one.given for one in close if one.given), None) or self._last.get(check)
        data = {
            "group": key,
            "seen": group.seen,
            "most": spec.points,
            "start": 0 if any(points > 0 for points in spec.rubric.values()) else spec.points,
            "next": self.after(key, groups),
            "before": _to_page(before, [*spec.rubric]),
        }
        return {
            **self._head(groups),
            "asks": spec.title,
            "most": points_text(spec.points),
            "line": self._line(group),
            "members": self._members(group),
            "variants": [self._variant(one) for one in group.variants],
            "near": [{"line": self._line(one), **self._variant(one.first)} for one in close],
            "rubric": [(item, sign_points(points), points) for item, points in spec.rubric.items()],
            "given": _to_page(group.given, [*spec.rubric]),
            "comments": _comments_before(self.store.overrides(self.assignment.name), check),
            "data": data,
        }

    def _variant(self, answer: ManualAnswer) -> dict[str, Any]:
        size = sum(len(part.source) for part in answer.parts)
        parts = [self._part(part, size) for part in answer.parts]
        outputs = [output for part in parts for output in part["outputs"]]
        return {"label": self._labels[answer.student], "parts": parts, "outputs": outputs}

    def _part(self, part: AnswerCell, size: int) -> dict[str, Any]:
        source = self.hide(part.source, self._code_hider if part.is_code else None)
        if len(source) > LONGEST:
            source = f"{source[:LONGEST]}\n(the rest is not shown)"
        return {
            "number": part.number,
            "code": clean_output(source) if part.is_code else "",
            "text": "" if part.is_code else markdown_to_html(source, size),
            "outputs": [{"text": self.clean(out.text), "picture": out.name} for out in part.outputs],
        }

    def hide(self, text: str, finder: re.Pattern[str] | None = None) -> str:
        """Return a text without the hidden names, or without the names that `finder` finds."""
        return (finder or self._hider).sub(HIDDEN, text) if self.anonymous else text

    def clean(self, text: str) -> str:
        """Return printed text for the page: without terminal commands and hidden names."""
        return clean_output(self.hide(text))

    # --- What the marker does

    def find(self, key: str, groups: Sequence[AnswerGroup] | None = None) -> AnswerGroup:
        """Return a group by its key. Raises Refused if it no longer exists."""
        for group in groups or self.groups():
            if group.key == key:
                return group
        raise Refused("this group of answers no longer exists; go back to the list")

    def save(self, new: MarkingRequest) -> str:
        """Save a mark for a whole group, and return the key of the next group to mark, or "".

        Raises Refused if the group or one of its marks has changed since the page was loaded, and for invalid values.
        """
        group = self.find(new.group)
        check = group.first.check
        spec = self.assignment.manifest.checks[check]
        known = [one for mark in group.marks for one in (mark.points, mark.comment, mark.request) if one]
        faster = next((one.who for one in known if one.uid not in new.seen), "")
        if {*new.seen} != {*group.seen}:
            changed = f"{faster} changed this in the meantime" if faster else "the group has changed"
            raise Refused(f"{changed}, so nothing was saved; reload the page")
        comment = (
            checked_text(new.comment, "comment", "write one", LONGEST_COMMENT) if new.comment.strip() else ""
        )
        rubric = [*spec.rubric]
        if any(not 0 <= place < len(rubric) for place in new.items):
            raise Refused("the rubric has changed; reload the page")
        points = read_points(new.points.replace(",", "."), spec.points, check)
        given = GivenMark(points, tuple(rubric[place] for place in sorted({*new.items})), comment)
        make = Override(self.assignment.name, "points", "", self.author)
        made = [one for mark in group.marks for one in overrides_for(make, mark, given, spec.rubric)]
        self.store.add_overrides(made, seen=set(new.seen))
        self._last[check] = given
        return self.after(new.group, self.groups())

    def leave(self, named: MarkingRequest) -> str:
        """Take a member out of its group, and return the key of the group."""
        one = self._member(named)
        if self._joined.pop(key_of(one), None) is None:  # a merged group goes as a whole
            self._alone.add((one.student, one.check))
        return named.group

    def _member(self, named: MarkingRequest) -> ManualAnswer:
        marks = self.find(named.group).marks
        if not 0 <= named.member < len(marks):
            raise Refused("the group has changed; reload the page")
        return marks[named.member].answer

    def join(self, named: MarkingRequest) -> str:
        """Merge another group of the same check into this one, and return its key."""
        ours, theirs = self.find(named.group), self.find(named.other)
        if ours.first.check != theirs.first.check or ours.key == theirs.key:
            raise Refused("only two different groups of one check can be marked together")
        taken = [theirs.key, *(key for key, into in self._joined.items() if into == theirs.key)]
        self._joined |= dict.fromkeys(taken, ours.key)
        return ours.key

    def request(self, asked: MarkingRequest) -> str:
        """Open a request to regrade the answer of a member, and return the key of its group. Raises Refused."""
        one = self._member(asked)
        until = asked.until.strip()
        try:
            dt.date.fromisoformat(until or "2026-12-01")
        except ValueError as error:
            raise Refused(f"{until}: write the date as 2026-12-01, or leave it empty") from error
        text = checked_text(asked.comment, "request", "write one", LONGEST_WHY)
        about = (self.author, one.student, one.check)
        self.store.add_overrides(
            [Override(self.assignment.name, "request", text, *about, at=now(), until=until)]
        )
        return key_of(one, one.student)


def _comments_before(overrides: Iterable[Override], check: str) -> list[str]:
    """Return the earlier comments on a check, the most frequent first."""
    about = [one for one in overrides if (one.kind, one.check, one.withdrawn) == ("comment", check, False)]
    return [text for text, _ in Counter(one.why for one in about).most_common(MOST_COMMENTS)]


def _to_page(given: GivenMark | None, rubric: Sequence[str]) -> Mapping[str, Any] | None:
    """Return a mark as values of the page's fields, without items that the rubric no longer has."""
    if given is None:
        return None
    places = [rubric.index(item) for item in given.items if item in rubric]
    return {"points": points_text(given.points), "items": places, "comment": given.comment}


def _by(one: Override) -> str:
    return f"{one.who.partition(' <')[0]}, {one.at[:16].replace('T', ' ')}"
