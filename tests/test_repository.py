"""The repository itself: what ships, what may import what, and that its commands are one and the same."""

import ast
import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest
import yaml

from grader.assignment import Course
from grader.autograd import facts as autograd_facts
from grader.classroom.opening import make_workflow
from grader.grading import facts as grading_facts
from grader.render import FORMATS
from grader.topic import ORDER, Kind

ROOT = Path(__file__).resolve().parents[1]
GRADER = ROOT / "grader"
LEAST_MUTANTS = 30  # in tests/mutants.toml

TRY_IT = (
    "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -r requirements.txt -e . "
    "&& .venv/bin/grade day2"
)
TEST_IT = (
    "python3 -m venv .venv && .venv/bin/pip install -q -U pip "
    "&& .venv/bin/pip install -q -c constraints.txt -e '.[test]' && .venv/bin/pytest"
)
# The line for a class: docs/instructors.md has it, and the dev container runs it.
TEACH_IT = (
    "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -r requirements.txt -e '.[classroom]' "
    "&& .venv/bin/grade doctor"
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


@pytest.mark.ci
def test_wheel_and_sdist_hold_no_solution_and_no_test(tmp_path: Path) -> None:
    """Everybody who installs or unpacks a release finds the grader, and nothing that a student may not see."""
    source, dist = tmp_path / "source", tmp_path / "dist"
    for path in tracked():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, source / path)

    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, source)

    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as opened_wheel, tarfile.open(sdist) as opened_sdist:
        in_wheel, in_sdist = opened_wheel.namelist(), opened_sdist.getnames()
    assert "grader/cli.py" in in_wheel
    assert any(name.endswith("/assignments/day2/assignment.yaml") for name in in_sdist)
    names = {"solutions", "tests"}
    secret = [name for name in in_wheel + in_sdist if names & set(Path(name).parts)]
    assert not secret, "\n".join(secret)
    for names in (in_wheel, in_sdist):
        player = {Path(name).name for name in names if Path(name).parent.match("grader/render/player")}
        assert player == {"__init__.py", "player.css", "player.js", "iframe.html", "inline.html", "play.html"}
        pages = {Path(name).name for name in names if Path(name).parent.match("grader/site/page")}
        assert pages == {"day.js", "play.js", "start.js", "worker.js", "offline.js", "page.css"}
        shown = {
            path
            for path in tracked()
            if path.parts[0] == "grader" and path.suffix in {".html", ".svg", ".css"}
        }
        there = {path for path in shown if "src" not in path.parts}
        assert [path for path in there if not any(name.endswith(path.as_posix()) for name in names)] == []
        assert not [name for name in names if {"node_modules", "src"} & set(Path(name).parts)]


def test_generated_files_are_small_and_marked() -> None:
    """All together stay below 1.3 MB, and git shows none of what is sealed in a diff."""
    generated = [
        path
        for side in ("assignments", "solutions")
        for pattern in ("*/*.ipynb", "*/checks/*.json", "*/checks/*.ipynb")
        for path in (ROOT / side).glob(pattern)
    ]
    assert sum(path.stat().st_size for path in generated) < 1_300_000
    marked = (ROOT / ".gitattributes").read_text(encoding="utf-8").split("\n")
    rules = {line.split()[0]: line.split()[1:] for line in marked if line and not line.startswith("#")}
    for path in generated:
        here = path.relative_to(ROOT)
        assert any(
            here.match(pattern) and "linguist-generated" in marks for pattern, marks in rules.items()
        ), here


def test_built_scripts_are_marked() -> None:
    """git shows none of it in a diff, and changes no end of a line in it."""
    paths = [f"grader/render/player/{name}" for name in ("player.js", "player.css")]
    paths += [
        f"grader/site/page/{name}"
        for name in ("day.js", "play.js", "start.js", "worker.js", "offline.js", "page.css")
    ]
    attributes = ["linguist-generated", "diff", "text"]
    done = subprocess.run(
        ["git", "check-attr", *attributes, "--", *paths], cwd=ROOT, capture_output=True, check=True
    )
    states = [line.rpartition(": ")[2] for line in done.stdout.decode().splitlines()]
    assert states == ["set", "unset", "unset"] * len(paths)


def test_no_file_names_a_package_registry() -> None:
    """The source of packages is each machine's setting, so a mirror or an offline index works too."""
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


