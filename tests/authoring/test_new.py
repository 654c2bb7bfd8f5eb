"""`grade new`: an assignment that is sound at once, and what it never does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import GRADE, grade, grade_json, hand_in, not_passed, passed, same_as_snapshot
from validating import problems

from grader.assignment import RESERVED, SALT, Course, trouble_with_name
from grader.authoring.file_rules import file_rules
from grader.authoring.generated import write_generated
from grader.authoring.new import plan, write
from grader.authoring.skeleton import REFERENCE
from grader.cli import ROOMS, main
from grader.errors import Broken, Refused

FULL, USAGE = 0, 2
PART = "def mean(numbers):\n    return sum(numbers) / len(numbers)\n"
WRONG = PART.replace("len(numbers)", "(len(numbers) - 1)")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of one assignment, begun in an empty folder and not edited since."""
    root = tmp_path_factory.mktemp("begun")
    assert grade("new", "day6", "--title", "Centring", cwd=root).code == FULL
    assert grade("stub", "day6", cwd=root).code == FULL
    return root


def everything_in(folder: Path) -> set[str]:
    """Every file below a folder, by its path in it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def refused(name: str, here: Path, title: str | None = None) -> str:
    """Return the message of a refusal."""
    with pytest.raises(Refused) as caught:
        plan(name, title, here)
    return str(caught.value)


# --- What it writes


def test_it_tells_what_it_wrote_and_what_comes_next(tmp_path: Path) -> None:
    """The files by their names in the course, and three commands."""
    ran = grade("new", "day6", "--title", "Centring", cwd=tmp_path)
    same_as_snapshot("new", ran.out)
    listed = {line.strip() for line in ran.out.split("\n\n")[0].splitlines()[1:]}
    assert listed == everything_in(tmp_path)


def test_it_is_sound_without_an_edit(begun: Path) -> None:
    """`grade validate` has nothing to say; the kernel has a test of its own."""
    assert problems(begun, "day6") == []


@pytest.mark.ci
def test_it_is_sound_in_a_kernel_too(begun: Path) -> None:
    """The command itself, with everything that it looks at."""
    ran = grade("validate", "day6", cwd=begun)
    assert (ran.code, ran.out) == (FULL, "day6  sound\n")


@pytest.mark.ci
def test_it_grades(begun: Path) -> None:
    """The untouched notebook, the reference, a part of it, a mistake."""
    stub = grade_json("day6", "assignments/day6/day6_centring.ipynb", cwd=begun)
    assert {check.outcome for check in stub.checks} == {"todo"}
    assert grade_json("day6", "solutions/day6/day6_centring.py", cwd=begun).score == 100
    part = grade_json("day6", hand_in(begun, PART, "part.py"), cwd=begun)
    assert (passed(part), part.score) == ({"mean"}, 60)
    wrong = grade_json("day6", hand_in(begun, WRONG, "wrong.py"), cwd=begun)
    assert not_passed(wrong) == {"mean", "centred"}
    assert [mistake.id for mistake in wrong.checks[0].mistakes] == ["mean_divides_by_one_less"]


def test_the_students_notebook_speaks_to_the_student(begun: Path) -> None:
    """The comment that explains the markers is in a solution, so students do not get it."""
    stub = (begun / "assignments/day6/day6_centring.ipynb").read_text(encoding="utf-8")
    assert "BEGIN and END" in REFERENCE
    assert "BEGIN" not in stub
    assert "# Centring" in stub


def test_a_second_one_joins_the_course(begun: Path) -> None:
    """From any folder of the course; it has a salt of its own."""
    ran = grade("new", "day7", cwd=begun / "solutions" / "day6")
    assert ran.code == FULL
    assert str(begun / "assignments/day7/assignment.yaml") in ran.text
    assert not (begun / "solutions/day6/assignments").exists()
    first, second = ((begun / "solutions" / day / "salt.txt").read_text() for day in ("day6", "day7"))
    assert first != second


@pytest.mark.parametrize(
    "title", ['"Quotes": and #', "Umlaute äöü, 日本", "$name $$ ${x}", "\\n {} %s", "'", "- a", "yes"]
)
def test_any_title(tmp_path: Path, title: str) -> None:
    """A title may hold what YAML and templates take for their own."""
    write(plan("day6", title, tmp_path))
    assignment = Course(tmp_path).assignment("day6")
    assert assignment.manifest.title == title
    assert assignment.reference.is_file()


@pytest.mark.parametrize("title", ["", "  ", "two\nlines", "x" * 101, "\x1b[31mred", "a\u202eb"])
def test_no_title(tmp_path: Path, title: str) -> None:
    """One line, of what can be seen."""
    told = "one line of at most 100 printable characters"
    assert told in refused("day6", tmp_path, title)


@pytest.mark.parametrize("module", ["jupytext", "nbformat"])
def test_without_the_extra_the_next_step_says_what_to_install(
    begun: Path, monkeypatch: pytest.MonkeyPatch, module: str, snapshot
) -> None:
    """An author who has the student's install meets a sentence, and nothing has been written."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(Broken) as caught:
        write_generated(Course(begun).assignment("day6"))
    assert str(caught.value) == snapshot


