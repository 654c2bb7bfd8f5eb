"""Try each mutant of tests/mutants.toml: the default tests must notice it.

    .venv/bin/python bench/guards.py [WORD ...] [--list FILE]

Each mutant is one change of a text in one file, tried alone in a copy of the working tree, by the default tests that its
entry names. Prints for each which test failed, and what the change would mean where none did. With a WORD, tries only
mutants with it in their name or file. Ends with 1 if one went unnoticed; the checkout stays as it is.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from tree import ROOT, make_tree, pytest_command

MUTANTS = ROOT / "tests" / "mutants.toml"


def failed_test(tree: Path, python: Path, tests: list[str]) -> str:
    """Return the first of the tests that fails; "" if all pass. An error of pytest's own, or no test, ends the script."""
    command = [*pytest_command(python), "-x", "-rfE", "--color=no", *tests]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    done = subprocess.run(command, cwd=tree, env=environment, check=False, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    if found := re.search(r"^(FAILED|ERROR) (.*)", done.stdout, re.MULTILINE):
        return found[2].partition(" - ")[0] + (" (an error)" if found[1] == "ERROR" else "")
    sys.exit(
        f"{' '.join(tests)}: pytest ended with {done.returncode}:\n{done.stdout[-2_000:]}{done.stderr[-2_000:]}"
    )


def try_mutant(tree: Path, python: Path, mutant: dict[str, Any], number: int) -> str:
    """Make the change, return the test that fails, and take the change back."""
    file = tree / mutant["file"]
    source = file.read_text(encoding="utf-8")
    if source.count(mutant["old"]) != 1:
        sys.exit(f"{mutant['name']}: its text must occur once in {mutant['file']}: {mutant['old']}")
    state = file.stat()
    try:
        file.write_text(source.replace(mutant["old"], mutant["new"]), encoding="utf-8")
        moment = 1_000_000_000 + number  # of its own, so that no compiled file of another change is read
        os.utime(file, (moment, moment))
        return failed_test(tree, python, mutant["tests"])
    finally:
        file.write_text(source, encoding="utf-8")
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def main() -> None:
    """Try the tests without a change, then each mutant."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--list", type=Path, default=MUTANTS, metavar="FILE")
    asked = parser.parse_args()
    mutants = [
        one
        for one in tomllib.loads(asked.list.read_text(encoding="utf-8"))["mutant"]
        if not asked.words or any(word in f"{one['name']} {one['file']}" for word in asked.words)
    ]
    unnoticed = 0
    with tempfile.TemporaryDirectory(prefix="backgrade-guards-") as home:
        Path(home).chmod(0o755)  # tests/escapes run what lies there as another user, too
        tree, python = make_tree(Path(home))
        if broken := failed_test(tree, python, sorted({test for one in mutants for test in one["tests"]})):
            sys.exit(f"without a change, these tests must pass: {broken}")
        for number, mutant in enumerate(mutants):
            start = time.monotonic()
            test = try_mutant(tree, python, mutant, number)
            unnoticed += not test
            told = (
                f"noticed      {mutant['name']}: {test}"
                if test
                else f"NOT NOTICED  {mutant['name']}: {mutant['means']}"
            )
            print(f"{told}  ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(mutants) - unnoticed} of {len(mutants)} noticed")
    sys.exit(1 if unnoticed else 0)


if __name__ == "__main__":
    main()
