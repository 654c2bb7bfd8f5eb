"""The workflow of a student's repository: what it may do. Linters read it in test_workflows.py."""

import os
import re

import pytest
import yaml
from actions import run_job

from grader.classroom.release.workflow import workflow
from grader.errors import Refused

DAYS = ["day1", "day2", "day-3", "Day_4"]
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
    assert steps == ["install__", "install", "Install_"]


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
