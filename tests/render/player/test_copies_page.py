"""The page with two sources side by side in a browser: everybody can read it, and nothing of a hostile source runs."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import pytest
from explained import SWAPPED
from helpers import notebook
from hostile import MARKUP
from minicourse import put
from playerpages import SCREENS, serious_findings
from sampled import every
from students import course

from grader.gradebook.copies.agreement import Agreement, Comparison, Handed, Shared
from grader.gradebook.copies.page import copies_page
from grader.gradebook.copies.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

WRONG = "self.grad += self.data * out.grad"
RUN = "document.title = 'owned'; alert(1); fetch('https://example.org')"


def made(folder: Path, ada: str, bob: str, words: str = SWAPPED.words) -> str:
    """Return the page of a class in which ada and bob agree; each has one changed cell."""
    assignment = course(folder / "course")
    put(assignment.course.root, "assignments/mini/checks/stub.ipynb", notebook("def _backward():\n    pass"))
    handed = {}
    for student, source in {"ada": ada, "bob": bob}.items():
        text = notebook("# mine", source)
        put(folder, f"students/{student}.ipynb", text)
        handed[student] = Handed((student,), frozenset(), hashlib.sha256(text.encode()).hexdigest())
    agreement = Agreement(
        ("ada", "bob"), (Shared(words, 2, counts=True), Shared(words, 3, counts=False)), 4, 1, 1e-6
    )
    comparison = Comparison(handed, 50, 1225, [agreement])
    return copies_page(assignment, comparison, Sources(assignment, folder / "students"))


@pytest.mark.ci
@pytest.mark.parametrize("name", every(3, SCREENS, 2))
def test_axe_finds_nothing(opened: Callable[..., Page], tmp_path: Path, name: str) -> None:
    """No serious and no critical finding, and nothing is wider than the screen, however long a line is."""
    long = "x = [" + ", ".join(map(str, range(200))) + "]"
    source = f"def _backward():\n    {WRONG}\n{long}"
    page = opened(made(tmp_path, source, f"{source}\n{'y' * 250}"), **SCREENS[name])
    assert serious_findings(page) == []
    assert page.evaluate("() => document.scrollingElement.scrollWidth - innerWidth") <= 0


@pytest.mark.ci
def test_equal_and_different_lines_stand_side_by_side(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Each difference has its own sign and its own ground; a link at the top leads there."""
    both = f"def _backward():\n    {WRONG}"
    page = opened(made(tmp_path, f"{both}\na = 1", f"{both}\na = 2\nb = 3"))
    page.get_by_role("navigation", name="Pairs and groups").get_by_role("link", name="ada and bob").click()
    section = page.get_by_role("region", name="ada and bob")
    table = section.get_by_role("table", name="ada beside bob")
    rows = [re.split(r"\t", row) for row in table.get_by_role("row").all_inner_texts()]
    assert [row[2] for row in rows[1:]] == ["=", "=", "=", "≠", "›"]
    grounds = table.locator("tbody td:nth-child(2)").evaluate_all(
        "all => all.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(grounds[:3])) == 1
    assert grounds[3] != grounds[0]


@pytest.mark.ci
def test_on_paper(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Dark ink, also for a reader with a dark screen, and both sources within the paper."""
    page = opened(made(tmp_path, WRONG, f"{WRONG}  # {'z' * 200}"), color_scheme="dark")
    page.emulate_media(media="print")
    ink = page.locator("main").evaluate("one => getComputedStyle(one).color")
    assert max(map(int, re.findall(r"\d+", ink))) < 90
    assert page.get_by_text(WRONG).first.is_visible()


@pytest.mark.ci
def test_nothing_of_a_hostile_source_runs(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Scripts in code and in words are text: no request, no dialog, no other title."""
    script = f"<script>{RUN}</script><img src=x onerror=\"{RUN}\"><iframe srcdoc='<script>{RUN}</script>'></iframe>"
    source = "\n".join([script, f"</code></td></table></main>{script}", *MARKUP.values()])
    page = opened(made(tmp_path, source, f"{source}\nx = 1", words=f"`{script}` {script}"))
    assert page.title() == "Agreements in mini: Doubling"
    assert page.get_by_text("onerror").first.is_visible()
    assert page.locator("script, iframe, object, embed, form, img, [onload], [onerror]").count() == 0
