"""The start of the command: it ignores the files around it and the environment."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from helpers import COURSE, GRADE, Ran, grade, reference
from minicourse import FILES, change, put

from grader import __main__ as start
from grader.report import Report, from_json

HALF = "def double(x):\n    return x + x\n"  # earns 60 of 100
STEERING = {
    "PYTHONPATH", "PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "PYTHONCASEOK",
    "PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHONDEVMODE", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHON_PRESITE",
    "PYTHONINTMAXSTRDIGITS",
}  # fmt: skip
HARMLESS = {
    "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED",
    "PYTHONNOUSERSITE", "PYTHONSAFEPATH", "PYTHONSTARTUP", "PYTHON_VERSION", "PYTHON_COLORS",
}  # fmt: skip


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    """Remove the developer's own settings."""
    for name in STEERING | HARMLESS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small course, with a submission in a folder of its own."""
    for name, text in FILES.items():
        put(tmp_path / "course", name, text)
    put(tmp_path / "course", "bob/mine.py", HALF)
    return tmp_path / "course"


def fill(folder: Path, *names: str) -> Path:
    """Put hostile files there; each tells that it was executed, or changes what pytest does.

    Gives the file in which those stand that were.
    """
    witness = folder.parent / "executed"
    for name in names:
        source = f"open({str(witness)!r}, 'a').write({name + chr(10)!r})\nraise RuntimeError({name!r})\n"
        put(folder, name, source if name.endswith(".py") else SETTINGS[name])
    return witness


MODULES = ("click.py", "random.py", "json.py", "pytest.py", "conftest.py", "msgspec.py", "yaml/__init__.py")
BEFORE_US = ("sitecustomize.py", "usercustomize.py", "re.py", "grader/__init__.py", "__init__.py")
SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    ".pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '--collect-only'\n",
    "setup.cfg": "[tool:pytest]\naddopts = --collect-only\n",
    "tox.ini": "[pytest]\naddopts = --no-such-option\n",
}
ENVIRONMENT = {
    "PYTEST_ADDOPTS": "--collect-only",
    "PYTEST_PLUGINS": "conftest",
    "PYTHONINSPECT": "1",
    "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2",
}


COMMAND = "from grader.__main__ import main; main()"  # what the installed script does


def run(
    *command: str | Path, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in which the interpreter matters."""
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def told(ran: Ran) -> Report:
    """A report without what differs from run to run; the exit code must agree with it."""
    assert ran.code == 1, ran.text
    report = from_json(ran.out)
    report.started, report.seconds = "", 0.0
    for check in report.checks:
        check.seconds = 0.0
    return report


def test_nothing_beside_the_submission_is_executed(root: Path):
    """Nor in the current folder, its repository, in the environment or on PYTHONPATH; the result is the same."""
    bob, elsewhere = root / "bob", root.parent / "elsewhere"
    clean = told(grade("mini", "mine.py", "--format", "json", cwd=bob, cold=True))

    witness = fill(bob, *MODULES, *BEFORE_US, *SETTINGS)
    fill(elsewhere, *MODULES)
    env = ENVIRONMENT | {"PYTHONPATH": str(elsewhere)}
    hostile = [
        told(grade("mini", "mine.py", "--format", "json", cwd=bob, cold=True)),
        told(grade("mini", "mine.py", "--format", "json", cwd=bob, env=env)),
    ]

    assert not witness.exists(), witness.read_text(encoding="utf-8")
    assert hostile == [clean, clean]
    assert clean.score == 60


OF_A_JOB = {
    "CI": "true",
    "BUILD_NUMBER": "7",
    "PY_COLORS": "1",
    "TOX_ENV_DIR": "/tmp",
    "PYTEST_THEME": "none",
}
ASKS_WHERE_IT_RUNS = f"""
import os


def test_where(student):
    \"\"\"Nobody tells that this is a job.\"\"\"
    assert not set({sorted(OF_A_JOB)!r}).intersection(os.environ)


def test_long(student):
    \"\"\"A long answer.\"\"\"
    assert student.double(list("ab" * 500)) == ["b", "a"] * 1_000
"""


