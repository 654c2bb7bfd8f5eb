"""The default run leaves out folders of tests while nothing that they depend on has changed.

They are all but those of reports and of submissions. Changed is what differs from the last commit that is shared with the
upstream branch: what is not yet pushed. The files in STAY are never left out: guards, and what other rooms make of a
grading. All of it runs where CI is set, with `-m ""`, where a path or a name is given, and where git does not know an
upstream branch.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
GRADING = (
    *("assignment.py", "autograd", "cli.py", "errors.py", "files.py", "grading", "manifest.py"),
    *("report.py", "sandbox", "submissions", "topic", "__main__.py"),
)
HARNESS = ["constraints.txt", "pyproject.toml", "tests/conftest.py", "tests/engines", "tests/support"]
SHARED = [*(f"grader/{name}" for name in GRADING), *HARNESS]
PACKAGE = ["README.md", "docs", "grader", "tests/schemas", *HARNESS]  # of tests that try every command
COURSE = ["assignments", "solutions"]
DEPENDS_ON = {  # paths from the root
    "tests/sandbox": [*SHARED, "tests/sandbox"],
    "tests/grading": [*SHARED, *COURSE, "grader/authoring", "grader/fleet", "grader/render", "tests/grading"],
    "tests/escapes": [*SHARED, "tests/escapes"],
    "tests/course": [*SHARED, *COURSE, "tests/course"],
    "tests/autograd": [*SHARED, *COURSE, "tests/autograd"],
    "tests/authoring": [*SHARED, *COURSE, "grader/authoring", "tests/authoring", "docs/authors.md"],
    "tests/site": [
        *SHARED,
        *COURSE,
        "grader/site",
        "grader/render",
        "grader/classroom/release/contents.py",
        "tests/course",
        "tests/site",
    ],
    "tests/viva": [
        *SHARED,
        *COURSE,
        "grader/console.py",
        "grader/gradebook",
        "grader/render",
        "grader/viva",
        "tests/viva",
    ],
    "tests/fleet": [*SHARED, *COURSE, "grader/fleet", "grader/gradebook", "grader/render", "tests/fleet"],
    "tests/practice": [*PACKAGE, *COURSE, "tests/practice"],
    "tests/gradebook": [*PACKAGE, *COURSE, "tests/gradebook"],
    "tests/classroom": [*PACKAGE, *COURSE, ".ci", ".github", "tests/classroom"],
}
STAY = {  # folder and name
    "classroom/test_changed_code.py",
    "classroom/test_ci_actions.py",
    "classroom/test_collect_git.py",
    "classroom/test_handed_out.py",
    "classroom/test_late_work.py",
    "classroom/test_release.py",
    "classroom/test_release_whole.py",
    "classroom/test_teams.py",
    "classroom/test_versions.py",
    "classroom/test_whole_class.py",
    "course/test_fair_points.py",
    "escapes/test_class.py",
    "fleet/test_salts.py",
    "gradebook/test_by_hand.py",
    "gradebook/test_classpage.py",
    "gradebook/test_classpage_screens.py",
    "gradebook/test_export.py",
    "gradebook/test_late.py",
    "gradebook/test_record.py",
    "gradebook/test_roster.py",
    "gradebook/test_sentences.py",
    "gradebook/test_store.py",
    "gradebook/test_totals.py",
    "gradebook/test_transfer.py",
    "grading/test_hidden.py",
    "grading/test_manual.py",
    "grading/test_own_and_others.py",
    "grading/test_verdicts.py",
    "grading/test_words_last.py",
    "practice/test_cli.py",
    "practice/test_start.py",
    "sandbox/test_identity.py",
    "sandbox/test_wire.py",
    "viva/test_pages.py",
}
KEY = "BACKGRADE_TESTS_UNCHANGED"  # tells the workers of pytest-xdist


def choose_unchanged(config: Any) -> None:
    """Note down the folders that this run leaves out; to be called in pytest's main process."""
    chosen = config.option.file_or_dir or config.option.keyword or config.option.markexpr != "not slow"
    changed = None if chosen or "CI" in os.environ else changed_paths()
    found = [] if changed is None else [name for name in DEPENDS_ON if not _touched(name, changed)]
    os.environ[KEY] = " ".join(found)


def unchanged() -> list[str]:
    """Return the folders that this run leaves out."""
    return os.environ.get(KEY, "").split()


def is_left_out(path: Path) -> bool:
    """Return True for a file of tests that this run leaves out."""
    folders = [ROOT / name for name in unchanged()]
    stays = f"{path.parent.name}/{path.name}" in STAY
    return path.suffix == ".py" and not stays and path.parent in folders


def _touched(folder: str, changed: list[str]) -> bool:
    return any(f"{name}/".startswith(f"{of}/") for name in changed for of in DEPENDS_ON[folder])


def changed_paths() -> list[str] | None:
    """Return the paths that differ from the upstream branch's last shared commit; None where there is none."""
    base = _git("merge-base", "HEAD", "@{upstream}")
    if not base:
        return None
    differ = (
        _git("diff", "--name-only", "-z", base[0].strip()),
        _git("ls-files", "-z", "--others", "--exclude-standard"),
    )
    return None if None in differ else [name for names in differ for name in names or ()]


def _git(*command: str) -> list[str] | None:
    done = subprocess.run(["git", *command], cwd=ROOT, capture_output=True, check=False)
    return done.stdout.decode(errors="replace").split("\0") if done.returncode == 0 else None
