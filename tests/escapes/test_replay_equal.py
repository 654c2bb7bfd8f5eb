"""Every attack has the same report with and without replay; one that looks into the worker gains nothing by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bothways import differences_of, write_record
from escapes.ground import EXPECTED, FILES, HERE, HONEST, Ground, attacks

from grader.assignment import Assignment, Course
from grader.sandbox import Launcher

# How these end depends on the clock, and on how many threads the system grants; whether the line at which one was
# stopped is told, depends on how busy the machine is.
BY_CHANCE = {"cells", "all_threads", "threads", "floods"}
NAME = "course/assignments/vault/assignment.yaml"
FOLDERS = sorted({path.parent.relative_to(HERE).as_posix() for path in HERE.rglob("*/*.py")})


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
@pytest.mark.parametrize("folder", FOLDERS)
def test_attacks_have_the_same_report(vault: Assignment, launcher: Launcher, folder: str) -> None:
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
