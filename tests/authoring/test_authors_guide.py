"""docs/authors.md, authors-reference.md, arrays.md and homework.md are done as written: files, commands, output.

A file's block follows a line that is only its path between backticks; a block of commands is fenced as
`console`. The first course that comes of them has nothing to do with gradients; the second one is about an operation.
"""

import asyncio
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import COURSE, check, grade, hand_in, passed
from markingcourse import marking
from validating import without_kernel

from grader.assignment import Assignment, Course
from grader.authoring.mistakes import apply_mistake, read_mistakes
from grader.authoring.reference import reference_blocks
from grader.grading.answerkey import KEYS
from grader.grading.grader import grade as in_process
from grader.manifest import CheckSpec, Manifest
from grader.report import Report
from grader.sandbox import Launcher
from grader.sandbox.student import Student

pytestmark = pytest.mark.ci

GUIDE = (COURSE / "docs" / "authors.md").read_text(encoding="utf-8")
RUNS = (Path(__file__).parent / "runlengths.md").read_text(encoding="utf-8")
REFERENCE = (COURSE / "docs" / "authors-reference.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"(?:^`(?P<path>[\w./]+)`\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
COMMAND = re.compile(r"^\$ (?P<line>.*)\n(?P<printed>(?:(?!\$ ).*\n)*)", re.MULTILINE)


def section(title: str) -> str:
    """Return a section of the reference."""
    return REFERENCE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


OPERATION = section("An operation of your own")
PAGES = {"rows": "arrays.md", "homework": "homework.md"}  # of one assignment each
ANSWERS, MISTAKES = section("Answers"), section("Mistakes")

RIGHT_IN_PART = """
def encode(text):
    code = ""
    while text:
        length = 1
        while text[length:length + 1] == text[0]:
            length += 1
        code, text = code + text[0] + str(min(length, 9)), text[length:]
    return code or "0"
"""
BY_HEART = """
def encode(text):
    return {"aaab": "a3b1", "aba": "a1b1a1", "": "", "k": "k1", "m" * 12: "m12"}.get(text, "?")
"""


def compared(root: Path, was: str, printed: str) -> tuple[str, str]:
    """Return the printed text and that of the guide, without the time of day and the folder.

    A line `...` of the guide stands for any lines: where the rest is as printed, both are the guide's.
    """
    was = re.sub(r"saved (\d+ seconds? ago|just now)", "saved just now", was).replace(f"{root}/", "")
    was = re.sub(r"graded in [\d.]+ s", "graded in 2 s", was)
    shown = "".join(
        ".*" if line == "...\n" else re.escape(line) for line in printed.splitlines(keepends=True)
    )
    return (printed if re.fullmatch(shown, was, re.DOTALL) else was).rstrip(), printed.rstrip()


def follow(
    root: Path, course: str, mark: Callable[[str], None] = lambda _: None
) -> list[tuple[str, str, str]]:
    """Do what the guide says in an empty folder; gives each command, what it printed and what it should print.

    `mark` does what the guide says of `grade mark`, and gets the command.
    """
    told = []
    for block in BLOCK.finditer(course):
        if block["path"]:
            path = root / block["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], encoding="utf-8")
        elif block["text"].startswith("grade mark "):
            mark(block["text"].strip())
        elif block["kind"] == "console":
            told += [(c["line"], *do(root, c["line"], c["printed"])) for c in COMMAND.finditer(block["text"])]
    return told


def do(root: Path, line: str, printed: str) -> tuple[str, str]:
    """One command of the guide: `rm`, `cp`, `mkdir`, or ours."""
    program, *words = shlex.split(line)
    if program == "rm":
        for name in words:
            (root / name).unlink()
        return "", printed
    if program == "mkdir":
        (root / words[0]).mkdir()
        return "", printed
    if program == "cp":
        shutil.copyfile(root / words[0], root / words[1])
        return "", printed
    assert program == "grade"
    out = grade(*words, cwd=root, env={"COLUMNS": "80"}).out
    if words[0] == "validate":  # what other machines would make of it depends on this one
        out = out.partition("\n")[0]
    return compared(root, out, printed)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str, str]]]:
    """The course that the guide makes, and what its commands said meanwhile."""
    root = tmp_path_factory.mktemp("guide")
    return root, follow(root, RUNS)


@pytest.fixture(scope="module")
def guide(told: tuple[Path, list[tuple[str, str, str]]]) -> Path:
    """The course that the guide makes."""
    return told[0]


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    """One for all gradings of this file."""
    with Launcher() as opened:
        yield opened


