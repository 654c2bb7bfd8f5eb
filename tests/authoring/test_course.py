"""`grade stub`: the stub, fingerprints and salt that it makes from an author's files; the edits of mistakes."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from helpers import COURSE, grade, grade_json, hand_in
from minicourse import FILES, build, change, put
from sampled import every
from validating import hashes

from grader.assignment import Assignment, Course
from grader.authoring.file_rules import SHORTEST_SOLUTION
from grader.authoring.grading_rules import grading_rules
from grader.authoring.mistakes import Mistake, apply_mistake, read_mistakes
from grader.authoring.reference import make_notebook, reference_blocks, solution_blocks, strip_solutions
from grader.authoring.runner import open_runner
from grader.errors import Broken
from grader.grading.sealed import read_sealed
from grader.sandbox import Launcher

DONE, USAGE, UNREADABLE = 0, 2, 3
SIDES = {"assignments": "visible", "solutions": "hidden"}
days = pytest.mark.parametrize("day", Course.find(COURSE).names)


@pytest.fixture(autouse=True)
def _checks_are_read_anew() -> Iterator[None]:
    """Each story has its own check files at the same places of another course."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if ".checks.test_" in name:
            del sys.modules[name]


def real(day: str) -> Assignment:
    """An assignment of the course itself."""
    return Course(COURSE).assignment(day)


def cells_of(text: str, kind: str) -> list[Any]:
    """The cells of one kind in a notebook."""
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == kind]


