"""The code of a file, by which work that nobody touched is known."""

import pytest
from helpers import executed, notebook
from students import course

from grader.errors import Refused
from grader.submissions.graded import graded_part
from grader.submissions.handed_out import handed_out, is_untouched, record

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


def test_a_damaged_record_is_refused(mini):
    """Nobody's zero depends on half of it."""
    record(mini, b"1")
    (mini.solutions / "handed_out.json").write_text("{", encoding="utf-8")
    with pytest.raises(Refused, match="the record of what was handed out cannot be read"):
        handed_out(mini)
