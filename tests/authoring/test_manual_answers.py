"""The answer of a manual check never ships: `grade stub`, `grade validate` and `grade release` say so alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from minicourse import change, put
from validating import MANIFEST, SOURCE, STUB, problems, regenerate

from grader.assignment import Course
from grader.authoring.giveaways import giveaways
from grader.authoring.reference import make_notebook, read_reference
from grader.classroom.release.contents import day_files
from grader.classroom.release.release import refuse_outdated
from grader.errors import Broken

ANSWER = "Because adding is one step."
LINE = 31  # the first line of the cell
COMMANDS: dict[str, Callable[[Path], object]] = {
    "validate": problems,
    "stub": regenerate,
    "release": lambda course: refuse_outdated(Course(course).assignment("mini")),
}


@pytest.fixture
def essay(mini: Path) -> Callable[[str], Path]:
    """Put a cell of the manual check `essay` into the reference; gives the course."""

    def with_cell(cell: str) -> Path:
        change(mini, MANIFEST, "  box:", "  essay: {points: 10, manual: true, title: Why}\n  box:")
        change(mini, SOURCE, "# %% [markdown]\n# Look", f"{cell}\n# %% [markdown]\n# Look")
        return mini

    return with_cell


OPEN = {
    "a text": f'# %% [markdown] tags=["essay"]\n# Why? Your answer:\n#\n# {ANSWER}\n',
    "raw text": f'# %% [raw] tags=["essay"]\n# {ANSWER}\n',
    "a text in quotes": f'# %% [md] tags=["demo", "essay"]\n"""\nWhy?\n\n{ANSWER}\n"""\n',
    "tags as jupytext also writes them": f'# %% [markdown] {{"tags": ["essay"]}}\n# {ANSWER}\n',
    "code": f'# %% tags=["essay"]\n# Write it as a text:\nwhy = "{ANSWER}"\n',
    "code that grading skips": f'# %% tags=["essay", "demo"]\n"""{ANSWER}"""\n',
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("case", OPEN)
def test_an_answer_without_markers_is_refused(essay: Callable[[str], Path], case: str, command: str) -> None:
    """Every command names the reference, the line and the remedy; the notebook that is there stays as it is."""
    course = essay(OPEN[case])
    before = (course / STUB).read_bytes()

    with pytest.raises(Broken) as told:
        COMMANDS[command](course)

    assert str(told.value).startswith(
        f"{course / SOURCE}, line {LINE}: this cell of the manual check `essay`"
    )
    assert "put the answer between `### BEGIN SOLUTION` and `### END SOLUTION`" in str(told.value)
    assert (course / STUB).read_bytes() == before


def test_what_an_author_reads(essay: Callable[[str], Path], snapshot) -> None:
    """The whole sentence, of a text and of code."""
    course = essay(OPEN["a text"])
    told = []
    for old, new in (("", ""), (OPEN["a text"], OPEN["code"])):
        if old:
            change(course, SOURCE, old, new)
        with pytest.raises(Broken) as error:
            problems(course)
        told.append(str(error.value))
    assert told == snapshot


MARKED = {
    "a text": (
        f'# %% [markdown] tags=["essay"]\n# Why?\n#\n# ### BEGIN SOLUTION: Your answer:\n# {ANSWER}\n# ### END SOLUTION\n',
        "Why?\n\nYour answer:",
    ),
    "a text, markers without a sign more": (
        f'# %% [markdown] tags=["essay"]\n# Why?\n### BEGIN SOLUTION\n# STUB: Write here.\n# {ANSWER}\n### END SOLUTION\n',
        "Why?\nWrite here.",
    ),
    "a text, markers that Markdown does not show": (
        f'# %% [markdown] tags=["essay"]\n# Why?\n# <!-- ### BEGIN SOLUTION -->\n# {ANSWER}\n# <!-- ### END SOLUTION -->\n',
        "Why?\n",
    ),
    "raw text": (
        f'# %% [raw] tags=["essay"]\n# ### BEGIN SOLUTION\n# # STUB: Why?\n# {ANSWER}\n# ### END SOLUTION\n',
        "Why?",
    ),
    "a text that no check names": (
        f"# %% [markdown]\n# Why?\n# ### BEGIN SOLUTION: Your answer:\n# {ANSWER}\n# ### END SOLUTION\n",
        "Why?\nYour answer:",
    ),
    "code": (
        f'# %% tags=["essay", "demo"]\n### BEGIN SOLUTION: say why\nwhy = "{ANSWER}"\n### END SOLUTION\n',
        'raise NotImplementedError("say why")',
    ),
}


@pytest.mark.parametrize("case", MARKED)
def test_an_answer_between_markers_stays_here(essay: Callable[[str], Path], case: str) -> None:
    """In cells of text, too."""
    cell, stands = MARKED[case]
    course = essay(cell)

    regenerate(course)

    cells = json.loads((course / STUB).read_text())["cells"]
    assert stands in ["".join(cell["source"]) for cell in cells]
    shipped = b"".join(day_files(Course(course).assignment("mini"), ["mini"], []).values())
    assert ANSWER.encode() not in shipped


def test_with_markers_the_three_commands_agree_that_the_course_is_sound(essay: Callable[[str], Path]) -> None:
    """`grade stub` writes, and the others have nothing to say."""
    course = essay(MARKED["a text"][0])

    regenerate(course)

    assert problems(course) == []
    assert refuse_outdated(Course(course).assignment("mini")) == ""


@pytest.mark.parametrize(
    "cell",
    [
        "# %% [markdown]{}\n# Why is double fast? Your answer:\n",
        "# %% [markdown]{}\n# Look at the plot.\n#\n# **Why does it bend?**\n",
        "# %% [markdown]{}\n# ## Your answer\n",
        "# %% [markdown]{}\n# Why: ____\n",
        "# %%{}\n# Your plot here\n",
        "# %%{}\n...\n",
    ],
)
def test_a_cell_that_only_asks_ships(essay: Callable[[str], Path], cell: str) -> None:
    """It ends where the answer is to be written."""
    course = essay(cell.format(' tags=["essay"]'))
    assert read_reference(Course(course).assignment("mini"))


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ("# ### BEGIN SOLUTION\n# Because.\n", "`### BEGIN SOLUTION` has no end"),
        ("# ### BEGIN SOLUTON\n# Because.\n# ### END SOLUTION\n", "is nearly a marker"),
        ("# Because.\n# ### END SOLUTION\n", "`### END SOLUTION` has no beginning"),
    ],
)
def test_markers_in_a_text_are_read_as_in_code(essay: Callable[[str], Path], lines: str, fault: str) -> None:
    """Each with its line."""
    course = essay(f'# %% [markdown] tags=["essay"]\n{lines}')
    with pytest.raises(Broken, match=rf"mini\.py, line \d+: .*{fault}"):
        problems(course)


def test_an_answer_in_another_file_is_found(essay: Callable[[str], Path]) -> None:
    """Three of its lines in the README give it away, like those of code."""
    answer = "Adding is one step.\n{0}Squaring takes more of them.\n{0}So it is fast."
    marked = f"# ### BEGIN SOLUTION\n# {answer.format('# ')}\n# ### END SOLUTION\n"
    course = essay(f'# %% [markdown] tags=["essay"]\n{marked}')
    readme = put(course, "assignments/mini/README.md", answer.format(""))
    found = list(giveaways(Course(course), {readme: readme.read_text()}))
    assert len(found) == 1
    assert "3 lines of the solution of `mini`" in found[0]


def test_a_notebook_with_markers_is_to_be_made_anew(mini: Path) -> None:
    """An older `grade stub` left them in a text; the remedy is not to edit what is generated."""
    assignment = Course(mini).assignment("mini")
    text = make_notebook(assignment, solved=False)
    assignment.pristine.write_text(text.replace("# Doubling", "# Doubling ### BEGIN SOLUTION"))
    with pytest.raises(
        Broken, match=r"stub\.ipynb: students get this file, and it holds .*; run `grade stub mini`"
    ):
        day_files(assignment, ["mini"], [])
