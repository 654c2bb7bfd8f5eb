"""A made-up class, graded: submissions a second, memory of driver and workers, and what kills change.

    .venv/bin/python bench/scale.py [--day day2] [--sizes 100,1000,10000] [--jobs 1,2] [--seed 1]
    .venv/bin/python bench/scale.py --sizes 10000 --jobs 2 --kill 20

A class of each size is graded by `grade batch` with each number of workers: right in six spellings, wrong, stubs, files
that cannot be read, and a few endless loops; no two are equal. Memory is resident (RSS), in MB, at its highest.

With `--kill N` the class is graded twice, once undisturbed. In the other run a worker or the driver is killed
(SIGKILL) at N moments, chosen by the seed; after a killed driver the same command is typed again. In the end both
results files must have the same rows but for times and seconds, each submission graded once. Else the exit code is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psutil
from measure import GRADE, ROOT
from works import half_done, mistakes, right, slips

from grader.assignment import Course

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment

SHARES = {"right": 50, "wrong": 35, "stubs": 10, "broken": 5}  # percent
LOOPS = 500  # one submission in so many is an endless loop
LOOK_SECONDS = 0.2
PATIENCE = 60.0  # seconds until the processes of a killed driver must have ended
DONE, UNGRADABLE = {0, 1}, 3  # exit codes of `grade batch`
PASSING = {"id", "result", "graded", "at"}  # columns with times and numbers of rows
RUNS = 5  # of the command after the last kill, while something is ungradable
WORKER = "grader.grading.workers"  # in the command line of one
BROKEN = [
    b"",
    b"def swap_rule(:\n",
    b'{"cells": [{"cell_type": "code", "sou',
    b"\xff\xfe\x00not a text",
    b"# %%\nimport os\nos._exit(0)\n",
    b"# %%\nraise SystemExit\n",
    b"# %%\nx = " + b"(" * 5_000 + b")" * 5_000 + b"\n",
]
LOOP = "\n\n# %%\nwhile True:\n    pass\n"


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--day", default="day2")
    parser.add_argument("--sizes", default="100,1000,10000", help="submissions, with commas between them")
    parser.add_argument("--jobs", default="1,2", help="workers, with commas between them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill", type=int, default=0, metavar="N", help="times")
    options = parser.parse_args()
    assignment = Course(ROOT).assignment(options.day)
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory(prefix="backgrade-scale-") as made:
        folder = Path(made)
        for size in sizes:
            hand_in(folder / str(size), assignment, size, options.seed)
        jobs = [int(number) for number in options.jobs.split(",")]
        if options.kill:
            kills = (
                survive(assignment, folder / str(size), number, options) for size in sizes for number in jobs
            )
            return 1 if any(list(kills)) else 0
        measure(assignment, folder, sizes, jobs)
    return 0


# --- The class


def hand_in(folder: Path, assignment: Assignment, size: int, seed: int) -> None:
    """Write the work of a class: a folder for each student."""
    for number, data in enumerate(itertools.islice(class_of(assignment, size, seed), size)):
        path = folder / f"s{number:06}" / f"{assignment.stub.stem}.py"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)


def class_of(assignment: Assignment, size: int, seed: int) -> Iterator[bytes]:
    """Yield the submissions of a class, each with a comment of its own."""
    rng = random.Random(f"{assignment.name} {seed}")  # noqa: S311  the same class in every run
    pools = {
        "right": [text.encode() for text in right(assignment)],
        "wrong": [text.encode() for text in [*mistakes(assignment, rng, 48), *slips(assignment, 48)]],
        "stubs": [text.encode() for text in half_done(assignment, rng, 12)],
        "broken": BROKEN,
    }
    loops = {LOOPS * i + rng.randrange(min(LOOPS, size)) for i in range(size // LOOPS)}
    for number in range(size):
        (kind,) = rng.choices(list(SHARES), list(SHARES.values()))
        data = rng.choice(pools["right" if number in loops else kind])
        end = LOOP if number in loops else ""
        yield data + f"{end}\n# {number}\n".encode()


# --- Rate and memory


class Peak(NamedTuple):
    """The highest resident memory in bytes: of the driver, of a worker, of a launcher with its jails."""

    driver: int = 0
    worker: int = 0
    jails: int = 0


def measure(assignment: Assignment, folder: Path, sizes: list[int], jobs: list[int]) -> None:
    """Grade each class with each number of workers, and print."""
    print(
        f"{assignment.name}, a mixed class, one submission in {LOOPS} an endless loop; MB of resident memory"
    )
    print("submissions  workers  seconds  a second  driver  a worker  a launcher with jails")
    for number in jobs:
        first: Peak | None = None
        for size in sizes:
            started = time.perf_counter()
            driver = start(assignment, folder / str(size), folder / f"{size}-{number}.db", number)
            peak = Peak()
            while driver.poll() is None:
                peak = Peak(*map(max, peak, memory(driver.pid)))
                time.sleep(LOOK_SECONDS)
            took = time.perf_counter() - started
            refuse_failure(driver, {*DONE})
            mb = [each / 1e6 for each in peak]
            print(
                f"{size:11,}  {number:7}  {took:7.0f}  {size / took:8.1f}  {mb[0]:6.0f}  {mb[1]:8.0f}  {mb[2]:21.0f}",
                flush=True,
            )
            first = first or peak
        grown = [(last - one) / 1e6 for last, one in zip(peak, first or peak, strict=True)]
        print(
            f"growth from {sizes[0]:,} to {sizes[-1]:,}: driver {grown[0]:+.0f}, a worker {grown[1]:+.0f}, "
            f"a launcher {grown[2]:+.0f}"
        )


def memory(driver: int) -> Peak:
    """Return the resident memory of the processes of a run that are there now."""
    found: dict[str, list[int]] = {"worker": [0], "jails": [0]}
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(driver)
        for child in process.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                line = " ".join(child.cmdline())
                kind = "worker" if WORKER in line else "jails" if "launcher.py" in line else ""
                if kind:
                    found[kind].append(child.memory_info().rss)
        return Peak(process.memory_info().rss, max(found["worker"]), max(found["jails"]))
    return Peak()


def start(assignment: Assignment, source: Path, results: Path, jobs: int) -> subprocess.Popen[str]:
    """Start `grade batch`."""
    command = [GRADE, "batch", assignment.name, source, "-r", results, "--jobs", str(jobs)]
    return subprocess.Popen(
        [str(each) for each in command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )


def refuse_failure(driver: subprocess.Popen[str], codes: set[int]) -> None:
    """Raise SystemExit with its output if the command has ended with another exit code."""
    output = driver.communicate()[0]
    if driver.returncode not in codes:
        raise SystemExit(f"grade batch: exit code {driver.returncode}\n{output}")


# --- Kills


def survive(assignment: Assignment, source: Path, jobs: int, options: argparse.Namespace) -> bool:
    """Grade a class undisturbed and with kills; print, and return True if the results differ."""
    whole, killed = (source.with_suffix(f".{jobs}{name}.db") for name in ("whole", "killed"))
    finish(assignment, source, whole, jobs)
    size = len(list(source.iterdir()))
    rng = random.Random(f"kill {options.seed}")  # noqa: S311  the same in every run
    driver = start(assignment, source, killed, jobs)
    kills = {"worker": 0, "driver": 0}
    for moment in sorted(rng.choices(range(size), k=options.kill)):
        kind = rng.choice(list(kills))
        if not wait_for(killed, moment, driver):
            break  # so near the end that the rest was done meanwhile
        processes = psutil.Process(driver.pid).children(recursive=True)
        workers = [each for each in processes if is_worker(each)]
        if kind == "driver" or not workers:
            driver.kill()
            driver.communicate()
            if left := left_behind(processes):
                raise SystemExit(f"left behind by a killed driver: {left}")
            driver = start(assignment, source, killed, jobs)
            kills["driver"] += 1
        else:
            with contextlib.suppress(psutil.NoSuchProcess):
                rng.choice(workers).kill()
            kills["worker"] += 1
    refuse_failure(driver, {*DONE, UNGRADABLE})
    finish(assignment, source, killed, jobs)
    different = differences(rows(whole), rows(killed))
    twice = graded_twice(killed)
    print(
        f"{size:,} submissions, {jobs} workers, killed: {kills['worker']} workers, {kills['driver']} drivers; "
        f"{len(different)} rows differ, {twice} graded twice",
        flush=True,
    )
    for row in different[:10]:
        print(f"  {row}")
    return bool(different or twice)


def left_behind(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Wait until these have ended; return those that have not in time. One that nobody has asked about has ended too."""
    until = time.monotonic() + PATIENCE
    while (left := [each for each in processes if not has_ended(each)]) and time.monotonic() < until:
        time.sleep(LOOK_SECONDS / 10)
    return left


