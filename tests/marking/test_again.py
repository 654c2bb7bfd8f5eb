"""A cell that is run again in the jail: what it prints and returns, and nothing that it sends is trusted."""

import pytest
from markingcourse import cell, marking_course, notebook

from grader.errors import Refused
from grader.marking.again import LONGEST_OUTPUT, MOST_FIGURES, _outputs, run_again
from grader.marking.answers import read_cells
from grader.sandbox import Launcher
from grader.submissions.work import Work


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A function that runs the last of these cells of code again; it returns the texts."""
    assignment = marking_course(tmp_path_factory.mktemp("again") / "course")
    with Launcher() as launcher:

        def texts(*sources):
            cells = [cell(source, kind="code") for source in sources]
            work = Work("mini.ipynb", data=notebook(cell("words"), *cells))
            return [one.text for one in run_again(launcher, assignment, work, len(sources) + 1)]

        yield texts


def test_what_it_prints_and_the_value_of_its_last_line(run):
    """After the cells above it, with lines for IPython left out."""
    assert run("x = 2", "%matplotlib inline\nprint('x is', x)\n!ls\nx + 1") == ["x is 2\n3"]
    assert run("x = 2", "y = x") == []


def test_a_py_file(tmp_path):
    """Without cells it runs whole; with cells those above run first."""
    course = marking_course(tmp_path / "course")
    with Launcher() as launcher:
        for source, number in (("x = 3\nx", 0), ("x = 1\n\n# %%\nx = x + 2\n\n# %%\nx\n", 2)):
            work = Work("mini.py", data=source.encode())
            assert [cell.number for cell in read_cells("mini.py", work.data)][-1] == number
            assert [one.text for one in run_again(launcher, course, work, number)] == ["3"]


def test_errors_are_text(run):
    """Of the cell, and of one above, without which it could not run."""
    assert run("y", "1 / 0") == [
        "a cell above: NameError: name 'y' is not defined\nZeroDivisionError: division by zero"
    ]
    assert "was never closed" in run("print(")[0]


def test_a_plot_without_matplotlib(run):
    """The manifest of the course has no such import; the text says what would draw it."""
    (text,) = run("import matplotlib.pyplot as plt", "plt.plot([1, 2])")
    assert text.startswith("ModuleNotFoundError: ")
    assert text.endswith("\nTo draw plots here, add matplotlib to `imports` in assignment.yaml.")


def test_what_it_sends_is_capped(run):
    """And a result that it makes up is no more than text."""
    (text,) = run("print('x' * 1_000_000)")
    assert len(text) == LONGEST_OUTPUT
    assert run("_ran_again = 3\nimport sys\nsys.exit('gone')") == ["SystemExit: gone"]
    assert [one.picture for one in _outputs("", [["!"], 3, ["aG", "k="], None])] == [b"hi"]
    assert len(_outputs("", [["aGk="]] * 99)) == MOST_FIGURES
    assert _outputs("", {"a": 1}) == []


def test_a_cell_of_words_has_nothing_to_run(run, tmp_path):
    """Its number is refused."""
    with Launcher() as launcher, pytest.raises(Refused, match="this cell has no code"):
        run_again(launcher, marking_course(tmp_path / "course"), Work("m.ipynb", data=notebook(cell("x"))), 1)
