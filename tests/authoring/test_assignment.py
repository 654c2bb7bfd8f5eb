"""The course folder and the manifest: what is wrong with it is named, with the place and the remedy."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import COURSE, grade
from minicourse import FILES, MANIFEST, change, put

from grader.assignment import Assignment, Course
from grader.errors import Refused
from grader.manifest import Manifest, _validate, graded_fields, read_manifest, read_yaml

USAGE = 2


def read(folder: Path, *changes: tuple[str, str]) -> Manifest:
    """The miniature course's manifest with these texts replaced."""
    text = MANIFEST
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return read_manifest(put(folder, "assignment.yaml", text))


def refused(folder: Path, *changes: tuple[str, str]) -> str:
    """Return the message about a manifest, without the file that it begins with."""
    with pytest.raises(Refused) as caught:
        read(folder, *changes)
    file, _, message = str(caught.value).partition("assignment.yaml")
    assert Path(file) == folder
    return message


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """The author's files of the miniature course; nothing is generated."""
    for name, text in FILES.items():
        put(tmp_path, name, text)
    return tmp_path


# --- A sound manifest


def test_manifest(tmp_path: Path) -> None:
    """Values of the author, and the defaults."""
    manifest = read(tmp_path)
    assert (manifest.title, manifest.submission) == ("Doubling", "mini.ipynb")
    assert list(manifest.checks) == ["double", "box"]
    box = manifest.checks["box"]
    assert (box.points, box.needs, box.reveal, box.partial, box.orders) == (
        40,
        ("double",),
        "nothing",
        False,
        False,
    )
    assert manifest.limits.total_seconds == 60
    assert (manifest.topic, manifest.continues, manifest.imports, manifest.due) == (None, None, (), None)


def test_due(tmp_path: Path) -> None:
    """A due date is a moment: a date and a time with its zone."""
    manifest = read(tmp_path, ("checks:", "due: 2025-12-01T23:59:00Z\nchecks:"))
    assert manifest.due == dt.datetime(2025, 12, 1, 23, 59, tzinfo=dt.UTC)


def test_some_limits(tmp_path: Path) -> None:
    """Limits that are not written keep their values."""
    limits = read(tmp_path, ("checks:", "limits: {check_seconds: 0.5}\nchecks:")).limits
    assert (limits.check_seconds, limits.load_seconds) == (0.5, 10)


# --- Keys and values