@pytest.mark.ci
def test_a_job_is_graded_as_everywhere_else(root: Path):
    """In one, pytest compares long answers line by line, without a bound on their length."""
    path = root / "assignments/mini/checks/test_double.py"
    path.write_text(path.read_text(encoding="utf-8") + ASKS_WHERE_IT_RUNS, encoding="utf-8")
    alone = told(grade("mini", "bob/mine.py", "--format", "json", cwd=root, cold=True))

    in_a_job = told(grade("mini", "bob/mine.py", "--format", "json", cwd=root, env=OF_A_JOB))

    assert in_a_job == alone
    assert "Nobody tells" not in alone.checks[0].message


def test_a_shell_that_completes_words(root: Path):
    """With its variable pytest would end the command, or offer words instead of a report."""
    told(grade("mini", "bob/mine.py", "--format", "json", cwd=root, env={"_ARGCOMPLETE": "1"}))


def test_started_again_it_prints_and_writes_as_before(root: Path):
    """PYTHONIOENCODING and PYTHONDONTWRITEBYTECODE keep their effect."""
    env = {"PYTHONWARNINGS": "ignore", "PYTHONIOENCODING": "ascii", "PYTHONDONTWRITEBYTECODE": "1"}
    change(root, "assignments/mini/checks/test_double.py", "Doubling", "× two")

    ran = grade("mini", "bob/mine.py", cwd=root, env=env)

    assert ran.code == 1
    assert "* two" in ran.out
    assert list(root.rglob("__pycache__")) == []


def test_help_names_the_command(root: Path):
    """However it was started."""
    for env in ({}, {"PYTHONWARNINGS": "ignore"}):
        assert grade("--help", cwd=root, env=env).out.startswith("Usage: grade [OPTIONS]")


def test_started_as_a_module(root: Path):
    """`python -m grader` in the folder of hostile modules."""
    witness = fill(root / "bob", *MODULES)

    done = run(sys.executable, "-m", "grader", "--version", cwd=root / "bob")

    assert done.returncode == 0, done.stderr
    assert not witness.exists()


def test_a_right_notebook_is_graded_without_them(tmp_path: Path):
    """Each takes milliseconds to import: those who read the report would wait for nothing."""
    path = put(tmp_path, "mine.py", reference("day2"))
    command = [sys.executable, "-I", "-X", "importtime", "-m", "grader", "day2", path, "--format", "json"]

    done = run(*command, cwd=COURSE)

    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0, done.stdout
    assert imported & {"grader.grading.run", "dataclasses", "difflib", "pytest"} == {"grader.grading.run"}


@pytest.mark.skipif(os.name == "nt", reason="a virtual environment of links")
def test_what_the_users_site_folder_has_done_is_undone(tmp_path: Path):
    """Modules that its `usercustomize` has put into the interpreter are not those of the command."""
    venv.create(tmp_path / "venv", system_site_packages=True, symlinks=True)
    python = tmp_path / "venv/bin/python"
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    site = tmp_path / f"venv/lib/{version}/site-packages"
    put(site, "ours.pth", f"{COURSE}\n{sysconfig.get_path('purelib')}\n")
    user = tmp_path / f"home/.local/lib/{version}/site-packages"
    put(user, "usercustomize.py", "import sys, types\nfake = sys.modules['grader.cli'] = types.ModuleType('grader.cli')\n"
        "fake.main = lambda **_: print('full marks')\n")  # fmt: skip
    home = {"HOME": str(tmp_path / "home")}

    done = run(python, "-c", COMMAND, "--version", cwd=tmp_path, env=home)

    assert done.stdout.startswith("grade, version"), done.stderr

    put(user, "backgrade-0.1.0.dist-info/RECORD", "")  # where the command is installed is a part of it
    done = run(python, "-c", COMMAND, "--version", cwd=tmp_path, env=home)

    assert done.stdout == "full marks\n", done.stderr


@pytest.mark.skipif(
    sys.prefix == sys.base_prefix, reason="without a virtual environment it is installed there"
)
def test_an_installation_by_the_environment_alone(tmp_path: Path):
    """A package that only PYTHONPATH finds is not found; the message says what to do."""
    done = run(sys._base_executable, "-c", COMMAND, cwd=tmp_path, env={"PYTHONPATH": str(COURSE)})

    assert done.returncode == 3
    assert done.stderr == (
        f"grade: grader is not installed for {sys._base_executable} itself, and `grade` ignores PYTHONPATH; "
        "install Backgrade into a virtual environment and start it from there\n"
    )


