"""The repository itself: what ships, what may import what, and that its commands are one and the same."""

import ast
import importlib.util
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from grader.assignment import Course

ROOT = Path(__file__).resolve().parents[1]
GRADER = ROOT / "grader"

TRY_IT = (
    "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -r requirements.txt -e . "
    "&& .venv/bin/grade day2"
)
TEST_IT = (
    "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e '.[test]' && .venv/bin/pytest"
)
# The line of a released template, which has requirements.txt: only the page for its students tells it.
SET_UP = "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt && .venv/bin/grade day2"


def run(*command: str | Path) -> None:
    """Run a command in the repository's root; the test fails with what it printed."""
    done = subprocess.run(command, check=False, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        text = done.stdout.decode("utf-8", errors="replace")
        pytest.fail(f"{' '.join(map(str, command))}\n{text}", pytrace=False)


def tracked() -> list[Path]:
    """The files under version control, relative to the root, as far as they exist."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [path for name in listed.decode().split("\0") if name and (ROOT / (path := Path(name))).is_file()]


# --- What ships


def test_wheel_and_sdist_hold_no_solution_and_no_test(tmp_path: Path) -> None:
    """Whoever installs or unpacks a release finds the grader, and nothing that a student may not see."""
    source, dist = tmp_path / "source", tmp_path / "dist"
    for path in tracked():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, source / path)

    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, source)

    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as opened_wheel, tarfile.open(sdist) as opened_sdist:
        in_wheel, in_sdist = opened_wheel.namelist(), opened_sdist.getnames()
    assert {"grader/cli.py", "grader/autograd/rules/words.yaml"} <= set(in_wheel)
    assert any(name.endswith("/assignments/day2/assignment.yaml") for name in in_sdist)
    names = {"solutions", "tests"}
    secret = [name for name in in_wheel + in_sdist if names & set(Path(name).parts)]
    assert not secret, "\n".join(secret)


def test_generated_files_are_small_and_marked() -> None:
    """All together stay below 1 MB, and git shows none of what is sealed in a diff."""
    generated = [
        path
        for side in ("assignments", "solutions")
        for pattern in ("*/*.ipynb", "*/checks/*.json", "*/checks/*.ipynb")
        for path in (ROOT / side).glob(pattern)
    ]
    assert sum(path.stat().st_size for path in generated) < 1_000_000
    marked = (ROOT / ".gitattributes").read_text(encoding="utf-8").split("\n")
    rules = {line.split()[0]: line.split()[1:] for line in marked if line and not line.startswith("#")}
    for path in generated:
        here = path.relative_to(ROOT)
        assert any(
            here.match(pattern) and "linguist-generated" in marks for pattern, marks in rules.items()
        ), here


def test_no_file_names_a_package_registry() -> None:
    """Where packages come from is each machine's own setting: a mirror or an offline index must do."""
    hosts = [
        ".".join(parts)
        for parts in (
            ("pypi", "org"),
            (f"python{'hosted'}", "org"),
            ("download", "pytorch", "org"),
            ("anaconda", "org"),
            ("registry", "npmjs", "org"),
            ("deb", "debian", "org"),
            ("archive", "ubuntu", "com"),
            ("crates", "io"),
            ("proxy", "golang", "org"),
        )
    ]
    named = []
    for path in tracked():
        text = (ROOT / path).read_bytes().decode("utf-8", errors="replace").lower()
        named += [f"{path}: {host}" for host in hosts if host in text]
    assert not named, "\n".join(named)


# --- Linters


def test_ruff_is_content_with_the_grader() -> None:
    """Nearly all of its rules are on; each one that is off has a reason in pyproject.toml."""
    run(sys.executable, "-m", "ruff", "check", "grader")


def test_mypy_is_content_with_the_grader() -> None:
    """Strictly typed, on this system."""
    run(sys.executable, "-m", "mypy")


# --- The two commands


def commands_in(path: Path) -> list[str]:
    """The lines of a file that make a virtual environment the way the README does."""
    lines = (line.strip().removeprefix("run: ") for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if "python3 -m venv" in line]


def test_readme_has_exactly_the_two_commands() -> None:
    """One line to try it, one line to test it; both begin on a fresh machine."""
    assert commands_in(ROOT / "README.md") == [TRY_IT, TEST_IT]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """What the README promises is what runs, to the letter."""
    assert commands_in(ROOT / ".ci" / "run") == [TEST_IT]
    assert commands_in(ROOT / ".github" / "workflows" / "ci.yml") == [TEST_IT]


def test_docs_know_no_third_command() -> None:
    """A page that tells how to install tells it in the README's words."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    found = [(page.name, line) for page in pages for line in commands_in(page)]
    assert [(page, line) for page, line in found if line not in (TRY_IT, TEST_IT)] == [
        ("students.md", SET_UP)
    ]


def test_the_course_installs_what_its_assignments_allow() -> None:
    """Whoever types the first command can import what the manifests allow, at a version that is pinned."""
    course = Course(ROOT)
    allowed = {module for name in course.names for module in course.assignment(name).manifest.imports}
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert allowed == {line for line in lines if not line.startswith("#")} == {"numpy"}
    assert "\nnumpy==" in pins


# --- Other systems

# Imports every module of the package as a system would on which these do not exist. The modules are
# hidden from the package only: the standard library has long imported some of them for itself.
WITHOUT_POSIX = """
import builtins, importlib, sys
from pathlib import Path

HIDDEN = {"fcntl", "grp", "landlockpy", "pwd", "pyseccomp", "resource", "termios"}
real_import = builtins.__import__

def import_(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__name__", "")
    if importer.split(".")[0] == "grader" and level == 0 and name.split(".")[0] in HIDDEN:
        raise ModuleNotFoundError(f"{importer} imports {name}, which Windows does not have")
    return real_import(name, globals, locals, fromlist, level)

builtins.__import__ = import_
root, failed = Path(sys.argv[1]), 0
for path in sorted(root.rglob("*.py")):
    parts = path.relative_to(root.parent).with_suffix("").parts
    name = ".".join(parts).removesuffix(".__init__")
    try:
        if name != "grader.sandbox.inside.confine":
            importlib.import_module(name)
    except Exception as error:
        failed = 1
        print(f"{name}: {type(error).__name__}: {error}")
sys.exit(failed)
"""


def test_modules_import_where_posix_is_absent() -> None:
    """Windows has no fcntl, resource, pwd, grp or termios; only confine.py may need them."""
    run(sys.executable, "-c", WITHOUT_POSIX, GRADER)


# --- Layers

# From the top down: a module may import what stands below it.
ORDER = [
    "__main__",
    "cli",
    "classroom",
    "gradebook",
    "authoring",
    "practice",
    "grading",
    "autograd",
    "submissions",
    "topic",
    "sandbox",
    "console",
    "render",
    "assignment",
    "manifest",
    "report",
    "files",
    "errors",
]


def test_every_module_has_its_place() -> None:
    """A new module is given its place in the order before anything imports it."""
    units = {path.relative_to(GRADER).parts[0].removesuffix(".py") for path in GRADER.rglob("*.py")}
    missing = units - {"__init__", *ORDER}
    assert not missing, f"not in ORDER: {', '.join(sorted(missing))}; put each at its place in this file"


def test_imports_point_downward() -> None:
    """One straight line from the command to the jail, no way back."""
    offenders = []
    for path in sorted(GRADER.rglob("*.py")):
        unit = path.relative_to(GRADER).parts[0].removesuffix(".py")
        offenders += [
            f"{path.relative_to(ROOT)}, line {line}: {unit} imports {target}, which stands above it"
            for line, target in imports_of(path)
            if not may_import(unit, target)
        ]
    assert not offenders, "\n".join(offenders)


def may_import(unit: str, target: str) -> bool:
    """Whether the order allows it; a unit without a place is reported by the test above."""
    if unit == target or not {unit, target} <= set(ORDER):
        return True
    return ORDER.index(unit) < ORDER.index(target)


def test_the_jail_knows_the_standard_library_only() -> None:
    """What runs where student code runs imports nothing of ours but its neighbours."""
    allowed = sys.stdlib_module_names | {"landlockpy", "pyseccomp"}
    found = []
    for path in sorted((GRADER / "sandbox" / "inside").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level != 1:
                names = [str(node.module)]
            found += [(path.name, n) for n in names if n.partition(".")[0] not in allowed]
    assert found == []


def imports_of(path: Path) -> list[tuple[int, str]]:
    """The units of the package that a file imports when it runs, each with its line."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    found = []
    for node in at_run_time(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            names = [f"{module}.{alias.name}" for alias in node.names]
        found += [(node.lineno, name.split(".")[1]) for name in names if name.startswith("grader.")]
    return found


def at_run_time(node: ast.AST) -> list[ast.AST]:
    """Every node below this one, without what only a type checker reads."""
    if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        children = node.orelse
    else:
        children = list(ast.iter_child_nodes(node))
    return [deeper for child in children for deeper in [child, *at_run_time(child)]]
