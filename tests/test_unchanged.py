"""The default run leaves out folders of tests only while nothing that they depend on has changed."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import unchanged
from helpers import COURSE


def config(paths=(), keyword="", markexpr="not slow"):
    return SimpleNamespace(
        option=SimpleNamespace(file_or_dir=list(paths), keyword=keyword, markexpr=markexpr)
    )


@pytest.fixture(autouse=True)
def developer(monkeypatch):
    """Not in CI; what this run itself leaves out stands again at the end."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv(unchanged.KEY, "")


def left_out(monkeypatch, changed, **options):
    monkeypatch.setattr(unchanged, "changed_paths", lambda: changed)
    unchanged.choose_unchanged(config(**options))
    return unchanged.unchanged()


ALL = list(unchanged.DEPENDS_ON)
PACKAGE = {name for name, of in unchanged.DEPENDS_ON.items() if "grader" in of}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ([], ALL),
        (["CHANGELOG.md", "tests/render/test_inert.py", "tests/coursework.py"], ALL),
        (["grader/classroom/release/push.py"], [name for name in ALL if name not in PACKAGE]),
        (["docs/glossary.md"], [name for name in ALL if name not in PACKAGE]),
        (["grader/sandbox/inside/confine.py"], []),
        (["grader/report.py"], []),
        (["tests/conftest.py"], []),
        (["tests/escapes/reads/open.py"], [name for name in ALL if name != "tests/escapes"]),
        (["assignments/day2/assignment.yaml"], ["tests/sandbox", "tests/escapes"]),
        (
            ["grader/render/html.py"],
            [
                name
                for name in ALL
                if name not in {"tests/grading", "tests/site", "tests/viva", "tests/fleet", *PACKAGE}
            ],
        ),
        (None, []),
    ],
)
def test_what_depends_on_no_change_is_left_out(monkeypatch, changed, expected):
    """None stands for a folder of which git knows no upstream branch."""
    assert left_out(monkeypatch, changed) == expected


@pytest.mark.parametrize(
    "options", [{"paths": ["tests/escapes"]}, {"keyword": "reads"}, {"markexpr": ""}, {"markexpr": "slow"}]
)
def test_whoever_chooses_gets_all_of_it(monkeypatch, options):
    assert left_out(monkeypatch, [], **options) == []


def test_ci_runs_all_of_it(monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert left_out(monkeypatch, []) == []


def test_guards_stay(monkeypatch):
    """Tested in every run: the class of hostile students, points and grades, what crosses the jail's wall, what is handed out."""
    left_out(monkeypatch, [])
    folders = [COURSE / name for name in ALL]
    stay = {
        f"{path.parent.name}/{path.name}"
        for folder in folders
        for path in folder.glob("test_*.py")
        if not unchanged.is_left_out(path)
    }
    assert stay == unchanged.STAY
    assert not unchanged.is_left_out(COURSE / "tests" / "render" / "test_inert.py")


def test_each_path_is_there():
    """A room that is renamed must be renamed here."""
    paths = [Path(name) for names in unchanged.DEPENDS_ON.values() for name in names]
    assert [path for path in paths if not (COURSE / path).exists()] == []
