"""Promise 7: nothing that a submission learns of a hidden test reaches its author, but for the outcome."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import yaml
from helpers import COURSE

from grader.assignment import Course
from grader.grading.grader import open_grader, submission_info
from grader.render import FORMATS
from grader.report import to_json
from grader.sandbox import Launcher
from grader.submissions.submission import Sources, read_submission

FOLDER = Path(__file__).parent / "telling"
ATTACKS = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))


@pytest.fixture(scope="module")
def graders(tmp_path_factory):
    """Day 2 under two salts of the hidden tests, whose requests are recorded.

    Without its last comparison with PyTorch, which no record has for the second salt.
    """
    courses = [course_of(tmp_path_factory.mktemp("course"), salt) for salt in ("", "another salt")]
    with (
        Launcher() as launcher,
        open_grader(courses[0].assignment("day2"), launcher) as one,
        open_grader(courses[1].assignment("day2"), launcher) as other,
    ):
        yield one, other


def course_of(root, salt):
    """A course of day 2, under its own salt or another one."""
    for side in ("assignments", "solutions"):
        without = shutil.ignore_patterns("test_pytorch_parity.py", "mistakes", "__pycache__")
        shutil.copytree(COURSE / side / "day2", root / side / "day2", ignore=without)
    path = root / "assignments" / "day2" / "assignment.yaml"
    manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    del manifest["checks"]["pytorch_parity"]
    path.write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")
    if salt:
        (root / "solutions" / "day2" / "salt.txt").write_text(salt, encoding="utf-8")
        visible = root / "assignments" / "day2" / "checks"
        sealed = (
            visible / "sealed.json"
        ).read_bytes()  # with the mistakes, which only the other course holds
        subprocess.run(
            [sys.executable, "-m", "grader", "stub", "day2"], cwd=root, check=True, capture_output=True
        )
        (visible / "sealed.json").write_bytes(sealed)
    return Course(root)


def feedback(grader, path):
    """Every format of a report, without times."""
    submission = read_submission(path)
    report = grader.grade_sources(
        submission_info(submission, grader.assignment), Sources(submission.blocks), traces=True
    )
    still = msgspec.structs.replace(
        report,
        started="2026-01-01T00:00:00+00:00",
        seconds=0.0,
        grader=msgspec.structs.replace(report.grader, suite_sha256=""),
        checks=[msgspec.structs.replace(check, seconds=0.0) for check in report.checks],
    )
    return report, {name: render(still) for name, render in FORMATS.items()} | {"report": to_json(still)}


@pytest.mark.parametrize("attack", ATTACKS)
def test_feedback_does_not_depend_on_hidden_inputs(graders, tmp_path, monkeypatch, attack):
    """Under two salts with equal outcomes, every format is the same to the letter."""
    monkeypatch.setattr("grader.grading.grader.EXPLAIN_SECONDS", 60.0)  # on a busy machine too
    path = tmp_path / "day2_backward_pass.py"
    parts = (FOLDER / "_hears.py", FOLDER / f"{attack}.py")
    path.write_text("\n\n# %%\n".join(part.read_text(encoding="utf-8") for part in parts), encoding="utf-8")
    os.utime(path, (1e9, 1e9))  # the terminal tells how long ago it was saved

    (one, told), (other, retold) = (feedback(grader, path) for grader in graders)

    assert [c.outcome for c in one.checks] == [c.outcome for c in other.checks]
    assert [c.score for c in one.checks] == [c.score for c in other.checks]
    assert any(c.outcome == "failed" for c in one.checks)
    assert [name for name in told if told[name] != retold[name]] == []
