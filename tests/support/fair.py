"""What a slip of the course may cost, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import slip_table
from blanks import blanks

from grader.render.words import next_check

if TYPE_CHECKING:
    from slip_table import Slip

    from grader.report import Report

# The points of 100 that one slip may cost: on day 3 all checks are about the walk, but day 2's engine is judged once.
MOST = {"day2": 45.0, "day3": 55.0, "day4": 40.0, "day5": 40.0}
MOST_OF_DAY2 = 5.0
# Slips that cannot be judged otherwise, and slips that need not cost anything, each with the reason.
NOT_OTHERWISE = {
    ("day4", "blank: Value.__init__: keep data and inputs, start grad at 0"): "no value can be made",
}
FREE = {
    ("day4", "blank: Value.__repr__: show data and grad"): "no check of the day reads the text of a value",
    ("day4", "relu  children of 0 dropped"): "at 0 a slope of 0 is right, so the input may get nothing",
    ("day5", "relu  children of 0 dropped"): "at 0 a slope of 0 is right, so the input may get nothing",
    ("day4", "**  children of 0 dropped"): "at 0 every power above 1 has a slope of 0",
    ("day5", "**  children of 0 dropped"): "at 0 every power above 1 has a slope of 0",
}
# Slips that only a whole expression meets: exp itself never gives the 0 that an inner node must have.
WHOLE = {("day4", "exp  children of 0 dropped"): "pytorch_parity"}


def is_of_day2(slip: Slip) -> bool:
    """Return True for a slip of the engine that day 3 only brings along."""
    return slip.day == "day3" and slip.first == ("pytorch_parity",)


def most(slip: Slip) -> float:
    """Return the points that a slip may cost."""
    if (slip.day, slip.name) in NOT_OTHERWISE:
        return 100.0
    return MOST_OF_DAY2 if is_of_day2(slip) else MOST[slip.day]


def is_free(slip: Slip) -> bool:
    """Return True for a slip that may cost nothing."""
    return is_of_day2(slip) or (slip.day, slip.name) in FREE


def problems(slip: Slip, cost: Cost) -> list[str]:
    """Return what is not fair about the points of a slip, and about the check that is told first."""
    found = []
    if cost.lost > most(slip):
        found.append(f"costs {cost.lost:g}, more than {most(slip):g}")
    if not cost.lost and not is_free(slip):
        found.append("costs nothing")
    if cost.lost and slip.first and cost.first not in (*slip.first, WHOLE.get((slip.day, slip.name))):
        found.append(f"told first: {cost.first}, not {' or '.join(slip.first)}")
    return found


class Cost(NamedTuple):
    """What a slip costs of 100, by check, and the check that is told first."""

    checks: dict[str, float]
    first: str

    @property
    def lost(self) -> float:
        """All points that are lost."""
        return round(sum(self.checks.values()), 2)


def all_slips(day: str) -> list[Slip]:
    """Return the slips of a day, each blank left alone among them."""
    return [*slip_table.slips(day), *blanks(day)]


def cost_of(report: Report) -> Cost:
    """Return what is lost in a report, and the check that it tells first."""
    lost = {
        check.id: round(check.max_score - check.score, 2)
        for check in report.checks
        if check.score != check.max_score
    }
    first = next_check(report)
    return Cost(lost, first.id if first else "")