MESSAGES = {
    "unknown key": (
        ("title:", "titel:"),
        ": unknown key `titel` (did you mean `title`?); valid keys: format, title, submission, checks, "
        "topic, continues, limits, imports, arrays, due, late, hidden, letters, reference, operations, walks, names",
    ),
    "unknown key that is near nothing": (
        ("checks:", "weather: fine\nchecks:"),
        ": unknown key `weather`; valid keys: format, title, submission, checks, topic, "
        "continues, limits, imports, arrays, due, late, hidden, letters, reference, operations, walks, names",
    ),
    "unknown key of a check": (
        ("points: 60", "pionts: 60"),
        ": unknown key `checks.double.pionts` (did you mean `points`?); "
        "valid keys: points, needs, reveal, hints, partial, weights, orders, chart, manual, title, rubric",
    ),
    "unknown limit": (
        ("checks:", "limits: {load_second: 3}\nchecks:"),
        ": unknown key `limits.load_second` (did you mean `load_seconds`?); "
        "valid keys: load_seconds, check_seconds, total_seconds, memory_mb, output_kb",
    ),
    "missing key": (
        ("title: Doubling\n", ""),
        ": Object missing required field `title`; add a line `title: ...`",
    ),
    "a word for hidden checks that is none": (
        ("checks:", "hidden: each_psuh\nchecks:"),
        ": `hidden` is `each_psuh` (did you mean `each_push`?); write each_push or final",
    ),
    "unknown key of the hidden checks' answers": (
        ("checks:", "hidden: {answer: each_push, per_dya: 3}\nchecks:"),
        ": unknown key `hidden.per_dya` (did you mean `per_day`?); valid keys: answer, per_day",
    ),
    "no answers at all": (
        ("checks:", "hidden: {per_day: 0}\nchecks:"),
        ": `hidden.per_day` is 0; write a number of at least 1",
    ),
    "limit of another type": (
        ("checks:", "limits: {memory_mb: much}\nchecks:"),
        ": Expected `int`, got `str`, at `limits.memory_mb`; write a number, without quotes",
    ),
    "limit out of range": (
        ("checks:", "limits: {memory_mb: 1}\nchecks:"),
        ": `limits.memory_mb` is 1; write a number of at least 64",
    ),
    "one import without brackets": (
        ("checks:", "imports: numpy\nchecks:"),
        ": Expected `array`, got `str`, at `imports`; write a list, [one, two], even for a single item",
    ),
    **{
        f"import {name}": (
            ("checks:", f"imports: [numpy, '{name}']\nchecks:"),
            f": `imports` has `{name}`; write the name that `import` uses, such as numpy or scipy.optimize, "
            "without folders or versions",
        )
        for name in ("../day1", "numpy/../x", "/etc", "numpy==2.0", "os..path", "..", "")
    },
    **{
        f"continues {name}": (
            ("checks:", f"continues: '{name}'\nchecks:"),
            f": `continues` is `{name}`; write the name of an earlier assignment, such as day1, without folders",
        )
        for name in ("../day1", "assignments/day1", "/etc", "Day1", "..")
    },
    "format of tomorrow": (
        ("format: 1", "format: 2"),
        ": this version does not support format 2; write `format: 1` or update Backgrade",
    ),
    "format in words": (
        ("format: 1", "format: one"),
        ": Expected `int`, got `str`, at `format`; write a number, without quotes",
    ),
    "submission in a folder": (
        ("mini.ipynb", "notebooks/mini.ipynb"),
        ": `submission` must be a file name without folders",
    ),
    "submission that is no notebook": (
        ("mini.ipynb", "mini.py"),
        ": `submission` must name a notebook (.ipynb)",
    ),
    "name of a check": (
        ("  double:", "  Double-It:"),
        ": `Double-It` cannot name a check; use lower-case letters, digits and _, and begin with a letter",
    ),
    "reveal": (
        ("points: 60", "points: 60\n    reveal: values"),
        ": `checks.double.reveal` is `values`, but hidden tests never reveal values; remove the line, and grade the class again",
    ),
    "unknown need": (
        ("needs: [double]", "needs: [duoble]"),
        ": `checks.box.needs` names `duoble`, but no check above has this name (did you mean `double`?); "
        "correct the name, or put the needed check first",
    ),
    "points finer than a report shows": (
        ("points: 60", "points: 33.335"),
        ": `checks.double.points` is 33.335; write points with at most two decimal places",
    ),
    "unknown topic": (
        ("checks:", "topic: autogard\nchecks:"),
        ": there is no topic `autogard` (did you mean `autograd`?); write autograd, or remove the line for a plain assignment",
    ),
    "manual check without a title": (
        ("points: 60", "points: 60\n    manual: true"),
        ": `checks.double.title` must be one line of at most 200 characters, because a manual check has no "
        "docstring; add `title: ...`",
    ),
    "title of a check with a file": (
        ("points: 60", "points: 60\n    title: Twice"),
        ": `checks.double.title` is only for a manual check; write the title into the docstring of "
        "test_double.py",
    ),
    "weights where all tests must pass": (
        ("points: 60", "points: 60\n    weights: {test_double: 2}"),
        ": `checks.double.weights` has no effect, because this check gives all of its points or none; add `partial: true`",
    ),
    "a weight below 0": (
        ("points: 60", "points: 60\n    partial: true\n    weights: {test_double: -1}"),
        ": `checks.double.weights.test_double` is -1; write a number from 0 to 1000",
    ),
    "partial credit of a manual check": (
        ("points: 60", "points: 60\n    manual: true\n    title: Why\n    partial: true"),
        ": `checks.double.partial` has no effect, because nothing runs for a manual check; remove the line",
    ),
    "rubric of a check with a file": (
        ("points: 60", "points: 60\n    rubric: {clear: 60}"),
        ": `checks.double.rubric` is only for a manual check; add `manual: true`, or remove the rubric",
    ),
    "rubric that gives nobody full marks": (
        ("  box:", "  essay: {points: 10, manual: true, title: Why, rubric: {clear: 6, short: 3}}\n  box:"),
        ": `checks.essay.rubric` gives at most 9 of 10 points, so full marks are out of reach; give an item more, "
        "or write only items that take points off",
    ),
    "item of a rubric without points": (
        ("  box:", "  essay: {points: 10, manual: true, title: Why, rubric: {clear: 0}}\n  box:"),
        ": `checks.essay.rubric` gives 0 points for `clear`; write a number other than 0, at most 10 up or down, "
        "with at most two decimal places",
    ),
    "item of a rubric without words": (
        ("  box:", "  essay: {points: 10, manual: true, title: Why, rubric: {' ': 10}}\n  box:"),
        ": `checks.essay.rubric` has the item ' '; write one line of text, with at most 100 characters",
    ),
    "more items than keys": (
        (
            "  box:",
            f"  essay: {{points: 9, manual: true, title: Why, rubric: {{{', '.join(f'{c}: 1' for c in 'abcdefghij')}}}}}\n  box:",
        ),
        ": `checks.essay.rubric` has 10 items; write at most 9, one for each digit key",
    ),
    "need of a manual check": (
        ("points: 60", "points: 60\n    manual: true\n    title: Why"),
        ": `checks.box.needs` names `double`, which is manual, so `box` would wait for your points; remove this name",
    ),
    "names without a topic": (
        ("checks:", "names: {grad: derivative}\nchecks:"),
        ": `names` has no effect without a topic; add a line `topic: ...`, or remove `names`",
    ),
    "two names that are one": (
        ("checks:", "topic: autograd\nnames: {grad: value, data: value}\nchecks:"),
        ": `names.grad` and `names.data` are both `value`; give each its own name",
    ),
    "a name that is none": (
        ("checks:", "topic: autograd\nnames: {grad: a.derivative}\nchecks:"),
        ": `names.grad` is `a.derivative`; write the Python name that code outside of the class uses",
    ),
    "a name that Python changes": (
        ("checks:", "topic: autograd\nnames: {grad: __grad}\nchecks:"),
        ": `names.grad` is `__grad`; write the Python name that code outside of the class uses",
    ),
    "chart without a topic": (
        ("points: 60", "points: 60\n    chart: true"),
        ": `checks.double.chart` has no effect without a topic that draws charts; add a line `topic: ...`, or "
        "remove this one",
    ),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(tmp_path: Path, case: str) -> None:
    """The key, the place, the remedy."""
    change, message = MESSAGES[case]
    assert refused(tmp_path, change) == message


HINTS = '["Which function do you have already?", "Keep what double gives for the number."]'
PLACES = {
    "points in words": (("points: 60", "points: many"), "checks.double.points"),
    "negative points": (("points: 60", "points: -1"), "checks.double.points"),
    "points that are no number": (("points: 60", "points: .nan"), "checks.double.points"),
    "no points": (("    points: 60\n", ""), "checks.double"),
    "a hint without brackets": ((HINTS, '"Keep what double gives."'), "checks.box.hints"),
    "needs without brackets": (("needs: [double]", "needs: double"), "checks.box.needs"),
    "a check that says nothing": (("  box:", "  empty:\n  box:"), "checks.empty"),
    "a check that is a number": (("  box:", "  empty: 3\n  box:"), "checks.empty"),
}


@pytest.mark.parametrize("case", PLACES)
def test_the_check_is_named(tmp_path: Path, case: str) -> None:
    """Among ten checks of the same shape, the message tells which one is meant."""
    change, place = PLACES[case]
    assert f"`{place}`" in refused(tmp_path, change)


def test_check_that_is_named_by_a_number(tmp_path: Path) -> None:
    """YAML reads 2 as a number; the message names it in our words, not in those of a library."""
    message = refused(tmp_path, ("  double:", "  2:"), ("[double]", "[]"))
    assert "`2`" in message
    assert "$" not in message


def test_only_manual_checks(tmp_path: Path, snapshot) -> None:
    """There would be nothing to run."""
    manual = "manual: true\n    title: Why"
    changes = [
        ("points: 60", f"points: 60\n    {manual} twice"),
        ("points: 40", f"points: 40\n    {manual} a box"),
    ]
    message = refused(tmp_path, *changes, ("    needs: [double]\n", ""))
    assert message == snapshot


def test_manual_checks_are_in_the_hash_of_the_suite(tmp_path: Path) -> None:
    """The points of a manual check are part of a report."""
    essay = "  essay: {points: 10, manual: true, title: Why}\n  box:"
    with_essay = graded_fields(read(tmp_path, ("  box:", essay)))
    assert with_essay != graded_fields(read(tmp_path, ("  box:", essay.replace("10", "20"))))
    rubric = essay.replace("Why}", "Why, rubric: {clear: 10}}")
    assert with_essay == graded_fields(read(tmp_path, ("  box:", rubric)))  # nobody is graded again for it


def test_need_that_stands_below(tmp_path: Path, snapshot) -> None:
    """The needed check comes first; that its name is spelt right is not put in doubt."""
    message = refused(tmp_path, ("points: 60", "points: 60\n    needs: [box]"), ("    needs: [double]\n", ""))
    assert message == snapshot


def test_need_of_itself(tmp_path: Path) -> None:
    """Nor can a check need itself."""
    message = refused(tmp_path, ("needs: [double]", "needs: [box]"))
    assert message.startswith(": `checks.box.needs` names `box`")
    assert "did you mean `box`" not in message


def test_check_that_is_written_twice(tmp_path: Path) -> None:
    """YAML would keep the second and forget the first, with its points."""
    message = refused(tmp_path, ("  box:", "  double:"), ("    needs: [double]\n", ""))
    assert "`double`" in message


# --- Dates


def test_due_without_a_time(tmp_path: Path) -> None:
    """YAML reads a bare day as a date; the message shows how a moment is written."""
    message = refused(tmp_path, ("checks:", "due: 2025-12-01\nchecks:"))
    assert "`due`" in message
    assert "T23:59" in message


def test_due_on_a_day_that_is_not(tmp_path: Path) -> None:
    """YAML itself stumbles over 30 February; the file is named anyway."""
    message = refused(tmp_path, ("checks:", "due: 2026-02-30\nchecks:"))
    assert "day is out of range" in message or "due" in message


def test_due_in_words(tmp_path: Path) -> None:
    """A value that is no date."""
    assert "`due`" in refused(tmp_path, ("checks:", "due: tomorrow\nchecks:"))


# --- Not a manifest

NO_YAML = {
    "bracket": (
        "checks:",
        "imports: [numpy\nchecks:",
        ", line 5: this is not valid YAML; look at the indentation and the quotes",
    ),
    "tab": (
        "    points: 60",
        "\tpoints: 60",
        ", line 6: this is not valid YAML; replace the tab in this line by spaces",
    ),
    "colon": (
        "title: Doubling",
        "title: Doubling: a beginning",
        ", line 2: this is not valid YAML; put a text with a colon in quotes, and begin keys of the same level in the same column",
    ),
    "quote": ("title: Doubling", 'title: "Doubling', None),
    "a tag that runs code": (
        "title: Doubling",
        "title: !!python/object/apply:os.getcwd []",
        ", line 2: this is not valid YAML; look at the indentation and the quotes",
    ),
}


@pytest.mark.parametrize("case", NO_YAML)
def test_not_yaml(tmp_path: Path, case: str, snapshot) -> None:
    """The error names the line at which YAML gives up."""
    old, new, message = NO_YAML[case]
    told = refused(tmp_path, (old, new))
    assert told == snapshot
    assert told.startswith(", line ")
    assert message in (None, told)


@pytest.mark.parametrize("text", ["", "- double\n- box\n", "double\n"])
def test_yaml_that_is_no_table(tmp_path: Path, text: str, snapshot) -> None:
    """An empty file, a list, a word."""
    path = put(tmp_path, "assignment.yaml", text)
    with pytest.raises(Refused) as caught:
        read_manifest(path)
    assert str(caught.value) == snapshot


def test_not_utf8(tmp_path: Path) -> None:
    """A manifest in another encoding."""
    path = tmp_path / "assignment.yaml"
    path.write_bytes(MANIFEST.replace("Doubling", "Verdoppeln für alle").encode("latin-1"))
    with pytest.raises(Refused, match="this is not text in UTF-8; save it as UTF-8"):
        read_manifest(path)


def test_folder_instead_of_a_manifest(tmp_path: Path) -> None:
    """The message has the system's own reason."""
    with pytest.raises(Refused) as caught:
        read_manifest(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: this file cannot be read: ")


@pytest.mark.ci
def test_command_tells_it(mini: Path, snapshot) -> None:
    """The command prints the sentence and exits with 2."""
    put(mini, "assignments/mini/assignment.yaml", MANIFEST.replace("title:", "titel:"))
    ran = grade("mini", cwd=mini)
    assert ran.text == snapshot
    assert ran.code == USAGE


# --- The course folder


@pytest.mark.parametrize("folder", [".", "assignments", "assignments/mini", "solutions/mini/checks"])
def test_course_from_any_folder_in_it(mini: Path, folder: str) -> None:
    """The course is the nearest folder above that holds `assignments`."""
    assert Course.find(mini / folder).root == mini


def test_no_course(tmp_path: Path, snapshot) -> None:
    """The folder is named, and what is missing, and what to do."""
    with pytest.raises(Refused) as caught:
        Course.find(tmp_path)
    assert str(caught.value) == snapshot


def test_order_of_assignments(tmp_path: Path) -> None:
    """day2 comes before day10; a folder without a manifest is no assignment."""
    for name in ("day10", "day2", "day1", "extra", "2nd"):
        put(tmp_path, f"assignments/{name}/assignment.yaml", MANIFEST)
    put(tmp_path, "assignments/notes/README.md", "not an assignment\n")
    assert Course(tmp_path).names == ["2nd", "day1", "day2", "day10", "extra"]


def test_unknown_assignment(mini: Path, snapshot) -> None:
    """The error has the nearest name and lists all names."""
    with pytest.raises(Refused) as caught:
        Course(mini).assignment("mimi")
    assert str(caught.value) == snapshot


def test_folder_without_a_manifest(tmp_path: Path, snapshot) -> None:
    """The folder is there, and what makes an assignment of it is missing or has another name."""
    put(tmp_path, "assignments/mini/assignment.yml", MANIFEST)
    with pytest.raises(Refused) as caught:
        Course(tmp_path).assignment("mini")
    assert str(caught.value) == snapshot


def test_course_without_assignments(tmp_path: Path, snapshot) -> None:
    """An empty course says so."""
    (tmp_path / "assignments").mkdir()
    with pytest.raises(Refused) as caught:
        Course(tmp_path).assignment("day1")
    assert str(caught.value) == snapshot


def test_broken_manifest_does_not_hide_the_others(mini: Path) -> None:
    """The assignments are found by their folders; a manifest is read when it is asked for."""
    put(mini, "assignments/next/assignment.yaml", "format: [")
    course = Course(mini)
    assert course.names == ["mini", "next"]
    assert course.assignment("mini").manifest.title == "Doubling"


# --- An assignment's files


def test_where_the_files_are(mini: Path) -> None:
    """Visible files are in assignments/, hidden ones in solutions/."""
    assignment = Assignment(Course(mini), "mini")
    assert assignment.stub == mini / "assignments/mini/mini.ipynb"
    assert assignment.reference == mini / "solutions/mini/mini.py"
    assert assignment.has_hidden
    assert assignment.salt == "a pinch of salt"
    assert [(check, side) for check, side, _ in assignment.check_files()] == [
        ("double", "visible"),
        ("double", "hidden"),
        ("box", "visible"),
        ("box", "hidden"),
    ]


def test_students_machine(mini: Path) -> None:
    """Without `solutions/` there are the visible checks alone, and no salt."""
    (mini / "solutions").rename(mini / "elsewhere")
    assignment = Assignment(Course(mini), "mini")
    assert not assignment.has_hidden
    assert assignment.salt == ""
    assert {side for _, side, _ in assignment.check_files()} == {"visible"}


@pytest.mark.parametrize("side", ["assignments", "solutions"])
def test_stray_test_file(mini: Path, side: str, snapshot) -> None:
    """A test file of no check would never run: it is named, with the check that it may be meant for."""
    put(mini, f"{side}/mini/checks/test_doubel.py", '"""Doubling."""\n')
    with pytest.raises(Refused) as caught:
        Assignment(Course(mini), "mini").check_files()
    assert str(caught.value) == snapshot


def test_file_of_a_manual_check(mini: Path, snapshot) -> None:
    """It would never run."""
    change(
        mini,
        "assignments/mini/assignment.yaml",
        "  box:",
        "  essay: {points: 5, manual: true, title: Why}\n  box:",
    )
    put(mini, "solutions/mini/checks/test_essay.py", '"""Why."""\n')
    with pytest.raises(Refused) as caught:
        Course(mini).assignment("mini").check_files()
    assert str(caught.value) == snapshot


def test_helper_beside_the_checks(mini: Path) -> None:
    """Only files that are called test_… are checks."""
    put(mini, "assignments/mini/checks/numbers.py", "N = 3\n")
    assert len(Assignment(Course(mini), "mini").check_files()) == 4


# --- When hidden checks answer


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", ("each_push", 5)),
        ("hidden: final\n", ("final", 5)),
        ("hidden: {per_day: 2}\n", ("each_push", 2)),
        ("hidden: {answer: each_push, per_day: 9}\n", ("each_push", 9)),
    ],
)
def test_hidden_checks_answer(tmp_path: Path, line: str, told: tuple[str, int]) -> None:
    """A word, or a table with the most answers a day; edited at any time, nothing is graded again for it."""
    manifest = read(tmp_path, ("checks:", f"{line}checks:"))
    assert (manifest.hidden.answer, manifest.hidden.per_day) == told
    assert graded_fields(manifest) == graded_fields(read(tmp_path))


