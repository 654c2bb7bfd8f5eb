"""Completion in the shell: what is offered on which line, and that it works in a real shell."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.shell_completion import CompletionItem, get_completion_class
from helpers import GRADE, grade
from minicourse import FILES, put

from grader.cli import main
from grader.practice.commands import SHELLS as SUPPORTED
from grader.practice.commands import script
from grader.render import FORMATS

SHELLS = [name for name in SUPPORTED if shutil.which(name)]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small course, and we are in it."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def completed(*words: str) -> list[CompletionItem]:
    """Return what is offered for the words after `grade`, the unfinished one last."""
    complete = get_completion_class("bash")
    assert complete is not None
    return complete(main, {}, "grade", "_GRADE_COMPLETE").get_completions(list(words[:-1]), words[-1])


def offered(*words: str) -> list[str]:
    """The words that are offered, or `file`."""
    return [item.value if item.type == "plain" else item.type for item in completed(*words)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["mi"], ["mini"]),
        (["wa"], ["watch", "walk"]),
        (["hint", ""], ["mini"]),
        (["hint", "mini", ""], ["double", "box"]),
        (["hint", "mini", "b"], ["box"]),
        (["watch", "mini", "--check", ""], ["double", "box"]),
        (["watch", "mini", "--check", "=", "d"], ["double"]),
        (["mini", "--check", "d"], ["double"]),
        (["mini", "--check=d"], ["double"]),
        (["mini", "--format", ""], list(FORMATS)),
        (["mini", "--format", "classroom"], ["classroom", "classroom50"]),
        (["mini", "mi"], ["file"]),
        (["reset", ""], ["mini"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["no", "such", ""], []),
        (["hint", "nothing", ""], []),
    ],
    ids=" ".join,
)
def test_what_is_offered(root: Path, line: list[str], expected: list[str]):
    """Commands, assignments, the checks of the assignment on the line, formats, files."""
    assert offered(*line) == expected


def test_everything_at_the_beginning(root: Path, snapshot):
    """Assignments first, each with what it does."""
    first = completed("")[0]
    assert first.value == "mini"
    assert first.help == snapshot
    assert {"watch", "hint", "reset"} <= set(offered(""))


def test_a_name_that_a_shell_would_obey(root: Path):
    """It is not offered."""
    put(root, "assignments/$(touch x)/assignment.yaml", FILES["assignments/mini/assignment.yaml"])
    assert offered("hint", "") == ["mini"]


@pytest.mark.ci
@pytest.mark.parametrize("variable", ["bash_source", "1"])
def test_the_environment_has_no_say(root: Path, variable: str):
    """A variable of click's own would print something else than the grade, with the exit code of full marks."""
    put(root, "mine.py", "def double(x):\n    return x * x\n")
    env = {"_GRADE_COMPLETE": variable, "COMP_WORDS": "grade mi", "COMP_CWORD": "1"}
    ran = grade("mini", "mine.py", cwd=root, env=env)
    assert ran.code == 1
    assert "0 of 100 points" in ran.out
    assert grade("mini", "--help", cwd=root, env=env).out.startswith("Usage: grade mini")


@pytest.mark.skipif(os.name == "nt", reason="there are other shells")
def test_in_a_real_bash(root: Path):
    """The script defines a completion that fills in what is offered, also after an `=`."""
    assert "bash" in SHELLS
    script = """
    source <(grade completion bash)
    line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _grade_completion grade; echo "${COMPREPLY[*]}"; }
    complete -p grade
    line grade hint mini ""
    line grade mini --check = b
    line grade wat
    """
    path = f"{GRADE.parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=root, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    registered, *lines = ran.stdout.splitlines()
    assert "-F _grade_completion grade" in registered
    assert lines == ["double box", "box", "watch"]
    assert ran.stderr == ""


@pytest.mark.skipif(not SHELLS, reason="there are other shells")
def test_the_scripts_are_sound_where_their_shells_are():
    """Each shell reads its script without running it."""
    for shell in SHELLS:
        ran = subprocess.run(
            [shell, "-n"] if shell != "fish" else [shell, "--no-execute"],
            input=script(main, shell), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (ran.returncode, ran.stderr) == (0, ""), shell
