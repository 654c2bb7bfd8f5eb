"""The code of a file, by which work that nobody touched is known."""

import json
import shutil

import pytest
from helpers import executed, notebook
from minicourse import add_second, change
from students import course

from grader.assignment import Course
from grader.errors import Refused
from grader.submissions.handed_out import (
    FILE,
    forms_of,
    graded_part,
    handed_out,
    is_untouched,
    record,
    without_dead_links,
)

NAME = "mini.ipynb"


def code(data):
    """The graded part of a notebook without its text."""
    return graded_part(NAME, data, text=False)


def test_the_code_of_a_notebook_is_what_would_run():
    """Outputs, counts and text are none of it; a space in a line of code is."""
    text = notebook("x = 1\n")
    assert code(text.encode()) == code(executed(text).encode())
    assert code(text.encode()) != code(notebook("x =  1\n").encode())


def test_two_files_that_cannot_be_read_differ():
    """They have no code to compare."""
    assert code(b"{") != code(b"[")


@pytest.fixture
def mini(tmp_path):
    """The course, with its untouched notebook."""
    assignment = course(tmp_path)
    assignment.pristine.write_text(notebook("def double(x):\n    ...\n"), encoding="utf-8")
    return assignment


def test_the_notebook_of_the_course_is_untouched(mini):
    """Also after Jupyter has opened and saved it."""
    data = mini.pristine.read_bytes()
    assert is_untouched(NAME, data, handed_out(mini), text=False)
    assert is_untouched(NAME, executed(data.decode()).encode(), handed_out(mini), text=False)


def test_a_release_is_remembered(mini):
    """The notebook that it wrote stays untouched when the course has another one."""
    before = mini.pristine.read_bytes()
    record(mini, before)
    mini.pristine.write_text(notebook("def double(x): ...\n"), encoding="utf-8")
    assert is_untouched(NAME, before, handed_out(mini), text=False)
    assert not is_untouched(
        NAME, notebook("def double(x): return 2 * x\n").encode(), handed_out(mini), text=False
    )


def test_releases_are_remembered_once_and_in_order(mini):
    """The file is under version control, so a second release of the same notebook changes nothing in it."""
    for source in ("x = 1", "x = 2", "x = 1"):
        record(mini, notebook(source).encode())
    kept = json.loads((mini.solutions / FILE).read_bytes())
    assert kept == [code(notebook(source).encode()) for source in ("x = 1", "x = 2")]


def test_a_course_without_solutions_remembers_nothing(mini):
    """A student's copy has none, and gets none."""
    shutil.rmtree(mini.solutions)
    record(mini, notebook("x = 1").encode())
    assert not mini.solutions.exists()


def test_without_a_notebook_nothing_was_handed_out(mini):
    """As before the first `grade stub`."""
    mini.pristine.unlink()
    assert (forms_of(mini), handed_out(mini)) == ([], frozenset())


# --- Links to other assignments

LINKS = b"[the next day](../next/next.ipynb) and [here](../mini/mini.ipynb) and [odd](../\xff/x.ipynb)"


def test_links_to_absent_assignments_are_text():
    """All others stay, and so does the rest, byte for byte."""
    assert without_dead_links(LINKS, {"next"}) == LINKS.replace(
        b"[the next day](../next/next.ipynb)", b"the next day"
    )
    assert without_dead_links(LINKS, set()) == LINKS


def test_a_notebook_is_untouched_with_and_without_its_links(mini):
    """A release of one day makes plain text of those to other days; where a person judges text it is graded."""
    root = mini.course.root
    add_second(root, "next", "x = 1\n")
    change(
        root,
        "assignments/mini/assignment.yaml",
        "  box:",
        "  essay: {points: 10, manual: true, title: Why}\n  box:",
    )
    mini = Course(root).assignment("mini")
    text = "[next](../next/next.ipynb), [here](../mini/mini.ipynb)"
    whole, alone, none = (
        notebook("x = 1", words, kinds={2: "markdown"})
        for words in (text, text.replace("[next](../next/next.ipynb)", "next"), "next, here")
    )
    mini.pristine.write_text(whole, encoding="utf-8")
    known = handed_out(mini)
    assert [is_untouched(NAME, one.encode(), known, text=True) for one in (whole, alone, none)] == [
        True,
        True,
        False,
    ]


# --- A damaged record


@pytest.mark.parametrize("damage", [b"{", b"[1]", b'["\xff"]'])
def test_a_damaged_record_is_refused(mini, damage):
    """Nobody's zero depends on half of it."""
    (mini.solutions / FILE).write_bytes(damage)
    with pytest.raises(Refused, match="the record of what was handed out cannot be read"):
        handed_out(mini)


def test_a_record_that_cannot_be_opened_is_refused(mini):
    """The system's reason is in the message, without the path a second time."""
    (mini.solutions / FILE).mkdir()
    with pytest.raises(Refused, match=r"cannot be read \(Is a directory\); restore it"):
        handed_out(mini)
