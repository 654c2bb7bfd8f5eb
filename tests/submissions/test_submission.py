"""A submission is read as text, never parsed: blocks of source that know where they stand."""

import codecs
import hashlib
import json
import os
import subprocess
import sys
from textwrap import dedent

import pytest
from helpers import cells, grade, grade_json, hand_in, reference, stub_name
from helpers import notebook as made

from grader.submissions import submission
from grader.submissions.notebook import MAX_CELLS
from grader.submissions.submission import Block, SubmissionError, read_submission


@pytest.fixture
def write(tmp_path):
    """Write a file to hand in; gives its path."""

    def write(name, content):
        path = tmp_path / name
        if isinstance(content, dict):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refused(path):
    """The text with which it is refused, without the path that it begins with."""
    with pytest.raises(SubmissionError) as caught:
        read_submission(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")


def notebook(*cells, **metadata):
    """A notebook of these cells, each a source or a cell with more to it."""
    made = [cell if isinstance(cell, dict) else code(cell) for cell in cells]
    return {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def code(source, *tags):
    metadata = {"tags": list(tags)} if tags else {}
    return {
        "cell_type": "code",
        "source": source,
        "metadata": metadata,
        "outputs": [],
        "execution_count": None,
    }


def blocks_of(path):
    return [(block.cell, block.first_line, block.source) for block in read_submission(path).blocks]


# --- .py files


def test_a_plain_file_is_one_block(write, snapshot):
    """Without markers all of it is one stretch of code, from line 1."""
    path = write("mine.py", "x = 1\n\ny = 2\n")

    assert read_submission(path).blocks == snapshot


def test_a_percent_file_is_its_cells(write):
    """Each cell knows the line at which its source begins; what is above the first is code too."""
    path = write("mine.py", "import math\n\n# %%\nx = 1\n\n# %% a title\ny = 2\n")

    assert blocks_of(path) == [(None, 1, "import math\n"), (1, 4, "x = 1\n"), (2, 7, "y = 2\n")]


@pytest.mark.parametrize("marker", ["# %%", "#%%", "#  %%", "# %% title", "# %%%", '# %% {"key": 1}'])
def test_every_form_of_the_marker(write, marker):
    """As the editors write it."""
    assert blocks_of(write("mine.py", f"{marker}\nx = 1\n")) == [(1, 2, "x = 1\n")]


@pytest.mark.parametrize("line", ["## %%", "x = 1  # %%", "    # %%", "# % %", "# In [1]:"])
def test_what_is_no_marker(write, line):
    """A comment like any other."""
    assert len(blocks_of(write("mine.py", f"a = 1\n{line}\nb = 2\n"))) == 1


@pytest.mark.parametrize("kind", ["[markdown]", "[md]", "[raw]", "title [markdown]", '[markdown] tags=["x"]'])
def test_text_cells_are_left_out(write, kind):
    """They count as cells."""
    path = write("mine.py", f"# %% {kind}\n# # A title\n\n# %%\nx = 1\n")

    assert blocks_of(path) == [(2, 5, "x = 1\n")]


@pytest.mark.parametrize(
    "header", ['tags=["verify"]', "tags=['demo']", 'tags = ["other", "demo"]', 'title tags=["verify", "x"]']
)
def test_cells_for_ones_own_eyes_are_left_out(write, header):
    """Tagged `verify` or `demo`, in every spelling of jupytext's."""
    path = write("mine.py", f'# %%\nx = 1\n\n# %% {header}\nplot(x)\n\n# %% tags=["mine"]\ny = 2\n')

    assert [block.source for block in read_submission(path).blocks] == ["x = 1\n", "y = 2\n"]


def test_empty_cells_are_left_out(write):
    """They count as cells."""
    assert blocks_of(write("mine.py", "# %%\n\n# %%\n   \n# %%\nx = 1")) == [(3, 6, "x = 1")]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_ends_of_lines(write, end, snapshot):
    """Of Windows, of old Macs, of Unix."""
    path = write("mine.py", end.join(["# %%", "x = 1", "y = 2", "# %%", "z = 3"]))

    assert blocks_of(path) == snapshot


def test_a_mark_of_byte_order(write):
    """Windows editors write it; it is not part of the code."""
    path = write("mine.py", codecs.BOM_UTF8 + "s = 'é'".encode())

    assert read_submission(path).blocks[0].source == "s = 'é'"


@pytest.mark.parametrize(
    ("encoding", "first"),
    [
        ("utf-8", ""), ("utf-8", "# -*- coding: utf-8 -*-\n"), ("utf-8", "# coding: UTF8\n"),
        ("utf-8-sig", "# coding: utf-8\n"), ("utf-8-sig", "# coding: utf_8\n"), ("latin-1", "# coding: latin-1\n"),
        ("latin-1", "#!/usr/bin/env python\n# vim: set fileencoding=latin-1 :\n"), ("cp1252", "# coding=cp1252\r\n"),
    ],
)  # fmt: skip
def test_declared_encodings(write, encoding, first):
    """As PEP 263 has it: in a comment in one of the first two lines."""
    path = write("mine.py", (first + "s = 'é'").encode(encoding))

    source = read_submission(path).blocks[0].source

    assert source == first.replace("\r\n", "\n") + "s = 'é'"


@pytest.mark.parametrize(
    "data",
    [
        b"s = '\xe9'",
        b"# coding: ascii\ns = '\xe9'",
        b"# coding: nothing-of-this-name\n",
        b"# coding: hex\n00",
        b"# coding: undefined\nx = 1",
        "x = 1".encode("utf-16")[:-1],
    ],
)
def test_wrong_encodings(write, data, snapshot):
    """Named, with what to do."""
    assert refused(write("mine.py", data)) == snapshot


# --- Notebooks


def test_a_notebook_is_its_code_cells(write):
    """Cells are counted over all of them, from 1, as a student counts."""
    path = write(
        "mine.ipynb",
        notebook({"cell_type": "markdown", "source": "# Title", "metadata": {}}, "x = 1", "y = 2"),
    )

    assert read_submission(path).blocks == (
        Block("mine.ipynb", 2, 1, "x = 1", section="Title"),
        Block("mine.ipynb", 3, 1, "y = 2", section="Title"),
    )


@pytest.mark.parametrize(
    ("markdown", "section"),
    [
        ("# Day 2\n\nText\n\n## 4. The `+=` trap ##\n\nmore", "4. The += trap"),
        ("no heading", ""),
        ("```python\n# a comment\n```", ""),
        ("#hashtag", ""),
        ('## The "order"', "The 'order'"),
        ("# " + "x" * 500, "x" * 60),
        (["## One\n", "text"], "One"),
        (5, ""),
        (None, ""),
    ],
)
def test_a_cell_belongs_to_the_section_above_it(write, markdown, section):
    """A Markdown cell that is no text is no reason to refuse a notebook."""
    path = write(
        "mine.ipynb", notebook({"cell_type": "markdown", "source": markdown, "metadata": {}}, "x = 1")
    )

    (block,) = read_submission(path).blocks

    assert block.section == section
    assert block.location(1) == (f'section "{section}", line 1' if section else "cell 2, line 1")


def test_a_source_may_be_a_list_of_lines(write, snapshot):
    """Both are allowed by the format."""
    path = write("mine.ipynb", notebook(["x = 1\n", "y = 2"], []))

    assert blocks_of(path) == snapshot


@pytest.mark.parametrize(
    "cell", [code("", "mine"), code("  \n\t"), code("plot()", "demo"), code("torch()", "x", "verify")]
)
def test_cells_that_are_not_graded(write, cell):
    """Empty ones, and those for the student's own eyes."""
    assert blocks_of(write("mine.ipynb", notebook(cell, "x = 1"))) == [(2, 1, "x = 1")]


@pytest.mark.parametrize("kind", ["markdown", "raw", "heading"])
def test_cells_that_are_no_code(write, kind):
    """Whatever is in them."""
    path = write("mine.ipynb", notebook({"cell_type": kind, "source": "x = 1", "metadata": {}}, "y = 2"))

    assert blocks_of(path) == [(2, 1, "y = 2")]


def test_a_notebook_without_metadata(write):
    """Only the cells are needed."""
    assert blocks_of(
        write("mine.ipynb", {"nbformat": 4, "cells": [{"cell_type": "code", "source": "x"}]})
    ) == [(1, 1, "x")]


@pytest.mark.parametrize("tags", [None, []])
def test_tags_may_be_missing(write, tags):
    """Or be nothing."""
    cell = code("x = 1") | {"metadata": {"tags": tags}}

    assert len(blocks_of(write("mine.ipynb", notebook(cell)))) == 1


def test_a_notebook_says_of_which_assignment_it_is(write):
    """The stub's metadata; a notebook of one's own says nothing."""
    ours = write(
        "ours.ipynb", notebook("x = 1", backgrade={"assignment": "day2"}, kernelspec={"name": "python3"})
    )
    other = write("other.ipynb", notebook("x = 1"))

    assert read_submission(ours).assignment == "day2"
    assert read_submission(other).assignment is None


def test_outputs_are_passed_over(write):
    """Pictures of any size, errors, and what is not of the format."""
    cell = code("x = 1") | {"outputs": [{"data": {"image/png": "A" * 1_000_000}}, {"anything": [1, None]}]}

    assert len(blocks_of(write("mine.ipynb", notebook(cell)))) == 1


def test_an_empty_notebook_has_no_blocks(write):
    """The message is the grader's own."""
    assert read_submission(write("mine.ipynb", notebook())).blocks == ()
    assert read_submission(write("mine.py", " \n\n")).blocks == ()


def test_a_mark_of_byte_order_in_a_notebook(write):
    """PowerShell writes it."""
    data = codecs.BOM_UTF8 + json.dumps(notebook("s = 'é'"), ensure_ascii=False).encode()

    assert read_submission(write("mine.ipynb", data)).blocks[0].source == "s = 'é'"


# --- Places


@pytest.mark.parametrize(
    ("block", "place"),
    [
        (Block("mine.ipynb", 3, 1, "x\ny"), "cell 3, line 2"),
        (Block("mine.py", None, 1, "x\ny"), "mine.py, line 2"),
        (Block("mine.py", 3, 10, "x\ny"), "mine.py, line 11"),
    ],
)
def test_places_in_words(block, place):
    """In a notebook by cell, in a .py file by the file's own lines."""
    assert block.location(2) == place


def test_the_text_of_a_line():
    """Without its indentation; nothing where there is no such line."""
    block = Block("mine.py", None, 1, "def f():\n    return 1")

    assert [block.line(number) for number in (-1, 0, 1, 2, 3)] == ["", "", "def f():", "return 1", ""]


def test_the_lines_of_a_percent_file_are_those_of_the_file(write):
    """A message names the line that the editor shows."""
    text = "# %% [markdown]\n# text\n\n# %%\nx = 1\nboom()\n"
    (block,) = read_submission(write("mine.py", text)).blocks

    assert block.location(2) == "mine.py, line 6"
    assert block.line(2) == text.split("\n")[5]


# --- What is remembered of the file


@pytest.mark.parametrize("name", ["mine.py", "mine.ipynb"])
def test_the_hash_is_that_of_the_bytes(write, name):
    """Anybody can compute it again; the time is that of the file."""
    content = "x = 1\r\n" if name.endswith(".py") else json.dumps(notebook("x = 1"))
    path = write(name, content)
    os.utime(path, (1_000_000_000, 1_000_000_000))

    read = read_submission(path)

    assert read.info.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert read.info.modified == "2001-09-09T01:46:40+00:00"
    assert read.path == path


# --- Refusals


def test_no_such_file(tmp_path, snapshot):
    """Said plainly."""
    assert refused(tmp_path / "mine.ipynb") == snapshot


def test_a_folder(tmp_path, snapshot):
    """A folder is no notebook, even when it is called like one."""
    (tmp_path / "mine.ipynb").mkdir()

    assert refused(tmp_path / "mine.ipynb") == snapshot


def test_something_that_is_neither_file_nor_folder(tmp_path):
    """A pipe is not waited for, and not called a folder."""
    os.mkfifo(tmp_path / "mine.py")

    text = refused(tmp_path / "mine.py")

    assert "folder" not in text
    assert "not a file" in text


def test_a_file_that_cannot_be_read(tmp_path, snapshot):
    """The system's own reason."""
    assert refused(tmp_path / f"{'x' * 300}.py") == snapshot


def test_a_link_that_leads_to_itself(tmp_path, snapshot):
    """Is a link like any other."""
    loop = tmp_path / "mine.py"
    loop.symlink_to(loop)

    assert refused(loop) == snapshot


@pytest.mark.parametrize("name", ["mine.txt", "mine", "mine.ipynb.zip", "mine.pdf"])
def test_other_kinds_of_files(write, name, snapshot):
    """The kinds of files that may be handed in."""
    assert refused(write(name, "x = 1")) == snapshot


@pytest.mark.parametrize("content", ["", "  \n", b"\xef\xbb\xbf"])
def test_an_empty_file(write, content, snapshot):
    """Jupyter was killed while it saved."""
    text = refused(write("mine.ipynb", content))

    assert text == snapshot


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(notebook("x = 1"))[:-30],
        "{",
        "x = 1\n",
        json.dumps(notebook("x = 1")) + "}",
        json.dumps(notebook("x = 1")).encode("utf-16")[:-1],
    ],
    ids=range(5),
)
def test_what_is_no_json(write, content, snapshot):
    """Cut off, or something else."""
    text = refused(write("mine.ipynb", content))

    assert text == snapshot


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_notebook_in_another_encoding(write, encoding):
    """PowerShell writes UTF-16, and Jupyter's json reads it."""
    submission = read_submission(write("mine.ipynb", json.dumps(notebook("x = 'é'")).encode(encoding)))
    assert [block.source for block in submission.blocks] == ["x = 'é'"]