@pytest.fixture
def started(monkeypatch):
    """Return the arguments of the second start with these variables, or nothing."""

    def started(**env: str) -> list[str] | None:
        again: list[list[str]] = []
        monkeypatch.setattr(start, "_replace_process", again.append)
        monkeypatch.setattr("grader.cli.main", lambda **_: None)
        monkeypatch.setattr(sys, "argv", ["/bin/grade", "day2", "a file.py"])
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        start.main()
        return again[0] if again else None

    return started


@pytest.mark.parametrize("name", sorted(STEERING))
def test_variables_that_change_what_is_executed(started, name: str):
    """Each is a reason to start again without it, with the same arguments."""
    command = started(**{name: "1"})

    assert command[:3] == [sys.executable, "-I", f"-Xutf8={sys.flags.utf8_mode}"]
    assert command[-2:] == ["day2", "a file.py"]


@pytest.mark.ci
@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_variables_that_change_nothing(started, name: str):
    """They do not pay for a second start."""
    assert started(**{name: "1"}) is None


def test_a_variable_without_a_value(started):
    """Is none to Python either."""
    assert started(PYTHONPATH="", PYTHONINSPECT="") is None


def test_where_a_process_cannot_be_replaced():
    """On Windows the second one is waited for, and its exit code passed on."""
    with pytest.raises(SystemExit) as caught:
        start._wait_for([sys.executable, "-I", "-c", "import sys; sys.exit(int(sys.argv[1]))", "3"])

    assert caught.value.code == 3


def test_the_installed_command_begins_here():
    """And nothing else is imported first."""
    assert "grader.__main__" in GRADE.read_bytes().decode(errors="replace")
    code = "import sys; before = set(sys.modules); import grader.__main__; print(*set(sys.modules) - before)"
    done = run(sys.executable, "-I", "-c", code, cwd=COURSE)
    assert set(done.stdout.split()) == {"grader", "grader.__main__"}


TOO_EARLY = """
import sys
from grader import __main__ as start
class Impatient:
    def find_spec(self, name, *_):
        if name == "grader.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Impatient())
start.main()
"""


def test_ctrl_c_while_it_starts():
    """The first tenths of a second are imports, and no traceback of them helps anybody."""
    ran = subprocess.run([sys.executable, "-I", "-c", TOO_EARLY], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "grade: interrupted\n")


# A command is an answer in a fraction of a second as long as it imports little. By these modules one notices what
# comes back: YAML, formats that nobody asked for, what the authors' and the instructors' commands need.
NEEDLESS = {
    "grader.render.gradescope", "grader.render.html", "grader.render.junit", "httpx", "jupytext",
    "jinja2", "landlockpy", "markupsafe", "multiprocessing", "nbformat", "numpy", "pyseccomp", "rich", "sqlite3", "torch", "yaml",
}  # fmt: skip
ONLY_WHEN_WRONG = {
    "_pytest",
    "grader.autograd.rules",
    "importlib.metadata",
    "logging",
    "pytest",
    "shutil",
    "zipfile",
}
SPY = """
import atexit, sys
atexit.register(lambda: print("imported:", *sys.modules))
from grader.__main__ import main
main()
"""


@pytest.mark.ci
@pytest.mark.parametrize("slip", ["", "out.grad"], ids=["right", "wrong"])
def test_grading_imports_little(slip: str, tmp_path: Path):
    """The second time: the first one reads the manifest and the sentences about rules."""
    engine = reference("day2")
    if slip:
        engine = engine.replace("+= other.data * out.grad", "+= self.data * out.grad")
        assert engine != reference("day2")
    path = put(tmp_path, "engine.py", engine)

    for _ in range(2):
        done = run(sys.executable, "-I", "-c", SPY, "day2", str(path), cwd=COURSE)

    assert ("100 of 100 points" in done.stdout) is not bool(slip)
    needless = NEEDLESS if slip else NEEDLESS | ONLY_WHEN_WRONG
    assert needless & set(done.stdout.partition("imported:")[2].split()) == set()
