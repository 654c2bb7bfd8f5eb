"""Promise 10: a submission has no say in how the grader starts; the one file that is named is theirs.

Whatever may be executed leaves a mark, see start/anything.py, and the report must be the same as if it
were not there. The guards are how the command starts and reads, which cannot be taken out from outside;
beside them stands what happens elsewhere: `python -m pytest` in a student's folder. Each was taken out of the grader by hand once, and seen to be missed by these tests: the isolated
start, the environment without PYTEST_*, `--noconftest`, `-c /dev/null`, and the refusal of links, of folders
that are links, of second names, of pipes (the command then hangs) and of devices.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pty
import py_compile
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from escapes.ground import FILES, HERE, HONEST, MANIFEST, PATIENCE, SECRET, Ground, kinds
from escapes.race import prepare

from grader.submissions.submission import SubmissionError, read_submission

ANYTHING = (HERE / "start" / "anything.py").read_text(encoding="utf-8")
MODULES = [
    "click.py", "random.py", "json.py", "msgspec.py", "pytest.py", "yaml/__init__.py", "difflib.py", "fractions.py",
    "_pytest/__init__.py", "pluggy/__init__.py", "rich/__init__.py",
]  # fmt: skip
HOOKS = [
    "conftest.py", "_helpers.py", "__init__.py", "by_addopts.py", "by_plugins.py", "by_startup.py", "by_breakpoint.py",
]  # fmt: skip
SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = -p by_pytest_ini\n",
    ".pytest.ini": "[pytest]\naddopts = -p by_hidden_ini\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p by_pyproject'\n",
    "setup.cfg": "[tool:pytest]\naddopts = -p by_setup\n",
    "tox.ini": "[pytest]\naddopts = -p by_tox\n",
}
PLUGINS = ["by_pytest_ini.py", "by_hidden_ini.py", "by_pyproject.py", "by_setup.py", "by_tox.py"]
# What Python itself, or the installed command, imports before our first line, where PYTHONPATH offers it.
BEFORE_US = ["sitecustomize.py", "usercustomize.py", "by_warnings.py", "grader/__init__.py", "grader/cli.py"]
FIRST = [
    "pickle.py",
    "multiprocessing.py",
    "struct.py",
    "signal.py",
    "threading.py",
]  # what a worker process may import first
BESIDE = [*MODULES, *HOOKS, *PLUGINS, *BEFORE_US]
FOR_PYTEST = {"PYTEST_ADDOPTS": "-p by_addopts --collect-only", "PYTEST_PLUGINS": "by_plugins"}
ENVIRONMENTS = {
    "of pytest, modules and a job": FOR_PYTEST
    | {"PYTHONPATH": "HERE/modules"}
    | {"CI": "true", "BUILD_NUMBER": "7", "PY_COLORS": "1", "_ARGCOMPLETE": "1"},
    "of warnings": {"PYTHONWARNINGS": "error"},
    "without asserts": {"PYTHONOPTIMIZE": "2"},
}
WARNINGS = {"PYTHONWARNINGS": "ignore::by_warnings.Of"}  # Python imports that module at its start
TERMINAL = {
    "PYTHONINSPECT": "1",
    "PYTHONSTARTUP": "HERE/by_startup.py",
    "PYTHONBREAKPOINT": "by_breakpoint.main",
    "HOME": "HERE",
}

# A course in which everything earns everything.
WORDS = json.dumps({"format": 1, "mistakes": {"salt": "escaped"}})
COURSE = {
    "assignments/vault/assignment.yaml": re.sub(r"limits: .*\n", "", MANIFEST).replace("50", "5000"),
    "assignments/vault/vault.ipynb": FILES["course/assignments/vault/vault.ipynb"],
    "assignments/vault/checks/sealed.json": WORDS,
    "solutions/vault/checks/sealed.json": WORDS,
    "solutions/vault/checks/parity.json": json.dumps({"format": 1, "torch": "escaped", "cases": []}),
    "solutions/vault/vault.py": HONEST,
    "solutions/vault/salt.txt": "known",
}
CHECKS = ["assignments/vault/checks/test_attack.py", "solutions/vault/checks/test_answer.py"]
PASSES = "\n\ndef test_it(student):\n    pass\n"
PEERS = "import click, grader, vault\n\n\ndef test_attack():\n    assert vault.attack() == 'held'\n"

SOON = 60  # seconds, hundreds of times what a refusal takes; what hangs takes for ever
LONG_AGO = (1_000_000_000, 1_000_000_000)  # the report tells when the file was written


@dataclass
class Place:
    """A folder of a student's, whose files leave a mark when they are executed."""

    ground: Ground
    folder: Path

    @property
    def marks(self) -> Path:
        return self.ground.root / "marks"

    def executed(self) -> list[str]:
        """Return the marks of executed files, and remove them."""
        found = sorted(self.marks.iterdir())
        for mark in found:
            mark.unlink()
        return [mark.name for mark in found]

    def put(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def anything(self, name: str) -> str:
        constants = {"NAME": name, "MARKS": str(self.marks), "MINE": str(self.ground.root / "students")}
        return "".join(f"{k} = {v!r}\n" for k, v in constants.items()) + ANYTHING

    def fill(self, names: list[str]) -> None:
        """Fill the folder with files and settings that a careless grader would execute."""
        self.marks.mkdir(exist_ok=True)
        for name in names:
            self.put(name, self.anything(name))
        for name, text in SETTINGS.items():
            self.put(name, text)
        self.put("mark.pth", f"import os; open({str(self.marks / 'mark.pth')!r}, 'w')\n")
        code = self.put("__pycache__/vault.py", self.anything("__pycache__") + HONEST)
        py_compile.compile(
            str(code),
            importlib.util.cache_from_source(str(self.folder / "vault.py")),
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
        code.unlink()
        self.ground._own(self.marks)
        self.ground._own(self.folder)


def mallorys(ground: Ground) -> Place:
    """Make a student's repository: the submission in a copy of the course, with hostile files in each folder."""
    top = ground.hand_in(HONEST).parent
    for folder in (".", "assignments", *{str(Path(name).parent) for name in CHECKS}):
        Place(ground, top / folder).fill(BESIDE)
    place = Place(ground, top / "assignments/vault")
    place.fill(BESIDE)
    for name, text in COURSE.items():
        Place(ground, top).put(name, text)
    for name in CHECKS:
        Place(ground, top).put(name, place.anything(Path(name).name) + PASSES)
    shutil.move(top / "vault.py", place.folder)
    (top / ".git").mkdir()
    ground._own(top)
    return place


@dataclass
class Scene:
    """The scene: the submission, the output for it when it lies alone, and two hostile folders."""

    ground: Ground
    path: Path
    alone: str
    beside: Place
    current: Place

    def told(self, env: dict[str, str], cwd: Path | None = None) -> str:
        return _told(self.ground, self.path, self.here(env), cwd)

    def here(self, env: dict[str, str]) -> dict[str, str]:
        """Return these variables with the current folder for HERE."""
        return {name: value.replace("HERE", str(self.current.folder)) for name, value in env.items()}


def _told(ground: Ground, path: Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Return the exit code and the output of the command, without its times."""
    os.utime(path, LONG_AGO)
    tried = ground.grade(path, env, cwd)
    return f"{tried.code} {_timeless(tried.printed)}"


def _timeless(printed: str) -> str:
    return re.sub(r'"(started|seconds)": [^,\n]+', r'"\1"', printed)


@pytest.fixture(scope="module")
def scene(ground: Ground) -> Scene:
    """Return a scene in a course where students can write, but not into its own files.

    It is set up more than once in one ground where a worker takes over tests of this module.
    """
    path = Place(ground, ground.root / "students/mallory/assignments/vault").put("vault.py", HONEST)
    ground._own(ground.root / "students/mallory")
    alone = _told(ground, path)
    course = ground.root / "students/course"
    shutil.copytree(ground.course, course, ignore=shutil.ignore_patterns("feedback"), dirs_exist_ok=True)
    for folder in (".", "assignments/vault", *{str(Path(name).parent) for name in CHECKS}):
        its_own = {"_helpers.py"} if folder.endswith("checks") else set()
        its_own.add("__init__.py")  # which is refused
        Place(ground, course / folder).fill([name for name in BESIDE if name not in its_own])
    current = Place(ground, course / "mallory")
    current.fill(BESIDE)
    Place(ground, current.folder / "modules").fill([*MODULES, *HOOKS, *PLUGINS])
    ground._own(course)
    beside = mallorys(ground)
    os.utime(path, LONG_AGO)
    return Scene(ground, path, alone, beside, current)


def test_what_lies_beside_it(scene: Scene) -> None:
    """Files in its folder and in the copy of the course around it are not executed."""
    assert scene.told({}) == scene.alone
    assert scene.beside.executed() == []
    assert '"score": 50.0' in scene.alone


@pytest.mark.parametrize("ground", kinds()[:1], indirect=True)  # the variables do not depend on the user
@pytest.mark.parametrize(
    "env", [pytest.param(e, marks=[] if "pytest" in e else pytest.mark.ci) for e in ENVIRONMENTS]
)
def test_what_lies_in_the_current_folder(scene: Scene, env: str) -> None:
    """Files in the course's folders are not executed, whatever the environment names."""
    assert scene.told(ENVIRONMENTS[env], scene.current.folder) == scene.alone
    assert scene.current.executed() == []


def test_workers_start_elsewhere(scene: Scene) -> None:
    """The workers of a class import no file of the current folder, where a plain `python -c` looks first."""
    beside = [scene.current.put(name, scene.current.anything(name)) for name in FIRST]
    works = Place(scene.ground, scene.ground.root / "students/class").put("mallory.py", HONEST).parent
    scene.ground._own(scene.current.folder)
    scene.ground._own(works)
    grade = str(scene.ground.python.with_name("grade"))

    done = scene.ground.run(
        [grade, "batch", "vault", str(works), "--results", str(works / "results.db")],
        cwd=scene.current.folder,
    )

    assert scene.current.executed() == []
    assert b"1 student: 1 graded" in done.stdout, done.stderr
    for path in beside:
        path.unlink()


@pytest.mark.ci
def test_in_a_terminal(scene: Scene) -> None:
    """No prompt follows the report, as it does for plain Python."""
    grade = [str(scene.ground.python.with_name("grade")), "vault", str(scene.path), "--format=json"]

    printed, code = _in_a_terminal(scene, grade)

    assert f"{code} {_timeless(printed)}" == scene.alone
    assert scene.current.executed() == []

    printed, _ = _in_a_terminal(scene, [str(scene.ground.python)])
    assert ">>>" in printed
    assert scene.current.executed() == ["by_breakpoint.py", "by_startup.py"]


def _in_a_terminal(scene: Scene, command: list[str]) -> tuple[str, int]:
    """Run a command whose input is a terminal that answers every prompt."""
    ours, theirs = pty.openpty()
    os.write(ours, b"breakpoint()\n\4")
    with scene.ground.start(command, scene.here(TERMINAL), scene.current.folder, stdin=theirs) as process:
        printed = b"".join(process.communicate(timeout=PATIENCE)).decode()
    os.close(ours)
    os.close(theirs)
    return printed, process.returncode


def test_isolated_from_the_first_moment(scene: Scene) -> None:
    """`python -I -m grader.__main__` also leaves out what Python imports before our first line."""
    env = scene.here({"PYTHONPATH": "HERE"} | WARNINGS)
    isolated = [str(scene.ground.python), "-I", "-m", "grader.__main__"]
    command = [*isolated, "vault", str(scene.path), "--format=json"]

    done = scene.ground.run(command, env=env, cwd=scene.current.folder)

    printed = (done.stdout + done.stderr).decode()
    assert f"{done.returncode} {_timeless(printed)}" == scene.alone
    assert scene.current.executed() == []


# What becomes of it elsewhere.


@pytest.mark.whole
def test_plain_pytest_executes_it(weak_ground: Ground) -> None:
    """`python -m pytest` over a check that lies in the student's folder.

    Of the settings it takes the first; each of the others was seen to be taken where those before it are
    missing. A `.pth` works in site folders only, and `usercustomize.py` not in a virtual environment.
    """
    place = mallorys(weak_ground)
    place.put("test_plain.py", PEERS)

    env = {"PYTHONPATH": str(place.folder)} | FOR_PYTEST | WARNINGS
    weak_ground.run([str(weak_ground.python), "-m", "pytest"], env=env, cwd=place.folder)

    # fmt: off
    assert set(place.executed()) >= {
        "__init__.py", "__pycache__", "by_addopts.py", "by_plugins.py", "by_pytest_ini.py", "by_warnings.py",
        "click.py", "conftest.py", "grader __init__.py", "json.py", "pytest.py", "random.py", "sitecustomize.py",
        "test_attack.py",
    }
    # fmt: on


# Links, and what is no file.


def _folder(path: Path, ground: Ground) -> None:
    """Make the folder of the submission a link to the solutions."""
    path.parent.rmdir()
    path.parent.symlink_to(_reference(ground).parent)


def _deep(path: Path, ground: Ground) -> None:
    """Make a folder further up in the student's repository a link to the solutions."""
    (path.parent / ".git").mkdir()
    path.parent.joinpath("assignments").symlink_to(ground.course / "solutions")


def _device(path: Path, _: Ground) -> None:
    """Make a device that never ends."""
    if os.geteuid() != 0:
        pytest.skip("needs root: to make a device")
    os.mknod(path, 0o20644, os.makedev(1, 5))


def _reference(ground: Ground, name: str = "vault.py") -> Path:
    return ground.course / "solutions/vault" / name


LINK, SECOND, NO_FILE = "symbolic link", "this is a hard link to ", "this is not a file"
LINKS: dict[str, tuple[str, Callable[[Path, Ground], None]]] = {
    "link to the reference": (LINK, lambda path, ground: path.symlink_to(_reference(ground))),
    "link to another student": (LINK, lambda path, _: path.symlink_to("../alice/vault.py")),
    "link to a file of the system": (LINK, lambda path, _: path.symlink_to("/etc/passwd")),
    "folder": (LINK, _folder),
    "folder further up": (LINK, _deep),
    "pipe": (NO_FILE, lambda path, _: os.mkfifo(path)),
    "device": (NO_FILE, _device),
    "second name of the reference": (SECOND, lambda path, ground: path.hardlink_to(_reference(ground))),
    "second name of a hidden check": (
        SECOND,
        lambda path, ground: path.hardlink_to(_reference(ground, "checks/test_answer.py")),
    ),
}


def _handed_in(ground: Ground, what: str) -> Path:
    path = ground.hand_in("", student=what.replace(" ", "-"))
    path.unlink()
    LINKS[what][1](path, ground)
    if path.parent.is_dir() and not path.parent.is_symlink():
        ground._own(path.parent)
    return path.parent / "assignments/vault/vault.py" if what == "folder further up" else path


@pytest.mark.parametrize("what", [what for what, (why, _) in LINKS.items() if why != SECOND])
def test_what_is_no_file_of_their_own(ground: Ground, what: str) -> None:
    """It is refused soon, and no text of its target is shown."""
    path, started = _handed_in(ground, what), time.monotonic()

    with pytest.raises(SubmissionError, match=re.escape(LINKS[what][0])) as caught:
        read_submission(path)

    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert text.count("\n") == 0
    assert SECRET not in text
    assert time.monotonic() - started < SOON


@pytest.mark.parametrize("what", ["link to the reference", "pipe", *list(LINKS)[-2:]])
def test_the_command_refuses_them(ground: Ground, what: str) -> None:
    """It says so in one line, and ends."""
    path = _handed_in(ground, what)

    done = ground.run([str(ground.python.with_name("grade")), "vault", str(path)])

    printed = (done.stdout + done.stderr).decode()
    assert done.returncode == 2, printed
    assert printed.startswith(f"grade: {path}: ")
    assert LINKS[what][0] in printed
    assert printed.count("\n") == 1
    assert SECRET not in printed


def test_a_folder_that_becomes_a_link_while_it_is_read(ground: Ground) -> None:
    """The grader reads and lists nothing through the link; see escapes/race.py.

    Before, a look at the path and then an opening of it followed the link in one of some eighty tries.
    """
    top = ground.root / "students" / "race"
    prepare(top)
    ground._own(top)

    done = ground.run([str(ground.python), str(HERE / "race.py"), str(top), "400"])

    assert done.returncode == 0, done.stderr.decode()
    told = json.loads(done.stdout)
    assert {reader: counts.get("theirs", 0) for reader, counts in told.items()} == dict.fromkeys(told, 0)
    assert all(any(counts.get(what) for counts in told.values()) for what in ("mine", "refused")), told