# --- The two commands


def commands_in(path: Path) -> list[str]:
    """The lines of a file that make a virtual environment the way the README does."""
    lines = (line.strip().removeprefix("run: ") for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if "python3 -m venv" in line]


def test_readme_has_exactly_the_two_commands() -> None:
    """One line to try it, one line to test it; both begin on a fresh machine."""
    assert commands_in(ROOT / "README.md") == [TRY_IT, TEST_IT]


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """.ci/run has it to the letter, after packages of the layer `whole`, and GitHub's CI runs .ci/run."""
    command, of_whole = commands_in(ROOT / ".ci" / "run")
    assert command == TEST_IT
    assert not {"pytest", "-e"} & {*of_whole.split()}

    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["linux"]["steps"]
    assert ".ci/run" in [step.get("run") for step in steps]
    assert commands_in(ROOT / ".github" / "workflows" / "ci.yml") == []


COPIES = "${{ github.event.repository.visibility == 'public' || vars.BACKGRADE_CI == 'yes' }}"


def test_a_private_copy_runs_no_workflow_of_the_project() -> None:
    """Whatever its name, and also by a schedule: each job of each own workflow asks for the variable.

    Classes call the other workflows, or `grade open` wrote them.
    """
    own = []
    for path in sorted((ROOT / ".github" / "workflows").iterdir()):
        text = path.read_text(encoding="utf-8")
        read = yaml.load(text, yaml.BaseLoader)  # in YAML 1.1 `on` is true
        if set(read["on"]) != {"workflow_call"} and text != make_workflow(path.stem):
            own.append(path.name)
            for name, job in read["jobs"].items():
                assert job.get("if") == COPIES, f"{path.name}: {name} lacks `if: {COPIES}`"
    assert "ci.yml" in own


@pytest.mark.skipif(sys.platform == "win32", reason="bash")
@pytest.mark.parametrize("same", [True, False])
def test_ci_takes_the_systems_python_of_the_same_version_alone(tmp_path: Path, same: bool) -> None:  # noqa: FBT001
    """A job of a matrix keeps the version that it asked for."""
    told = "import sys, ensurepip, venv; print(sys.version_info[:2])"
    system = subprocess.run(["/usr/bin/python3", "-c", told], capture_output=True, text=True, check=False)
    version = system.stdout.strip() if same else "(2, 7)"
    fake = tmp_path / "python3"
    fake.write_text(f"#!/bin/sh\necho '{version}'\n", encoding="utf-8")
    fake.chmod(0o755)

    asked = "set -euo pipefail; source .ci/python.sh; python3 -c 'print(\"the system\")'"
    env = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(["bash", "-c", asked], cwd=ROOT, env=env, capture_output=True, text=True, check=True)

    assert ran.stdout == ("the system\n" if same and system.returncode == 0 else f"{version}\n")


