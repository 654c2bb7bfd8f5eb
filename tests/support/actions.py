"""A job of GitHub Actions on this machine: the `run:` steps of a workflow, as the runner would run them.

`run_job` starts each step in bash with files and variables of its own and gives what the runner would have
made of it. What counts as a command, and how it is unescaped, follows actions/runner: ActionCommand.cs,
ActionCommandManager.cs, FileCommandManager.cs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

SUMMARY_LIMIT = 1 << 20  # bytes a step
ISSUES = ("error", "warning", "notice")
MOST_ISSUES = 10  # of each kind a step
COMMANDS = {"add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "group", "remove-matcher",
            "save-state", "set-env", "set-output", "stop-commands", *ISSUES}  # fmt: skip
PATIENCE = 60  # seconds


# --- Commands in a log


@dataclass(frozen=True)
class Command:
    """A line of a log that the runner executes."""

    name: str
    properties: dict[str, str]
    data: str


def command_of(line: str) -> Command | None:
    """Return the command that the runner reads in a line; None for any other line."""
    return _second_form(line) or _first_form(line)


def _second_form(line: str) -> Command | None:
    """`::name key=value,key=value::data`, after blanks."""
    text = line.lstrip()
    end = text.find("::", 2)
    if not text.startswith("::") or end < 0:
        return None
    name, _, rest = text[2:end].partition(" ")
    if name.lower() not in COMMANDS:
        return None
    return Command(name.lower(), _properties(rest.strip(), ",", ":,"), _unescaped(text[end + 2 :], ""))


def _first_form(line: str) -> Command | None:
    """`##[name key=value;key=value]data`, anywhere in a line."""
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, _, rest = line[start + 3 : end].partition(" ")
    if name.lower() not in COMMANDS:
        return None
    return Command(name.lower(), _properties(rest, ";", ";]"), _unescaped(line[end + 1 :], ";]"))


def _properties(text: str, between: str, escaped: str) -> dict[str, str]:
    pairs = [re.fullmatch(r"=*([^=]+)=+(.+)", part, re.DOTALL) for part in text.split(between)]
    return {found[1].lower(): _unescaped(found[2], escaped) for found in pairs if found}


def _unescaped(text: str, more: str) -> str:
    for sign in ["\r", "\n", *more, "%"]:  # one after the other, the per cent sign last
        text = text.replace(f"%{ord(sign):02X}", sign)
    return text


# What actions/setup-python has the runner look for in every log that follows (.github/python.json there).
_IN_A_FILE = re.compile(r'\s*File\s"(.*)",\sline\s(\d+),\sin\s(.*)')
_RAISED = re.compile(r"\s*raise\s(.*)\('(.*)'\)")


@dataclass
class Log:
    """A step's log: the commands that the runner executed, and the lines that it only shows.

    Until `::remove-matcher owner=python::` two lines that look like a traceback are an error, as after setup-python.
    """

    commands: list[Command] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    stopped_by: str = ""
    matches: bool = True

    @classmethod
    def of(cls, text: str) -> Log:
        log = cls()
        for line in re.split(r"\r\n|\r|\n", text.removesuffix("\n")):
            log._take(line)
        return log

    def _take(self, line: str) -> None:
        command = None if self.stopped_by else command_of(line)
        if self.stopped_by and line.strip().lower() == f"::{self.stopped_by}::":
            self.stopped_by = ""
        elif command is None:
            self._match(line)
            self.shown.append(line)
        elif command == Command("remove-matcher", {"owner": "python"}, ""):
            self.matches = False
        else:
            self.commands.append(command)
            if command.name == "stop-commands":
                self.stopped_by = command.data.lower()

    def _match(self, line: str) -> None:
        place = _IN_A_FILE.fullmatch(self.shown[-1]) if self.shown and self.matches else None
        if place and (raised := _RAISED.fullmatch(line)):
            self.commands.append(Command("error", {"file": place[1], "line": place[2]}, raised[2]))

    @property
    def annotations(self) -> list[Command]:
        """Those that GitHub shows."""
        kept, counts = [], dict.fromkeys(ISSUES, 0)
        for command in self.commands:
            if command.name in ISSUES:
                counts[command.name] += 1
                if counts[command.name] <= MOST_ISSUES:
                    kept.append(Command(command.name, command.properties, command.data[:4096]))
        return kept


# --- Files


def pairs_in(text: str) -> dict[str, str]:
    """Return the values in a file of outputs or variables; a line that is neither form is an error, as in the runner."""
    found: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        name, heredoc, value = re.fullmatch(r"(.*?)(?:(<<)|=)(.*)", line).groups()  # the first of the two
        if heredoc:
            taken = []
            while (following := next(lines)) != value:
                taken.append(following)
            value = "\n".join(taken)
        assert name, line
        found[name] = value
    return found


# --- A job


@dataclass
class Step:
    """The result of a step."""

    id: str
    code: int | None = None  # None: it was not run here
    text: str = ""
    log: Log = field(default_factory=Log)
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    outcome: str = "success"  # or failure, skipped


@dataclass
class Run:
    """The result of a job."""

    steps: list[Step] = field(default_factory=list)

    @property
    def green(self) -> bool:
        return all(not step.code for step in self.steps)

    def step(self, id_: str) -> Step:
        (found,) = (step for step in self.steps if step.id == id_)
        return found


def job_variables(workspace: Path, temp: Path, **more: str) -> dict[str, str]:
    """Return the runner's variables for every step of a push to `main` of course/alice; other variables replace these."""
    scripts = Path(sys.executable).parent
    return {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": "http://127.0.0.1:9",  # nobody listens there
        "GITHUB_EVENT_NAME": "push",
        "GITHUB_REF": "refs/heads/main",
        "GITHUB_REF_NAME": "main",
        "GITHUB_REPOSITORY": "course/alice",
        "GITHUB_SHA": "0" * 39 + "1",
        "GITHUB_WORKSPACE": str(workspace),
        "HOME": str(temp),
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(temp),
    } | more


