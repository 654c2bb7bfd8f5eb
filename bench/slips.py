"""What one slip costs: for each day a table of slips, the points of 100 that each loses, and the checks that fail.

    .venv/bin/python bench/slips.py [--days day2,day4] [--lazy]

A slip is the reference with one operation, one line of the walk or one blank that is wrong: tests/support/slip_table.py
and blanks.py have them. `*` marks a slip that costs nothing or more than its bound, or of which the report tells another
check first than those that it belongs to: `told first`. With `--lazy`, the points of lazy notebooks too: one method
written, the walk alone, another day's engine. All checks count, visible and hidden. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context

from measure import ROOT

sys.path.append(str(ROOT / "tests" / "support"))
blanks, fair, judged, slip_table = map(import_module, ("blanks", "fair", "judged", "slip_table"))


def table(day: str) -> str:
    """Return the table of a day; slips that cost the same in the same checks follow each other."""
    lines, costs = [], {}
    with judged.grading(day) as graded:
        for slip in fair.all_slips(day):
            costs[slip.name] = slip, fair.cost_of(graded(slip.source))
    width = max(map(len, costs))
    wrong = 0
    for name, (slip, cost) in costs.items():
        problems = fair.problems(slip, cost)
        wrong += bool(problems)
        checks = ", ".join(f"{check} {points:g}" for check, points in cost.checks.items())
        told = "".join(f"   {problem}" for problem in problems if problem.startswith("told first"))
        lines.append(f"{'*' if problems else ' '} {name:<{width}} {cost.lost:6g}   {checks}{told}")
    bounded = [(cost.lost, name) for name, (slip, cost) in costs.items() if fair.most(slip) < 100]
    lost, name = max(bounded)
    lines.append(f"  {day}: the largest is {lost:g} ({name}); the bound is {fair.MOST[day]:g}")
    lines.append(f"  {day}: {len(costs)} slips, {wrong} with a `*`")
    return "\n".join([f"{day}", *lines])


def lazy_table(day: str) -> str:
    """Return the points of lazy notebooks."""
    with judged.grading(day) as graded:
        points = {name: graded(source).score for name, source in blanks.lazy(day).items()}
    return "\n".join([f"{day}, lazy work", *(f"  {name:<80} {score:6g}" for name, score in points.items())])


def main() -> None:
    """Grade and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--days", default=",".join(slip_table.DAYS), help="such as day2,day4")
    parser.add_argument("--lazy", action="store_true")
    chosen = parser.parse_args()
    days = chosen.days.split(",")
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1), get_context("spawn")) as pool:
        tables = [pool.map(table, days), *([pool.map(lazy_table, days)] if chosen.lazy else [])]
        for text in (text for each in tables for text in each):
            print(f"{text}\n", flush=True)


if __name__ == "__main__":
    main()