def test_what_ci_could_not_fetch_is_told(tmp_path: Path) -> None:
    """In the place of tests that would be skipped; and `.ci/run` hears that pip has ended."""
    (tmp_path / "fetched").write_text("E: Unable to locate package firefox-esr\n", encoding="utf-8")
    (tmp_path / "ready").write_text("no\n", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "--collect-only", "tests/test_files.py"],
        cwd=ROOT,
        env={**os.environ, "BACKGRADE_READY": str(tmp_path / "ready"), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert (
        ".ci/run could not fetch what the tests need:\nE: Unable to locate package firefox-esr" in ran.stderr
    )
    assert (tmp_path / "begun").exists()


def test_docs_know_no_third_command() -> None:
    """A page that tells how to install tells it in the README's words; who teaches needs five commands in all."""
    pages = sorted((ROOT / "docs").rglob("*.md"))
    found = [(page.name, line) for page in pages for line in commands_in(page)]
    assert [(page, line) for page, line in found if line not in (TRY_IT, TEST_IT)] == [
        ("instructors.md", TEACH_IT),
        ("students.md", SET_UP),
    ]


def test_the_dev_container_is_ready_for_a_class() -> None:
    """It types the command of docs/instructors.md, which ends with the doctor; the editor finds what it makes."""
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    assert container["postCreateCommand"] == TEACH_IT
    assert container["onCreateCommand"].endswith(" gh")  # git is in the image
    assert not {"runArgs", "privileged", "capAdd", "securityOpt"} & set(container)  # the jail needs none
    place = container["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert place.endswith("/.venv/bin/python")


def test_the_course_installs_what_its_assignments_allow() -> None:
    """Everybody who types the first command can import what the manifests allow, at a version that is pinned."""
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

HIDDEN = {"fcntl", "grp", "pwd", "resource", "termios"}
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


@pytest.mark.ci
def test_modules_import_where_posix_is_absent() -> None:
    """Windows has no fcntl, resource, pwd, grp or termios; only confine.py may need them."""
    run(sys.executable, "-c", WITHOUT_POSIX, GRADER)


# --- The rooms

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
MOST_AT_THE_DOOR = 10

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(GRADER.rglob("*.py"))
}


def order() -> list[set[str]]:
    """The rooms from the top down as docs/architecture.md writes them; those of one set are side by side."""
    (written,) = re.findall(r"^```text\n(__main__ -> .*?)^```", ARCHITECTURE, re.MULTILINE | re.DOTALL)
    return [{name.strip() for name in group.split(",")} for group in written.split("->")]


def unit(module: str) -> str:
    """The room of a module, or the module itself at the door; empty for the package."""
    return module.partition(".")[2].partition(".")[0]


@functools.cache
def imports() -> list[tuple[str, int, str]]:
    """Every import of one module by another with its line, types included.

    The package's version is exempt: it is in `grader/__init__.py`, where the build reads it.
    """
    found = []
    for module, path in MODULES.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
                names = [f"{source}.{alias.name}" for alias in node.names]
            ours = [name for name in names if name.partition(".")[0] == "grader"]
            found += [(module, node.lineno, target_of(n)) for n in ours if n != "grader.__version__"]
    return [(module, line, target) for module, line, target in found if module != target]


def target_of(name: str) -> str:
    """Return the module that an imported name is, or that contains it."""
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def test_every_room_stands_in_the_order_and_in_the_table() -> None:
    """docs/architecture.md names each room once in its order, and says what it holds."""
    named = [name for group in order() for name in group]
    rows = re.findall(r"^\| `(\w+)` \|", ARCHITECTURE, re.MULTILINE)
    units = {unit(module) for module in MODULES} - {""}

    assert sorted(named) == sorted(units), "the order in docs/architecture.md"
    assert sorted(rows) == sorted(units), "the table in docs/architecture.md"


def test_the_picture_is_drawn_from_its_text_and_has_every_room() -> None:
    """docs/architecture.svg has the labels of docs/architecture.dot, and these name each room but two interfaces."""
    source, picture = (ROOT / "docs" / f"architecture.{kind}" for kind in ("dot", "svg"))
    text = source.read_text(encoding="utf-8").replace("\\n", " ")
    drawn = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture.read_text(encoding="utf-8")))
    labels = re.findall(r'label="([^"]*)"', text)
    words = {word for label in labels for word in label.split()}
    assert sorted(words - {*drawn.replace("&#160;", " ").split()}) == [], "draw it again"
    rooms = {path.parent.name for path in GRADER.glob("*/__init__.py")} - {"topic", "console"}
    assert sorted(room for room in rooms if not re.search(rf"\b{room}\b", text)) == []


def test_the_docstring_of_a_room_is_its_map() -> None:
    """Each file and each inner folder of a room has its line in the docstring of the room's `__init__.py`, and no other."""
    unnamed = []
    for room in {path.parent for path in GRADER.glob("*/**/*.py")}:
        inner = {f"{path.parent.name}/" for path in room.glob("*/__init__.py")}
        files = {path.name for path in room.glob("*.py")} - {"__init__.py"}
        page = room / "__init__.py"
        text = ast.get_docstring(ast.parse(page.read_text(encoding="utf-8"))) if page.is_file() else ""
        named = set(re.findall(r"(?<!\w)[\w]+(?:\.py|/)", text or ""))
        unnamed += [
            f"{(room / name).relative_to(ROOT)} has no line in the map of its room"
            for name in inner | files
            if name not in named
        ]
        lines = re.findall(r"^([\w/]+(?:\.py|/))  +\S", text or "", re.MULTILINE)
        unnamed += [f"{room.relative_to(ROOT)} has no {name}" for name in lines if not (room / name).exists()]

    assert not unnamed, "\n".join(sorted(unnamed))