def run_job(
    text: str,
    workspace: Path,
    temp: Path,
    *,
    leave_out: tuple[str, ...] = ("Install",),
    token: str = "",
    **more: str,
) -> Run:
    """Run the steps of a workflow's one job; those named in `leave_out` and actions count as done."""
    (job,) = yaml.safe_load(text)["jobs"].values()
    run, variables = Run(), job_variables(workspace, temp, **more)
    for number, step in enumerate(job["steps"]):
        made = Step("")
        if not _is_due(step.get("if"), run):
            made.outcome = "skipped"
        elif "run" in step and step.get("name") not in leave_out:
            values = {k: _evaluated(str(v), run, token) for k, v in (step.get("env") or {}).items()}
            made = run_step(step["run"], workspace, temp / f"step{number}", variables | values)
            made.outcome = "failure" if made.code else "success"
        made.id = step.get("id", "")
        run.steps.append(made)
    return run


def run_step(script: str, workspace: Path, folder: Path, variables: Mapping[str, str]) -> Step:
    """One `run:` in bash, with files of its own."""
    assert "${{" not in script, "an expression in a script would be replaced by whatever somebody wrote"
    folder.mkdir(parents=True)
    names = {
        "GITHUB_OUTPUT": "output",
        "GITHUB_STEP_SUMMARY": "summary",
        "GITHUB_ENV": "env",
        "GITHUB_PATH": "path",
    }
    files = {variable: folder / name for variable, name in names.items()}
    for file in files.values():
        file.touch()
    (folder / "script.sh").write_text(script, encoding="utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(folder / "script.sh")],
        cwd=workspace,
        env={k: str(v) for k, v in files.items()} | dict(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
        check=False,
    )
    printed = done.stdout.decode("utf-8", errors="replace")
    summary = files["GITHUB_STEP_SUMMARY"].read_bytes()
    assert len(summary) <= SUMMARY_LIMIT, "GitHub would refuse this summary"
    outputs = pairs_in(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))
    return Step("", done.returncode, printed, Log.of(printed), summary.decode("utf-8"), outputs)


def _is_due(condition: str | None, run: Run) -> bool:
    text = (condition or "success()").removeprefix("${{").removesuffix("}}").strip()
    if " && " in text:
        return all(_is_due(part, run) for part in text.split(" && "))
    if found := re.fullmatch(r"steps\.([\w-]+)\.outcome == '(\w+)'", text):
        return run.step(found[1]).outcome == found[2]
    match text:
        case "success()":
            return run.green
        case "failure()":
            return not run.green
        case "always()" | "!cancelled()":
            return True
    raise AssertionError(f"say in {Path(__file__).name} what `if: {condition}` means")


def _evaluated(text: str, run: Run, token: str) -> str:
    def value(found: re.Match[str]) -> str:
        if found[1] == "github.token":
            return token
        step, name = re.fullmatch(r"steps\.([\w-]+)\.outputs\.([\w-]+)", found[1]).groups()
        return run.step(step).outputs.get(name, "")

    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", value, text)