def test_a_python_file_in_utf_16(write):
    """PowerShell's `>` writes it."""
    assert [
        block.source for block in read_submission(write("mine.py", "x = 'é'".encode("utf-16"))).blocks
    ] == ["x = 'é'"]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_lacks(write, number):
    """Python's json writes it into an output."""
    found = notebook("x = 1")
    found["cells"][0]["outputs"] = [
        {"output_type": "display_data", "metadata": {}, "data": {"application/json": number}}
    ]
    assert [block.source for block in read_submission(write("mine.ipynb", json.dumps(found))).blocks] == [
        "x = 1"
    ]


@pytest.mark.parametrize("where", ["markdown", "code"])
def test_half_an_emoji(write, where):
    """In a cell of text or of code it is a question mark."""
    found = notebook("x = 1", "'\ud83d'")
    found["cells"][1]["cell_type"] = where
    submission = read_submission(write("mine.ipynb", json.dumps(found)))
    assert [block.source for block in submission.blocks] == ["x = 1", "'?'"][: 2 if where == "code" else 1]


def test_the_marks_of_a_merge(write, snapshot):
    """No editor of notebooks opens such a file, so git's own remedy is named."""
    text = refused(write("mine.ipynb", '{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n]}'))

    assert text == snapshot


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@pytest.mark.parametrize("name", ["mine.ipynb", "mine.py"])
def test_a_pointer_of_git_lfs(write, name, snapshot):
    """It is called one, with the way to the file itself."""
    text = refused(write(name, POINTER))

    assert text == snapshot
    assert f"`git lfs untrack '*.{name.partition('.')[2]}'`" in text