# --- Names


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Day 6", "day6"), ("6", "day6"), ("roman numerals", "roman_numerals"), ("Tag-6", "tag6"), ("é", "e")],
)
def test_a_name_that_cannot_be_gets_a_proposal(tmp_path: Path, name: str, meant: str, snapshot) -> None:
    """The rule, and the command that would do."""
    told = refused(name, tmp_path)
    assert told == snapshot
    assert told.endswith(f"; try `grade new {meant}`")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "..", "../day6", "/", "日本", "-", "x" * 41, "nul", "com1"])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    """A name is never a path, and is one on every system."""
    assert trouble_with_name(name)
    assert refused(name, tmp_path).endswith(("; choose another name", "; try `grade new day6`"))
    assert list(tmp_path.iterdir()) == []


def test_a_command_is_no_assignment(tmp_path: Path, snapshot) -> None:
    """Of two things with one name, one could not be reached; that holds for commands to come as well."""
    assert set(ROOMS) <= RESERVED
    assert refused("release", tmp_path) == snapshot


def test_a_name_that_came_about_otherwise_is_told(tmp_path: Path, snapshot) -> None:
    """`grade validate` names the folder that was renamed by hand."""
    root = tmp_path / "course"
    write(plan("day6", None, _made(root)))
    (root / "assignments/day6").rename(root / "assignments/Day 6")
    (root / "solutions/day6").rename(root / "solutions/Day 6")
    (told,) = file_rules(Course(root).assignment("Day 6"))
    assert told == snapshot


# --- Where


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_a_new_repository_counts_as_empty(tmp_path: Path) -> None:
    """Files of a host or an editor need no question, and are kept."""
    (tmp_path / ".git").mkdir()
    for name in ("README.md", "LICENSE", ".gitignore", "pyproject.toml"):
        (tmp_path / name).write_text("mine\n")
    assert grade("new", "day6", cwd=tmp_path).code == FULL
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_git_leaves_out_the_record_of_grades(begun: Path) -> None:
    """`results.db`, with the files that SQLite and a command put beside it."""
    subprocess.run(["git", "init", "-q"], cwd=begun, check=True)
    record = ["results.db", "results.db-wal", ".results.db.lock"]
    ignored = subprocess.run(
        ["git", "check-ignore", *record], check=True, cwd=begun, capture_output=True, text=True
    )
    assert ignored.stdout.split() == record


def test_a_folder_full_of_things_is_asked_about(tmp_path: Path, snapshot) -> None:
    """Without a terminal nothing is written, unless `--yes` is given."""
    for name in ("Desktop", "Downloads", "Music", "Pictures"):
        (tmp_path / name).mkdir()
    ran = grade("new", "day6", cwd=tmp_path)
    assert ran.code == USAGE
    assert ran.text == snapshot
    assert not (tmp_path / "assignments").exists()
    assert grade("new", "day6", "--yes", cwd=tmp_path).code == FULL


