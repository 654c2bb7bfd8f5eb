"""The report in GitHub's Markdown: for a job's summary, a comment, the notes of a release.

GitHub reads a text twice. Its Markdown (the GFM specification) is stopped by entities, for they stand
for no structure. What it links afterwards in the text that a reader would see (mentions, numbers of
issues, commits, addresses, emoji, formulas) is not: `&#64;all` is a mention. Code is left alone. So a
word that could be one of these is shown as code, which a reader can still copy, and entities do the rest.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from grader.render.bars import bar_lines
from grader.render.inert import one_line
from grader.render.walks import told_words, walk_lines
from grader.render.words import (
    caveats,
    chart_words,
    file_words,
    is_explained,
    is_in_detail,
    last_places,
    mistake_words,
    next_step,
    no_score_words,
    passed_words,
    place_words,
    points,
    reading_words,
    rule_words,
    score_words,
    shown_readings,
)
from grader.report import Outcome, with_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from grader.report import Chart, CheckResult, Report, WalkNote, Where

_MARKS = {
    Outcome.PASSED: "✓ passed",
    Outcome.FAILED: "**✗ failed**",
    Outcome.BLOCKED: "… blocked",
    Outcome.TODO: "○ todo",
    Outcome.UNGRADABLE: "**? ungradable**",
}
_BARS, _WALK = 60, 100  # columns of a chart, and of the orders of a walk
# What is linked, replaced or called in the text that a reader would see.
_LINKED = re.compile(
    r"""
    [@#$\[] | //                        # mentions, issues, formulas, tasks ([ ]), addresses
    | \w\.[^\W\d] | www\.               # www.example.org, day2.py, a.data
    | :[\w+-]+:                         # :tada:
    | (?<![^\W_])[0-9a-f]{7,}(?![^\W_]) # a commit
    | \b[a-z][a-z0-9]*-\d | \bghsa-     # GH-1, CVE-2026-1 and what else a repository may link
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CODE_LIKE = re.compile(r"(?=.*[^\W_])(?=.*[\\_*~|<>&^{}\[\]])")  # a name or a term: `swap_rule`, `a*b`
_SIGNS = str.maketrans({sign: f"&#{ord(sign)};" for sign in r"#$&*<>@[\]^_`{|}~"})
_BEFORE, _AFTER = "(\"'", ".,;:!?)\"'"  # around a word


def render_markdown(report: Report, *, limit: int | None = None, of_record: bool = False) -> str:
    """The report in at most `limit` bytes of UTF-8; what has no room is left out and said to be.

    With `of_record` it stands below a grade: it names no points of its own, and nothing to do next.
    """
    report = with_texts(report, one_line)
    head, details = _head(report, of_record=of_record), _details(report)
    last = [] if of_record else [_last(report)]
    for kept in range(len(details), -1, -1):
        page = _page([*head, *details[:kept], *_left_out(len(details) - kept), *last])
        if _fits(page, limit):
            return page
    return _first_lines(head, limit or 0)


def _page(blocks: Iterable[str]) -> str:
    return "\n\n".join(blocks) + "\n"


def _fits(page: str, limit: int | None) -> bool:
    return limit is None or len(page.encode()) <= limit


def _left_out(count: int) -> list[str]:
    checks = "1 check is" if count == 1 else f"{count} checks are"
    return [f"{checks} told only in the log."] if count else []


def _first_lines(head: list[str], limit: int) -> str:
    """As many lines as have room: each is whole, and a table has at least one row."""
    lines = _page(head).split("\n")
    sizes = itertools.accumulate(len(line.encode()) + 1 for line in lines)
    kept = lines[: sum(size <= limit for size in sizes)]
    while kept and kept[-1] in ("", *_TABLE):
        kept.pop()
    return "\n".join(kept) + "\n" if kept else ""


# --- Blocks


def _head(report: Report, *, of_record: bool) -> list[str]:
    """What is seen without unfolding: points, what they do not tell, every check in a row."""
    name, path = report.assignment, report.submission.path
    title = f"## {_inline(name.id)}  {_inline(name.title)}".rstrip()
    blocks = [title, passed_words(report) if of_record else _points(report)]
    blocks.append(prose(file_words(path)) if report.advisory else _code(path))
    blocks += [prose(words) for words in caveats(report)] if report.score is not None else []
    blocks.append("\n".join([*_TABLE, *map(_row, report.checks)]))
    if report.notes:
        blocks += ["While the cells ran:", "\n".join(f"- {prose(note)}" for note in report.notes)]
    return list(filter(None, blocks))


def _points(report: Report) -> str:
    if report.score is None:
        return "**No score**"
    return f"**{score_words(report)}**, {passed_words(report)}"


_TABLE = ["| Outcome | Check | Points | What it is about |", "|---|---|--:|---|"]


def _row(check: CheckResult) -> str:
    beside = check.message if check.outcome in (Outcome.TODO, Outcome.BLOCKED) else check.title
    worth = f"{points(check.score)}/{points(check.max_score)}"
    return f"| {_MARKS[check.outcome]} | {_code(check.id)} | {worth} | {_inline(beside)} |"


def _details(report: Report) -> list[str]:
    """What is wrong, a check after another; the first one is unfolded."""
    alone = len(report.checks) == 1
    shown = [check for check in report.checks if is_in_detail(check, alone=alone)]
    return [_detail(check, first=i == 0) for i, check in enumerate(shown)]


# The formula of a rule, up to the end of its sentence.
_FORMULA = re.compile(r"(?<= )(does|computes|keeps) ([^`]+?)(?= as the local|, as it should|\.(?: |$))")


def _detail(check: CheckResult, *, first: bool) -> str:
    summary = f"<b>{_element(check.id)}</b>: {_inline(check.title, _element)}"
    blocks = [prose(check.message)]
    blocks.append("\n".join(f"- {reading_words(row, _code)}" for row in shown_readings(check)))
    blocks += _chart(check.chart) if check.chart and not is_explained(check) else []
    for words, where in rule_words(check):
        blocks += [prose(_FORMULA.sub(r"\1 `\2`", words, count=1)), *_places([where])]
    blocks += _walk(check.walk) if check.walk else []
    blocks += [prose(words) for words in mistake_words(check)]
    blocks += _places(last_places(check))
    opening = f"<details{' open' if first else ''}><summary>{summary}</summary>"
    return "\n\n".join(filter(None, [opening, *blocks, "</details>"]))


def _chart(chart: Chart) -> list[str]:
    lines = "\n".join(map(_entities, bar_lines(chart, _BARS)))
    return [prose(chart_words(chart)), f"<pre>\n{lines}\n</pre>"] if lines else []


def _walk(walk: WalkNote) -> list[str]:
    lines = "\n".join(map(_entities, walk_lines(walk, _WALK)))
    orders = [f"<pre>\n{lines}\n</pre>"] if lines else []
    return [*map(prose, told_words(walk)), *orders, *_places([walk.where])]


def _places(places: Iterable[Where | None]) -> list[str]:
    return [place_words(where, _code) for where in places if where]


def _last(report: Report) -> str:
    words = no_score_words(report) if report.score is None else next_step(report)
    return prose(words)


# --- Texts


def prose(text: str) -> str:
    """A paragraph or an item of a list: its first sign begins neither a list nor a heading."""
    text = " ".join(text.split())
    number = re.match(r"\d+(?=[.)])", text)
    end = number.end() if number else 0
    if text[end : end + 1] in {*"-+=.)"}:
        return f"{text[:end]}&#{ord(text[end])};{_inline(text[end + 1 :])}"
    return _inline(text)


def _inline(text: str, code: Callable[[str], str] | None = None) -> str:
    """Words in which nothing is linked or obeyed; what stands between backticks is code."""
    code = code or _code
    parts = re.split(r"`([^`\n]{1,200})`", text)
    told = "".join(code(part) if i % 2 else _words(part, code) for i, part in enumerate(parts))
    return told.replace("``", "` `")  # two codes side by side would be one, of another length


def _words(text: str, code: Callable[[str], str]) -> str:
    return "".join(_word(word, code) for word in re.split(r"(\s+)", text))


def _word(word: str, code: Callable[[str], str]) -> str:
    """One word, which is code if GitHub would link it or if it is a name; commas and brackets stay outside."""
    if not (_LINKED.search(word) or _CODE_LIKE.match(word)):
        return _entities(word)
    core = word.lstrip(_BEFORE).rstrip(_AFTER)
    start = word.index(core)
    closed = min(core.count("(") - core.count(")"), _run(word, start + len(core), ")"))
    end = start + len(core) + max(0, closed)  # the brackets of a call are its own
    return f"{word[:start]}{code(word[start:end])}{word[end:]}" if core else code(word)


def _run(word: str, start: int, sign: str) -> int:
    """How many of the sign stand there."""
    return len(word) - start - len(word[start:].lstrip(sign))


def _code(text: str) -> str:
    """Code between backticks, of which nothing is read as Markdown; what could end it stands apart."""
    parts = re.split(r"([`|$]+)", text.strip())
    return "".join(_element(part) if i % 2 else f"`{part}`" for i, part in enumerate(parts) if part)


def _element(text: str) -> str:
    """Code where no Markdown is read, as in a summary. Elsewhere addresses in it would be linked."""
    text = text.strip()
    return f"<code>{_entities(text)}</code>" if text else ""


def _entities(text: str) -> str:
    return text.translate(_SIGNS)
