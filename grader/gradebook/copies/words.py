"""The sentences about agreements, for the terminal and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import first_of
from grader.gradebook.copies.agreement import FEWEST_STUDENTS, MOST_EXPECTED

if TYPE_CHECKING:
    from grader.gradebook.copies.agreement import Agreement, Comparison

MOST_SHOWN = 50  # pairs and groups
MOST_NAMES = 8  # of a group
BILLION = 1_000_000_000
CAUTION = (
    "An agreement proves nothing. Students who worked together as allowed agree, too, and so do those who had the same "
    "tutor, read the same page or learned together. The odds take different causes for independent, which they are "
    "only roughly. Look at both sources, and ask before you judge."
)


def class_words(comparison: Comparison) -> str:
    """Return the sentences about the whole class."""
    students, pairs = comparison.students, comparison.pairs
    said = f"{comparison.graded} students, {students} with a fault that can be compared: {pairs:,} pairs."
    if comparison.has_teams:
        said += " Students with one repository are a team, which counts as one student."
    if students < FEWEST_STUDENTS:
        return f"{said}\nThat is too few to say what is unlikely; {FEWEST_STUDENTS} students with a fault are needed."
    if not comparison.found:
        return f"{said}\nNo pair agrees in an unlikely way."
    return f"{said}\nListed is what would happen by chance in at most one of {1 / MOST_EXPECTED:.0f} such classes."


def names_of(one: Agreement) -> str:
    """Return the names of a pair or group."""
    if len(one.students) == 2:
        return " and ".join(one.students)
    return first_of(one.students, MOST_NAMES)


def odds_words(comparison: Comparison, one: Agreement) -> str:
    """Return the odds in sentences."""
    said = (
        f"{one.agree} causes agree. By chance that happens in about 1 in {_one_in(one.chance)} pairs, "
        f"and the class has {comparison.pairs:,}."
    )
    if one.differ:
        said += f" {one.differ} other cause{'s differ' if one.differ > 1 else ' differs'}, which is counted against it."
    return said


def _one_in(chance: float) -> str:
    """Return the number of pairs of which one agrees, rounded to two digits: `130,000`."""
    many = 1 / max(chance, 1e-300)
    return "more than a billion" if many > BILLION else f"{float(f'{many:.2g}'):,.0f}"
