"""The job of `.github/workflows/grade-class.yml`: its steps in bash, against the tests' GitHub."""

from __future__ import annotations

import os
import re
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import yaml
from actions import Run, run_step
from github_server import GitHub

CALLED = ".github/workflows/grade-class.yml"


@dataclass(frozen=True)
class Runner:
    """A machine that GitHub lends: what runs there, in which repository, with which commands."""

    github: GitHub
    repository: str
    token: str
    programs: Path

    def run(self, course: Path, temp: Path, **inputs: object) -> Run:
        """The steps of one job, on a machine of its own: only what is pushed outlives it.

        Without `install` what is installed on this machine serves.
        """
        job = yaml.safe_load((course / CALLED).read_text(encoding="utf-8"))["jobs"]["grade"]
        given = {"day": "mini", "post": True, "answer": False, "final": "false"} | inputs
        temp.mkdir()
        made, token = Run(), self.github.token(write=("contents",), repositories=[self.repository])
        for number, step in enumerate(job["steps"]):
            if "run" not in step or (step["name"] == "Install" and "install" not in given):
                continue
            if not _is_due(step.get("if", "${{ success() }}"), given, made):
                continue
            named = job["env"] | step.get("env", {})
            values = {name: self._evaluated(text, given, token) for name, text in named.items()}
            done = run_step(step["run"], course, temp / f"step{number}", self._variables(temp) | values)
            done.id = step["name"]
            made.steps.append(done)
        return made

    def _evaluated(self, text: str, inputs: dict[str, object], token: str) -> str:
        """The expressions that the workflow uses, and no other; `token` is the job's own."""
        known = {f"inputs.{name}": str(value) for name, value in inputs.items()}
        known |= {"github.token": token, "secrets.token": self.token}
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text)

    def _variables(self, temp: Path) -> dict[str, str]:
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return pip | {
            "BACKGRADE_PACE": "0",
            "GITHUB_API_URL": self.github.url,
            "GITHUB_REPOSITORY": self.repository,
            "GITHUB_SERVER_URL": f"file://{self.github.folder}",
            "HOME": str(temp),
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(temp),
        }


def _is_due(condition: str, inputs: dict[str, object], made: Run) -> bool:
    """Tell whether a step runs; a condition without a function of its own means that all before it went well."""
    known = {"success()": True, "inputs.post": inputs["post"], "inputs.answer": inputs["answer"]}
    known |= {"!inputs.answer": not inputs["answer"], "always()": True}
    words = condition.removeprefix("${{ ").removesuffix(" }}")
    return bool(known[words]) and (made.green or words == "always()")


def machine(folder: Path) -> Path:
    """A Python with the libraries that Backgrade needs, and without Backgrade; gives the folder of its commands."""
    venv.create(folder, symlinks=True)
    place = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    (folder / place / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"
