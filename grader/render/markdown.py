"""The report in GitHub's Markdown, for job summaries, comments and release notes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from grader.render.escape import (
    code_markdown,
    element,
    entities,
    escape_line,
    escape_markdown,
    inline_markdown,
)
from grader.render.layout import bar_lines, walk_lines
from grader.render.words import (
    caveats,
    chart_words,
    details,
    file_words,
    in_detail,
    next_step,
    no_score_words,
    passed_words,
    place_words,
    reading_words,
    record_caveats,
    rows_of,
    score_words,
)
from grader.report import Chart, Location, Mismatch, Outcome, WrongWalk, with_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grader.render.words import Part
    from grader.report import CheckResult, Report

_MARKS = {
    Outcome.PASSED: "✓ passed",
    Outcome.FAILED: "**✗ failed**",
    Outcome.BLOCKED: "… blocked",
    Outcome.TODO: "○ todo",
    Outcome.UNGRADABLE: "**? ungradable**",
    Outcome.MANUAL: "✎ manual",
}
_BARS, _WALK = 60, 100  # columns of a chart, and of the orders of a walk


def render_markdown(report: Report, *, limit: int | None = None, of_record: bool = False) -> str:
    """Return the report in at most `limit` bytes of UTF-8; a line counts the details that do not fit.

    With `of_record` it appears below a final grade, so it has neither points nor a next step.
    """
    report = with_texts(report, escape_line)
    head = _head(report, of_record=of_record)
    found = [_detail(c, first=i == 0) for i, c in enumerate(in_detail(report))]  # the first is unfolded
    following = no_score_words(report) if report.score is None else next_step(report)
    last = [] if of_record else [escape_markdown(following)]
    if report.unread:
        found, last = [], [f"Nothing could be graded: {escape_markdown(report.unread)}."]
    for kept in range(len(found), -1, -1):
        page = _page([*head, *found[:kept], *_left_out(len(found) - kept), *last])
        if limit is None or len(page.encode()) <= limit:
            return page
    return _first_lines(head, limit or 0)


def _page(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _left_out(count: int) -> list[str]:
    checks = "1 more check is" if count == 1 else f"{count} more checks are"
    return [f"{checks} explained only in the log."] if count else []


def _first_lines(head: list[str], limit: int) -> str:
    """Return as many whole lines as fit; a table keeps at least one row."""
    lines = _page(head).split("\n")
    sizes = itertools.accumulate(len(line.encode()) + 1 for line in lines)
    kept = lines[: sum(size <= limit for size in sizes)]
    while kept and kept[-1] in ("", *_TABLE):
        kept.pop()
    return "\n".join(kept) + "\n" if kept else ""


# --- Blocks


def _head(report: Report, *, of_record: bool) -> list[str]:
    """Return the blocks that a reader sees without unfolding: points, their limits, the rows."""
    name, path = report.assignment, report.submission.path
    title = f"## {inline_markdown(name.id)}  {inline_markdown(name.title)}".rstrip()
    points = "**No score**" if report.score is None else f"**{score_words(report)}**, {passed_words(report)}"
    blocks = [title, passed_words(report) if of_record else points]
    blocks.append(escape_markdown(file_words(path)) if report.advisory else code_markdown(path))
    if report.score is not None:
        blocks += map(escape_markdown, record_caveats(report) if of_record else caveats(report))
    if report.unread:
        return blocks
    rows = [
        f"| {_MARKS[row.outcome]} | {code_markdown(row.name)} | {row.worth} | {inline_markdown(row.words)} |"
        for row in rows_of(report)
    ]
    blocks.append("\n".join([*_TABLE, *rows]))
    if report.notes:
        blocks += ["While the cells ran:", "\n".join(f"- {escape_markdown(note)}" for note in report.notes)]
    return list(filter(None, blocks))


_TABLE = ["| Outcome | Check | Points | What it is about |", "|---|---|--:|---|"]


def _detail(check: CheckResult, *, first: bool) -> str:
    summary = f"<b>{element(check.id)}</b>: {inline_markdown(check.title, element)}"
    opening = f"<details{' open' if first else ''}><summary>{summary}</summary>"
    alike = itertools.groupby(details(check), lambda part: isinstance(part, Mismatch))
    blocks = (("\n" if rows else "\n\n").join(map(_block, parts)) for rows, parts in alike)
    return "\n\n".join([opening, *filter(None, blocks), "</details>"])


def _block(part: Part) -> str:
    match part:
        case Mismatch():
            return f"- {reading_words(part, code_markdown)}"
        case Location():
            return place_words(part, code_markdown)
        case Chart():
            return f"{escape_markdown(chart_words(part))}\n\n{_pre(bar_lines(part, _BARS))}"
        case WrongWalk():
            return _pre(walk_lines(part, _WALK))
    return escape_markdown(part)


def _pre(lines: Iterable[str]) -> str:
    text = "\n".join(map(entities, lines))
    return f"<pre>\n{text}\n</pre>"