# --- A manifest that is kept


@pytest.mark.parametrize("day", Course(COURSE).names)
def test_a_kept_manifest_is_the_same(day: str) -> None:
    """To the type of each number: the hash of the suite depends on it."""
    path = COURSE / "assignments" / day / "assignment.yaml"
    fresh = _validate(path, read_yaml(path))[1]
    read_manifest(path)

    kept = read_manifest(path)

    assert (repr(kept), graded_fields(kept)) == (repr(fresh), graded_fields(fresh))


def test_a_kept_manifest_has_its_time_zone_and_short_forms(tmp_path: Path) -> None:
    """Also a number that was written where the default is one."""
    lines = "due: 2025-12-01T23:59:00+02:00\nhidden: final\nlimits: {load_seconds: 10, total_seconds: 7.5}\n"
    path = put(tmp_path, "assignment.yaml", MANIFEST + lines)

    fresh, kept = read_manifest(path), read_manifest(path)

    assert repr(kept) == repr(fresh)
    assert kept.due is not None
    assert str(kept.due) == "2025-12-01 23:59:00+02:00"


def test_a_manifest_is_kept_for_the_next_command(tmp_path: Path, snapshot) -> None:
    """The next one imports no YAML, and an edited manifest is read anew."""
    path = put(tmp_path, "assignment.yaml", MANIFEST.replace("Doubling", "A title of its own"))
    code = "import sys; from pathlib import Path; from grader.manifest import read_manifest\n"
    code += f"print(read_manifest(Path({str(path)!r})).title, 'yaml' in sys.modules)"

    def run() -> str:
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert run() == snapshot
    change(tmp_path, "assignment.yaml", "of its own", "that was edited")
    assert run() == snapshot


@pytest.mark.parametrize("found", [b"{", b"{}", b'{"format": 1, "title": "Planted"}', b"\xff"])
def test_a_kept_manifest_that_is_none_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: bytes
) -> None:
    """Whatever the cache holds, what is used is a manifest."""
    monkeypatch.setattr("grader.manifest.read_cache", lambda *_: found)

    assert read(tmp_path).title == "Doubling"


def test_a_manifest_that_is_refused_is_refused_again(tmp_path: Path) -> None:
    """Nothing is kept of it."""
    for _ in range(2):
        assert "unknown key `titel`" in refused(tmp_path, ("title:", "titel:"))
