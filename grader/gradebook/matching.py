"""Matches students of the results file with lines of a roster: by login, ID number or email, never by personal name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.errors import Refused, first_of
from grader.submissions.keys import same_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.gradebook.roster import RosterStudent

SHOWN = 8  # names in a note
LEFT_OUT = "has no result, and is left out"
# Identifiers of a student on a platform. A student's key or email address may equal one of them.
_IDENTITIES = ("SIS Login ID", "SIS User ID", "ID number", "Email address", "Username", "identifier")


@dataclass(slots=True)
class Matches:
    """Students with their lines, in the roster's order; lines without a student; reasons why students are left out."""

    pairs: list[tuple[str, RosterStudent]] = field(default_factory=list)
    missing: list[RosterStudent] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def notes(self, without: str = LEFT_OUT) -> list[str]:
        """Return a note for each reason to leave students out, with their names."""
        missing = [(student.student, f"is in the roster but {without}") for student in self.missing]
        names: dict[str, list[str]] = {}
        for name, why in (*self.left_out, *missing):
            names.setdefault(why, []).append(name)
        return [
            f"{first_of(those, SHOWN)}{': each' if len(those) > 1 else ''} {why}"
            for why, those in names.items()
        ]


def match_students(students: Iterable[str], roster: Sequence[RosterStudent]) -> Matches:
    """Match students, who may have several names on a platform. Raises Refused if there are several and none matches."""
    matches, students = Matches(), sorted(students)
    places = _places(roster)
    found: dict[int, list[str]] = {}
    for student in students if roster else ():
        place = _place(student, places)
        if place is None:
            matches.left_out.append((student, "has a result but is not in the roster"))
        else:
            found.setdefault(place, []).append(student)
    for place, line in enumerate(roster):
        those = found.get(place, [])
        if len(those) == 1:
            matches.pairs.append((those[0], line))
        elif those:
            why = (
                f"each match the line of {line.student} in the roster, so it is unclear whose result counts; drop each wrong "
                "one with `grade override void --forget STUDENT --why ...`"
            )
            matches.left_out.append((" and ".join(those), why))
        else:
            matches.missing.append(line)
    if not found and len(students) > 1 and matches.missing:
        _refuse_other_class(students[0], matches.missing[0])
    return matches


def unknown_to(students: Iterable[str], roster: Sequence[RosterStudent]) -> list[str]:
    """Return the students whom no line of a roster names, by key or by another identifier."""
    keys, others = _places(roster)
    return [one for one in students if same_key(one) not in keys and same_key(one) not in others]


def _refuse_other_class(ours: str, theirs: RosterStudent) -> None:
    """Raise Refused: the roster belongs to another class, or uses other names."""
    also = ", ".join(f"{kind} {theirs.ids[kind]}" for kind in _IDENTITIES if theirs.ids.get(kind))
    raise Refused(
        f"no student with a result is in this roster: the results have {ours}, the roster has "
        f"{theirs.student}{f' ({also})' if also else ''}. Students are matched by login, ID number or email, never "
        "by personal name; add one of these to your own roster, spelled as on the platform"
    )


def _places(roster: Sequence[RosterStudent]) -> list[dict[str, set[int]]]:
    """Return the positions in the roster by key, and by every other identifier."""
    keys: dict[str, set[int]] = {}
    others: dict[str, set[int]] = {}
    for place, student in enumerate(roster):
        keys.setdefault(same_key(student.student), set()).add(place)
        known = (student.email, student.github, *(student.ids.get(name, "") for name in _IDENTITIES))
        for name in filter(None, known):
            others.setdefault(same_key(name), set()).add(place)
    return [keys, others]


def _place(student: str, places: Sequence[dict[str, set[int]]]) -> int | None:
    for names in places:
        found = names.get(same_key(student), set())
        if len(found) == 1:
            (place,) = found
            return place
    return None
