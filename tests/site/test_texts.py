"""Texts of a course in the pages of a site: titles, names, hints and cells stay text."""

from __future__ import annotations

import json
import re
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from hostile import HOSTILE, obeyed
from judges import elements_of

from grader.render import escape_line
from grader.site.pages import day_page, start_page

FILES = dict.fromkeys(("day.js", "start.js", "page.css"), "files/x")


def day_of(text: str, name: str) -> Any:
    """An assignment whose texts are this one."""
    check = SimpleNamespace(title=text, points=10.0, hints=[text], manual=False)
    manifest = SimpleNamespace(
        title=text, submission=text, limits=SimpleNamespace(load_seconds=1.0), checks={text: check}
    )
    return SimpleNamespace(name=name, manifest=manifest)


@cache
def pages_of(text: str) -> list[str]:
    """The page of a day with a cell of each kind, and the start page with a day that no browser runs."""
    cells = [{"cell_type": kind, "id": text, "source": [text]} for kind in ("code", "raw", text)]
    cells.append(
        {"cell_type": "markdown", "id": text, "source": ["A lesson."]}
    )  # its HTML has tests of its own
    notebook = json.dumps({"cells": cells}).encode()
    day = day_page(
        day_of(text, text), notebook, FILES, {"more": text, "file": text, "player": text, "needs": []}
    )
    return [day, start_page(text, [day_of(text, text), day_of(text, "missing")], {"missing": [text]}, FILES)]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_texts_of_a_course_are_text(text: str) -> None:
    """No text makes an element, an attribute or a command, or ends the data of a page, which give it back."""
    text = text[:3_000].encode(errors="replace").decode()  # a course has no half character
    text = text if escape_line(text).strip() else f"x{text}"

    for page, usual in zip(pages_of(text), pages_of("word"), strict=True):
        assert obeyed(page) == []
        assert names_in(page) == names_in(usual)
        (data,) = re.findall(r'<script type="application/json" id="\w+">([^<>]*)</script>', page)
        assert json.dumps(text) in json.dumps(json.loads(data))


def names_in(page: str) -> list[tuple[str, object]]:
    """The elements of a page with the names of their attributes; the values of some are texts."""
    return [(tag, [name for name, _ in of] if isinstance(of, tuple) else of) for tag, of in elements_of(page)]