@pytest.mark.parametrize(
    "content",
    [
        {}, [], 5, {"nbformat": "4", "cells": []}, {"nbformat": 4}, {"nbformat": 9, "cells": []},
        {"nbformat": 4, "cells": 5}, {"nbformat": 4, "cells": [5]}, {"nbformat": 4, "cells": [{"cell_type": "code", "source": 5}]},
        {"nbformat": 4, "cells": [{"source": "x"}]}, {"nbformat": 4, "cells": None},
        {"nbformat": 4, "cells": [], "metadata": {"backgrade": {"assignment": 5}}},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_json_that_is_no_notebook(write, content, snapshot):
    """Of another kind, or of a kind that is not known yet."""
    text = refused(write("mine.ipynb", json.dumps(content)))

    assert text == snapshot


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_notebook_of_an_old_format(write, number, snapshot):
    """IPython wrote it until 2015; Jupyter saves it as a new one."""
    cells = [{"cell_type": "code", "input": "x = 1", "language": "python", "metadata": {}, "outputs": []}]
    old = {"nbformat": number, "metadata": {"name": ""}, "worksheets": [{"cells": cells, "metadata": {}}]}

    assert refused(write("mine.ipynb", old)) == snapshot


def test_a_file_that_is_too_large(tmp_path, snapshot):
    """It is not read at all; the remedy is where the size usually comes from."""
    path = tmp_path / "mine.ipynb"
    with path.open("wb") as file:
        file.truncate(submission.MAX_FILE + (1 << 20))

    assert refused(path) == snapshot


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine.py", "x = 1\n" * (submission.MAX_SOURCE // 6 + 1)),
        ("mine.ipynb", notebook("x" * submission.MAX_SOURCE, "y")),
        ("mine.ipynb", notebook(*["x"] * (MAX_CELLS + 1))),
    ],
    ids=["a long file", "a long cell", "many cells"],
)
def test_too_much_code(write, name, content, snapshot):
    """The caps, and what is usually the reason."""
    assert refused(write(name, content)) == snapshot