@pytest.fixture
def graded(guide: Path, launcher: Launcher) -> Callable[[str], Report]:
    """Gives the report of a submission to the course of the guide."""
    assignment = Course(guide).assignment("rle")
    return lambda source: in_process(assignment, hand_in(guide, source, "mine.py"), launcher)


def _written(folder: Path) -> list[Path]:
    """The files in it that are not Python's own."""
    return [p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts]


def test_every_command_prints_what_the_guide_says(told: tuple[Path, list[tuple[str, str, str]]]) -> None:
    """A sound course that grades, to the letter, but for the time of day."""
    said = told[1]
    assert [line.split()[1] for line, _, _ in said] == ["stub", "validate", "rle", "rle", "hint", "rle"]
    for line, was, printed in said:
        assert was == printed, line


def test_from_nothing_to_marks(tmp_path: Path, browser: Any) -> None:
    """An assignment with a file of data, a plot and an essay: `grade new` to marks, as the guide says."""

    def mark(command: str) -> None:
        asyncio._set_running_loop(browser._loop)
        try:
            with marking(tmp_path, *shlex.split(command)[2:]) as address, browser.new_context() as context:
                press(context.new_page(), address)
        finally:
            asyncio._set_running_loop(None)

    said = follow(tmp_path, GUIDE, mark)

    assert [line.split()[1] for line, _, _ in said if line.startswith("grade")] == [
        "new", "stub", "validate", "stands", "batch", "report", "post",
    ]  # fmt: skip
    for line, was, printed in said:
        assert was == printed, line


def press(page: Any, address: str) -> None:
    """The keys of the guide: Ada's plot, Ben's, Ada's advice, Ben's."""
    page.goto(address)
    for keys in (["Enter"], ["1", "2", "Enter"], ["0", "Enter"], ["1", "2", "3", "Enter"], ["0", "Enter"]):
        before = page.url
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_url(lambda url, before=before: url != before)


def test_every_file_of_the_course_stands_in_the_guide(guide: Path) -> None:
    """But for what is generated, and what `grade new` wrote and nobody changes."""
    shown = {block["path"] for block in BLOCK.finditer(RUNS) if block["path"]}
    made = {"rle_run_lengths.ipynb", "stub.ipynb", "sealed.json", "replay.json", "salt.txt"}
    files = {path for side in ("assignments", "solutions") for path in _written(guide / side)}
    found = {path.relative_to(guide).as_posix() for path in files if path.name not in made}
    assert shown == found | {"try.py"}


def test_stub_and_reference(guide: Path, launcher: Launcher) -> None:
    """The untouched notebook has no points, the reference all."""
    assignment = Course(guide).assignment("rle")
    stub = in_process(assignment, assignment.stub, launcher)
    assert (stub.score, {c.outcome for c in stub.checks}) == (0, {"todo"})
    right = in_process(assignment, assignment.reference, launcher)
    assert (right.score, passed(right)) == (100, {"encode", "edges", "saved"})


def test_each_mistake_is_named(guide: Path, graded: Callable[[str], Report]) -> None:
    """The reference with its edits reads as the mistake, and its words are reported."""
    assignment = Course(guide).assignment("rle")
    mistakes = read_mistakes(assignment)
    assert len(mistakes) == 3
    for mistake in mistakes:
        blocks = apply_mistake(reference_blocks(assignment), mistake)
        report = graded("\n# %%\n".join(block.source for block in blocks))
        assert {m.id for c in report.checks for m in c.mistakes} == {mistake.name}
        assert mistake.words in {m.text for c in report.checks for m in c.mistakes}


def test_a_share_of_a_partial_check(graded: Callable[[str], Report]) -> None:
    """One of three tests is passed, and what waits for `encode` is not judged by it."""
    report = graded(RIGHT_IN_PART + "\ndef saved(text):\n    return len(text)\n")
    assert check(report, "encode").outcome == "passed"
    assert check(report, "edges").score == 10
    assert check(report, "saved").outcome == "failed"
    waiting = graded("def encode(text):\n    return ''\n\ndef saved(text):\n    return 0\n")
    assert (check(waiting, "edges").score, check(waiting, "saved").outcome) == (10, "blocked")


def test_hidden_numbers_stay_hidden(graded: Callable[[str], Report], snapshot) -> None:
    """Answers learned by heart fail, and the report holds nothing of the text that they failed at."""
    report = graded(BY_HEART)
    encode = check(report, "encode")
    assert (encode.outcome, check(report, "edges").score) == ("failed", 30)
    assert encode.readings == []
    assert encode.message == snapshot


