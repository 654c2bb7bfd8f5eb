"""Two mistakes at once: every pair of a day's slips in different functions, and the checks that pass with both
although they fail with one.

    .venv/bin/python bench/two_mistakes.py [--days day2,day7] [--every 10] [--seconds 60]

tests/support/pairs.py has the pairs, and lists those whose faults cancel. The others should earn nothing. With `--every`
only each tenth pair is tried, with `--seconds` no more after that time. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from measure import ROOT

sys.path.append(str(ROOT / "tests" / "support"))
support = import_module("pairs")


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--days", default=",".join(support.DAYS), help="such as day2,day7")
    parser.add_argument("--every", type=int, default=1, help="try every n-th pair")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of each day")
    chosen = parser.parse_args()
    for day in chosen.days.split(","):
        start, tried = time.monotonic(), 0
        with support.open_checks(day) as (assignment, not_passed):
            found = support.pairs(assignment)
            for pair in found[:: chosen.every]:
                if time.monotonic() - start > chosen.seconds:
                    break
                tried += 1
                if earned := support.gained(pair, not_passed):
                    print(f"  {' + '.join(pair.names)}: {' '.join(sorted(earned))}", flush=True)
        print(f"{day}: {tried} of {len(found)} pairs", flush=True)


if __name__ == "__main__":
    main()