def test_just_within_the_caps(write):
    """As much as is allowed is allowed."""
    assert len(read_submission(write("a.ipynb", notebook(*["x"] * MAX_CELLS))).blocks) == 2000
    assert len(read_submission(write("b.py", "#" * submission.MAX_SOURCE)).blocks) == 1


def test_nothing_is_executed(write, tmp_path):
    """Reading a submission runs nothing of it, and compiles nothing."""
    witness = tmp_path / "witness"
    source = dedent(f"""
        open({str(witness)!r}, "w")
        this is no Python
    """)

    for name, content in (("mine.py", source), ("mine.ipynb", notebook(source))):
        assert len(read_submission(write(name, content)).blocks) == 1

    assert not witness.exists()


# --- The command; what it says of each kind of file is above


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("mine.ipynb", b"a = 1\n", "mine.ipynb: this file cannot be read as JSON, the format of notebooks"),
        ("notes.txt", b"a = 1\n", "notes.txt: this is not a notebook (.ipynb) or a .py file; hand in"),
        ("mine.ipynb", b"[" * 100_000 + b"]" * 100_000, "mine.ipynb: "),
        ("mine.py", b"", "there is no code in it"),
    ],
    ids=["no notebook", "text", "nested", "empty"],
)
def test_the_command_refuses_what_is_no_submission(course, name, data, told):
    """It is wrong usage, and costs nobody points."""
    hand_in(course, data, name)
    ran = grade("day2", name, cwd=course)
    assert ran.code == 2
    assert told in ran.text


