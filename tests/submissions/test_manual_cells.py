"""The cells of manual checks: nothing was written for a check only if its cells, and every other text, say so."""

import json

import pytest
from helpers import notebook

from grader.submissions.handed_out import find_unwritten, has_cells

CHECKS = ["essay", "plot"]
STUB = ("# Day", "Why?\n\nYour answer:", "x = 1", "Draw it:", "draw()")
KINDS = {1: "markdown", 2: "markdown", 4: "markdown"}
TAGS = {2: ["essay"], 5: ["plot"]}


def cells(*sources, kinds=KINDS, tags=TAGS):
    return notebook(*sources, kinds=kinds, tags=tags).encode()


def open_in(data, name="day.ipynb", *forms):
    return find_unwritten(forms or [cells(*STUB)], CHECKS, name, data)


def with_cell(place, source, kind, tag=()):
    """The stub with one more cell at the place, from 1."""
    made = json.loads(cells(*STUB))
    made["cells"].insert(place - 1, {"cell_type": kind, "metadata": {"tags": [*tag]}, "source": source})
    return json.dumps(made).encode()


def test_the_cells_as_they_were_handed_out():
    """Code elsewhere is no answer; each check has its own cells."""
    assert open_in(cells(*STUB)) == {"essay", "plot"}
    assert open_in(cells("# Day", "Why?\n\nYour answer:", "x = 7", "Draw it:", "draw()")) == {"essay", "plot"}
    assert open_in(cells("# Day", "Why?\n\nBecause.", "x = 1", "Draw it:", "draw()")) == {"plot"}


def test_whitespace_at_line_ends_is_nothing():
    """Editors add and remove it."""
    assert "essay" in open_in(cells("# Day ", "Why?  \r\n\nYour answer:\n\n", *STUB[2:]))
    assert "essay" not in open_in(cells("# Day", "Why?\n\n Your answer:", *STUB[2:]))


def test_a_notebook_with_numbers_that_json_has_not():
    """Jupyter writes NaN into outputs and metadata, and grading reads it."""
    made = json.loads(cells(*STUB))
    made["metadata"]["x"] = float("nan")
    assert b"NaN" in json.dumps(made).encode()
    assert open_in(json.dumps(made).encode()) == {"essay", "plot"}


def test_a_cell_that_is_gone_says_nothing():
    """A deleted cell, or one without its tag."""
    assert open_in(cells(*STUB, tags={5: ["plot"]})) == set()  # the text is now one of nobody's
    assert open_in(cells(STUB[0], *STUB[2:], kinds={1: "markdown", 3: "markdown"}, tags={4: ["plot"]})) == {
        "plot"
    }


@pytest.mark.parametrize(
    ("place", "kind", "left"),
    [
        (3, "markdown", set()),
        (6, "raw", set()),
        (3, "code", {"plot"}),
        (6, "code", {"essay"}),
        (2, "code", {"essay", "plot"}),
    ],
)
def test_an_answer_may_stand_in_a_new_cell(place, kind, left):
    """A new cell of text may be the answer to any check, a new cell of code that to the check above it."""
    assert open_in(with_cell(place, "Because.", kind)) == left
    assert open_in(with_cell(place, " \n", kind)) == {"essay", "plot"}


def test_a_copy_of_the_cell_is_a_new_cell():
    """It has the tag, too: a cell that was split, or copied."""
    assert open_in(with_cell(3, "Because.", "markdown", ["essay"])) == {"plot"}


def test_a_picture_is_an_answer():
    """One that was pasted into the text, wherever it is shown."""
    made = json.loads(cells(*STUB))
    made["cells"][1]["attachments"] = {"a.png": {"image/png": "aGk="}}
    assert open_in(json.dumps(made).encode()) == {"plot"}


PERCENT = """\
# %% [markdown]
# # Day

# %% [markdown] tags=["essay"]
# Why?
#
# Your answer:

# %%
x = 1

# %% [markdown]
# Draw it:

# %% tags=["plot"]
draw()
"""


def test_a_py_file_with_tags():
    """As jupytext writes it."""
    assert open_in(PERCENT.encode(), "day.py") == {"essay", "plot"}
    assert open_in(PERCENT.replace("# Your answer:", "# Because.").encode(), "day.py") == {"plot"}


def test_a_py_file_without_tags_says_nothing():
    """As nbconvert writes it."""
    assert (
        open_in(PERCENT.replace(' tags=["essay"]', "").replace(' tags=["plot"]', "").encode(), "day.py")
        == set()
    )
    assert open_in(b"x = 1\n", "day.py") == set()


def test_any_form_that_was_handed_out():
    """A release makes links to what it leaves out plain text."""
    linked = cells("# Day", "Why? [Read](../day1/day1.ipynb).", *STUB[2:])
    plain = cells("# Day", "Why? Read.", *STUB[2:])
    assert "essay" in open_in(plain, "day.ipynb", linked, plain)
    assert "essay" not in open_in(plain, "day.ipynb", linked)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"cells": [7]}', b'{"cells": [{"cell_type": 1}]}'])
def test_what_cannot_be_read_says_nothing(data):
    """Neither as work nor as the stub."""
    assert open_in(data) == set()
    assert open_in(cells(*STUB), "day.ipynb", data) == set()
    assert not has_cells(data, CHECKS)


def test_tags_that_grading_reads_name_no_check():
    """`demo` and `verify` mark cells that are left out."""
    stub = notebook("show()", tags={1: ["demo"]}).encode()
    assert not has_cells(stub, ["demo"])
    assert find_unwritten([stub], ["demo"], "day.ipynb", stub) == set()
    assert has_cells(cells(*STUB), CHECKS)