def test_imports_point_downward() -> None:
    """A room imports only rooms below it, also for types."""
    floor = {name: number for number, group in enumerate(order()) for name in group}
    offenders = [
        f"{MODULES[module].relative_to(ROOT)}, line {line}: {unit(module)} imports {target}, which is not below it"
        for module, line, target in imports()
        if unit(module) and unit(target) and unit(module) != unit(target)
        if floor[unit(module)] >= floor[unit(target)]
    ]
    assert not offenders, "\n".join(offenders)


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Also within a room, and also for types."""
    edges = {(module, target) for module, _, target in imports()}
    while ends := {module for edge in edges for module in edge} - (
        {module for module, _ in edges} & {target for _, target in edges}
    ):  # a module that imports nothing, or that nothing imports, is in no circle
        edges = {edge for edge in edges if not ends & set(edge)}

    assert not edges, "\n".join(f"{module} imports {target}" for module, target in sorted(edges))


def test_a_module_at_the_door_is_for_several_rooms() -> None:
    """There are at most eleven; a module that one room alone uses belongs into that room."""
    door = {unit(module) for module in MODULES if MODULES[module].parent == GRADER} - {""}
    assert len(door | {"__init__"}) <= MOST_AT_THE_DOOR, sorted(door)

    users: dict[str, set[str]] = {name: set() for name in door - {"__main__", "cli"}}
    for module, _, target in imports():
        if unit(target) in users and unit(module) != unit(target):
            users[unit(target)].add(unit(module))
    lonely = [f"{name}.py: used by {', '.join(by) or 'nothing'}" for name, by in users.items() if len(by) < 2]
    assert not lonely, "\n".join(lonely)


def test_the_jail_knows_the_standard_library_only() -> None:
    """Code that runs in the jail imports no other room of the grader."""
    found = []
    for path in sorted((GRADER / "sandbox" / "inside").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level != 1:
                names = [str(node.module)]
            found += [(path.name, n) for n in names if n.partition(".")[0] not in sys.stdlib_module_names]
    assert found == []


# --- The guards


def test_each_mutant_has_its_place_and_a_default_test() -> None:
    """tests/mutants.toml stays true: `bench/guards.py` finds each text once, and each test among those of a default run."""
    mutants = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    wrong = []
    for mutant in mutants:
        count = (ROOT / mutant["file"]).read_text(encoding="utf-8").count(mutant["old"])
        wrong += (
            [f"{mutant['name']}: its text stands {count} times in {mutant['file']}"] if count != 1 else []
        )
        wrong += [f"{mutant['name']}: {test}" for test in mutant["tests"] if not is_default(test)]
    assert wrong == []
    assert len({mutant["name"] for mutant in mutants}) == len(mutants) >= LEAST_MUTANTS


def is_default(test: str) -> bool:
    """True for a file of tests, or one test in it, that has no marker which a default run leaves out."""
    name, _, function = test.partition("::")
    path = ROOT / name
    if not path.is_file():
        return False
    body = ast.parse(path.read_text(encoding="utf-8")).body
    marks = [ast.unparse(node) for node in body if isinstance(node, ast.Assign)]
    found = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == function]
    marks += [
        ast.unparse(mark) for node in found for mark in node.decorator_list if isinstance(mark, ast.Attribute)
    ]
    left_out = {"pytest.mark.ci", "pytest.mark.whole"}
    is_left_out = any(mark.removeprefix("pytestmark = ") in left_out for mark in marks)
    return bool(found or not function) and not is_left_out


# --- The size

SIZE = ROOT / "docs" / "size.md"
MEASURES = ("statements", "nodes", "other lines")
WIDTH = 120  # characters; a longer line counts as several, so packing gains nothing
REMEDY = "Make it smaller, or change its row in a commit of its own that says why (CONTRIBUTING.md, Size)."
LOWER = "Lower its row: pytest tests/test_repository.py --snapshot-update"

Sizes = dict[str, tuple[int, ...]]


def size_of_python(path: Path) -> tuple[int, int, int]:
    """The statements and nodes of a module, and no other line.

    The pieces of text in f-strings are left out: versions of Python split them differently.
    """
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    pieces = [
        part
        for node in nodes
        if isinstance(node, ast.JoinedStr)
        for part in node.values
        if isinstance(part, ast.Constant)
    ]
    return sum(isinstance(node, ast.stmt) for node in nodes), len(nodes) - len(pieces), 0


def size_of_text(path: Path) -> tuple[int, int, int]:
    """The lines of a template, a script, a style sheet or a workflow; empty ones do not count."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return 0, 0, sum(-(-len(line.rstrip()) // WIDTH) for line in lines)


