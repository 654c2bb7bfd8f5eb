"""`.github/workflows/publish-site.yml`: its steps, run in bash with a real remote."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from actions import run_step
from helpers import COURSE, copy_course
from minicourse import put

from grader.files import write_cache
from grader.site.runtime import KIND, MSGSPEC, PYODIDE

WORKFLOW = yaml.safe_load((COURSE / ".github/workflows/publish-site.yml").read_text(encoding="utf-8"))
(JOB,) = WORKFLOW["jobs"].values()


@pytest.mark.ci
@pytest.mark.skipif(os.name == "nt", reason="the workflow runs on Linux")
def test_the_site_is_published_on_a_branch(archives: Path, tmp_path: Path) -> None:
    """One commit with the pages, each time: a second run replaces it."""
    for pin in (PYODIDE, MSGSPEC):
        write_cache(KIND, pin.file, (archives / pin.file).read_bytes())
    course, remote = copy_course(tmp_path / "course"), tmp_path / "org" / "course.git"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    values = {
        "${{ inputs.days }}": "day1",
        "${{ inputs.hand_in }}": "https://example.org/{day}",
        "${{ github.token }}": "t",
    }
    environment = {
        name: value for name, value in os.environ.items() if name.startswith(("GIT_", "HOME", "XDG_", "LANG"))
    }
    environment |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_SERVER_URL": f"file://{tmp_path}",
        "GITHUB_REPOSITORY": "org/course",
        "GITHUB_SHA": "c" * 40,
    }

    def run(name: str, temp: Path) -> None:
        (step,) = [step for step in JOB["steps"] if step.get("name") == name]
        own = {name: values[value] for name, value in step["env"].items()} | {"RUNNER_TEMP": str(temp)}
        done = run_step(step["run"], course, temp / f"step {name}", environment | own)
        assert done.code == 0, done.text

    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    run("Make the site", first)
    shutil.copytree(first, second)  # as a second run would make it
    for temp in (first, second):
        run("Publish it", temp)

    git = ["git", "--git-dir", str(remote)]
    commits = subprocess.run(
        [*git, "rev-list", "gh-pages"], capture_output=True, check=True, text=True
    ).stdout.split()
    names = subprocess.run(
        [*git, "ls-tree", "--name-only", "gh-pages"], capture_output=True, check=True, text=True
    ).stdout.split()
    assert len(commits) == 1
    assert {".nojekyll", "day1.html", "files", "index.html", "sw.js"} <= set(names)


@pytest.mark.skipif(os.name == "nt", reason="the workflow runs on Linux")
@pytest.mark.parametrize(
    ("there", "given", "installed"),
    [
        (["grader/x.py"], "", "-c constraints.txt .[site]"),
        (["vendor/backgrade-1.9.0-py3-none-any.whl", "vendor/backgrade-1.10.0-py3-none-any.whl"], "",
         "./vendor/backgrade-1.10.0-py3-none-any.whl[site]"),
        (["grader/x.py"], "backgrade[site]==1.0", "backgrade[site]==1.0"),
    ],
)  # fmt: skip
def test_what_is_installed_is_there(tmp_path: Path, there: list[str], given: str, installed: str) -> None:
    """This repository, or in a course of one's own the wheel that `grade open` wrote."""
    course, python = tmp_path / "course", tmp_path / "bin" / "python"
    for name in there:
        put(course, name, "")
    put(tmp_path, "bin/python", '#!/bin/sh\necho "$@"\n').chmod(0o755)
    (step,) = [step for step in JOB["steps"] if step.get("name") == "Install"]
    done = run_step(
        step["run"],
        course,
        tmp_path / "step",
        {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "INSTALL": given},
    )
    assert (done.code, done.text.strip()) == (0, f"-m pip install -q {installed}")
