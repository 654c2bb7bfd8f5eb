"""Broken files of a course: the grader names the file and the remedy, and gives no zero for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from helpers import check, edit_manifest, grade, hand_in, not_passed, reference

from grader.report import Outcome, from_json

USAGE, UNGRADABLE = 2, 3


@pytest.mark.ci
def test_the_checks_are_gone(course: Path, snapshot) -> None:
    """A folder that was deleted by mistake: what is missing is named, and where it comes from."""
    for check_file in (course / "assignments" / "day2" / "checks").glob("test_*.py"):
        check_file.unlink()
    shutil.rmtree(course / "solutions", ignore_errors=True)
    ran = grade("day2", cwd=course)
    assert ran.code == UNGRADABLE
    assert str(course / "assignments" / "day2" / "checks") in ran.text
    assert ran.text == snapshot


MANIFESTS = {  # tests/authoring/test_assignment.py has all messages
    "unknown key of a check": ({"checks": {"add_rule": {"point": 1}}}, "did you mean `points`?"),
    "continues a later day": ({"continues": "day3"}, "`continues` names `day3`"),
    "continues itself": ({"continues": "day2"}, "`continues` names `day2`"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifest_that_is_wrong(course: Path, name: str) -> None:
    """The file, the key and the remedy are named."""
    changes, expected = MANIFESTS[name]
    edit_manifest(course, "day2", **changes)
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert "assignment.yaml: " in ran.text
    assert expected in ran.text


@pytest.mark.ci
@pytest.mark.parametrize("text", ["a: [1", ""])
def test_manifest_that_is_no_table(course: Path, text: str) -> None:
    """The file is named where it is no YAML, or YAML of another kind."""
    (course / "assignments" / "day2" / "assignment.yaml").write_text(text, encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert "assignment.yaml" in ran.text


BROKEN_CHECKS = ["def test_broken(student:\n", "NOTHING = 'to test'\n"]


@pytest.mark.parametrize("source", BROKEN_CHECKS)
def test_check_file_that_is_broken(course: Path, source: str) -> None:
    """The grader's own fault is never a zero: no score, an exit code of its own, and no blame."""
    (course / "solutions" / "day2" / "checks" / "test_swap_rule.py").unlink()
    broken = course / "assignments" / "day2" / "checks" / "test_swap_rule.py"
    broken.write_text(source, encoding="utf-8")
    ran = grade("day2", hand_in(course, reference("day2"), "mine.py"), cwd=course)
    assert ran.code == UNGRADABLE
    assert "No score: swap_rule could not be graded. This is not your fault" in ran.text
    report = from_json((course / "feedback" / "day2.json").read_bytes())
    assert report.score is None
    assert not_passed(report) == {"swap_rule"}
    assert check(report, "swap_rule").outcome is Outcome.UNGRADABLE
    assert "test_swap_rule.py" in check(report, "swap_rule").message


@pytest.mark.ci
def test_check_that_nobody_declared(course: Path) -> None:
    """A check file without an entry in the manifest is refused, with the nearest entry."""
    path = course / "assignments" / "day2" / "checks" / "test_add_rules.py"
    path.write_text("def test_nothing(): pass\n", encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == USAGE
    assert "test_add_rules.py: " in ran.text
    assert "did you mean `add_rule`?" in ran.text


@pytest.mark.parametrize("file", ["sealed.json", "parity.json"])
def test_record_that_is_broken(course: Path, file: str) -> None:
    """Sealed words or PyTorch's numbers that cannot be read are the grader's fault."""
    (course / "assignments" / "day2" / "checks" / file).write_text("{", encoding="utf-8")
    ran = grade("day2", cwd=course)
    assert ran.code == UNGRADABLE
    assert f"{file}: not a" in ran.text
    assert "run `grade stub` again" in ran.text