def written_by_hand() -> list[Path]:
    """The files of grader/ and .github/ that neither are Python nor are made from others."""
    paths = [path for path in tracked() if path.parts[0] in {"grader", ".github"} and path.suffix != ".py"]
    done = subprocess.run(
        ["git", "check-attr", "linguist-generated", "--", *paths], cwd=ROOT, capture_output=True, check=True
    )
    states = [line.rpartition(": ")[2] for line in done.stdout.decode().splitlines()]
    return [path for path, state in zip(paths, states) if state != "set"]


def sizes() -> Sizes:
    """The size of each room, of each module at the door, of .github and of all together."""
    found = [(unit(module) or "__init__", size_of_python(path)) for module, path in MODULES.items()]
    found += [
        (path.parts[1] if path.parts[0] == "grader" else path.parts[0], size_of_text(ROOT / path))
        for path in written_by_hand()
    ]
    found += [("all", size) for _, size in found]
    names = [*sorted({name for name, size in found if any(size)} - {"all"}), "all"]
    return {
        name: tuple(map(sum, zip(*(size for of, size in found if of == name), strict=True))) for name in names
    }


def rows_of_sizes() -> Sizes:
    """The table of docs/size.md."""
    rows = re.findall(
        r"^\| `?([\w.]+)`? \|((?: [\d,]+ \|){3})$", SIZE.read_text(encoding="utf-8"), re.MULTILINE
    )
    return {name: tuple(int(n.replace(",", "")) for n in cells.split("|")[:-1]) for name, cells in rows}


def write_sizes(now: Sizes) -> None:
    """Write the rows of docs/size.md anew, and leave its sentences."""
    rows = [
        f"| {f'`{name}`' if name != 'all' else name} | {' | '.join(f'{n:,}' for n in now[name])} |"
        for name in now
    ]
    head, ruler, _ = SIZE.read_text(encoding="utf-8").partition("|---|--:|--:|--:|\n")
    SIZE.write_text(head + ruler + "\n".join(rows) + "\n", encoding="utf-8")


def findings_of_size(kept: Sizes, now: Sizes) -> list[str]:
    """What is above its row, what is well below it, and what has no row or no code."""
    found = [f"docs/size.md has no row `{name}`. {LOWER}" for name in now if name not in kept]
    for name, row in kept.items():
        for measure, before, after in zip(MEASURES, row, now.get(name, (0, 0, 0)), strict=True):
            if after > before:
                found.append(
                    f"{name} has {after:,} {measure}; its row in docs/size.md has {before:,}. {REMEDY}"
                )
            elif after < before - before // 50 - 20:
                found.append(
                    f"{name} has {after:,} {measure}; its row in docs/size.md has {before:,}. {LOWER}"
                )
    return found


def test_no_room_grows_beyond_its_row() -> None:
    """A change that needs more says so: it changes docs/size.md in a commit of its own."""
    now = sizes()
    if "UPDATE_SNAPSHOTS" in os.environ:
        write_sizes(now)
    if found := findings_of_size(rows_of_sizes(), now):
        pytest.fail("\n".join(found), pytrace=False)


def test_a_room_above_its_row_is_told_with_both_numbers() -> None:
    """One statement more is too many; a row may be a little above its room, and no more."""
    kept = {"viva": (1000, 9000, 50), "site": (10, 100, 0)}

    above = findings_of_size(kept, {"viva": (1001, 9000, 50), "site": (10, 100, 0)})
    below = findings_of_size(kept, {"viva": (959, 8800, 30), "site": (10, 100, 0)})
    new = findings_of_size(kept, kept | {"cloud": (1, 1, 0)})

    assert above == [f"viva has 1,001 statements; its row in docs/size.md has 1,000. {REMEDY}"]
    assert below == [f"viva has 959 statements; its row in docs/size.md has 1,000. {LOWER}"]
    assert new == [f"docs/size.md has no row `cloud`. {LOWER}"]