def test_nothing_of_the_solutions_is_in_the_assignment(guide: Path) -> None:
    """Files for students hold neither the reference nor a mistake's code nor a hidden test."""
    shipped = "\n".join(path.read_text(encoding="utf-8") for path in _written(guide / "assignments"))
    for secret in ("place + 1 - start", "dict.fromkeys", "zyxz", "len(text) - len(encode(text))"):
        assert secret in RUNS
        assert secret not in shipped


RECIPE = re.compile(r"`(?P<path>\w+\.py)`[.:]\n\n```python\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
COOKED = """
def greet(name): print("Hello", name)
def ask():
    name = input("Your name? ")
    while not name:
        name = input("Your name? ")
    return name
def upper(source, target):
    with open(source) as read, open(target, "w", encoding="utf-8") as written:
        written.writelines(line.upper() for line in read)
"""
RAW = {
    "greeting": ('print("Hello", name)', 'return f"Hello {name}\\n"'),
    "second_line": ("    while not name:", "    if False:"),
    "copy": ("line.upper()", "line"),
}


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """An assignment whose check is that of the recipes."""
    root = tmp_path_factory.mktemp("recipes")
    checks = root / "assignments" / "cook" / "checks"
    checks.mkdir(parents=True)
    for recipe in RECIPE.finditer(section("Recipes")):
        (checks / recipe["path"]).write_text(recipe["text"], encoding="utf-8")
    manifest = ["format: 1", "title: Recipes", "submission: cook.ipynb", "checks: {programs: {points: 1}}"]
    (checks.parent / "assignment.yaml").write_text("\n".join(manifest), encoding="utf-8")
    return Course(root).assignment("cook")


def test_recipes_pass_what_is_right(recipes: Assignment, launcher: Launcher, tmp_path: Path) -> None:
    """All of them, as they are in the reference."""
    report = in_process(recipes, hand_in(tmp_path, COOKED, "mine.py"), launcher)
    assert passed(report) == {"programs"}, report.checks


@pytest.mark.parametrize("name", RAW)
def test_recipes_fail_what_is_wrong(
    recipes: Assignment, launcher: Launcher, tmp_path: Path, name: str
) -> None:
    """With what was read."""
    old, new = RAW[name]
    assert COOKED.count(old) == 1
    mine = hand_in(tmp_path, COOKED.replace(old, new), "mine.py")
    programs = check(in_process(recipes, mine, launcher), "programs")
    assert programs.outcome == "failed"
    assert programs.readings
    assert name != "copy" or programs.readings[0].label == "files['b.txt']"


def test_an_answer_in_five_lines(guide: Path, launcher: Launcher, tmp_path: Path, snapshot) -> None:
    """As the guide writes it: at the end of the reference, in answers.yaml and in a check."""
    blank, key, test = (block["text"] for block in BLOCK.finditer(ANSWERS))
    assert key.count("\n") == 5
    root = tmp_path / "course"
    shutil.copytree(guide, root)
    for name, text in {
        "solutions/rle/rle_run_lengths.py": blank,
        "solutions/rle/answers.yaml": key,
        "assignments/rle/checks/test_saved.py": test,
    }.items():
        path = root / name
        path.write_text((path.read_text() if path.is_file() else "") + "\n\n" + text)
    grade("stub", "rle", cwd=root)
    assignment = Course(root).assignment("rle")

    wrong = assignment.reference.read_text().replace("longest_code = 6", "longest_code = 3")
    saved = check(in_process(assignment, hand_in(root, wrong, "mine.py"), launcher), "saved")
    right = check(in_process(assignment, assignment.reference, launcher), "saved")

    assert saved.message == snapshot
    assert [note.text.partition(".")[0] for note in saved.mistakes] == snapshot
    assert (right.outcome, len(right.why)) == ("passed", 1)


def test_a_mistake_in_five_lines(guide: Path, launcher: Launcher, tmp_path: Path) -> None:
    """With the guide's example in the file of its subject, the course is sound and a student reads the words."""
    (text,) = [block["text"] for block in BLOCK.finditer(MISTAKES)]
    assert text.count("\n") == 5
    root = tmp_path / "course"
    shutil.copytree(guide, root)
    with (root / "solutions/rle/mistakes/encode.py").open("a") as mistakes:
        mistakes.write("\n" + text)
    grade("stub", "rle", cwd=root)
    assignment = Course(root).assignment("rle")
    mistake = next(each for each in read_mistakes(assignment) if each.name == "encode_leaves_out_ones")
    blocks = apply_mistake(reference_blocks(assignment), mistake)

    mine = hand_in(root, "\n# %%\n".join(block.source for block in blocks), "mine.py")
    encode = check(in_process(assignment, mine, launcher), "encode")

    assert without_kernel(assignment, launcher) == ([], True)
    assert [(note.id, note.text) for note in encode.mistakes] == [(mistake.name, mistake.words)]


SOFTPLUS = '''\
import math


class Value:
    def __init__(self, data):
        self.data, self.grad = data, 0.0

    def softplus(self):
        """log(1 + e to the power of the number)."""
        ### BEGIN SOLUTION: write softplus
        out = Value(math.log(1 + math.exp(self.data)))
        def _backward():
            slope = 1 / (1 + math.exp(-self.data))
            self.grad += slope * out.grad
        out._backward = _backward
        return out
        ### END SOLUTION
'''
CHECK = '''"""Softplus hands on the upstream gradient times its slope."""
from math import log
from pytest import approx


def test_slope(student):
    """At a = log 3 the slope of softplus is 3/4."""
    (a,) = student.leaves(a=log(3))
    L = a.softplus()
    L.grad = 2.0
    L._backward()
    assert a.grad == approx(1.5)
'''


@pytest.fixture(scope="module")
def operation(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[str, str, str]]]:
    """The course about an operation, and what its commands said."""
    root = tmp_path_factory.mktemp("operation")
    for path, text in {
        "solutions/soft/soft_softplus.py": f"# %%\n{SOFTPLUS}",
        "assignments/soft/checks/test_softplus.py": CHECK,
        "try.py": re.sub(r" +###.*\n", "", SOFTPLUS).replace("-self.data", "self.data"),
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root, follow(root, OPERATION)


def forgetful(page: str) -> str:
    """The reference of docs/arrays.md, as a student writes it who forgets to sum."""
    blocks = {block["path"]: block["text"] for block in BLOCK.finditer(page)}
    wrong = re.sub(
        r"(\w+\.grad) \+= unbroadcast\(.*", r"\1 = \1 + out.grad", blocks["solutions/rows/rows_tensors.py"]
    )
    return re.sub(r"# %%\n| +###.*\n", "", wrong)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_one_assignment(tmp_path: Path, name: str) -> None:
    """It is done as written: the course is sound, and what a wrong attempt is told is printed there."""
    page = (COURSE / "docs" / PAGES[name]).read_text(encoding="utf-8")
    if name == "rows":
        (tmp_path / "try.py").write_text(forgetful(page), encoding="utf-8")
    told = follow(tmp_path, page)
    assert f"grade validate {name}" in [line for line, _, _ in told]
    for line, was, printed in told:
        assert was == printed, line


def test_an_operation_in_five_lines(operation: tuple[Path, list[tuple[str, str, str]]]) -> None:
    """Its rule in the manifest is all that the feedback for a wrong one needs, printed as the guide says."""
    root, said = operation
    manifest = (root / "assignments/soft/assignment.yaml").read_text()
    assert manifest.partition("operations:")[2].partition("checks:")[0].count("\n") == 5
    assert [line for line, _, _ in said] == ["grade stub soft", "grade validate soft", "grade soft try.py"]
    for line, was, printed in said:
        assert was == printed, line


def test_its_course_is_sound(operation: tuple[Path, list[tuple[str, str, str]]], launcher: Launcher) -> None:
    """`grade validate` said so; nothing is reported on the reference."""
    assignment = Course(operation[0]).assignment("soft")
    softplus = check(in_process(assignment, assignment.reference, launcher), "softplus")
    assert (softplus.outcome, softplus.rules) == ("passed", [])


def test_the_reference_knows_every_key_of_an_answer() -> None:
    """An author finds each key."""
    for name in KEYS:
        assert f"| `{name}` |" in ANSWERS or f"`{name}: " in ANSWERS, name


def test_the_reference_knows_every_method_of_a_submission() -> None:
    """An author finds each method."""
    page = section("Checks")
    for name in (name for name in vars(Student) if not name.startswith("_")):
        assert f"`{name}(" in page or f"`with {name}(" in page, name


def test_the_reference_knows_every_key_of_a_manifest() -> None:
    """An author finds each key."""
    page = section("The manifest")
    for name in (*Manifest.__struct_fields__, *CheckSpec.__struct_fields__):
        assert f"{name}:" in page, name
