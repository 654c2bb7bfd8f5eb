"""The cost of reading rules back: milliseconds for one submission of day 4.

    .venv/bin/python bench/rules.py

The first reading makes the points, later ones in the same process do not. Prints; asserts nothing.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

from grader.assignment import Course
from grader.autograd.rules.operations import operations_of
from grader.autograd.rules.wrong import read_wrong
from grader.manifest import Limits
from grader.sandbox import Deadline, Launcher, Sandbox

ROOT = Path(__file__).resolve().parents[1]
SLIPS = {
    "right": ("", ""),
    "one slip": ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad"),
    "no formula": ("self.grad += other.data * out.grad", "self.grad += hash(out.grad) % 7"),
}


def main() -> None:
    """Measure and print."""
    assignment = Course(ROOT).assignment("day4")
    operations = operations_of(assignment.manifest.operations or ())
    (path,) = (ROOT / "solutions" / "day4").glob("*.py")
    cell = re.search(r"^class Value.*?(?=^# %%)", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert cell
    with Launcher() as launcher:
        for name, slip in SLIPS.items():
            box = Sandbox(
                launcher, ["import math\n" + cell[0].replace(*slip)], Limits(), deadline=Deadline(60.0)
            )
            times = []
            with box.explaining():
                for _ in range(5):
                    started = time.perf_counter()
                    told = len(read_wrong(box, operations))
                    times.append(1000 * (time.perf_counter() - started))
            box.close()
            print(f"{name:<12}{times[0]:8.0f} ms at first{min(times[1:]):8.0f} ms later   {told} told")


if __name__ == "__main__":
    main()