def source_of(text: str, kind: str = "code") -> str:
    """Return the text of all cells of one kind."""
    return "\n".join("".join(cell["source"]) for cell in cells_of(text, kind))


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The files that are new, gone or different."""
    return {name for name in before | after if before.get(name) != after.get(name)}


# --- Solution blocks

BLOCKS = {
    "a message": (
        "def double(x):\n    ### BEGIN SOLUTION: write double\n    return x + x\n    ### END SOLUTION\n",
        'def double(x):\n    raise NotImplementedError("write double")\n',
    ),
    "no message": (
        "    ### BEGIN SOLUTION\n    return x + x\n    ### END SOLUTION",
        '    raise NotImplementedError("this is still to be written")',
    ),
    "a message with quotes and ×": (
        '### BEGIN SOLUTION: write "×", as on day 1\npass\n### END SOLUTION',
        'raise NotImplementedError("write \\"×\\", as on day 1")',
    ),
    "indentation of the markers": (
        "        ### BEGIN SOLUTION\n        deep = 1\n        ### END SOLUTION",
        '        raise NotImplementedError("this is still to be written")',
    ),
    "the author's own lines": (
        "### BEGIN SOLUTION: fill in answer\n# STUB: answer = ...  # a number\nanswer = 42\n### END SOLUTION",
        "answer = ...  # a number",
    ),
    "the author's own lines, indented": (
        "    ### BEGIN SOLUTION\n    # STUB: if self.number:\n    # STUB:     pass\n    self.grow()\n"
        "    ### END SOLUTION",
        "    if self.number:\n        pass",
    ),
    "an empty line among them": (
        "    ### BEGIN SOLUTION\n    # STUB: a = ...\n    # STUB:\n    # STUB: b = ...\n    a = b = 1\n"
        "    ### END SOLUTION",
        "    a = ...\n\n    b = ...",
    ),
    "author's lines after the solution": (
        "### BEGIN SOLUTION\nanswer = 42\n# STUB: answer = ...\n### END SOLUTION",
        "answer = ...",
    ),
    "two blocks": (
        "### BEGIN SOLUTION: one\na = 1\n### END SOLUTION\nkept = 0\n### BEGIN SOLUTION: two\nb = 2\n"
        "### END SOLUTION\n",
        'raise NotImplementedError("one")\nkept = 0\nraise NotImplementedError("two")\n',
    ),
    "nothing to solve": ("a = 1  # BEGIN\n", "a = 1  # BEGIN\n"),
}


@pytest.mark.parametrize("case", BLOCKS)
def test_solution_becomes_a_stub(case: str) -> None:
    """The lines between the markers are replaced, the others are kept."""
    source, expected = BLOCKS[case]
    assert strip_solutions(source, "x.py")[0] == expected


def test_solution_blocks_hold_what_was_taken_out() -> None:
    """The blocks are the solutions without the author's lines for the stub, in order."""
    source = "### BEGIN SOLUTION\n# STUB: a = ...\na = 1\n### END SOLUTION\n### BEGIN SOLUTION\nb = 2\n### END SOLUTION"
    _, blocks = strip_solutions(source, "x.py")
    assert [block.solution for block in blocks] == ["a = 1", "b = 2"]
    assert blocks[0].replacement == "a = ..."


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "### BEGIN SOLUTION\na = 1",
            "mini.py, cell 3: `### BEGIN SOLUTION` has no end; write `### END SOLUTION` below the solution",
        ),
        (
            "a = 1\n### END SOLUTION",
            "mini.py, cell 3: `### END SOLUTION` has no beginning; write `### BEGIN SOLUTION` above the solution",
        ),
        (
            "### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION",
            "mini.py, cell 3: `### BEGIN SOLUTION` stands inside a solution; end the first solution above it",
        ),
        *(
            (f"a = 1\n{line}", f"mini.py, cell 3: `{line}` is nearly a marker; write it as `{marker}`")
            for line, marker in {
                "### begin solution: write a": "### BEGIN SOLUTION",
                "## BEGIN SOLUTION": "### BEGIN SOLUTION",
                "###END SOLUTION": "### END SOLUTION",
                "### END SOLUTION of a": "### END SOLUTION",
                "#STUB: a = ...": "# STUB: ",
                "### BEGIN SOLUTON: write a": "### BEGIN SOLUTION",
                "### BEIGN SOLUTION": "### BEGIN SOLUTION",
                "# BEGIN SOLUTIONS": "### BEGIN SOLUTION",
                "### EDN SOLUTION": "### END SOLUTION",
                "# STUBS: a = ...": "# STUB: ",
            }.items()
        ),
        (
            "def a():\n### BEGIN SOLUTION\n    return 1\n### END SOLUTION",
            "mini.py, cell 3: `### BEGIN SOLUTION` is not indented like the line below it; indent both alike",
        ),
    ],
)
def test_markers_that_do_not_pair(source: str, message: str) -> None:
    """The error names the line and the marker without a partner."""
    with pytest.raises(Broken) as caught:
        strip_solutions(source, "mini.py, cell 3")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "line",
    [
        "### Solution",
        "# the solution",
        "# send solutions",
        "# TODO: x",
        "# SUB: x",
        "# stub",
        "# STUB x",
        "# BEGIN",
    ],
)
def test_a_comment_is_no_marker(line: str) -> None:
    """A comment that only holds a marker's word stays as it is."""
    assert strip_solutions(line, "mini.py")[0] == line


# --- The stub


def test_stub_of_the_miniature_course(sound: Path, snapshot) -> None:
    """Headlines, text, signatures and docstrings stay; the two solutions are to be written."""
    text = (sound / "assignments/mini/mini.ipynb").read_text(encoding="utf-8")

    assert source_of(text, "markdown") == snapshot
    assert ["".join(cell["source"]) for cell in cells_of(text, "code")] == snapshot


def test_tags_are_kept(sound: Path) -> None:
    """Grading needs the tags, and needs no other metadata; nothing has been run."""
    text = (sound / "assignments/mini/mini.ipynb").read_text(encoding="utf-8")
    cells = json.loads(text)["cells"]
    assert [cell["metadata"] for cell in cells] == [{}, {}, {}, {}, {"tags": ["demo"]}]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells_of(text, "code"))


