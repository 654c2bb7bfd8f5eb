"""The part of a file that is graded: code, and words where an instructor judges them."""

import pytest
from helpers import executed, notebook

from grader.submissions.handed_out import graded_part

NAME = "mini.ipynb"
TEXT = notebook("x = 1\n", "# Why", "show()", kinds={2: "markdown"}, tags={3: ["demo"]})


def part(text: str, *, words: bool, name: str = NAME) -> str:
    return graded_part(name, text.encode(), text=words)


@pytest.mark.parametrize(("before", "after"), [("# Why", "# Because"), ("show()", "show(1)")])
def test_text_and_cells_that_are_left_out(before, after):
    """Only a manual check judges them."""
    changed = TEXT.replace(before, after)
    assert part(changed, words=False) == part(TEXT, words=False)
    assert part(changed, words=True) != part(TEXT, words=True)


def test_a_picture_in_a_text_cell():
    """A photo of a derivation is an answer in words."""
    changed = TEXT.replace(
        '"source": "# Why"', '"attachments": {"a.png": {"image/png": "AAAA"}}, "source": "# Why"'
    )
    assert changed != TEXT
    assert part(changed, words=True) != part(TEXT, words=True)


def test_a_picture_alone_in_a_cell():
    """The cell has no text, and is an answer all the same."""
    empty = TEXT.replace('"source": "# Why"', '"source": ""')
    pasted = empty.replace('"source": ""', '"attachments": {"a.png": {"image/png": "AAAA"}}, "source": ""')
    assert part(pasted, words=True) != part(empty, words=True)


def test_the_kind_and_the_tags_of_a_cell_are_work():
    """Either decides what is executed, or who judges it."""
    kind, tag = TEXT.replace('"markdown"', '"raw"'), TEXT.replace('["demo"]', "[]")
    assert len({part(text, words=True) for text in (TEXT, kind, tag)}) == 3


@pytest.mark.parametrize("kind", ["code", "markdown"])
def test_a_blank_cell_is_no_work(kind):
    """Jupyter adds one below the last cell that is run."""
    before, after = notebook("x = 1"), notebook("x = 1", " \n", kinds={2: kind})
    assert part(before, words=True) == part(after, words=True)


@pytest.mark.parametrize("words", [False, True])
def test_a_suffix_in_capitals(words):
    """Some systems write it so; it is the same kind of file."""
    assert part(TEXT, words=words, name="MINI.IPYNB") == part(TEXT, words=words)
    text = "# %% [markdown]\n# Why?\n# %%\nx = 1\n"
    assert part(text, words=words, name="M.PY") == part(text, words=words, name="m.py")


@pytest.mark.parametrize("words", [False, True])
def test_outputs_are_no_work(words):
    """Nor are counts, metadata, and line ends after the last line."""
    ran = executed(TEXT).replace("# My notes", "")
    assert part(ran.replace("x = 1\\n", "x = 1"), words=words) == part(TEXT, words=words)
    assert part(TEXT.replace("x = 1", "x = 2"), words=words) != part(TEXT, words=words)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"nbformat": 3, "cells": [{"cell_type": "code"}]}', "[" * 100_000]
)
def test_unreadable_files_are_known_by_their_bytes(text, words):
    """Each is the same as itself, and as no other."""
    assert part(text, words=words) == part(text, words=words)
    assert part(text, words=words) != part(f"{text} ", words=words)


def test_comments_of_a_python_file():
    """Python reads a comment as code does: both ways it is a change."""
    for words in (False, True):
        assert part("x = 1  # a", words=words, name="m.py") != part("x = 1  # b", words=words, name="m.py")


def test_markdown_of_a_python_file():
    """A text cell counts as that of a notebook does."""
    before, after = (f"# %% [markdown]\n# Why{end}\n# %%\nx = 1\n" for end in ("?", "!"))
    assert part(before, words=False, name="m.py") == part(after, words=False, name="m.py")
    assert part(before, words=True, name="m.py") != part(after, words=True, name="m.py")