def has_ended(process: psutil.Process) -> bool:
    """Return True for a process that is gone, or a zombie."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_for(results: Path, moment: int, driver: subprocess.Popen[str]) -> bool:
    """Wait until so many results are kept; return False if the command has ended before."""
    while count(results) < moment:
        if driver.poll() is not None:
            return False
        time.sleep(LOOK_SECONDS / 10)
    return driver.poll() is None


def finish(assignment: Assignment, source: Path, results: Path, jobs: int) -> None:
    """Run the command to its end, again while something is ungradable, as a person would."""
    for _ in range(RUNS):
        driver = start(assignment, source, results, jobs)
        refuse_failure(driver, {*DONE, UNGRADABLE})
        if driver.returncode != UNGRADABLE:
            return
    raise SystemExit(f"{results}: after {RUNS} runs something is still ungradable")


def is_worker(process: psutil.Process) -> bool:
    """Return True for a worker."""
    with contextlib.suppress(psutil.Error):
        return WORKER in " ".join(process.cmdline())
    return False


def count(results: Path) -> int:
    """Return the number of results that are kept."""
    with contextlib.suppress(sqlite3.OperationalError), contextlib.closing(_opened(results)) as database:
        return int(database.execute("SELECT count(*) FROM submissions").fetchone()[0])
    return 0


def graded_twice(results: Path) -> int:
    """Return the number of submissions that have two results with a score."""
    query = (
        "SELECT count(*) FROM (SELECT 1 FROM results WHERE score IS NOT NULL "
        "GROUP BY assignment, student, key HAVING count(*) > 1)"
    )
    with contextlib.closing(_opened(results)) as database:
        return int(database.execute(query).fetchone()[0])


def rows(results: Path) -> dict[tuple[Any, ...], Any]:
    """Return the rows of every table but for times, seconds and the numbers of rows."""
    found: dict[tuple[Any, ...], Any] = {}
    with contextlib.closing(_opened(results)) as database:
        database.row_factory = sqlite3.Row
        queries = {
            "submissions": "SELECT s.*, r.key FROM submissions s JOIN results r ON r.id = s.result",
            "results": "SELECT * FROM results WHERE score IS NOT NULL",
            "absent": "SELECT * FROM absent",
            "overrides": "SELECT * FROM overrides",
            "posted": "SELECT * FROM posted",
        }
        for table, query in queries.items():
            for row in database.execute(query):
                values = {name: value for name, value in dict(row).items() if name not in PASSING}
                if "report" in values:
                    values["report"] = without_times(json.loads(values["report"]))
                found[table, values["student"], values.get("version", ""), values.get("key", "")] = values
    return found


def without_times(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report without its times."""
    report["submission"]["modified"] = ""  # of work that cannot be read it is the time of grading
    for part in (report, *report["checks"]):
        part["seconds"] = 0.0
    return report | {"started": ""}


def differences(one: dict[tuple[Any, ...], Any], other: dict[tuple[Any, ...], Any]) -> list[str]:
    """Return the rows that are in one of two files alone, or differ, each with the fields that do."""
    found = []
    for key in sorted({*one, *other}):
        first, second = one.get(key, {}), other.get(key, {})
        fields = [name for name in {**first, **second} if first.get(name) != second.get(name)]
        if fields:
            found.append(f"{key[:3]}: {', '.join(fields)}{_where(first, second)}")
    return found


def _where(first: dict[str, Any], second: dict[str, Any]) -> str:
    """Return the parts of two reports that differ."""
    if not (first.get("report") and second.get("report")):
        return " (in one file alone)"
    one, other = (dict(_parts(row["report"])) for row in (first, second))
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return "".join(f"; {name}: {one.get(name)!s:.80} / {other.get(name)!s:.80}" for name in names)


def _parts(report: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in report.items():
        if name != "checks":
            yield name, value
    for check in report["checks"]:
        yield from ((f"{check['id']}.{name}", value) for name, value in check.items())


def _opened(results: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{results}?mode=ro", uri=True, timeout=PATIENCE)


if __name__ == "__main__":
    sys.exit(main())
