"""All cells of a submission, for a page: what is kept of a notebook, and what is left behind."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from grader.render.cell import Cell
from grader.submissions.cells import MAX_OUTPUTS, MAX_PAGE, MAX_PICTURE, MAX_TEXT, read_cells
from grader.submissions.submission import SubmissionError, read_submission

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>"


def notebook(tmp_path: Path, *cells: dict[str, Any], **fields: Any) -> list[Cell]:
    """Write a notebook with these cells, and read it."""
    path = tmp_path / "mine.ipynb"
    path.write_text(json.dumps({"nbformat": 4, "metadata": {}, "cells": cells} | fields), encoding="utf-8")
    return read_cells(path)[1]


def outputs(tmp_path: Path, *found: Any) -> list[dict[str, str]]:
    """Return what is kept of the outputs of one cell."""
    (cell,) = notebook(tmp_path, {"cell_type": "code", "source": "x", "outputs": found})
    return cell.outputs


def shown(**data: Any) -> dict[str, Any]:
    """An output with these media types; `_` stands for `/`."""
    return {"output_type": "display_data", "data": {k.replace("_", "/"): v for k, v in data.items()}}


# --- Cells


def test_cells_are_counted_as_in_a_report(tmp_path: Path) -> None:
    """From 1, all of them: a location in a report names the same cell."""
    cells = [
        {"cell_type": kind, "source": f"x = {kind}"} for kind in ("markdown", "code", "raw", "other", "code")
    ]

    found = notebook(tmp_path, *cells)

    assert [(cell.kind, cell.number) for cell in found] == [
        ("markdown", 1), ("code", 2), ("raw", 3), ("raw", 4), ("code", 5),
    ]  # fmt: skip
    blocks = read_submission(tmp_path / "mine.ipynb").blocks
    assert [block.cell for block in blocks] == [cell.number for cell in found if cell.kind == "code"]
    assert found[1].label == "cell 2"


def test_the_hash_is_that_of_the_graded_file(tmp_path: Path) -> None:
    """So a page is made of the same bytes as the report."""
    path = tmp_path / "mine.py"
    path.write_text("x = 1\n", encoding="utf-8")
    assert read_cells(path)[0] == read_submission(path).sha256


def test_cells_of_a_python_file(tmp_path: Path) -> None:
    """Its `# %%` cells with Markdown, in the lines of the file; the code above them has no number."""
    path = tmp_path / "mine.py"
    path.write_text(
        "import math\n\n# %% [markdown]\n# # Title\n#\n# text\n\n# %%\nx = 1\ny = 2\n", encoding="utf-8"
    )

    found = read_cells(path)[1]

    assert [(cell.kind, cell.number, cell.label) for cell in found] == [
        ("code", None, "line 1"), ("markdown", 1, "lines 4 to 6"), ("code", 2, "lines 9 to 10"),
    ]  # fmt: skip
    assert found[1].source.startswith("# Title\n\ntext")
    assert found[2].first_line == 9


@pytest.mark.parametrize("text", ["", "{", "[]", '{"nbformat": 4}', '{"nbformat": 9, "cells": []}'])
def test_no_notebook(tmp_path: Path, text: str) -> None:
    """It is refused in one sentence."""
    path = tmp_path / "mine.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SubmissionError, match="not a notebook that can be read"):
        read_cells(path)


def test_a_notebook_of_an_old_format(tmp_path: Path) -> None:
    """It is refused with the way to a new one."""
    with pytest.raises(
        SubmissionError, match="has the old format nbformat 3; open it in Jupyter and save it"
    ):
        notebook(tmp_path, nbformat=3)


# --- Outputs


def test_text_of_each_kind_is_kept(tmp_path: Path) -> None:
    """What was printed, a result, an exception with and without its traceback."""
    assert outputs(
        tmp_path,
        {"output_type": "stream", "name": "stdout", "text": ["one\n", "two"]},
        {"output_type": "execute_result", "data": {"text/plain": "3"}},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["line 1", "line 2"]},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": []},
    ) == [{"text/plain": text} for text in ("one\ntwo", "3", "line 1\nline 2", "E: v")]


def test_of_html_and_scripts_the_text_is_kept(tmp_path: Path) -> None:
    """If there is one; else a line says that something is missing."""
    found = outputs(
        tmp_path,
        shown(text_html="<script>", text_plain="plain"),
        shown(text_html="<script>"),
        shown(application_javascript="alert(1)"),
    )
    assert found[0] == {"text/plain": "plain"}
    assert all("is left out" in output["text/plain"] for output in found[1:])
    assert "<script>" not in str(found)
    assert "alert" not in str(found)


def test_a_picture_is_kept_in_base64(tmp_path: Path) -> None:
    """One of each output, with its text."""
    found = outputs(
        tmp_path,
        shown(**{"image_png": PNG, "image_svg+xml": SVG, "text_plain": "a graph"}),
        shown(**{"image_svg+xml": ["<svg xmlns='http://www.w3.org/2000/svg'", "/>"]}),
    )
    svg = base64.b64encode(SVG.encode()).decode()
    assert found == [{"image/png": PNG, "text/plain": "a graph"}, {"image/svg+xml": svg}]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("image_png", '"><script>alert(1)</script>'),
        ("image_png", base64.b64encode(b"<html>").decode()),
        ("image_jpeg", PNG),
        ("image_png", 5),
        ("image_png", base64.b64encode(b"\x89PNG\r\n" + bytes(MAX_PICTURE)).decode()),
        ("image_svg+xml", "no picture"),
        ("image_svg+xml", f'<!DOCTYPE svg [<!ENTITY a "aaaa">]>{SVG}'),
        ("image_svg+xml", SVG + " " * MAX_PICTURE),
    ],
)
def test_what_is_no_picture_is_not_kept(tmp_path: Path, kind: str, data: object) -> None:
    """Nor one that is too large, or an SVG whose entities could grow."""
    assert outputs(tmp_path, shown(**{kind: data, "text_plain": "text"})) == [{"text/plain": "text"}]


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    """The last line says how much is missing."""
    (output,) = outputs(tmp_path, {"output_type": "stream", "text": "x" * (MAX_TEXT + 1_234)})
    assert output["text/plain"] == "x" * MAX_TEXT + "\n... 1,234 more characters are left out"


def test_many_outputs_are_cut(tmp_path: Path, snapshot) -> None:
    """A line says that there were more."""
    found = outputs(tmp_path, *({"output_type": "stream", "text": str(i)} for i in range(MAX_OUTPUTS + 1)))
    assert len(found) == MAX_OUTPUTS + 1
    assert found[-1] == snapshot


def test_a_page_has_room_for_some_outputs_only(tmp_path: Path, snapshot) -> None:
    """What comes after them is left out, and says so."""
    picture = base64.b64encode(b"\x89PNG\r\n" + bytes(MAX_PICTURE // 2)).decode()
    cells = [{"cell_type": "code", "source": "x", "outputs": [shown(image_png=picture)]}] * 20
    found = notebook(tmp_path, *cells)
    kept = [cell for cell in found if "image/png" in cell.outputs[0]]
    assert sum(len(cell.outputs[0]["image/png"]) for cell in kept) <= MAX_PAGE
    assert found[len(kept)].outputs == snapshot
    assert {cell.source for cell in found} == {"x"}


def test_a_huge_output_is_left_out(tmp_path: Path, snapshot) -> None:
    """Before anything of it is built; the next one is shown."""
    huge = {"output_type": "stream", "text": "x" * (MAX_PAGE + 1)}
    found = outputs(tmp_path, huge, {"output_type": "stream", "text": "x"})
    assert found == snapshot


def test_a_page_has_room_for_some_text_only(tmp_path: Path) -> None:
    """Cells that come after it say that they are left out, and keep their numbers."""
    cells = [{"cell_type": "markdown", "source": "x" * (MAX_PAGE // 2)}] * 3
    found = notebook(tmp_path, *cells, {"cell_type": "markdown", "source": "x" * (MAX_PAGE + 1)})
    assert [cell.number for cell in found] == [1, 2, 3, 4]
    assert ["is left out" in cell.source for cell in found] == [False, False, True, True]


@pytest.mark.parametrize(
    "strange",
    [5, None, [], "x", {}, {"output_type": 5}, {"text": 5}, {"data": []}, {"data": {"text/plain": {}}}, {"traceback": 5}],
)  # fmt: skip
def test_strange_outputs_are_left_out(tmp_path: Path, strange: object) -> None:
    """And the others stay."""
    found = outputs(tmp_path, strange, {"output_type": "stream", "text": "x"})
    assert found[-1] == {"text/plain": "x"}
    assert len(found) == 1 or "is left out" in found[0]["text/plain"]


def test_attachments_are_pictures(tmp_path: Path) -> None:
    """A Markdown cell keeps nothing else."""
    held = {"a.png": {"image/png": PNG}, "b.html": {"text/html": "PHNjcmlwdD4="}, "c": {}}
    (cell,) = notebook(
        tmp_path, {"cell_type": "markdown", "source": "![](attachment:a.png)", "attachments": held}
    )
    assert cell.attachments == {"a.png": {"image/png": PNG}}


@pytest.mark.parametrize("field", ["outputs", "attachments", "source"])
@pytest.mark.parametrize("value", [5, "x", [5], {"a": 5}])
def test_a_cell_with_a_strange_field_keeps_its_number(tmp_path: Path, field: str, value: object) -> None:
    """It is shown without what cannot be read."""
    cells = [{"cell_type": kind, "source": "x"} | {field: value} for kind in ("code", "markdown")]
    assert [cell.number for cell in notebook(tmp_path, *cells)] == [1, 2]
