"""Where a line of a cell stands in the .ipynb file: the page on GitHub counts the file's lines."""

import json
import time

import pytest
from helpers import COURSE, notebook, stub_name

from grader.classroom.ci.lines import line_in_notebook

DAYS = ["day2", *(pytest.param(f"day{n}", marks=pytest.mark.slow) for n in (1, 3, 4, 5))]
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
    """At the line that it gives stands what the cell has there."""
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


def test_a_source_in_one_string():
    """All of its lines stand at one line of the file."""
    text = of("".join(LINES))
    row = 1 + text[: text.index("import math")].count("\n")
    assert [line_in_notebook(text, 2, line) for line in (1, 4)] == [row, row]


def test_a_file_of_one_line():
    """Without any indent there is one line."""
    assert line_in_notebook(notebook("x = 1", "y = 2\nz = 3"), 2, 2) == 1


def test_pieces_that_are_no_lines():
    """A list may part a source anywhere; a line stands where it begins."""
    text = of(["a = ", "1\nb = 2\nc", "", " = 3\n", "d = 4"], 0)
    first = line_in_notebook(text, 2, 1)
    assert [line_in_notebook(text, 2, line) for line in (2, 3, 4)] == [first + 1, first + 1, first + 4]


def test_escaped_ends_of_lines():
    """An end of a line may be written with its number."""
    text = of(LINES).replace("\\n", "\\u000a").replace("import", "\\u0069mport")
    assert line_in_notebook(text, 2, 3) == line_in_notebook(of(LINES), 2, 3)


def test_the_older_format():
    """Formats 2 and 3 have worksheets, and `input` in the place of a cell's source."""
    text = json.dumps({"nbformat": 3, "worksheets": [{"cells": [{"input": LINES}]}]}, indent=1)
    assert text.split("\n")[line_in_notebook(text, 1, 3) - 1].strip().startswith('"name = ')


def test_other_ends_of_lines():
    """A file from Windows, with a mark at its beginning."""
    text = "\ufeff" + of(LINES).replace("\n", "\r\n")
    assert line_in_notebook(text, 2, 4) == line_in_notebook(of(LINES), 2, 4)


@pytest.mark.parametrize("place", [(2, 5), (2, 0), (2, -1), (3, 1), (0, 1), (-1, 1)])
def test_no_such_line(place):
    """Nothing is better than a wrong line."""
    assert line_in_notebook(of(LINES), *place) is None


BROKEN = ["", "[", "]}", "null", '"', '{"cells', '{"cells": [{"source": "x', '{"cells": [{"source": ["\\x"]}]}',
          "}" * 1000, "[" * 100_000, '{"cells": {"0": {"source": "x"}}}', '{"cells": [{"source": {"0": "x"}}]}',
          ",:,:", '{"cells": ["\\ud800"]}']  # fmt: skip


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_notebook(text):
    """It has no lines, and nothing breaks on it."""
    assert line_in_notebook(text, 1, 1) is None


def test_a_file_cut_anywhere():
    """Half written files break nothing."""
    text = of(LINES)
    assert {line_in_notebook(text[:end], 2, 4) for end in range(len(text))} == {
        None,
        line_in_notebook(text, 2, 4),
    }


def test_the_time_grows_with_the_file():
    """Two hundred kilobytes take a time in proportion to their length, not to its square."""
    for text in [
        '"' * 200_000,
        '"\\"' * 60_000,
        "[" * 200_000,
        of("\\n" * 80_000),
        "{" + '"a":' * 40_000,
    ]:
        started = time.perf_counter()
        line_in_notebook(text, 2, 100)
        assert time.perf_counter() - started < 60  # a square of it would be hours


@pytest.mark.parametrize(("outputs", "line"), [(10, 1), (300_000, None)])
def test_a_notebook_is_followed_only_so_far(outputs, line):
    """A million outputs of nothing cost ten seconds an annotation."""
    cells = (
        '{"cell_type":"code","source":"x","outputs":['
        + "1," * outputs
        + '1]},{"cell_type":"code","source":"y"}'
    )

    assert line_in_notebook('{"nbformat":4,"cells":[' + cells + "]}", 2, 1) == line
