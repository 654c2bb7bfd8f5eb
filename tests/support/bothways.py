"""Grading in two ways: as it is, and plain, where nothing is replayed."""

import json
from contextlib import contextmanager
from functools import partial

from grader.authoring.recording import make_replay
from grader.grading.answers import read_tables
from grader.grading.grader import grade_work, open_grader
from grader.report import to_json
from grader.submissions.work import Work

TIMES = {"seconds", "started", "modified"}


@contextmanager
def open_plain(assignment, launcher):
    """A grader that runs every check and replays nothing; it says nothing about a record that it cannot use."""
    with open_grader(assignment, launcher, answers=read_tables(assignment.checks_folders)) as grader:
        grader.suite.judge = partial(grader.suite.judge, replay=False)
        yield grader


def differences_of(assignment, launcher, works):
    """The plain reports, and what differs from them where requests are replayed; `works` has bytes by the file's name."""
    with open_plain(assignment, launcher) as grader:
        plain = reports(grader, works)
    with open_grader(assignment, launcher) as grader:
        replayed = reports(grader, works)
    return plain, [
        line for name, report in plain.items() for line in differences(report, replayed[name], name)
    ]


def reports(grader, works):
    """The reports as plain data, by the name of the file."""
    return {
        name: json.loads(to_json(grade_work(grader, Work(name=name, data=data))))
        for name, data in works.items()
    }


def differences(old, new, path, left_out=TIMES):
    """Each difference of two reports but for times, with its path in them."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new} - left_out):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}", left_out)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{i}]", left_out)
    elif old != new:
        yield f"{path}\n  - {old}\n  + {new}"


def write_record(assignment, launcher):
    """Write replay.json of an assignment, as `grade stub` does."""
    with open_plain(assignment, launcher) as grader:
        files, faults = make_replay(grader, {})
    assert faults == []
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