def test_stub_is_a_valid_notebook_that_knows_its_assignment(sound: Path) -> None:
    """Jupyter opens it without a word, and the grader knows what it is."""
    text = (sound / "assignments/mini/mini.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata["backgrade"] == {"assignment": "mini"}
    assert len({cell["id"] for cell in notebook.cells}) == len(notebook.cells)


def test_second_time_changes_nothing(mini: Path) -> None:
    """`grade stub` over a sound course says that nothing has changed, and nothing has."""
    before = hashes(mini)
    ran = grade("stub", "mini", cwd=mini)
    assert ran.code == DONE
    assert [line.split()[0] for line in ran.out.splitlines()] == ["unchanged"] * 5
    assert hashes(mini) == before


@pytest.mark.ci
def test_stub_does_not_depend_on_where_the_course_lies(sound: Path, tmp_path: Path) -> None:
    """The same files in another folder give the same bytes."""
    elsewhere = build(tmp_path / "somewhere" / "else")
    assert changed(hashes(sound), hashes(elsewhere)) == set()


@days
def test_real_stub_is_the_one_in_the_course(day: str) -> None:
    """Generating twice gives the same bytes, those that are committed."""
    once, again = (make_notebook(real(day), solved=False) for _ in range(2))
    assert once == again
    assert once == real(day).stub.read_text(encoding="utf-8")


@days
def test_real_stub_keeps_text_and_tags(day: str) -> None:
    """The stub has the cells of the reference: the same Markdown, the same tags."""
    stub, solved = (json.loads(make_notebook(real(day), solved=solved)) for solved in (False, True))
    pairs = list(zip(stub["cells"], solved["cells"], strict=True))
    assert all(one["metadata"] == other["metadata"] for one, other in pairs)
    assert all(one["cell_type"] == other["cell_type"] for one, other in pairs)
    assert all(one["source"] == other["source"] for one, other in pairs if one["cell_type"] == "markdown")
    assert {tag for cell in stub["cells"] for tag in cell["metadata"].get("tags", ())} >= {"demo", "verify"}


@days
def test_no_solution_is_left_in_a_real_stub(day: str) -> None:
    """No line that is in solutions alone, no whole solution of any day, and no marker."""
    stub = source_of(real(day).stub.read_text(encoding="utf-8"))
    reference = real(day).reference.read_text(encoding="utf-8")
    kept = {line.strip() for line in strip_solutions(reference, day)[0].split("\n")}
    solved = {line.strip() for block in solution_blocks(real(day)) for line in block.solution.split("\n")}
    lines = {line.strip() for line in stub.split("\n")}

    assert solved - kept, "this test has lost its subject"
    assert lines & (solved - kept) == set()
    for other in Course(COURSE).names:
        for block in solution_blocks(real(other)):
            solution = block.solution.strip()  # a very short one says too little to be recognised
            assert len(solution) < SHORTEST_SOLUTION or solution not in stub
    assert not re.search(r"(BEGIN|END) SOLUTION|# STUB:", stub)


@days
def test_no_solution_is_left_in_the_text_of_a_real_stub(day: str) -> None:
    """Nor does the Markdown give a line of a solution away."""
    text = source_of(real(day).stub.read_text(encoding="utf-8"), "markdown")
    for block in solution_blocks(real(day)):
        for line in block.solution.split("\n"):
            telling = len(line.strip()) > 20 and not line.strip().startswith(("#", '"""'))
            assert not (telling and line.strip() in text), line


@pytest.mark.ci
@pytest.mark.parametrize("day", every(4, Course.find(COURSE).names, start=2))
def test_reference_as_a_notebook_gets_full_marks(day: str, course: Path) -> None:
    """The solved notebook, handed in, earns every point and leaves nothing to say."""
    path = hand_in(course, make_notebook(Course(course).assignment(day), solved=True))
    report = grade_json(day, path, cwd=course)
    assert report.score == report.max_score == 100
    assert report.notes == []


def test_solved_notebook_has_no_lines_of_the_stub(sound: Path) -> None:
    """`# STUB:` lines are left out of the reference's notebook, where they would stop it."""
    text = make_notebook(Course(sound).assignment("mini"), solved=True)
    assert "NotImplementedError" not in text
    assert "self.number = double(self.number)" in text


# --- Sealed files


@pytest.mark.parametrize("side", SIDES)
@days
def test_sealed_files_tell_nothing(side: str, day: str) -> None:
    """They hold names of tests, marks and boxes: no name of a mistake and none of its words."""
    path = COURSE / side / day / "checks/sealed.json"
    visibility = SIDES[side]
    mistakes = read_mistakes(real(day))

    assert mistakes
    boxes = "\n".join(read_sealed(path).mistakes.values())
    assert not [mistake.name for mistake in mistakes if mistake.name in boxes or mistake.words[:20] in boxes]
    for name, item in read_sealed(path).mistakes.items():
        if "/" in name:
            assert re.fullmatch(rf"[a-z0-9_]+/{visibility}/test_.+", name)
            assert re.fullmatch(r"([0-9a-f]{16} \S+ ?)+", item)


def test_fingerprints_tell_nothing_of_hidden_tests(sound: Path) -> None:
    """Only visible tests have some; the hidden side has no file if it has no answers."""
    seen = [
        name for name in read_sealed(sound / "assignments/mini/checks/sealed.json").mistakes if "/" in name
    ]
    assert seen == ["box/visible/test_grow", "double/visible/test_three"]
    assert not (sound / "solutions/mini/checks/sealed.json").exists()


@pytest.mark.ci
def test_mistake_is_told_by_its_fingerprint(mini: Path, snapshot) -> None:
    """A student's own way of writing a mistake gets the mistake's words."""
    path = hand_in(mini, "def double(x):\n    return pow(x, 2)\n", "mine.py")
    report = grade_json("mini", path, "--check", "double", cwd=mini)
    (note,) = report.checks[0].mistakes
    assert note.id == "double_squares"
    assert note.text == snapshot


# --- `grade stub`


@pytest.mark.ci
def test_new_salt(mini: Path) -> None:
    """The salt is new, and with it what is sealed; all else stays, and the reference passes."""
    before = hashes(mini)

    ran = grade("stub", "mini", "--new-salt", cwd=mini)

    assert ran.code == DONE
    assert changed(before, hashes(mini)) == {
        "solutions/mini/salt.txt",
        "assignments/mini/checks/sealed.json",
        "assignments/mini/checks/replay.json",
        "solutions/mini/checks/replay.json",
    }
    report = grade_json("mini", "solutions/mini/mini.py", cwd=mini)
    assert report.score == report.max_score
    assert rules(mini) == []


@pytest.mark.ci
def test_no_salt_yet(mini: Path) -> None:
    """A new assignment gets a salt, and a second run keeps it."""
    salt = mini / "solutions/mini/salt.txt"
    salt.unlink()
    assert grade("stub", "mini", cwd=mini).code == DONE
    made = salt.read_text(encoding="utf-8")
    assert re.fullmatch(r"[0-9a-f]{32}\n", made)
    assert grade("stub", "mini", cwd=mini).code == DONE
    assert salt.read_text(encoding="utf-8") == made


@pytest.mark.ci
def test_out_of_date_files_are_written(mini: Path) -> None:
    """After a change of the author's, `grade stub` writes what depends on it and says what."""
    change(mini, "solutions/mini/mini.py", "# # Doubling", "# # Twice")
    ran = grade("stub", "mini", cwd=mini)
    lines = [line.split() for line in ran.out.splitlines()]
    assert [(word, Path(path).name) for word, path in lines] == [
        ("written", "mini.ipynb"),
        ("written", "stub.ipynb"),
        ("unchanged", "sealed.json"),
        ("unchanged", "replay.json"),
        ("unchanged", "replay.json"),
    ]
    assert rules(mini) == []


@pytest.mark.ci
@pytest.mark.parametrize("name", ["sealed.json", "parity.json"])
def test_broken_generated_file_is_written_anew(mini: Path, name: str) -> None:
    """`grade` says of such a file that `grade stub` is to be run again; so that has to help."""
    change(mini, "assignments/mini/assignment.yaml", "checks:", "topic: autograd\nchecks:")
    path = put(mini, f"assignments/mini/checks/{name}", "<<<<<<< HEAD\n")
    ran = grade("stub", "mini", cwd=mini)
    assert ran.code == DONE, ran.text
    assert not path.is_file() or "<<<" not in path.read_text(encoding="utf-8")
    assert grade("mini", "solutions/mini/mini.py", cwd=mini).code == DONE


@pytest.mark.ci
def test_assignment_without_hidden_checks(tmp_path: Path) -> None:
    """An author who has no hidden checks yet gets the stub and the fingerprints anyway."""
    for name, text in FILES.items():
        if not name.startswith("solutions/mini/checks/"):
            put(tmp_path, name, text)
    ran = grade("stub", "mini", cwd=tmp_path)
    assert ran.code == DONE, ran.text
    assert (tmp_path / "assignments/mini/mini.ipynb").is_file()
    assert (tmp_path / "assignments/mini/checks/sealed.json").is_file()


@pytest.mark.ci
def test_without_solutions(mini: Path) -> None:
    """On a student's machine there is nothing to make a stub from, which is said."""
    shutil.rmtree(mini / "solutions")
    ran = grade("stub", "mini", cwd=mini)
    assert ran.code in (USAGE, UNREADABLE)
    assert "this command needs the folder solutions/" in ran.text
    assert not (mini / "solutions").exists()


@pytest.mark.ci
def test_mistake_that_cannot_be_used_leaves_everything_as_it_was(mini: Path, snapshot) -> None:
    """If fingerprints cannot be made, no other file is written either, not even the salt."""
    change(mini, "solutions/mini/mistakes/doubling.py", '"return x + x"', '"return x + y"')
    before = hashes(mini)
    ran = grade("stub", "mini", "--new-salt", cwd=mini)
    assert ran.text == snapshot
    assert ran.code == UNREADABLE
    assert changed(before, hashes(mini)) == set()


@pytest.mark.ci
def test_check_file_that_is_broken_leaves_everything_as_it_was(mini: Path) -> None:
    """Fingerprints of checks that could not be run would be empty; they are not written."""
    path = change(mini, "solutions/mini/checks/test_double.py", "2 * x)", "2 *")
    before = hashes(mini)
    ran = grade("stub", "mini", cwd=mini)
    assert changed(before, hashes(mini)) == set()
    assert str(path) in ran.text
    assert ran.code == UNREADABLE


def rules(course: Path) -> list[str]:
    """Return what the grading rules say of the miniature course."""
    assignment = Course(course).assignment("mini")
    with Launcher() as launcher, open_runner(assignment, launcher) as runner:
        return list(grading_rules(runner, sound=True))


# --- Mistakes


def test_an_edit_of_an_earlier_day() -> None:
    """Day 3 continues day 2: an edit is made in whichever reference holds its text, and only there."""
    blocks = reference_blocks(real("day3"))
    old = "value.grad = 0.0"  # in reset_grads, of day 2
    mistake = Mistake("forgets", "Words.", ({old: "pass"},), ("diamond",), Path("wrong.py"), 1)

    edited = apply_mistake(blocks, mistake)

    (where,) = (i for i, block in enumerate(blocks) if edited[i] != block)
    assert blocks[where].file == "day2_backward_pass.py"
    assert edited[where].source == blocks[where].source.replace(old, "pass")


def test_an_edit_that_both_days_hold(snapshot) -> None:
    """The files are reported, and what to do."""
    mistake = Mistake("adds", "Words.", ({"import math": "pass"},), ("diamond",), Path("wrong.py"), 1)
    with pytest.raises(Broken) as caught:
        apply_mistake(reference_blocks(real("day3")), mistake)
    assert str(caught.value) == snapshot


def test_real_mistakes_are_few() -> None:
    """There are at most 350 mistakes, because facts explain the rest: a third are of day 7, whose functions have no rules."""
    made = {assignment.name: read_mistakes(assignment) for assignment in Course(COURSE).assignments}
    assert sum(map(len, made.values())) <= 350
    for day, mistakes in made.items():
        blocks = reference_blocks(real(day))
        for mistake in mistakes:
            for way in range(len(mistake.edits)):
                assert apply_mistake(blocks, mistake, way) != blocks
