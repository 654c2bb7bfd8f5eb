"""The cost of a closed jail: opened, asked once and ended, beside a bare fork and a bare interpreter.

    .venv/bin/python bench/jail.py

Milliseconds of wall time, one of each in turn, so that whatever else the machine does falls on all of
them. The bare fork is made and reaped by an interpreter of its own that is as small as the launcher of
the jails; the bare interpreter is started, runs nothing and is waited for. Then a submission that imports numpy, in an
ordinary jail and in one with `arrays: true`. Prints; asserts nothing.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from grader.manifest import Limits
from grader.sandbox import Launcher, Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS, NUMPY_ROUNDS = 500, 50
PATIENCE = 20  # seconds
BARE = [sys.executable, "-P", "-s", "-S"]
FORKS = """
import gc, os, sys
gc.collect(); gc.freeze()
while os.read(0, 1):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    os.write(1, b"x")
"""


def main() -> None:
    """Measure and print."""
    with (
        Launcher() as launcher,
        subprocess.Popen([*BARE, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as forks,
    ):
        ways: dict[str, Callable[[], object]] = {
            "closed jail: open, ask, end": lambda: open_and_end(launcher),
            "bare fork, reaped": lambda: fork_once(forks),
            "bare interpreter start": lambda: subprocess.run([*BARE, "-c", "pass"], check=True),
        }
        rounds = [[milliseconds(way) for way in ways.values()] for _ in range(ROUNDS + 10)][10:]
        assert forks.stdin is not None
        forks.stdin.close()
        show(list(ways), rounds, list(launcher.in_force))
        numpy = {
            "imports numpy": lambda: load_numpy(launcher, arrays=False),
            "with arrays: true": lambda: load_numpy(launcher, arrays=True),
        }
        rounds = [[milliseconds(way) for way in numpy.values()] for _ in range(NUMPY_ROUNDS + 2)][2:]
        for name, times in zip(numpy, zip(*rounds, strict=True), strict=True):
            print(f"{name:30}  {statistics.median(times):6.2f}")


def load_numpy(launcher: Launcher, *, arrays: bool) -> None:
    """A submission that imports numpy: its jail is opened, it is loaded, and its jail ends."""
    box = Sandbox(launcher, ["import numpy"], Limits(), ["numpy"], arrays=arrays)
    box.load()
    box.close()


def open_and_end(launcher: Launcher) -> None:
    """A jail: forked, closed, asked for something so that it is known to be closed, ended and reaped."""
    process = launcher.open(Limits())
    process.ask({"op": "names", "by_line": []}, deadline=time.monotonic() + PATIENCE)
    process.end()


def fork_once(forks: subprocess.Popen[bytes]) -> None:
    """Have one bare fork made and reaped."""
    assert forks.stdin is not None
    assert forks.stdout is not None
    forks.stdin.write(b"x")
    forks.stdin.flush()
    forks.stdout.read(1)


def milliseconds(way: Callable[[], object]) -> float:
    """The wall time of one call."""
    started = time.perf_counter()
    way()
    return 1e3 * (time.perf_counter() - started)


def show(names: list[str], rounds: list[list[float]], in_force: list[str]) -> None:
    """Each way's median and 99th percentile, and what a jail costs beyond a fork."""
    print(f"{f'milliseconds, {len(rounds)} rounds':30}  median    p99")
    for name, times in zip(names, zip(*rounds, strict=True), strict=True):
        print(f"{name:30}  {statistics.median(times):6.2f} {statistics.quantiles(times, n=100)[98]:6.2f}")
    beyond = statistics.median(jail - fork for jail, fork, _ in rounds)
    print(f"{'jail beyond fork, per round':30}  {beyond:6.2f}")
    print(f"in force: {', '.join(in_force)}")


if __name__ == "__main__":
    main()