def test_packing_gains_nothing(tmp_path: Path) -> None:
    """Two statements on a line are two, a condition within a line has its nodes, a long line is several."""
    (tmp_path / "packed.py").write_text('a = 1; b = f"{a}:" if a else "c"\n', encoding="utf-8")
    (tmp_path / "open.py").write_text('a = 1\nb = f"{a}:" if a else "c"\n', encoding="utf-8")
    (tmp_path / "packed.ts").write_text("let a = 1;" * 24 + "\n\nlet b;\n", encoding="utf-8")

    assert size_of_python(tmp_path / "packed.py") == size_of_python(tmp_path / "open.py") == (2, 16, 0)
    assert size_of_text(tmp_path / "packed.ts") == (0, 0, 3)


# --- Tables of the pages


def rows_of(page: str, heading: str) -> list[str]:
    """The first cell of each row of the table that follows a heading, without the table's head."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = re.search(r"^\|.*?(?=\n[^|]|\n\n|\Z)", section, re.MULTILINE | re.DOTALL)
    assert table, f"there is no table under {heading}"
    return [row.split("|")[1].strip() for row in table[0].split("\n")[2:]]


def test_the_table_of_formats_has_every_format() -> None:
    """`--format` and docs/report.md offer the same."""
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    assert rows_of(page, "Formats") == [f"`{name}`" for name in FORMATS]


def test_the_table_of_facts_has_every_kind_and_field() -> None:
    """In the order in which they are told; the order has no other kind."""
    page = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(\w+)` \| (.*) \|$", page.partition("| Kind | Fields |")[2].partition("\n\n")[0], re.MULTILINE
    )
    kinds = [kind for module in (autograd_facts, grading_facts) for kind in vars(module).values()]
    fields = {
        kind.kind: set(kind.__struct_fields__)
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, Kind) and "kind" in vars(kind)
    }

    assert [kind for kind, _ in rows] == list(ORDER)
    assert {kind: set(re.findall(r"`(\w+)`", row)) - {"raise"} for kind, row in rows} == fields


def test_a_name_stands_for_one_thing() -> None:
    """A class, and a function that another room imports, has a name of its own; `main` is an entry point everywhere."""
    places = defaultdict[str, set[str]](set)
    imported = set()
    for path in sorted(GRADER.rglob("*.py")):
        name = path.relative_to(GRADER).as_posix()
        tree, room = ast.parse(path.read_text(encoding="utf-8")), name.partition("/")[0].removesuffix(".py")
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                places[node.name].add(name)
        for node in ast.walk(tree):
            parts = (node.module or "").split(".") if isinstance(node, ast.ImportFrom) else []
            if parts[:1] == ["grader"] and parts[1:2] != [room]:
                imported |= {each.name for each in node.names}
    names = imported - {"main"} | {name for name in places if name[:1].isupper()}
    assert {name: sorted(places[name]) for name in sorted(names) if len(places[name]) > 1} == {}


# Words that end like a participle and are verbs or nouns.
NO_PARTICIPLES = {"cached", "need", "seed"}
PARTICIPLES = {
    "again", "begun", "bound", "broken", "built", "chosen", "done", "found", "given", "gone", "held", "hidden", "kept",
    "known", "left", "lost", "made", "meant", "met", "said", "seen", "sent", "shown", "taken", "told", "unseen", "written",
}  # fmt: skip
# What check files call reads like a phrase: `student.made()`.
FOR_CHECKS = {"autograd/nodes.py", "autograd/trust.py", "sandbox/student.py"}


def test_a_function_is_named_by_a_verb_or_a_noun() -> None:
    """No function or method is called by a bare participle (`kept`, `_parsed`); properties and contexts read like facts."""
    found = []
    for path in sorted(GRADER.rglob("*.py")):
        name = path.relative_to(GRADER).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in [
            *tree.body,
            *(each for one in tree.body if isinstance(one, ast.ClassDef) for each in one.body),
        ]:
            bare = node.name.strip("_") if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else ""
            is_participle = bare in PARTICIPLES or (bare.endswith("ed") and "_" not in bare)
            how = " ".join(map(ast.unparse, getattr(node, "decorator_list", ())))
            if is_participle and bare not in NO_PARTICIPLES and not re.search("property|contextmanager", how):
                found += [f"{name}: {bare}"] * (name not in FOR_CHECKS)
    assert found == []
