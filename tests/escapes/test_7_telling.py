"""Promise 7: nothing that a submission learns of a hidden test reaches its author, but for the outcome."""

from __future__ import annotations

import os
import shutil
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
    """Day 2 under two salts of the hidden tests: its own, whose requests are replayed, and one without records.

    Without its last comparison with PyTorch, which no record has for the second salt.
    """
    root = tmp_path_factory.mktemp("course")
    for side in ("assignments", "solutions"):
        without = shutil.ignore_patterns("test_pytorch_parity.py", "mistakes", "__pycache__")
        shutil.copytree(COURSE / side / "day2", root / side / "day2", ignore=without)
    path = root / "assignments" / "day2" / "assignment.yaml"
    manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    del manifest["checks"]["pytorch_parity"]
    path.write_text(yaml.safe_dump(manifest, sort_keys=False), encoding="utf-8")
    day2 = Course(root).assignment("day2")
    with (
        Launcher() as launcher,
        open_grader(day2, launcher) as one,
        open_grader(day2, launcher, salt="another salt") as other,
    ):
        yield one, other


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
