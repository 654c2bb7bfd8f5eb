"""Make `class.zip`: a course, its template, its class and its results, all of the version that is checked out.

    git worktree add ../earlier COMMIT
    cp tests/classroom/earlier/make.py ../earlier && cd ../earlier && PYTHONPATH=tests python make.py class.zip

runs the commands as that version writes them, in an environment in which it is installed. Nothing in the archive
names the machine.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from github_server import GitHub
from helpers import grade
from minicourse import FILES, change, put
from releasing import tree
from whole_class import RULE, World

WORK = ["good", "squares", "forgets", "late", "nothing"]  # of s00 to s04
BEFORE = ["override", "s01", "double", "30", "--why", "half of it is right"]
AFTER = [
    ["override", "s02", "box", "20", "--why", "it was nearly right"],
    ["override", "s03", "--excuse", "--why", "ill"],
]
WHO = {"user.name": "Grace", "user.email": "grace@example.org"}
LEFT_OUT = ("__pycache__/", "feedback/", ".lock")


class EarlierClass(World):
    """Five students, each of another kind."""

    def work(self) -> None:
        for student, kind in zip(self.students, WORK, strict=True):
            getattr(self, f"_{kind}")(self.repository(student))


def make(archive: Path, top: Path) -> None:
    """Run the class in the folder `top` and pack what came of it."""
    for number, (key, value) in enumerate(WHO.items()):
        os.environ |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    os.environ["GIT_CONFIG_COUNT"] = str(len(WHO))
    with GitHub(top / "github") as github:
        template = release(top)
        class_ = EarlierClass(top / "class", github, template, len(WORK))
        run(class_, "stub", "mini")
        for name, words in class_.commands().items():
            if name == "post":
                run(class_, *BEFORE)
            run(class_, *words)
            if name == "distribute":
                class_.work()
        for words in AFTER:
            run(class_, *words)
        issues = issues_of(github)
    pack(archive, class_.root, template, issues)


def release(top: Path) -> dict[str, bytes]:
    """Every file of the template that `grade release` writes for the miniature course."""
    for name, text in FILES.items():
        put(top / "author", name, text)
    change(top / "author", "assignments/mini/assignment.yaml", "submission:", RULE)
    for words in (["stub", "mini"], ["release", "mini", top / "template"]):
        ran = grade(*words, cwd=top / "author")
        assert ran.code == 0, ran.text
    return tree(top / "template")


def run(class_: World, *words: str) -> None:
    code, text = class_.run(*words)
    print(f"$ grade {' '.join(words)}\n{text}")
    assert code in (0, 1), text


def issues_of(github: GitHub) -> dict[str, Any]:
    """Each repository's issues as GitHub has them."""
    return {
        name: [{"title": its.title, "body": its.body, "author": its.author} for its in made.issues.values()]
        for name, made in github.repositories.items()
        if made.issues
    }


def pack(archive: Path, root: Path, template: dict[str, bytes], issues: dict[str, Any]) -> None:
    files = {f"template/{name}": data for name, data in template.items()}
    for folder in ("course", "students"):
        files |= {f"{folder}/{name}": data for name, data in tree(root / folder).items()}
    files["issues.json"] = json.dumps(issues, indent=1).encode()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in sorted(files.items()):
            if not any(part in name for part in LEFT_OUT):
                opened.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        make(Path(sys.argv[1]), Path(folder))
