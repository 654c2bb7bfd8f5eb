"""The report in Markdown and in HTML, held by snapshots."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from gfm import Page, seen
from helpers import grade, same_as_snapshot
from hostile import HONEST, report_of

from grader.render import render_fragment, render_html, render_markdown
from grader.report import Bar, Outcome, Report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ["stub", "reference", "broken", "two", "ungradable", "visible", "advisory", "chart"]


@pytest.fixture(scope="module")
def reports(graded: dict[str, Report], changed: Callable[..., Report]) -> dict[str, Report]:
    """Real reports, and three more: the grader's own fault; a machine without hidden checks and a jail; a session."""
    found = graded
    ungradable = changed(found["broken"], score=None)
    ungradable.checks[0].outcome, ungradable.checks[0].message = (
        Outcome.UNGRADABLE,
        "test_add_rule.py: broken",
    )
    ungradable.checks[0].score = 0.0
    visible = changed(found["broken"], hidden_checks=False, notes=["cell 3 raised ZeroDivisionError"])
    visible.grader = msgspec.structs.replace(visible.grader, isolation=["rlimits"])
    advisory = changed(found["stub"], hidden_checks=False, advisory=True)
    return {**found, "ungradable": ungradable, "visible": visible, "advisory": advisory}


# --- Markdown


@pytest.mark.parametrize("name", NAMES)
def test_markdown(reports: dict[str, Report], name: str) -> None:
    """The whole report, and nothing in it that GitHub would take for something else."""
    text = render_markdown(reports[name])
    same_as_snapshot(f"{name}.md", text)
    seen(text)


@pytest.mark.parametrize("name", HONEST)
def test_honest_text_is_read_as_it_was_written(name: str) -> None:
    """Signs stand for themselves, though some of them as code."""
    page = Page(render_markdown(report_of(HONEST[name])))
    assert bare(HONEST[name]) in bare(page.text)


def bare(text: str) -> str:
    return re.sub(r"[\s`]", "", text)


def test_what_to_do_is_seen_without_unfolding(reports: dict[str, Report]) -> None:
    """Points, the table and the next step, and the first check that failed."""
    page = Page(render_markdown(reports["broken"]))
    folded = [text for inside, text in page.texts if "details" in inside]
    assert page.count("details") == 2
    assert page.attributes.count(("open", "")) == 1
    assert "10 of 100 points" not in "".join(folded)
    assert page.text.rstrip().endswith("Next: look at swap_rule, then grade day2 again.")


def test_a_bar_that_is_no_number_is_left_out(
    reports: dict[str, Report], changed: Callable[..., Report]
) -> None:
    """As in the terminal; where no bar is left, there is no chart."""
    report = changed(reports["chart"])
    chart = report.checks[0].chart
    report.checks[0].chart = msgspec.structs.replace(chart, bars=[Bar("a", float("inf"))])
    assert "<pre>" in render_markdown(reports["chart"])
    assert "<pre>" not in render_markdown(report)


# --- Limits


def test_details_are_left_out_from_the_last_on(reports: dict[str, Report]) -> None:
    """A line says that the log has them, and the rest is unchanged."""
    whole = render_markdown(reports["broken"])
    assert render_markdown(reports["broken"], limit=len(whole.encode())) == whole

    one = render_markdown(reports["broken"], limit=len(whole.encode()) - 1)
    none = render_markdown(reports["broken"], limit=len(one.encode()) - 1)

    assert (Page(one).count("details"), Page(none).count("details")) == (1, 0)
    assert LEFT_OUT[0] in one
    assert LEFT_OUT[1] in none
    assert one.partition("</details>")[0] == whole.partition("</details>")[0]
    assert whole.rpartition("\n\n")[2] == one.rpartition("\n\n")[2] == none.rpartition("\n\n")[2]


@pytest.mark.parametrize("name", ["broken", "visible", "reference"])
def test_every_limit_gives_a_whole_page(reports: dict[str, Report], name: str) -> None:
    """Never longer than it may be, never cut within an element, and more room never tells less of the head."""
    head = render_markdown(reports[name]).splitlines()
    for limit in range(0, len(render_markdown(reports[name]).encode()), 61):
        text = render_markdown(reports[name], limit=limit)
        assert len(text.encode()) <= limit
        assert set(text.splitlines()) <= {*head, *LEFT_OUT}
        page = seen(text)
        assert page.count("td") % 4 == 0
        assert page.count("td") > 0 or page.count("table") == 0


LEFT_OUT = [
    "1 more check is explained only in the log.",
    *(f"{n} more checks are explained only in the log." for n in (2, 3)),
]


def test_a_hostile_report_keeps_its_limit() -> None:
    """Bytes are counted as they are written, not as they were said."""
    for text in ("|\U0001f600$" * 300, "<" * 600):
        for limit in (10, 65_536):
            page = render_markdown(report_of(text), limit=limit)
            assert len(page.encode()) <= limit
            seen(page)


# --- The page


@pytest.mark.parametrize("name", NAMES)
def test_page(reports: dict[str, Report], name: str) -> None:
    """The whole page, but for its styles and their hashes."""
    text = re.sub(r"(?s)<style>.*?</style>", "<style></style>", render_html(reports[name]))
    same_as_snapshot(f"{name}.html", re.sub(r"'sha256-[^']*'", "'sha256-'", text))


def test_the_fragment_tells_what_was_missing(reports: dict[str, Report]) -> None:
    """As the terminal does: hidden checks, and a jail that could not be closed."""
    text = render_fragment(reports["visible"])
    assert "Hidden checks run when your instructor grades." in text
    assert "Graded without a closed jail" in text


def test_a_page_beside_the_terminal(course: Path, tmp_path: Path) -> None:
    """`--html FILE` writes the page and prints what would have been printed."""
    ran = grade("day2", "--html", tmp_path / "day2.html", cwd=course)
    assert ran.code == 1
    assert ran.out.startswith("day2  The backward pass\n")
    assert (tmp_path / "day2.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_a_page_that_cannot_be_written(course: Path, tmp_path: Path) -> None:
    """The report is printed anyway, and the error names the file."""
    ran = grade("day2", "--html", tmp_path / "no" / "day2.html", cwd=course)
    assert ran.code == 2
    assert ran.out.startswith("day2  The backward pass\n")
    assert "day2.html: cannot be written" in ran.err
    assert "name another file" in ran.err