def test_without_a_standard_input_nobody_can_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a service or a job may start it."""
    (tmp_path / "Music").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SystemExit) as ended:
        main.main(["new", "day6"])
    assert ended.value.code == USAGE
    assert "add --yes" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals of this kind")
def test_somebody_who_is_asked_may_say_yes_or_no(tmp_path: Path) -> None:
    """No is the answer of whoever presses the return key only."""
    from terminal import Terminal

    (tmp_path / "Music").mkdir()
    for answer, wanted in (("\n", "nothing was written"), ("y\n", "grade stub day6")):
        assert not (tmp_path / "assignments").exists()
        with Terminal([GRADE, "new", "day6"], tmp_path, columns=120) as terminal:
            terminal.until("[y/N]")
            os.write(terminal.ours, answer.encode())
            terminal.until(wanted)


def test_a_students_copy_is_asked_about(tmp_path: Path) -> None:
    """A course without solutions is one that was handed out."""
    write(plan("day6", None, _made(tmp_path / "course")))
    (tmp_path / "course/solutions").rename(tmp_path / "elsewhere")
    assert "no solutions/" in plan("day7", None, tmp_path / "course").doubt


def test_an_assignments_folder_of_something_else_is_no_course(tmp_path: Path, snapshot) -> None:
    """`~/assignments` with essays in it does not draw a new course into the home folder."""
    (_made(tmp_path / "assignments") / "essay.txt").write_text("mine\n")
    assert plan("day6", None, _made(tmp_path / "course")).root == tmp_path / "course"
    assert plan("day6", None, tmp_path).doubt == snapshot


def test_nothing_is_overwritten(begun: Path) -> None:
    """Neither an assignment nor a folder of its name on one side only."""
    before = everything_in(begun)
    ran = grade("new", "day6", cwd=begun)
    assert ran.code == USAGE
    assert f"{begun / 'assignments/day6'}: this exists already" in ran.text
    assert everything_in(begun) == before
    _made(begun / "solutions/day8")
    assert f"{begun / 'solutions/day8'}: this exists already" in refused("day8", begun)


def test_a_file_in_the_way(tmp_path: Path) -> None:
    """`solutions` may be a file of somebody's."""
    write(plan("day6", None, _made(tmp_path / "course")))
    (tmp_path / "course/solutions").rename(tmp_path / "elsewhere")
    (tmp_path / "course/solutions").write_text("mine\n")
    assert "this is a file" in refused("day7", tmp_path / "course")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("place", ["assignments", "solutions", "assignments/day7", "solutions/day7"])
def test_no_link_is_followed(tmp_path: Path, place: str) -> None:
    """A link instead of a folder leads nowhere, not even one to nothing."""
    course, elsewhere = _made(tmp_path / "course"), _made(tmp_path / "elsewhere")
    write(plan("day6", None, course))
    path = course / place
    if path.exists():
        path.rename(elsewhere / path.name)
    path.symlink_to(elsewhere / path.name)
    before = everything_in(elsewhere)
    assert str(path) in refused("day7", course)
    assert everything_in(elsewhere) == before


def test_all_or_nothing(tmp_path: Path) -> None:
    """If solutions/ cannot be written, assignments/ is removed again."""
    planned = plan("day6", None, tmp_path)
    (tmp_path / "solutions").write_text("notes\n")
    with pytest.raises(Refused, match="solutions"):
        write(planned)
    assert everything_in(tmp_path) == {"solutions"}


def test_what_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    """A file that came between the plan and the writing stays, and nothing else is left."""
    planned = plan("day6", None, tmp_path)
    late = _made(tmp_path / "solutions/day6") / "salt.txt"
    late.write_text("mine\n")
    with pytest.raises(Refused, match="salt"):
        write(planned)
    assert everything_in(tmp_path) == {"solutions/day6/salt.txt"}
    assert late.read_text() == "mine\n"


def test_a_new_salt_needs_no_notebook_tools(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebook does not depend on the salt, so it stays; everything else is written."""
    assignment = Course(begun).assignment("day6")
    write_generated(assignment)
    before, salt = assignment.stub.read_bytes(), (assignment.solutions / SALT).read_text()
    monkeypatch.setitem(sys.modules, "jupytext", None)

    written = dict(write_generated(assignment, new_salt=True))

    assert assignment.stub not in written
    assert assignment.stub.read_bytes() == before
    assert (assignment.solutions / SALT).read_text() != salt
