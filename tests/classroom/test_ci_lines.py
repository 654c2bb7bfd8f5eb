"""The line of the .ipynb file that an annotation names: GitHub's page counts the lines of the file."""

import json
import time

import pytest
from helpers import COURSE, notebook, stub_name

from grader.classroom.ci.ci import line_in_notebook

DAYS = ["day2", *(pytest.param(f"day{n}", marks=pytest.mark.ci) for n in (1, 3, 4, 5))]
LINES = ["import math\n", "\n", 'name = "é \\" {[,:]}"\n', "x = 1"]


def of(source, indent=1, **more):
    """A notebook with a cell of text, and a cell of code of that source below it."""
    text = {"cell_type": "markdown", "metadata": {}, "source": ["# A title\n", '"cells": [{"source": "no"}]']}
    code = {"cell_type": "code", "metadata": {"source": "no"}, "outputs": [], "source": source}
    return json.dumps(
        {"metadata": {"cells": ["no"]}, "cells": [text, code], "nbformat": 4} | more, indent=indent
    )


@pytest.mark.parametrize("day", DAYS)
def test_every_line_of_every_stub(day):
    """The file has that line of the cell at the line that is returned."""
    text = (COURSE / "assignments" / day / stub_name(day)).read_text(encoding="utf-8")
    rows = text.split("\n")
    for number, cell in enumerate(json.loads(text)["cells"], start=1):
        for line, source in enumerate(cell["source"], start=1):
            found = line_in_notebook(text, number, line)
            assert json.loads(rows[found - 1].strip().rstrip(",")) == source


@pytest.mark.parametrize("indent", [0, 1, 2, 4, "\t"])
def test_any_indent(indent):
    """One string a line, however far it is indented."""
    text = of(LINES, indent)
    found = [line_in_notebook(text, 2, line) for line in (1, 2, 3, 4)]
    assert [json.loads(text.split("\n")[row - 1].strip().rstrip(",")) for row in found] == LINES


def test_other_spellings():
    """Characters by their numbers or as themselves, ends of lines of Windows, a byte order mark."""
    expected = line_in_notebook(of(LINES), 2, 3)
    escaped = of(LINES).replace("\\n", "\\u000a").replace("import", "\\u0069mport")
    plain = of(LINES).replace("\\u00e9", "é")

    for text in (escaped, plain, "\ufeff" + of(LINES).replace("\n", "\r\n")):
        assert line_in_notebook(text, 2, 3) == expected


@pytest.mark.parametrize(
    "text",
    [
        of("".join(LINES)),
        of(["a = ", "1\nb = 2\nc", " = 3\n", "d = 4"]),
        of(["a = 1\nb = 2\n", "\n", "c = 3\n", "d = 4"]),
        of(LINES, None),
        of(LINES, cells=[{"source": LINES}, {"source": LINES}]),
        of(LINES, metadata={"copy": LINES}),
        of(["a\n"] * 4, metadata={"longer": ["a\n"] * 5}),
    ],
    ids=["one string", "pieces", "two lines in one", "one line", "two cells", "a copy", "a longer copy"],
)
def test_no_line_rather_than_a_wrong_one(text):
    """A source that is not written line by line, or that occurs twice in the file."""
    assert line_in_notebook(text, 2, 1) is None


@pytest.mark.parametrize("place", [(2, 5), (2, 0), (2, -1), (3, 1), (0, 1), (-1, 1)])
def test_no_such_line(place):
    """A cell or a line that the notebook does not have."""
    assert line_in_notebook(of(LINES), *place) is None


BROKEN = ["", "[", "]}", "null", '"', '{"cells', '{"cells": [{"source": "x', '{"cells": [{"source": ["\\x"]}]}',
          "}" * 1000, "[" * 100_000, '{"cells": {"0": {"source": "x"}}}', '{"cells": [{"source": {"0": "x"}}]}',
          ",:,:", '{"cells": ["\\ud800"]}', notebook("x = 1")]  # fmt: skip


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_file_without_lines(text):
    """No notebook, and a notebook that is one line long."""
    assert line_in_notebook(text, 1, 1) is None


def test_a_file_cut_anywhere():
    """Half written files break nothing."""
    text = of(LINES)
    assert {line_in_notebook(text[:end], 2, 4) for end in range(len(text))} == {None}


@pytest.mark.ci
def test_the_time_grows_with_the_file():
    """A hundred thousand equal lines take a time in proportion to their number, not to its square."""
    text = of(["a\n"] * 100_000, metadata={"longer": ["a\n"] * 100_001})
    started = time.perf_counter()

    assert line_in_notebook(text, 2, 1) is None
    assert time.perf_counter() - started < 60  # a square of it would be hours