def test_without_a_path_the_days_notebook_is_meant(course):
    """Where it is gone the message has its name, and that of what is there instead."""
    stub = course / "assignments" / "day2" / stub_name("day2")
    stub.rename(stub.with_name("mine (1).ipynb"))
    ran = grade("day2", cwd=course)
    assert ran.code == 2
    assert f"{stub.name}: " in ran.text
    assert "`mine (1).ipynb`" in ran.text


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("mine.ipynb", made("x = 1", backgrade={"assignment": "day3"}), "`grade day3 mine.ipynb`"),
        (stub_name("day3").replace(".ipynb", ".py"), reference("day3"), "day3"),
    ],
    ids=["notebook", "by the name of its file"],
)
def test_work_of_another_day(course, name, text, told):
    """The message says what to type instead."""
    hand_in(course, text, name)
    ran = grade("day2", name, cwd=course)
    assert ran.code == 2
    assert told in ran.text


def test_a_notebook_of_an_assignment_that_there_is_not(course):
    """The message has the name that it declares, and never in a command to copy."""
    path = hand_in(course, made("x = 1", backgrade={"assignment": "$(touch gotcha)"}))
    ran = grade("day2", path, cwd=course)
    assert ran.code == 2
    assert "$(touch gotcha)" in ran.text
    assert "`grade" not in ran.text


def test_a_notebook_as_jupyter_saves_it(course):
    """Cells are lists of lines; cells that are no code count too; outputs of 20 MB do not matter."""
    saved = json.loads(made("not python (", "nor this (", *cells("day2"), "1 / 0"))
    saved["cells"][0]["cell_type"], saved["cells"][1]["cell_type"] = "markdown", "raw"
    saved["cells"][2]["outputs"] = [
        {"output_type": "stream", "name": "stdout", "text": ["x" * 100] * 210_000}
    ]
    for cell in saved["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
    path = hand_in(course, json.dumps(saved))
    assert path.stat().st_size > 20 << 20
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score
    (note,) = report.notes
    assert note.startswith(f"cell {len(saved['cells'])}, line 1: ZeroDivisionError")


@pytest.mark.ci
def test_what_the_remedy_for_an_old_format_writes_is_graded(course):
    """The refusal names a command."""
    sheet = [
        {"cell_type": "code", "language": "python", "metadata": {}, "outputs": [], "input": source}
        for source in cells("day2")
    ]
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": sheet}]}
    path = hand_in(course, json.dumps(old))
    program, *words = grade("day2", path, cwd=course).text.split("`")[1].split()
    assert program == "jupyter"
    subprocess.run([sys.executable, "-m", program, *words, path], check=True, capture_output=True)
    report = grade_json("day2", path, cwd=course)
    assert report.score == report.max_score


def test_a_python_file_is_graded_as_the_notebook_is(course):
    """Also as an editor of Windows left it; lines are counted from the top of the file."""
    data = codecs.BOM_UTF8 + f"{reference('day2')}\n# %%\n1 / 0\n".replace("\n", "\r\n").encode()
    report = grade_json("day2", hand_in(course, data, "mine.py"), cwd=course)
    assert report.score == report.max_score
    (note,) = report.notes
    assert note.startswith(f"mine.py, line {len(reference('day2').split(chr(10))) + 2}: ZeroDivisionError")
