"""How many random slips in rules of arrays are told, and how long one engine takes to read.

    .venv/bin/python bench/array_slips.py [--seeds 300]

Each engine has one or two slips, made by tests/support/array_engines.py, in any of 23 methods. Counted are the operations
that differ from right ones on fresh shapes; `false` are readings that do not predict what the engine does there. The time
is for all operations of a right engine and of one with three wrong rules, warm. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module

from measure import ROOT

sys.path.append(str(ROOT / "tests" / "support"))
engines = import_module("array_engines")


def main() -> None:
    """Read engines back and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=300, help="engines (300)")
    wrong = told = 0
    false, missed = [], []
    for seed in range(parser.parse_args().seeds):
        made = engines.slipped(seed)
        for name in sorted(made.operations):
            ways = [each for each in engines.readable_operations() if each.name == name]
            found = engines.readings(made.source, [name])
            false += [text for each in found for text in engines.lies(made.source, each, seed)]
            if any(engines.is_wrong(made.source, way, seed) for way in ways):
                wrong += 1
                told += bool(found)
                missed += [] if found else [f"{name}: {made.slips}"]
    print(f"{wrong} wrong operations, {told} told ({100 * told / wrong:.1f} %), {len(false)} false")
    print("\n".join([*(f"missed {text}" for text in missed), *(f"false {text}" for text in false)]))
    methods = {**engines.METHODS}
    for name, place, rule in (
        ("__add__", 1, "other.grad += out.grad"),
        ("__mul__", 0, "self.grad += unbroadcast(out.grad, self.data.shape)"),
        ("__matmul__", 0, "self.grad += other.data @ out.grad.T"),
    ):
        rules = [*methods[name].rules]
        rules[place] = rule
        methods[name] = methods[name]._replace(rules=tuple(rules))
    for title, source in (("right", engines.engine()), ("three wrong rules", engines.engine(methods))):
        seconds = []
        for _ in range(5):
            begun = time.perf_counter()
            engines.readings(source)
            seconds.append(time.perf_counter() - begun)
        print(
            f"{title}: {1000 * min(seconds):.0f} ms for all operations, {1000 * seconds[0]:.0f} ms at first"
        )


if __name__ == "__main__":
    main()
