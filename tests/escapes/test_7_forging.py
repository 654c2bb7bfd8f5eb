"""Promise 7: a submission forges no result, learns no expected value and sees no text of a check.

What is looked for lies in the process of the grader alone: with the guard `process` taken out, the
submission runs there, as it does with those who import it, and each of these attacks gets what it wants.
What comes out is compared as plain data; that guard is the protocol itself and cannot be taken out, so
the liars and the exits are shown beside it on a grader that imports them.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import yaml
from bothways import differences_of, write_record
from escapes.ground import EXPECTED, FILES, HERE, HONEST, Ground, attacks
from escapes.stories import cases, it_is_held, with_case
from helpers import COURSE

from grader.assignment import Assignment, Course
from grader.grading.grader import open_grader
from grader.render import FORMATS
from grader.report import to_json
from grader.sandbox import Launcher
from grader.submissions.submission import Sources, read_submission

ATTACKS = {attack.name: attack for attack in attacks("forging")}
PRINTED = ATTACKS["printed_report"]


# --- What is printed


def test_a_printed_report_reaches_nobody(ground: Ground) -> None:
    """It is neither a report nor a text beside the report."""
    tried = it_is_held(ground, PRINTED)

    assert "forged" not in tried.printed


@pytest.mark.whole
def test_a_printed_report_is_the_first_without_its_guard(weak_ground: Ground) -> None:
    """Its report comes before the grader's where it has the grader's descriptors."""
    path = weak_ground.submission(PRINTED)

    done = weak_ground.run([str(weak_ground.python), str(HERE / "without.py"), "process", str(path)])

    first = next(line for line in done.stdout.splitlines() if line.startswith(b"{"))
    assert b'"score": 100.0, "outcome": "passed", "forged": true' in first


# --- What is compared, and how a test is left


LIARS, WAYS = ATTACKS["liars"], ATTACKS["raised"]


@pytest.mark.whole
@pytest.mark.parametrize("liar", cases(LIARS))
def test_a_liar_is_believed_where_it_is_compared_itself(liar: str) -> None:
    """At least one of the usual comparisons believes it."""
    value = cases(LIARS)[liar]

    comparisons = [
        lambda: value == pytest.approx(EXPECTED),
        lambda: abs(value - EXPECTED) < 1e-9,
        lambda: math.isclose(value, EXPECTED),
    ]

    assert any(compare() for compare in comparisons)


@pytest.mark.whole
@pytest.mark.parametrize("way", ["skip", "expected to fail", "exit at once"])
def test_a_way_out_is_a_pass_where_the_exit_code_counts(tmp_path: Path, way: str) -> None:
    """Plain pytest over a submission that it imports ends with 0, as if all tests had passed."""
    (tmp_path / "vault.py").write_text(with_case(WAYS, way), encoding="utf-8")
    (tmp_path / "test_vault.py").write_text(
        f"from vault import answer\ndef test_answer():\n    assert answer() == {EXPECTED}\n", encoding="utf-8"
    )

    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--import-mode=prepend", "."]
    # The plugins of these tests would take a second to load.
    plain = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, check=False)

    assert done.returncode == 0


# --- What a submission learns of a hidden test reaches its author as an outcome alone

TELLING = Path(__file__).parent / "telling"
TOLD = sorted(path.stem for path in TELLING.glob("[!_]*.py"))


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
    report = grader.grade_sources(submission.info, Sources(submission.blocks), traces=True)
    still = msgspec.structs.replace(
        report,
        started="2026-01-01T00:00:00+00:00",
        seconds=0.0,
        grader=msgspec.structs.replace(report.grader, suite_sha256=""),
        checks=[msgspec.structs.replace(check, seconds=0.0) for check in report.checks],
    )
    return report, {name: render(still) for name, render in FORMATS.items()} | {"report": to_json(still)}


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(a, marks=pytest.mark.ci if a in {"error", "late", "reading", "rule"} else [])
        for a in TOLD
    ],
)
def test_feedback_does_not_depend_on_hidden_inputs(graders, tmp_path, monkeypatch, attack):
    """Under two salts with equal outcomes, every format is the same to the letter."""
    monkeypatch.setattr("grader.grading.grader.EXPLAIN_SECONDS", 60.0)  # on a busy machine too
    path = tmp_path / "day2_backward_pass.py"
    parts = (TELLING / "_hears.py", TELLING / f"{attack}.py")
    path.write_text("\n\n# %%\n".join(part.read_text(encoding="utf-8") for part in parts), encoding="utf-8")
    os.utime(path, (1e9, 1e9))  # the terminal tells how long ago it was saved

    (one, told), (other, retold) = (feedback(grader, path) for grader in graders)

    assert [c.outcome for c in one.checks] == [c.outcome for c in other.checks]
    assert [c.score for c in one.checks] == [c.score for c in other.checks]
    assert any(c.outcome == "failed" for c in one.checks)
    assert [name for name in told if told[name] != retold[name]] == []


# --- With and without replay

# How these end depends on the clock, and on how many threads the system grants; whether the line at which one was
# stopped is told, depends on how busy the machine is.
BY_CHANCE = {"cells", "all_threads", "threads", "floods"}
NAME = "course/assignments/vault/assignment.yaml"
ALL = sorted({path.parent.relative_to(HERE).as_posix() for path in HERE.rglob("*/*.py")})


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    """Yield the launcher of all jails of this file."""
    with Launcher() as running:
        yield running


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Assignment:
    """The vault with a reference that passes, and its record."""
    root = tmp_path_factory.mktemp("vault")
    reference = HONEST.replace("1.0", str(EXPECTED))
    manifest = FILES[NAME].replace("load_seconds: 2", "load_seconds: 1")  # each way waits for an endless cell
    own = {NAME: manifest, "course/solutions/vault/vault.py": f"# %%\n{reference}"}
    for name, text in (FILES | own).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    assignment = Course(root / "course").assignment("vault")
    write_record(assignment, launcher)
    return assignment


@pytest.mark.whole
@pytest.mark.parametrize("folder", ALL)
def test_attacks_have_the_same_report_without_replay(
    vault: Assignment, launcher: Launcher, folder: str
) -> None:
    """One that looks into the worker gains nothing by it."""
    ground = Ground(vault.course.root.parent, Path("/usr/bin/python3"), None)
    works = {
        f"{each.name}.py": (ground.preamble("mallory") + each.source).encode()
        for each in attacks(folder)
        if each.name not in BY_CHANCE
    }

    plain, found = differences_of(vault, launcher, works)

    print(*found, sep="\n")
    looking = tuple(name for name, source in works.items() if b'"request"' in source)
    assert [line for line in found if not line.startswith(looking)] == []
    assert [line for line in found if line.endswith(("+ passed", "+ ungradable"))] == []
    assert {report["score"] for report in plain.values()} <= {0, 50}
